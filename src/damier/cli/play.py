"""`damier play`: a game in the terminal, against the computer or between two people."""

import argparse
import datetime
import re
import sys
from collections.abc import Callable
from pathlib import Path

from damier import record
from damier.cli.common import add_options, add_position, rules_of
from damier.cli.replay import read_text
from damier.drawing import terminal
from damier.errors import DamierError
from damier.game import Game
from damier.games import GAMES
from damier.lang import LANGUAGES, say, texts
from damier.places import data_directory
from damier.players import Player, player
from damier.record import Record
from damier.rules import Result

HUMAN, OPPONENT = "human", "level:2"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("game", nargs="?", metavar=say("cli.game"), help=", ".join(GAMES))
    add_options(parser)
    add_position(parser)
    for side in ("white", "black"):
        parser.add_argument(
            f"--{side}", metavar=say("cli.player"), help=say(f"cli.play.{side}", human=HUMAN)
        )
    parser.add_argument("--two", action="store_true", help=say("cli.play.two"))
    parser.add_argument("--seed", type=int, help=say("cli.play.seed"))
    parser.add_argument(
        "--resume", nargs="?", const="", metavar=say("cli.file"), help=say("cli.play.resume")
    )


def run(args: argparse.Namespace) -> int:
    """Play until the game is over or the player leaves."""
    if args.resume is not None:
        start = _resumed(args.resume)
    else:
        if args.game is None:
            args.game = _asked_game()
        rules = rules_of(args)
        position = rules.start() if args.position is None else rules.position(args.position)
        start = Record(Game(position), date=datetime.date.today().isoformat())
    white, black = _seats(args, start)
    return Table(start, {"w": white, "b": black}, args.seed).play()


def _seats(args: argparse.Namespace, start: Record) -> tuple[str, str]:
    """Return who plays White and Black: as said, as recorded, else a person and the computer."""
    recorded = (start.white, start.black) if start.white != "?" else (HUMAN, OPPONENT)
    if args.two:
        recorded = (HUMAN, HUMAN)
    return args.white or recorded[0], args.black or recorded[1]


def _resumed(path: str) -> Record:
    """Return the last game of a file, or the one that was played last here."""
    if not path and not last_game_file().exists():
        raise DamierError("nothing-to-resume")
    name = path or str(last_game_file())
    records, problems = record.read(read_text(name))
    if not records:
        raise DamierError("file", path=name, message=problems[0] if problems else "–")
    return records[-1]


def last_game_file() -> Path:
    """Return the file in which the game under way is kept after every turn."""
    return data_directory() / "last-game.txt"


def _asked_game() -> str:
    """Return the game that the player chooses from a list."""
    names = list(GAMES)
    for number, name in enumerate(names, 1):
        print(f"  {number}  {say(f'game.{name}')} – {say(f'game.{name}.aim')}")
    while True:
        answer = ask(say("cli.play.which"), names).strip().lower()
        if answer in names:
            return answer
        if answer.isdigit() and 1 <= int(answer) <= len(names):
            return names[int(answer) - 1]


def ask(prompt: str, words: list[str]) -> str:
    """Return a line that the player types, with completion where there is a terminal."""
    if not sys.stdin.isatty():
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter

    completer = WordCompleter(words, pattern=re.compile(r"\S+"), ignore_case=True)
    return PromptSession[str](completer=completer).prompt(prompt)


class Table:
    """A game under way, and who sits at it."""

    def __init__(self, start: Record, seats: dict[str, str], seed: int | None) -> None:
        self.game = start.game
        self.date = start.date
        self.seats = seats
        self.agreed: Result | None = None
        self.players: dict[str, Player] = {
            side: player(text, seed) for side, text in seats.items() if text != HUMAN
        }
        actions: dict[str, Callable[[str], None]] = {
            "help": self.help, "turns": self.turns, "undo": self.undo,
            "save": self.save, "resign": self.resign,
        }  # fmt: skip
        # Words are understood in every language, whichever is in use.
        self.actions = {
            texts(language)[f"cli.play.word.{name}"]: action
            for language in LANGUAGES
            for name, action in actions.items()
        }
        self.quits = {texts(language)["cli.play.word.quit"] for language in LANGUAGES}

    def play(self) -> int:
        """Take turns until the end; return the exit status."""
        print(say("cli.play.hint"))
        self.show()
        try:
            while not (self.game.result() or self.agreed):
                side = self.game.position.side
                if side in self.players:
                    turn = self.players[side].choose(self.game).text
                    print(say("cli.play.plays", side=say(f"side.{side}"), turn=turn))
                    self.advance(turn)
                elif not self.listen():
                    break
        except EOFError:
            print()
        except KeyboardInterrupt:
            print()
        result = self.game.result() or self.agreed
        print(result.sentence() if result else say("cli.play.kept"))
        return 0

    def listen(self) -> bool:
        """Do what the person to move types; return False if it is to leave."""
        words = [turn.text for turn in self.game.turns()]
        side = say(f"side.{self.game.position.side}")
        line = ask(f"{side} > ", [*words, *self.actions, *self.quits]).strip()
        word, _, argument = line.partition(" ")
        if word.lower() in self.quits:
            return False
        try:
            if word.lower() in self.actions:
                self.actions[word.lower()](argument.strip())
            elif word in ("?", "h"):
                self.help("")
            elif line:
                self.advance(line)
        except (DamierError, OSError) as error:
            print(error)
        return True

    def advance(self, turn: str) -> None:
        """Play a turn and keep the game, so that nothing is lost."""
        self.game = self.game.play(turn)
        self.show()
        try:
            last_game_file().parent.mkdir(parents=True, exist_ok=True)
            last_game_file().write_text(str(self.record()), "utf-8")
        except OSError as error:
            print(say("cli.play.not-kept", message=error), file=sys.stderr)

    def show(self) -> None:
        """Draw the board, with the cells of the last turn marked."""
        marked = []
        if self.game.ply:
            names = re.findall(r"[a-u]\d+", self.game.turns_played[-1].text)
            marked = [name for name in names if name in self.game.rules.board.indices]
        print(terminal(self.game.position, colour=sys.stdout.isatty(), marked=marked))

    def record(self) -> Record:
        """Return the game as a record."""
        return Record(self.game, self.seats["w"], self.seats["b"], self.date, self.agreed)

    def help(self, _: str) -> None:
        """Say what can be typed."""
        print(say("cli.play.commands"))

    def turns(self, _: str) -> None:
        """List the legal turns."""
        print("  ".join(turn.text for turn in self.game.turns()))

    def undo(self, _: str) -> None:
        """Take back to the person's own last turn: the computer's reply goes with it."""
        game = self.game.back()
        while game.ply and game.position.side in self.players:
            game = game.back()
        self.game = game
        self.show()

    def save(self, argument: str) -> None:
        """Add the game to a file."""
        if not argument:
            raise DamierError("save-where")
        path = Path(argument).expanduser()
        text = path.read_text("utf-8") + "\n" if path.exists() else ""
        path.write_text(text + str(self.record()), "utf-8")
        print(say("cli.play.saved", file=path))

    def resign(self, _: str) -> None:
        """Give the game up."""
        self.agreed = Result("b" if self.game.position.side == "w" else "w", "resigned")
