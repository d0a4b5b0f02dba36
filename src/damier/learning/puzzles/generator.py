"""Puzzle generator: finds puzzles in games between levels, reproducibly from a seed.

    for found in PuzzleGenerator(damier.load_rules("…"), seed=1, count=300):
        found.game, found.puzzles

Each game depends on the seed and its number only, so an executor may play many at a time. A
position in which exactly one move achieves a goal becomes a puzzle if no similar one exists; this
depends on the puzzles before it and is decided in order. `PuzzleGenerator` can continue an
interrupted run.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from itertools import count as count_from

from damier.errors import DamierError
from damier.execution import Executor, SerialExecutor, Task
from damier.gameplay import Game
from damier.games import Words
from damier.games.board import map_cells
from damier.games.levels import LEVELS
from damier.learning.puzzles.collection import Puzzle
from damier.learning.puzzles.difficulty import DifficultyEstimator, solving_level
from damier.learning.puzzles.goals import (
    MIN_HELD,
    PuzzleGoal,
    find_capture_goal,
    find_goal,
    remaining_moves,
    solution_line,
)
from damier.learning.puzzles.proofs import Progress, ProofNotFound, Provers
from damier.learning.puzzles.themes import find_themes
from damier.players import player
from damier.position import Move, Position, Rules
from damier.search import warm

STRONGEST_LEVEL = 5  # highest level that plays: stronger levels make few mistakes and take long
MAX_GAME_MOVES = 120  # maximum number of moves of a game
MAX_PUZZLES_PER_GAME = 2
# Positions at the end of a game that a search examines: earlier wins are too long to prove.
MAX_EXAMINED_POSITIONS = 24
MAX_FRUITLESS_GAMES = 600  # games without a new puzzle after which the generator stops
# Maximum share of each category among all puzzles, for variety.
SHARES = {"at once": 0.03, "one move": 0.25, "two moves": 0.5}
SHARES |= {"draw": 0.3, "avoid": 0.3, "most": 0.15}
SHARES |= {f"level {number}": 0.4 for number in LEVELS}


@dataclass(frozen=True)
class GamePuzzles:
    """The new puzzles of a game, by its number."""

    game: int
    puzzles: tuple[Puzzle, ...]


@dataclass
class PuzzleGenerator:
    """Generator of puzzles; `found` may contain the results of an interrupted run."""

    rules: Rules
    seed: int
    count: int
    found: list[GamePuzzles] = field(default_factory=list)
    progress: Progress | None = None  # called with the progress of computing a missing table
    executor: Executor = field(default_factory=SerialExecutor)

    def __post_init__(self) -> None:
        self._seen: set[object] = set()
        self._categories: Counter[str] = Counter()
        for puzzle in self.puzzles:
            self._record(puzzle)

    @property
    def puzzles(self) -> list[Puzzle]:
        """The puzzles found so far, the easiest first."""
        all_puzzles = [puzzle for results in self.found for puzzle in results.puzzles]
        return sorted(all_puzzles, key=lambda puzzle: (puzzle.points, puzzle.id))

    def __iter__(self) -> Iterator[GamePuzzles]:
        """Generate until there are enough puzzles."""
        warm(self.rules)
        self.rules.compile()
        provers, estimator = Provers(self.rules, self.progress), DifficultyEstimator(self.rules)
        first = self.found[-1].game + 1 if self.found else 0
        last = max((results.game for results in self.found if results.puzzles), default=0)
        if len(self.puzzles) >= self.count or first - last >= MAX_FRUITLESS_GAMES:
            return
        tasks = (
            Task(f"game {number}", find_candidates, (self.rules, self.seed, number))
            for number in count_from(first)
        )
        with closing(self.executor.map(tasks)) as games:
            for number, (_, candidates) in enumerate(games, first):
                provers.forget()  # a continued run must find the same
                puzzles, before = list[Puzzle](), len(self.puzzles)
                for words, goal in candidates:
                    position = Position(self.rules, *words)
                    puzzle = self._make_puzzle(provers, estimator, position, goal)
                    if puzzle is not None:
                        puzzles.append(puzzle)
                    if len(puzzles) == min(MAX_PUZZLES_PER_GAME, self.count - before):
                        break
                if puzzles:
                    last = number
                self.found.append(GamePuzzles(number, tuple(puzzles)))
                yield self.found[-1]
                if len(self.puzzles) >= self.count or number + 1 - last >= MAX_FRUITLESS_GAMES:
                    return

    def _make_puzzle(
        self,
        provers: Provers,
        estimator: DifficultyEstimator,
        position: Position,
        goal: PuzzleGoal,
    ) -> Puzzle | None:
        """Return the puzzle of a position; None if a similar one exists or it cannot be proved."""
        if position_key(position) in self._seen:
            return None
        prover = provers.of(position)
        try:
            line = solution_line(prover, position, goal)
        except (ProofNotFound, DamierError):
            return None
        if not line or solution_key(position, goal, line) in self._seen:
            return None
        if self._enough(_categories(goal, line)):
            return None
        if goal.kind == "avoid" and not provers.losses.holds(line[0].words):
            return None
        difficulty = estimator.difficulty(position, line)
        if goal.kind == "most" and difficulty.solved[-1] < 100:
            # Capturing most pawns is not the best move here: the puzzle would teach a mistake.
            return None
        if self._enough([_level(difficulty.solved)]):
            return None
        puzzle = Puzzle(
            self.rules.name,
            puzzle_id(position, line[0]),
            str(position),
            goal.kind,
            tuple(move.text for move in line),
            round(difficulty.rating.points),
            round(difficulty.rating.deviation),
            difficulty.surprise,
            prover.proof if goal.kind != "most" else "search",
            difficulty.solved,
            tuple(find_themes(prover, position, goal, line)),
            goal.within,
            remaining_moves(prover, position, goal, line),
            MIN_HELD if goal.kind == "avoid" else None,
            difficulty.nodes,
            tuple(self.rules.changed.items()),
        )
        self._record(puzzle)
        return puzzle

    def _record(self, puzzle: Puzzle) -> None:
        """Record a puzzle, so that no similar one is added."""
        goal, line = PuzzleGoal(puzzle.kind, puzzle.within), line_moves(puzzle)
        self._seen |= {position_key(puzzle.start), solution_key(puzzle.start, goal, line)}
        self._categories.update([*_categories(goal, line), _level(puzzle.solved)])

    def _enough(self, sorts: list[str]) -> bool:
        """Return whether there are enough puzzles of one of these categories."""
        return any(self._categories[name] >= SHARES.get(name, 1.0) * self.count for name in sorts)


def line_moves(puzzle: Puzzle) -> list[Move]:
    """Return the moves of a puzzle's line."""
    return list(Game(puzzle.start).play(*puzzle.line).moves_played)


