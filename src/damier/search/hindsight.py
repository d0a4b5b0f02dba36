"""Where a game went wrong: every turn played, beside the best one there was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from damier.history import Game
from damier.search.analysis import Valued, analyse
from damier.search.limits import Stop


@dataclass(frozen=True)
class Reviewed:
    """A turn that was played, the `ply`-th of its game; `played.fault` says what is wrong with it.

    A draw that was kept has no fault, unless a chance was missed: the opponent was let off.
    """

    ply: int
    side: str
    played: Valued
    best: Valued


def review(
    game: Game,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    stop: Stop | None = None,
) -> Iterator[Reviewed]:
    """Look at every turn of a game, the first one first, each within the limits given."""
    for ply, turn in enumerate(game.turns_played):
        before = game.at(ply)
        found = analyse(before, seconds=seconds, nodes=nodes, lines=1, stop=stop).turns
        played = next(one for one in found if one.turn.words == turn.words)
        yield Reviewed(ply + 1, before.position.side, played, found[0])
