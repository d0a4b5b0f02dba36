"""`damier puzzle`: puzzles in the terminal, one after another, at the solver's strength."""

import argparse
import datetime
import random
from collections.abc import Callable

from damier.cli import EndOfInput
from damier.cli.common import add_game, drawn, named
from damier.cli.interrupt import INTERRUPTED
from damier.cli.play import ask, asked_game, meant, tell
from damier.errors import DamierError
from damier.history import Game
from damier.lang import LANGUAGES, say, say_of, texts
from damier.puzzles import Puzzle, daily, puzzle_of, puzzles
from damier.ratings import LOSS, WIN, Rating

NEAR = 12  # puzzles of about the right difficulty, among which one is drawn


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_game(parser, "?")
    number = say("cli.number")
    parser.add_argument("--id", metavar="ID", help=say("puzzle.id"))
    parser.add_argument("--daily", action="store_true", help=say("puzzle.daily"))
    parser.add_argument("--theme", metavar=say("cli.name"), help=say("puzzle.of-theme"))
    parser.add_argument(
        "--rating", type=int, default=1200, metavar=number, help=say("puzzle.rating")
    )
    parser.add_argument("--seed", type=int, metavar=number, help=say("cli.play.seed"))


def run(args: argparse.Namespace) -> int:
    """Give puzzles until the solver leaves."""
    if args.daily:
        first: Puzzle | None = daily(datetime.datetime.now(datetime.UTC).date())
        listed = puzzles(first.game) if first else ()
    else:
        name = named(args.game) if args.game else asked_game()
        listed = puzzles(name)
        first = puzzle_of(name, args.id) if args.id else None
        if args.theme:
            listed = [puzzle for puzzle in listed if args.theme in puzzle.themes]
        if not listed:
            tell(say("puzzle.none", game=say_of(name, "name")))
            return 0
    return Desk(list(listed), Rating(args.rating), random.Random(args.seed)).serve(first)


class Desk:
    """Where someone solves puzzles: which one, how far he is, and how strong."""

    def __init__(self, listed: list[Puzzle], rating: Rating, chance: random.Random) -> None:
        self.listed, self.rating, self.chance = listed, rating, chance
        self.actions: dict[str, Callable[[], None]] = {
            "help": self.help, "hint": self.hint, "solution": self.solution,
            "next": self.skip, "quit": self.quit,
        }  # fmt: skip
        self.words = {
            texts(language)[f"puzzle.word.{name}"]: name
            for language in LANGUAGES
            for name in self.actions
        }
        self.offered = [say(f"puzzle.word.{name}") for name in self.actions]
        self.here = True

    def serve(self, first: Puzzle | None) -> int:
        """Give one puzzle after another; return the exit status."""
        tell(say("puzzle.hint-line"))
        try:
            self.begin(first or self.drawn())
            while self.here:
                self.listen()
        except EndOfInput:
            print()
        except KeyboardInterrupt:
            print()
            return INTERRUPTED
        return 0

    def drawn(self) -> Puzzle:
        """Return a puzzle about as difficult as the solver is strong."""
        points = self.rating.points
        near = sorted(self.listed, key=lambda puzzle: abs(puzzle.points - points))[:NEAR]
        return self.chance.choice(near)

    def begin(self, puzzle: Puzzle) -> None:
        """Show a puzzle."""
        if puzzle in self.listed and len(self.listed) > 1:
            self.listed.remove(puzzle)  # not twice
        self.puzzle, self.turns = puzzle, list[str]()
        self.open, self.counted = True, False
        name = say_of(puzzle.game, "name")
        tell(say("puzzle.header", game=name, id=puzzle.id, points=puzzle.points))
        for key, value in puzzle.options:
            option = say_of(puzzle.game, f"option.{key}")
            chosen = say_of(puzzle.game, f"option.{key}.{value}")
            tell(say("puzzle.rules", option=option, value=chosen))
        print(drawn(puzzle.start))
        tell(puzzle.task)

    @property
    def game(self) -> Game:
        """The puzzle as far as it is solved."""
        return Game(self.puzzle.start).play(*self.turns)

    def listen(self) -> None:
        """Do what the solver types."""
        turns = [turn.text for turn in self.game.turns()] if self.open else []
        side = say(f"side.{self.game.position.side}") if self.open else say("puzzle.word.next")
        line = ask(f"{side} > ", [*turns, *self.offered]).strip()
        try:
            if line.lower() in self.words:
                self.actions[self.words[line.lower()]]()
            elif line in ("?", "h"):
                self.help()
            elif self.open and line:
                self.attempt(meant(line, turns))
            else:
                self.skip()
        except DamierError as error:
            tell(str(error))

    def attempt(self, turn: str) -> None:
        """Try a turn: go on along the line, or show what it runs into."""
        verdict = self.puzzle.attempt([*self.turns, turn])
        tell(verdict.said)
        if not verdict.right:
            if verdict.punishment:
                tell("  ".join([turn, *verdict.punishment]))
                print(drawn(self.game.play(turn, *verdict.punishment).position))
            self.score(LOSS)
            tell(say("puzzle.again"))
            return
        self.turns.append(turn)
        if verdict.reply:
            tell(say("puzzle.reply", turn=verdict.reply))
            self.turns.append(verdict.reply)
        print(drawn(self.game.position))
        if verdict.solved:
            self.score(WIN)
            self.close()

    def score(self, result: float) -> None:
        """Count the puzzle, once."""
        if self.counted:
            return
        self.counted = True
        against = Rating(self.puzzle.points, self.puzzle.deviation)
        self.rating = self.rating.after([(against, result)])

    def close(self) -> None:
        """Say how strong the solver is now, and wait for what he wants."""
        self.open = False
        tell(say("puzzle.strength", points=round(self.rating.points)))

    def help(self) -> None:
        """Say what can be typed."""
        print(say("puzzle.commands"))

    def hint(self) -> None:
        """Say with which cell the true turn begins."""
        tell(say("puzzle.begins", cells=", ".join(self.puzzle.hint(self.turns))))
        self.score(LOSS)

    def solution(self) -> None:
        """Show the line to its end."""
        tell("  ".join(self.puzzle.line))
        print(drawn(Game(self.puzzle.start).play(*self.puzzle.line).position))
        self.score(LOSS)
        self.close()

    def skip(self) -> None:
        """Go on to the next puzzle."""
        self.begin(self.drawn())

    def quit(self) -> None:
        """Leave."""
        self.here = False
