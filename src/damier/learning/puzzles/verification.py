"""Verification of puzzles: proves again that each move of the solver is the only one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from damier.errors import DamierError
from damier.gameplay import Game
from damier.learning.puzzles.collection import Puzzle
from damier.learning.puzzles.generator import line_moves, position_key, puzzle_id, solution_key
from damier.learning.puzzles.goals import (
    MIN_HELD,
    PuzzleGoal,
    achieving_positions,
    find_capture_goal,
    find_goal,
    next_goal,
    remaining_moves,
    solution_line,
)
from damier.learning.puzzles.proofs import ProofNotFound, Prover, Provers


def verify(puzzles: Iterable[Puzzle], provers: Provers) -> Iterator[tuple[Puzzle, str]]:
    """Yield each puzzle with the key of its fault, "" if it is correct."""
    seen: set[object] = set()
    for puzzle in puzzles:
        fault = find_fault(puzzle, provers.by(puzzle.proof))
        if not fault:
            goal, line = PuzzleGoal(puzzle.kind, puzzle.within), line_moves(puzzle)
            keys = {position_key(puzzle.start), solution_key(puzzle.start, goal, line)}
            fault = "alike" if keys & seen else ""
            if goal.kind == "avoid" and not provers.losses.holds(line[0].words):
                fault = "lost"
            seen |= keys
        yield puzzle, fault


def find_fault(puzzle: Puzzle, prover: Prover) -> str:
    """Return the key of a puzzle's fault, "" if it is correct."""
    try:
        line = line_moves(puzzle)
        if puzzle_id(puzzle.start, line[0]) != puzzle.id:
            return "id"
        goal = PuzzleGoal(puzzle.kind, puzzle.within)
        if goal != (
            find_capture_goal(puzzle.start)
            if goal.kind == "most"
            else find_goal(prover, puzzle.start)
        ):
            return "goal"
        held = MIN_HELD if goal.kind == "avoid" else None
        rest = remaining_moves(prover, puzzle.start, goal, line)
        right = (puzzle.held, puzzle.rest) == (held, rest)
        return _line_fault(puzzle, prover, goal) or ("" if right else "rest")
    except DamierError:
        return "illegal"
    except ProofNotFound:
        return "unproved"


def _line_fault(puzzle: Puzzle, prover: Prover, goal: PuzzleGoal) -> str:
    """Return the key of the solution's fault, or ""."""
    played, current_goal = Game(puzzle.start), goal
    for k, text in enumerate(puzzle.line):
        move = played.parse_move(text)
        if k % 2 == 0:
            if achieving_positions(prover, played.position, current_goal) != [move.words]:
                return "unique"
            current_goal = next_goal(current_goal)
        played = played.play(move)
    expected = [move.text for move in solution_line(prover, puzzle.start, goal)]
    return "" if expected == list(puzzle.line) else "line"
