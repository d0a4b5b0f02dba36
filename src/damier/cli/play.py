"""`damier play`: a game in the terminal, against the computer or between two people."""

import argparse
import datetime
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING

from damier import files, record
from damier.cli import EndOfInput, game_paths
from damier.cli.common import (
    add_game,
    add_options,
    add_position,
    draw_board,
    game_name,
    is_interactive,
    options_of,
    position_of,
)
from damier.cli.interrupt import INTERRUPTED
from damier.cli.replay import read_lines
from damier.cli.terminal import print_raw
from damier.errors import DamierError, describe_os_error
from damier.gameplay import Game
from damier.games import GAMES
from damier.i18n import LANGUAGES, texts, translate, translate_for_game
from damier.paths import data_directory
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
            f"--{side}",
            metavar=translate("cli.player"),
            help=translate(f"cli.play.{side}", human=HUMAN),
        )
    parser.add_argument("--two", action="store_true", help=translate("cli.play.two"))
    parser.add_argument("--seed", type=int, help=translate("cli.play.seed"))
    parser.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar=translate("cli.file"),
        help=translate("cli.play.resume"),
    )


def run(args: argparse.Namespace) -> int:
    """Play until the game is over or the player leaves."""
    if args.resume is not None:
        start = _resume_game(args)
    else:
        if args.game is None:
            args.game = prompt_game()
        start = Record(Game(position_of(args)), date=datetime.date.today().isoformat())
    with suppress(OSError):  # where nothing can be saved, `autosave` says so
        game_paths.remember(start.game.rules.folder)
    return TerminalGame(*_seat_players(args, start)).play()


def _seat_players(args: argparse.Namespace, start: Record) -> tuple[Record, dict[str, Player]]:
    """Return the record with the names of the players, and the computer players by side.

    Names come from the arguments, else from the record, else a human plays the computer.
    """
    names, players = [], {}
    for side, default in (("white", HUMAN), ("black", OPPONENT)):
        given, recorded = getattr(args, side), getattr(start, side)
        name = given or (HUMAN if args.two else default if recorded == "?" else recorded)
        names.append(name)
        # A record must not choose programs to run on this machine.
        if name == HUMAN or (args.resume and not given and name.startswith("cmd:")):
            continue
        try:
            players[side[0]] = player(name, args.seed)
        except DamierError:
            if given:  # else it is the name of a human
                raise
    return replace(start, white=names[0], black=names[1]), players


def _resume_game(args: argparse.Namespace) -> Record:
    """Return the last game of a file, by default the last game played on this machine."""
    if not args.resume and not last_game_file().exists():
        raise DamierError("nothing-to-resume")
    path = args.resume or str(last_game_file())
    text = "\n".join(read_lines(path))
    if args.game:
        game_name(args.game)
    for name in record.games_in(text):
        game_paths.recall(name)
    records, problems = record.read(
        text,
        default=args.game and game_name(args.game),
        preset=args.preset,
        options=options_of(args),
        position=args.position,
    )
    if not records:
        message = problems[0] if problems else translate("error.no-record")
        raise DamierError("resume", path=path, message=message)
    return records[-1]


def last_game_file() -> Path:
    """Return the file in which the current game is saved after every move."""
    return data_directory() / "last-game.txt"


def prompt_game() -> str:
    """Return the game that the player chooses from a list."""
    names = list(GAMES)
    for number, name in enumerate(names, 1):
        print_wrapped(
            f"  {number}  {translate_for_game(name, 'name')} – {translate_for_game(name, 'aim')}"
        )
    while True:
        answer = prompt_line(translate("cli.play.which"), names).strip().lower()
        if answer in names:
            return answer
        if answer.isdecimal() and 1 <= int(answer) <= len(names):
            return names[int(answer) - 1]
        print_wrapped(translate("error.game", name=answer, games=", ".join(names)))


def print_wrapped(text: str) -> None:
    """Print a text, wrapped at words on a terminal."""
    if sys.stdout.isatty():
        text = fill(
            text,
            max(20, get_terminal_size().columns - 1),
            subsequent_indent="  ",
            break_on_hyphens=False,
            break_long_words=False,
        )
    print(text)


def prompt_line(prompt: str, words: list[str]) -> str:
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
    """Return the prompt session, which has a history of lines."""
    from prompt_toolkit import PromptSession

    return PromptSession()


