"""Proves puzzles anew: that one turn alone does what is asked, at each of the solver's turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from damier.errors import DamierError
from damier.history import Game
from damier.puzzles.goals import Goal, doing, goal_of, most_of, next_goal, solution
from damier.puzzles.making import id_of, place_of, shape_of, turns_of
from damier.puzzles.stored import Puzzle
from damier.puzzles.truth import Truth, Truths, Unproved


def verify(puzzles: Iterable[Puzzle], truths: Truths) -> Iterator[tuple[Puzzle, str]]:
    """Yield each puzzle of some rules with what is wrong with it, as a key: "" if nothing is."""
    seen: set[object] = set()
    for puzzle in puzzles:
        fault = fault_of(puzzle, truths.by(puzzle.proof))
        if not fault:
            goal, line = Goal(puzzle.kind, puzzle.within), turns_of(puzzle)
            alike = {place_of(puzzle.start), shape_of(puzzle.start, goal, line)}
            fault = "alike" if alike & seen else ""
            seen |= alike
        yield puzzle, fault


def fault_of(puzzle: Puzzle, truth: Truth) -> str:
    """Return what is wrong with a puzzle by itself, as a key: "" if nothing is."""
    try:
        line = turns_of(puzzle)
        if id_of(puzzle.start, line[0]) != puzzle.id:
            return "id"
        goal = Goal(puzzle.kind, puzzle.within)
        if goal != (most_of(puzzle.start) if goal.kind == "most" else goal_of(truth, puzzle.start)):
            return "goal"
        return _line_fault(puzzle, truth, goal)
    except DamierError:
        return "illegal"
    except Unproved:
        return "unproved"


def _line_fault(puzzle: Puzzle, truth: Truth, goal: Goal) -> str:
    """Return what is wrong with the line."""
    played, asked = Game(puzzle.start), goal
    for k, text in enumerate(puzzle.line):
        turn = played.turn(text)
        if k % 2 == 0:
            if doing(truth, played.position, asked) != [turn.words]:
                return "unique"
            asked = next_goal(asked)
        played = played.play(turn)
    found = [turn.text for turn in solution(truth, puzzle.start, goal)]
    return "" if found == list(puzzle.line) else "line"
