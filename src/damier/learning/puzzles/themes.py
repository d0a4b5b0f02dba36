"""Themes of puzzles, derived from the effects of their moves; shared by all games."""

from __future__ import annotations

from collections.abc import Sequence

from damier.gameplay import Game
from damier.games.board import Board
from damier.games.constants import BLOCKED, REASONS
from damier.learning.puzzles.goals import PuzzleGoal
from damier.learning.puzzles.proofs import FOREVER, ProofNotFound, Prover
from damier.position import Move, Position, Step

LONG = 3  # moves of the solver


def find_themes(
    prover: Prover, position: Position, goal: PuzzleGoal, line: Sequence[Move]
) -> list[str]:
    """Return the themes of a solution, sorted."""
    themes: set[str] = set()
    game = Game(position)
    for k, move in enumerate(line):
        if k % 2 == 0:
            themes |= _themes_of_move(game.position, move)
        elif _takes(move.described) and goal.kind != "most":
            themes.add("sacrifice")  # the opponent captures a pawn of the solver
        game = game.play(move)
    if goal.kind != "most":
        themes |= _themes_of_first_move(prover, game.at(0), goal, line[0])
    if (len(line) + 1) // 2 >= LONG:
        themes.add("long")
    result = game.result()
    if result is not None and result.reason == REASONS[BLOCKED]:
        themes.add("block")
    return sorted(themes)


def _takes(steps: Sequence[Step]) -> bool:
    return any(step.takes for step in steps)


def _themes_of_move(position: Position, move: Move) -> set[str]:
    """Return the themes of one move of the solver."""
    steps = move.described
    themes: set[str] = set()
    taking = [step for step in steps if step.takes]
    if taking:
        themes.add("chain" if len(taking) > 1 else "capture")
        if all(_captures_in_between(position, step) for step in taking[:1]):
            themes.add("sandwich")
    if any(step.kind == "swap" for step in steps):
        themes.add("swap")
    if any(step.puts or step.kind == "put" for step in steps):
        themes.add("push")
    if any(step.kind in ("place", "drop") for step in steps):
        themes.add("placing")
    if position.rules.module.barred(*position.words):
        themes.add("ko")  # taking back the opponent's last action is forbidden
    return themes


def _captures_in_between(position: Position, step: Step) -> bool:
    """Return whether a step captures pawns between the moved pawn and another own pawn."""
    if step.by or step.target is None:
        return False
    board, own = position.rules.board, position.side
    return all(
        (beyond := _reflection(board, step.target, cell)) is not None
        and beyond != step.origin
        and position.cell(beyond) == own
        for cell in step.takes
    )


def _reflection(board: Board, target: str, cell: str) -> str | None:
    """Return the reflection of `target` in `cell`, or None if it is off the board."""
    (y, x), (v, u) = (divmod(board.indices[name], board.files) for name in (target, cell))
    file, rank = 2 * u - x, 2 * v - y
    if not (0 <= file < board.files and 0 <= rank < board.ranks):
        return None
    name_beyond = board.names[rank * board.files + file]
    return name_beyond if name_beyond in board.indices else None


def _themes_of_first_move(prover: Prover, game: Game, goal: PuzzleGoal, move: Move) -> set[str]:
    """Return the themes of the first move: quiet move, refused capture, zugzwang."""
    themes: set[str] = set()
    position, after = game.position, move.after
    active = any(s.takes or s.puts or s.kind in ("swap", "put") for s in move.described)
    side = position.rest & 1
    captures = position.rules.module.CAPTURES and not _takes(move.described)
    if captures and any(_takes(other.described) for other in game.legal_moves()):
        themes.add("refusal")
    if not active and not _placing(position) and not _threatens(prover, after, side, 1):
        themes.add("quiet")
    if goal.kind == "win" and prover.whole and not _threatens(prover, after, side, FOREVER):
        themes.add("zugzwang")  # the opponent would not lose by passing
    return themes


def _placing(position: Position) -> bool:
    """Return whether pawns remain to be placed."""
    return any(position.rules.module.hands(*position.words) or ())


def _threatens(prover: Prover, after: Position, side: int, moves: int) -> bool:
    """Return whether a side would win within `moves` moves if the opponent passed.

    Return True if that is unknown, so that no theme is added.
    """
    waiting = Position(after.rules, after.white, after.black, after.rest ^ 1)
    if _placing(after) or after.over or after.rest & 1 == side or waiting.over:
        return True
    try:
        return prover.distance(waiting.words, side, moves) is not None
    except ProofNotFound:
        return True