class TerminalGame:
    """Interactive game in the terminal."""

    def __init__(self, start: Record, players: dict[str, Player]) -> None:
        self.record = start
        self.players = players
        self.actions: dict[str, Callable[[str], None]] = {
            "help": self.help,
            "turns": self.moves,
            "undo": self.undo,
            "save": self.save,
            "resign": self.resign,
            "quit": self.quit,
        }
        # Commands of every language are accepted; completion offers those of the language in use.
        self.words = {
            texts(language)[f"cli.play.word.{name}"]: name
            for language in LANGUAGES
            for name in self.actions
        }
        self.offered = [translate(f"cli.play.word.{name}") for name in self.actions]
        self.running = True

    @property
    def game(self) -> Game:
        """Game with the moves played so far."""
        return self.record.game

    def play(self) -> int:
        """Play until the end of the game or until the player quits; return the exit status."""
        names = {HUMAN: translate("cli.play.person")}
        white, black = (names.get(n, n) for n in (self.record.white, self.record.black))
        print_wrapped(translate("cli.play.hint", white=white, black=black))
        self.show()
        status = 0
        try:
            while self.running and not (self.record.result or self.game.over):
                side = self.game.position.side
                if side in self.players:
                    self.advance(self.computer_move(side))
                else:
                    self.read_command()
        except EndOfInput:
            print()
        except KeyboardInterrupt:
            status = INTERRUPTED
            print()
        finally:
            for opponent in self.players.values():
                if hasattr(opponent, "close"):
                    opponent.close()
        result = self.record.result
        saved = self.autosave()
        if result:
            print_wrapped(result.sentence())
        elif saved:
            print_wrapped(translate("cli.play.kept"))
        return status

    def computer_move(self, side: str) -> str:
        """Return the computer's move; show on a terminal that it is thinking."""
        waiting = is_interactive(sys.stdout)
        if waiting:
            print(
                translate("cli.play.thinking", side=translate(f"side.{side}")), end="", flush=True
            )
        try:
            move = self.players[side].choose(self.game).text
        finally:
            if waiting:
                print_raw("\r\x1b[K", end="")
        print_wrapped(translate("cli.play.plays", side=translate(f"side.{side}"), turn=move))
        return move

    def read_command(self) -> None:
        """Read and run a command or a move of the player to move."""
        moves = [move.text for move in self.game.legal_moves()]
        side = translate(f"side.{self.game.position.side}")
        line = prompt_line(f"{side} > ", [*moves, *self.offered]).strip()
        command, _, argument = line.partition(" ")
        try:
            if command.lower() in self.words:
                self.actions[self.words[command.lower()]](argument.strip())
            elif command in ("?", "h"):
                self.help("")
            elif line:
                self.advance(match_move(line, moves))
        except DamierError as error:
            print_wrapped(str(error))
        except OSError as error:
            print_wrapped(describe_os_error(error))

    def advance(self, move: str) -> None:
        """Play a move, save the game and draw the board."""
        self.record = replace(self.record, game=self.game.play(move))
        self.autosave()
        self.show()

    def autosave(self) -> bool:
        """Save the game to the file of the last game; return whether that was possible."""
        try:
            files.write_text(last_game_file(), str(self.record))
        except OSError as error:
            print(translate("cli.play.not-kept", message=describe_os_error(error)), file=sys.stderr)
            return False
        return True

    def show(self) -> None:
        """Draw the board, with the cells of the last move marked."""
        marked = []
        if self.game.ply:
            steps = self.game.moves_played[-1].described
            cells = {cell for step in steps for cell in (step.origin, step.target, *step.takes)}
            cells |= {cell for step in steps for put in step.puts for cell in put}
            marked = sorted(cell for cell in cells if cell)
        print_raw(draw_board(self.game.position, marked))

    def help(self, _: str) -> None:
        """Print the commands."""
        print(translate("cli.play.commands"))

    def moves(self, _: str) -> None:
        """List the legal moves."""
        print_wrapped("  ".join(move.text for move in self.game.legal_moves()))

    def undo(self, _: str) -> None:
        """Take back the player's last move and the computer's reply to it."""
        game = self.game.back()
        while game.ply and game.position.side in self.players:
            game = game.back()
        if game.ply == self.game.ply or game.position.side in self.players:
            raise DamierError("nothing-to-undo")
        self.record = replace(self.record, game=game)
        self.autosave()
        self.show()

    def save(self, argument: str) -> None:
        """Append the game to a file."""
        if not argument:
            raise DamierError("save-where")
        path = Path(argument).expanduser()
        files.append(path, str(self.record), between="\n\n")
        print_wrapped(translate("cli.play.saved", file=path))

    def resign(self, _: str) -> None:
        """Resign the game for the side to move."""
        winner = "b" if self.game.position.side == "w" else "w"
        self.record = replace(self.record, agreed=Result(winner, "resigned"))

    def quit(self, _: str) -> None:
        """Stop playing; the game is already saved."""
        self.running = False


def match_move(line: str, moves: list[str]) -> str:
    """Return the move that equals a line except for case and spaces, else the line."""
    normalized = "".join(line.split()).lower()
    matches = [move for move in moves if move.lower() == normalized]
    return matches[0] if len(matches) == 1 else line
