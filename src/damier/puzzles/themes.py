"""What a puzzle is about, found out from what its turns do: the same names for all games."""

from __future__ import annotations

from collections.abc import Sequence

from damier.games.board import Board
from damier.games.terms import BLOCKED, REASONS
from damier.history import Game
from damier.position import Position, Step, Turn
from damier.puzzles.goals import Goal
from damier.puzzles.truth import FOREVER, Truth, Unproved

LONG = 3  # turns of the solver


def themes_of(truth: Truth, position: Position, goal: Goal, line: Sequence[Turn]) -> list[str]:
    """Return the themes of a solution, sorted."""
    found: set[str] = set()
    game = Game(position)
    for k, turn in enumerate(line):
        if k % 2 == 0:
            found |= _of_turn(game.position, turn)
        elif _takes(turn.described) and goal.kind != "most":
            found.add("sacrifice")  # the solver lets a pawn go, and gets what he wants
        game = game.play(turn)
    if goal.kind != "most":
        found |= _of_first(truth, game.at(0), goal, line[0])
    if (len(line) + 1) // 2 >= LONG:
        found.add("long")
    result = game.result()
    if result is not None and result.reason == REASONS[BLOCKED]:
        found.add("block")
    return sorted(found)


def _takes(steps: Sequence[Step]) -> bool:
    return any(step.takes for step in steps)


def _of_turn(position: Position, turn: Turn) -> set[str]:
    """Return what a turn of the solver's does."""
    steps = turn.described
    found: set[str] = set()
    taking = [step for step in steps if step.takes]
    if taking:
        found.add("chain" if len(taking) > 1 else "capture")
        if all(_between(position, step) for step in taking[:1]):
            found.add("sandwich")
    if any(step.kind == "swap" for step in steps):
        found.add("swap")
    if any(step.puts or step.kind == "put" for step in steps):
        found.add("push")
    if any(step.kind in ("place", "drop") for step in steps):
        found.add("placing")
    if position.rules.file.barred(*position.words):
        found.add("ko")  # he may not take back what the opponent has just done
    return found


def _between(position: Position, step: Step) -> bool:
    """Tell whether a step takes each pawn between the one that moves and another of its side."""
    if step.by or step.target is None:
        return False
    board, own = position.rules.board, position.side
    return all(
        (beyond := _beyond(board, step.target, cell)) is not None
        and beyond != step.origin
        and position.cell(beyond) == own
        for cell in step.takes
    )


def _beyond(board: Board, target: str, cell: str) -> str | None:
    """Return the cell that lies as far behind another as a third in front of it, if any."""
    (y, x), (v, u) = (divmod(board.indices[name], board.files) for name in (target, cell))
    file, rank = 2 * u - x, 2 * v - y
    if not (0 <= file < board.files and 0 <= rank < board.ranks):
        return None
    found = board.names[rank * board.files + file]
    return found if found in board.indices else None


def _of_first(truth: Truth, game: Game, goal: Goal, turn: Turn) -> set[str]:
    """Return what is remarkable about the first turn: it does little, or the opponent must move."""
    found: set[str] = set()
    position, after = game.position, turn.after
    active = any(s.takes or s.puts or s.kind in ("swap", "put") for s in turn.described)
    side = position.rest & 1
    captures = position.rules.file.CAPTURES and not _takes(turn.described)
    if captures and any(_takes(other.described) for other in game.turns()):
        found.add("refusal")
    if not active and not _placing(position) and not _threatens(truth, after, side, 1):
        found.add("quiet")
    if goal.kind == "win" and truth.whole and not _threatens(truth, after, side, FOREVER):
        found.add("zugzwang")  # if he need not move, he would not lose
    return found


def _placing(position: Position) -> bool:
    """Tell whether there are pawns still to be placed."""
    return any(position.rules.file.hands(*position.words) or ())


def _threatens(truth: Truth, after: Position, side: int, turns: int) -> bool:
    """Tell whether a side would win in so many turns if the other did not move.

    Where that cannot be told, because nobody could stand so, it may: nothing is said of it then.
    """
    waiting = Position(after.rules, after.white, after.black, after.rest ^ 1)
    if _placing(after) or after.over or after.rest & 1 == side or waiting.over:
        return True
    try:
        return truth.distance(waiting.words, side, turns) is not None
    except Unproved:
        return True
