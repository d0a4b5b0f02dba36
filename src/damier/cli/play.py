"""`damier play`: a game in the terminal, against the computer or between two people."""

import argparse
import datetime
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING

from damier import files, record
from damier.cli import EndOfInput
from damier.cli.common import (
    add_game,
    add_options,
    add_position,
    drawn,
    named,
    options_of,
    person_at,
    position_of,
)
from damier.cli.interrupt import INTERRUPTED
from damier.cli.replay import read_text
from damier.errors import DamierError, told
from damier.games import GAMES
from damier.history import Game
from damier.lang import LANGUAGES, say, say_of, texts
from damier.places import data_directory
from damier.players import Player, player
from damier.position import Result
from damier.record import Record

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

HUMAN, OPPONENT = "human", "level:2"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_game(parser, "?")
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
        start = _resumed(args)
    else:
        if args.game is None:
            args.game = asked_game()
        start = Record(Game(position_of(args)), date=datetime.date.today().isoformat())
    return Table(*_seated(args, start)).play()


def _seated(args: argparse.Namespace, start: Record) -> tuple[Record, dict[str, Player]]:
    """Return the record with who plays, and the players among them who are no people.

    Who plays is as said, else as recorded, else a person and the computer.
    """
    names, players = [], {}
    for side, usual in (("white", HUMAN), ("black", OPPONENT)):
        said, recorded = getattr(args, side), getattr(start, side)
        name = said or (HUMAN if args.two else usual if recorded == "?" else recorded)
        names.append(name)
        # Whoever sends a file does not choose the programs that run here.
        if name == HUMAN or (args.resume and not said and name.startswith("cmd:")):
            continue
        try:
            players[side[0]] = player(name, args.seed)
        except DamierError:
            if said:  # else it is a person's name
                raise
    return replace(start, white=names[0], black=names[1]), players


def _resumed(args: argparse.Namespace) -> Record:
    """Return the last game of a file, or the one that was played last here."""
    if not args.resume and not last_game_file().exists():
        raise DamierError("nothing-to-resume")
    path = args.resume or str(last_game_file())
    records, problems = record.read(
        read_text(path), default=args.game and named(args.game), preset=args.preset,
        options=options_of(args), position=args.position,
    )  # fmt: skip
    if not records:
        message = problems[0] if problems else say("error.no-record")
        raise DamierError("resume", path=path, message=message)
    return records[-1]


def last_game_file() -> Path:
    """Return the file in which the game under way is kept after every turn."""
    return data_directory() / "last-game.txt"


def asked_game() -> str:
    """Return the game that the player chooses from a list."""
    names = list(GAMES)
    for number, name in enumerate(names, 1):
        tell(f"  {number}  {say_of(name, 'name')} – {say_of(name, 'aim')}")
    while True:
        answer = ask(say("cli.play.which"), names).strip().lower()
        if answer in names:
            return answer
        if answer.isdecimal() and 1 <= int(answer) <= len(names):
            return names[int(answer) - 1]
        tell(say("error.game", name=answer, games=", ".join(names)))


def tell(text: str) -> None:
    """Print a text; to a person, no word is divided at the edge of the terminal."""
    if sys.stdout.isatty():
        text = fill(
            text, max(20, get_terminal_size().columns - 1), subsequent_indent="  ",
            break_on_hyphens=False, break_long_words=False,
        )  # fmt: skip
    print(text)


def ask(prompt: str, words: list[str]) -> str:
    """Return a line that the player types, with completion where there is a terminal."""
    if not sys.stdin.isatty():
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EndOfInput
        return line
    from prompt_toolkit.completion import WordCompleter

    completer = WordCompleter(words, pattern=re.compile(r"\S+"), ignore_case=True)
    try:
        return _session().prompt(prompt, completer=completer)
    except EOFError:
        raise EndOfInput from None


@cache
def _session() -> "PromptSession[str]":
    """Return what reads lines, and remembers those typed before."""
    from prompt_toolkit import PromptSession

    return PromptSession()