def _categories(goal: PuzzleGoal, line: list[Move]) -> list[str]:
    """Return the categories of a puzzle whose share is limited."""
    categories: list[str] = [goal.kind]
    if len(line) == 1:
        categories += ["one move", *["at once"] * line[0].after.over]
    elif len(line) == 3:
        categories.append("two moves")
    return categories


def _level(solved: Sequence[int]) -> str:
    """Return the category of a puzzle by the lowest level that solves it."""
    return f"level {solving_level(solved)}"


def find_candidates(rules: Rules, seed: int, number: int) -> list[tuple[Words, PuzzleGoal]]:
    """Return the positions with a goal of the game with this number. Runs in a worker."""
    provers = _provers(rules)
    provers.forget()  # the result must not depend on earlier games
    rng = random.Random(f"{seed} {number}")
    positions = _play_positions(rules, rng)
    plies = list(range(len(positions)))
    rng.shuffle(plies)
    found = []
    # Positions in a table of endings come first: they are rare.
    for ply in sorted(plies, key=lambda ply: not provers.of(positions[ply]).whole):
        position = positions[ply]
        try:
            goal, prover = None, provers.of(position)
            if prover.whole or ply >= len(positions) - MAX_EXAMINED_POSITIONS:
                goal = find_goal(prover, position)
            if goal is None and rules.module.CAPTURES:
                goal = find_capture_goal(position)
        except (ProofNotFound, DamierError):
            continue
        if goal is not None:
            found.append((position.words, goal))
    return found


@cache
def _provers(rules: Rules) -> Provers:
    """Return the provers of this process: a missing table is computed once."""
    warm(rules)
    return Provers(rules)


def _play_positions(rules: Rules, rng: random.Random) -> list[Position]:
    """Return the positions of a game between two levels, except the first two and the last."""
    sides = [
        player(f"level:{rng.randint(1, STRONGEST_LEVEL)}", rng.getrandbits(32)) for _ in range(2)
    ]
    game = Game(rules)
    while not game.over and game.ply < MAX_GAME_MOVES:
        game = game.play(sides[game.position.rest & 1].choose(game))
    # The first two positions are skipped because placing has only begun.
    return [position for position in game.positions[2:-1] if not position.over]


def position_key(position: Position) -> object:
    """Return a key that is equal for symmetric positions, whatever their fields."""
    module = position.rules.module
    pawns = position.white, position.black
    side = position.rest & 1
    if module.COLOUR_SWAP and side:
        pawns, side = (pawns[1], pawns[0]), 0
    images = (
        (map_cells(pawns[0], to), map_cells(pawns[1], to)) for to in position.rules.board.symmetries
    )
    return min(images), side


def solution_key(position: Position, goal: PuzzleGoal, line: list[Move]) -> object:
    """Return a key that is equal for symmetric solutions."""
    module, words = position.rules.module, position.words
    actions = []
    for move in line:
        for step in move.steps:
            actions.append(module.describe(*words, step))
            words = module.play(*words, step)
    images = (tuple(a.transformed(to) for a in actions) for to in position.rules.board.symmetries)
    return goal.kind, min(images, key=repr)


def puzzle_id(position: Position, move: Move) -> str:
    """Return the id of a puzzle: a digest of its position and its first move."""
    options = dict(position.rules.changed)
    text = f"{position.rules.name} {options} {position} {move.text}"
    return hashlib.sha256(text.encode()).hexdigest()[:8]
