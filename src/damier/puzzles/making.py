"""Makes puzzles: from games that levels play, the same ones from the same seed.

    for found in make(damier.game("…"), seed=1, count=300):
        found.puzzles, found.games

Games are played one after another, each from the seed and its number alone. In every one of them
positions are looked at in which one turn alone does what can be asked; what is new becomes a
puzzle. `Making` can be told what an interrupted run had found, and goes on there.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from damier.errors import DamierError
from damier.games.board import moved
from damier.games.levels import LEVELS
from damier.history import Game
from damier.players import player
from damier.position import Position, Rules, Turn
from damier.puzzles.difficulty import Examiners, solving_level
from damier.puzzles.goals import Goal, goal_of, most_of, solution
from damier.puzzles.stored import Puzzle
from damier.puzzles.themes import themes_of
from damier.puzzles.truth import Progress, Truth, Truths, Unproved
from damier.search import warm

STRONGEST = 5  # level that plays: stronger ones leave little to find, and take long
LONGEST = 120  # turns of a game
A_GAME = 2  # puzzles from a game
LAST = 24  # turns of a game that a search looks at: what is further from the end is not proved
IN_VAIN = 600  # games without a new puzzle, after which there are no more to be found
# How large a part of all puzzles each sort may be, so that there are others as well.
SHARES = {"at once": 0.08, "one turn": 0.6, "draw": 0.3, "avoid": 0.3, "most": 0.3}
SHARES |= {f"level {number}": 0.4 for number in LEVELS}


@dataclass(frozen=True)
class Found:
    """The new puzzles of a game, by its number."""

    game: int
    puzzles: tuple[Puzzle, ...]


def make(rules: Rules, seed: int, count: int) -> Iterator[Found]:
    """Yield, game by game, what is found until there are so many puzzles, or no more."""
    return iter(Making(rules, seed, count))


@dataclass
class Making:
    """Puzzles being made; `found` is what there is of them, by an earlier run perhaps."""

    rules: Rules
    seed: int
    count: int
    found: list[Found] = field(default_factory=list)
    progress: Progress | None = None  # hears how far a table is that has to be computed first

    def __post_init__(self) -> None:
        self._seen: set[object] = set()
        self._sorts: Counter[str] = Counter()
        for puzzle in self.puzzles:
            self._note(puzzle)

    @property
    def puzzles(self) -> list[Puzzle]:
        """The puzzles found so far, the easiest first."""
        every = [puzzle for found in self.found for puzzle in found.puzzles]
        return sorted(every, key=lambda puzzle: (puzzle.points, puzzle.id))

    def __iter__(self) -> Iterator[Found]:
        """Go on until there are enough."""
        warm(self.rules)
        self.rules.compile()
        truths, examiners = Truths(self.rules, self.progress), Examiners(self.rules)
        number = self.found[-1].game + 1 if self.found else 0
        last = max((found.game for found in self.found if found.puzzles), default=0)
        while len(self.puzzles) < self.count and number - last < IN_VAIN:
            puzzles, before = list[Puzzle](), len(self.puzzles)
            for position, goal in candidates(truths, self.rules, self.seed, number):
                puzzle = self._made(truths.of(position), examiners, position, goal)
                if puzzle is not None:
                    puzzles.append(puzzle)
                if len(puzzles) == min(A_GAME, self.count - before):
                    break
            if puzzles:
                last = number
            self.found.append(Found(number, tuple(puzzles)))
            yield self.found[-1]
            number += 1

    def _made(
        self, truth: Truth, examiners: Examiners, position: Position, goal: Goal
    ) -> Puzzle | None:
        """Return the puzzle of a position, unless there is one like it, or it cannot be proved."""
        if place_of(position) in self._seen:
            return None
        try:
            line = solution(truth, position, goal)
        except (Unproved, DamierError):
            return None
        if not line or shape_of(position, goal, line) in self._seen:
            return None
        if self._enough(_sorts(goal, line)):
            return None
        difficulty = examiners.difficulty(position, line)
        if goal.kind == "most" and difficulty.solved[-1] < 100:
            return None  # to take most is not best there: who learns would learn what is wrong
        if self._enough([_level(difficulty.solved)]):
            return None
        puzzle = Puzzle(
            self.rules.name,
            id_of(position, line[0]),
            str(position),
            goal.kind,
            tuple(turn.text for turn in line),
            round(difficulty.rating.points),
            round(difficulty.rating.deviation),
            difficulty.surprise,
            truth.proof if goal.kind != "most" else "search",
            difficulty.solved,
            tuple(themes_of(truth, position, goal, line)),
            goal.within,
            tuple(self.rules.changed.items()),
        )
        self._note(puzzle)
        return puzzle

    def _note(self, puzzle: Puzzle) -> None:
        """Take note of a puzzle, so that there is none like it."""
        goal, line = Goal(puzzle.kind, puzzle.within), turns_of(puzzle)
        self._seen |= {place_of(puzzle.start), shape_of(puzzle.start, goal, line)}
        self._sorts.update([*_sorts(goal, line), _level(puzzle.solved)])

    def _enough(self, sorts: list[str]) -> bool:
        """Tell whether there are enough puzzles of one of these sorts."""
        return any(self._sorts[sort] >= SHARES.get(sort, 1.0) * self.count for sort in sorts)


def turns_of(puzzle: Puzzle) -> list[Turn]:
    """Return the turns of a puzzle's line."""
    return list(Game(puzzle.start).play(*puzzle.line).turns_played)