class Table:
    """A game under way, and who sits at it."""

    def __init__(self, start: Record, players: dict[str, Player]) -> None:
        self.record = start
        self.players = players
        self.actions: dict[str, Callable[[str], None]] = {
            "help": self.help, "turns": self.turns, "undo": self.undo,
            "save": self.save, "resign": self.resign, "quit": self.quit,
        }  # fmt: skip
        # Words are understood in every language, whichever is in use, and offered in that one.
        self.words = {
            texts(language)[f"cli.play.word.{name}"]: name
            for language in LANGUAGES
            for name in self.actions
        }
        self.offered = [say(f"cli.play.word.{name}") for name in self.actions]
        self.here = True

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.record.game

    def play(self) -> int:
        """Take turns until the end; return the exit status."""
        names = {HUMAN: say("cli.play.person")}
        white, black = (names.get(n, n) for n in (self.record.white, self.record.black))
        tell(say("cli.play.hint", white=white, black=black))
        self.show()
        status = 0
        try:
            while self.here and not (self.record.result or self.game.over):
                side = self.game.position.side
                if side in self.players:
                    self.advance(self.computed(side))
                else:
                    self.listen()
        except EndOfInput:
            print()
        except KeyboardInterrupt:
            status = INTERRUPTED
            print()
        finally:
            for one in self.players.values():
                if hasattr(one, "close"):
                    one.close()
        result = self.record.result
        self.keep()
        tell(result.sentence() if result else say("cli.play.kept"))
        return status

    def computed(self, side: str) -> str:
        """Return the turn that the computer plays; a person sees that it thinks."""
        waiting = person_at(sys.stdout)
        if waiting:
            print(say("cli.play.thinking", side=say(f"side.{side}")), end="", flush=True)
        try:
            turn = self.players[side].choose(self.game).text
        finally:
            if waiting:
                print("\r\x1b[K", end="", flush=True)
        tell(say("cli.play.plays", side=say(f"side.{side}"), turn=turn))
        return turn

    def listen(self) -> None:
        """Do what the person to move types."""
        turns = [turn.text for turn in self.game.turns()]
        side = say(f"side.{self.game.position.side}")
        line = ask(f"{side} > ", [*turns, *self.offered]).strip()
        word, _, argument = line.partition(" ")
        try:
            if word.lower() in self.words:
                self.actions[self.words[word.lower()]](argument.strip())
            elif word in ("?", "h"):
                self.help("")
            elif line:
                self.advance(meant(line, turns))
        except DamierError as error:
            tell(str(error))
        except OSError as error:
            tell(told(error))

    def advance(self, turn: str) -> None:
        """Play a turn."""
        self.record = replace(self.record, game=self.game.play(turn))
        self.keep()
        self.show()

    def keep(self) -> None:
        """Keep the game as it stands, so that nothing is lost."""
        try:
            files.write_text(last_game_file(), str(self.record))
        except OSError as error:
            print(say("cli.play.not-kept", message=told(error)), file=sys.stderr)

    def show(self) -> None:
        """Draw the board, with the cells of the last turn marked."""
        marked = []
        if self.game.ply:
            steps = self.game.turns_played[-1].described
            cells = {cell for step in steps for cell in (step.origin, step.target, *step.takes)}
            cells |= {cell for step in steps for put in step.puts for cell in put}
            marked = sorted(cell for cell in cells if cell)
        print(drawn(self.game.position, marked))

    def help(self, _: str) -> None:
        """Say what can be typed."""
        print(say("cli.play.commands"))

    def turns(self, _: str) -> None:
        """List the legal turns."""
        tell("  ".join(turn.text for turn in self.game.turns()))

    def undo(self, _: str) -> None:
        """Take back to the person's own last turn: the computer's reply goes with it."""
        game = self.game.back()
        while game.ply and game.position.side in self.players:
            game = game.back()
        if game.ply == self.game.ply or game.position.side in self.players:
            raise DamierError("nothing-to-undo")
        self.record = replace(self.record, game=game)
        self.keep()
        self.show()

    def save(self, argument: str) -> None:
        """Add the game to a file."""
        if not argument:
            raise DamierError("save-where")
        path = Path(argument).expanduser()
        files.append(path, str(self.record), between="\n\n")
        tell(say("cli.play.saved", file=path))

    def resign(self, _: str) -> None:
        """Give the game up."""
        winner = "b" if self.game.position.side == "w" else "w"
        self.record = replace(self.record, agreed=Result(winner, "resigned"))

    def quit(self, _: str) -> None:
        """Leave; the game is kept."""
        self.here = False


def meant(line: str, turns: list[str]) -> str:
    """Return the turn that a line writes but for its capitals and spaces, else the line."""
    written = "".join(line.split()).lower()
    found = [turn for turn in turns if turn.lower() == written]
    return found[0] if len(found) == 1 else line
