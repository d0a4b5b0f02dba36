"""`damier puzzle`: solve puzzles in the terminal, at the solver's rating."""

import argparse
import datetime
import random
from collections.abc import Callable

from damier.cli import EndOfInput
from damier.cli.common import add_game, draw_board, game_name
from damier.cli.interrupt import INTERRUPTED
from damier.cli.play import match_move, print_wrapped, prompt_game, prompt_line
from damier.cli.terminal import print_raw
from damier.errors import DamierError
from damier.gameplay import Game
from damier.i18n import LANGUAGES, texts, translate, translate_for_game
from damier.learning.puzzles import Puzzle, daily, find_puzzle, puzzles
from damier.learning.ratings import LOSS, WIN, Rating
from damier.learning.training import PROVISIONAL_PUZZLES, update_rating

MAX_CANDIDATES = 12  # puzzles of similar difficulty, from which one is drawn at random


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_game(parser, "?")
    number = translate("cli.number")
    parser.add_argument("--id", metavar="ID", help=translate("puzzle.id"))
    parser.add_argument("--daily", action="store_true", help=translate("puzzle.daily"))
    parser.add_argument("--theme", metavar=translate("cli.name"), help=translate("puzzle.of-theme"))
    parser.add_argument(
        "--rating", type=int, default=1200, metavar=number, help=translate("puzzle.rating")
    )
    parser.add_argument("--seed", type=int, metavar=number, help=translate("cli.play.seed"))


def run(args: argparse.Namespace) -> int:
    """Present puzzles until the solver quits."""
    if args.daily:
        first: Puzzle | None = daily(datetime.datetime.now(datetime.UTC).date())
        listed = puzzles(first.game) if first else ()
    else:
        name = game_name(args.game) if args.game else prompt_game()
        listed = puzzles(name)
        first = find_puzzle(name, args.id) if args.id else None
        if args.theme:
            listed = [puzzle for puzzle in listed if args.theme in puzzle.themes]
        if not listed:
            print_wrapped(translate("puzzle.none", game=translate_for_game(name, "name")))
            return 0
    return PuzzleSession(list(listed), Rating(args.rating), random.Random(args.seed)).serve(first)


class PuzzleSession:
    """Interactive session: the current puzzle, the moves played and the solver's rating."""

    def __init__(self, listed: list[Puzzle], rating: Rating, rng: random.Random) -> None:
        self.listed, self.rating, self.chance = listed, rating, rng
        self.actions: dict[str, Callable[[], None]] = {
            "help": self.help,
            "hint": self.hint,
            "solution": self.solution,
            "next": self.skip,
            "quit": self.quit,
        }
        self.words = {
            texts(language)[f"puzzle.word.{name}"]: name
            for language in LANGUAGES
            for name in self.actions
        }
        self.offered = [translate(f"puzzle.word.{name}") for name in self.actions]
        self.running = True
        self.rated = 0  # puzzles that have changed the rating

    def serve(self, first: Puzzle | None) -> int:
        """Present one puzzle after another; return the exit status."""
        print_wrapped(translate("puzzle.hint-line"))
        try:
            self.begin(first or self.draw_puzzle())
            while self.running:
                self.read_command()
        except EndOfInput:
            print()
        except KeyboardInterrupt:
            print()
            return INTERRUPTED
        return 0

    def draw_puzzle(self) -> Puzzle:
        """Return a random puzzle of about the solver's rating."""
        points = self.rating.points
        near = sorted(self.listed, key=lambda puzzle: abs(puzzle.points - points))[:MAX_CANDIDATES]
        return self.chance.choice(near)

    def begin(self, puzzle: Puzzle) -> None:
        """Show a puzzle."""
        if puzzle in self.listed and len(self.listed) > 1:
            self.listed.remove(puzzle)  # do not present it again
        self.puzzle, self.moves = puzzle, list[str]()
        self.open, self.counted = True, False
        name = translate_for_game(puzzle.game, "name")
        print_wrapped(translate("puzzle.header", game=name, id=puzzle.id, points=puzzle.points))
        for key, value in puzzle.options:
            option = translate_for_game(puzzle.game, f"option.{key}")
            chosen = translate_for_game(puzzle.game, f"option.{key}.{value}")
            print_wrapped(translate("puzzle.rules", option=option, value=chosen))
        print_raw(draw_board(puzzle.start))
        print_wrapped(puzzle.task)

    @property
    def game(self) -> Game:
        """Game with the moves played so far."""
        return Game(self.puzzle.start).play(*self.moves)

    def read_command(self) -> None:
        """Read and run a command or a move of the solver."""
        moves = [move.text for move in self.game.legal_moves()] if self.open else []
        side = (
            translate(f"side.{self.game.position.side}")
            if self.open
            else translate("puzzle.word.next")
        )
        line = prompt_line(f"{side} > ", [*moves, *self.offered]).strip()
        try:
            if line.lower() in self.words:
                self.actions[self.words[line.lower()]]()
            elif line in ("?", "h"):
                self.help()
            elif self.open and line:
                self.attempt(match_move(line, moves))
            else:
                self.skip()
        except DamierError as error:
            print_wrapped(str(error))

    def attempt(self, move: str) -> None:
        """Play a move: continue the solution, or show the refutation."""
        verdict = self.puzzle.attempt([*self.moves, move])
        print_wrapped(verdict.said)
        if not verdict.right:
            if verdict.punishment:
                print_wrapped("  ".join([move, *verdict.punishment]))
                print_raw(draw_board(self.game.play(move, *verdict.punishment).position))
            self.score(LOSS)
            print_wrapped(translate("puzzle.again"))
            return
        self.moves.append(move)
        if verdict.reply:
            print_wrapped(translate("puzzle.reply", turn=verdict.reply))
            self.moves.append(verdict.reply)
        print_raw(draw_board(self.game.position))
        if verdict.solved:
            self.score(WIN)
            self.close()

    def score(self, result: float) -> None:
        """Update the rating, once per puzzle."""
        if self.counted:
            return
        self.counted = True
        against = Rating(self.puzzle.points, self.puzzle.deviation)
        self.rating = update_rating(self.rating, against, result)
        self.rated += 1

    def close(self) -> None:
        """Print the rating and wait for a command."""
        self.open = False
        left = PROVISIONAL_PUZZLES - self.rated
        if left > 0:
            print_wrapped(translate("puzzle.provisional", count=left))
        else:
            print_wrapped(translate("puzzle.strength", points=round(self.rating.points)))

    def help(self) -> None:
        """Print the commands."""
        print(translate("puzzle.commands"))

    def hint(self) -> None:
        """Print the cell where the next move of the solution begins."""
        print_wrapped(translate("puzzle.begins", cells=", ".join(self.puzzle.hint(self.moves))))
        self.score(LOSS)

    def solution(self) -> None:
        """Show the solution."""
        print_wrapped("  ".join(self.puzzle.line))
        print_raw(draw_board(Game(self.puzzle.start).play(*self.puzzle.line).position))
        self.score(LOSS)
        self.close()

    def skip(self) -> None:
        """Present another puzzle."""
        self.begin(self.draw_puzzle())

    def quit(self) -> None:
        """End the session."""
        self.running = False