def _sorts(goal: Goal, line: list[Turn]) -> list[str]:
    """Return of which sorts a puzzle is: some are easily found, and there would be no others."""
    found: list[str] = [goal.kind]
    if len(line) == 1:
        found.append("at once" if line[0].after.over else "one turn")
    return found


def _level(solved: Sequence[int]) -> str:
    """Return the sort of puzzles that a level is the first to solve."""
    return f"level {solving_level(solved)}"


def candidates(
    truths: Truths, rules: Rules, seed: int, number: int
) -> Iterator[tuple[Position, Goal]]:
    """Yield positions of a game, by its number, in which something can be asked."""
    chance = random.Random(f"{seed} {number}")
    positions = _played(rules, chance)
    plies = list(range(len(positions)))
    chance.shuffle(plies)
    # What a table of endings knows comes first: there is little of it.
    for ply in sorted(plies, key=lambda ply: not truths.of(positions[ply]).whole):
        position = positions[ply]
        try:
            goal, truth = None, truths.of(position)
            if truth.whole or ply >= len(positions) - LAST:
                goal = goal_of(truth, position)
            if goal is None and rules.file.CAPTURES:
                goal = most_of(position)
        except (Unproved, DamierError):
            continue
        if goal is not None:
            yield position, goal


def _played(rules: Rules, chance: random.Random) -> list[Position]:
    """Return the positions of a game between two levels, but for the last."""
    sides = [
        player(f"level:{chance.randint(1, STRONGEST)}", chance.getrandbits(32)) for _ in range(2)
    ]
    game = Game(rules)
    while not game.over and game.ply < LONGEST:
        game = game.play(sides[game.position.rest & 1].choose(game))
    # Both sides must be at home: whoever places is not asked for what is only begun.
    return [position for position in game.positions[2:-1] if not position.over]


def place_of(position: Position) -> object:
    """Return what positions have in common that differ by a symmetry, or by more than pawns."""
    file = position.rules.file
    pawns = position.white, position.black
    side = position.rest & 1
    if file.COLOUR_SWAP and side:
        pawns, side = (pawns[1], pawns[0]), 0
    images = ((moved(pawns[0], to), moved(pawns[1], to)) for to in position.rules.board.symmetries)
    return min(images), side


def shape_of(position: Position, goal: Goal, line: list[Turn]) -> object:
    """Return what solutions have in common that do the same things, wherever on the board."""
    file, words = position.rules.file, position.words
    actions = []
    for turn in line:
        for step in turn.steps:
            actions.append(file.describe(*words, step))
            words = file.play(*words, step)
    images = (tuple(a.turned(to) for a in actions) for to in position.rules.board.symmetries)
    return goal.kind, min(images, key=repr)


def id_of(position: Position, turn: Turn) -> str:
    """Return the id of a puzzle: a digest of its position and its first turn."""
    options = dict(position.rules.changed)
    text = f"{position.rules.name} {options} {position} {turn.text}"
    return hashlib.sha256(text.encode()).hexdigest()[:8]
