"""Game review: every move played, compared with the best move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from damier.gameplay import Game
from damier.search.analysis import MoveValue, analyse
from damier.search.limits import Stop


@dataclass(frozen=True)
class MoveReview:
    """Review of the `ply`-th move of a game; `played.fault` classifies its mistake.

    A move that keeps a draw has no fault, unless another move would have set a better trap.
    """

    ply: int
    side: str
    played: MoveValue
    best: MoveValue


def review(
    game: Game,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    stop: Stop | None = None,
) -> Iterator[MoveReview]:
    """Yield the review of every move of a game in order, each within the given limits."""
    for ply, move in enumerate(game.moves_played):
        before = game.at(ply)
        moves = analyse(before, seconds=seconds, nodes=nodes, lines=1, stop=stop).moves
        played = next(value for value in moves if value.move.words == move.words)
        yield MoveReview(ply + 1, before.position.side, played, moves[0])
