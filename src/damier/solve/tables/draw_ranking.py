"""Ranking of drawn moves by difficulty: how easily the opponent can go wrong.

A draw holds only if it is played without a mistake. Among moves that keep it, a move is better if
more of the opponent's replies lose; if none lose, if more of them would lose after another move. A
move that repeats a position is worse than one that does not.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from damier.gameplay import MAX_OCCURRENCES, Game
from damier.position import Move, Position
from damier.solve.tables.table import Table

# If no reply loses at once, traps are searched two moves deeper: for so many moves, replies to
# each, and moves after those. The numbers are small, so that plain Python answers in a second.
DEEP_MOVES, DEEP_REPLIES, DEEP_NEXT_MOVES = 4, 3, 6
# Limit of replies that are examined in all, compiled and in plain Python: some positions have very
# many.
MAX_REPLIES, MAX_REPLIES_PLAIN = 300_000, 30_000


@dataclass(frozen=True, order=True)
class DrawDifficulty:
    """Difficulty of a drawn move for the opponent; the best sorts first.

    `seen` is how often the position after it has occurred. `minus_risk` is the negative share of
    the opponent's replies that lose, and `minus_later` of those that would lose after another move.
    """

    seen: int
    minus_risk: float
    minus_later: float = 0.0
    examined: bool = field(default=True, compare=False)

    @property
    def risk(self) -> float | None:
        """The share of the opponent's replies that lose, from 0 to 1; None if not examined."""
        return -self.minus_risk if self.examined else None


def rank_drawn_moves(
    game: Game, table: Table, moves: Sequence[Move], rng: random.Random | None = None
) -> list[tuple[Move, DrawDifficulty]]:
    """Return drawn moves with their difficulty for the opponent, the best first.

    `rng` chooses the replies that are examined; by default the choice is always the same.
    """
    rng = rng or random.Random(f"{game.ply} {game.position}")
    shuffled = list(moves)
    rng.shuffle(shuffled)
    left = MAX_REPLIES if game.rules.compiled else MAX_REPLIES_PLAIN
    side, found = game.position.side, []
    for move in shuffled:
        seen, risk = game.times(move.words), 0.0
        examined = left > 0 and move.after.side != side
        if examined and seen + 1 < MAX_OCCURRENCES:  # else the game is over
            replies, losing = table.replies(move.after)
            left -= replies
            # At least one reply does not lose, perhaps only because of the game's history.
            risk = min(losing, replies - 1) / replies if replies else 0.0
        found.append((DrawDifficulty(seen, -risk, examined=examined), move))
    found.sort(key=lambda pair: pair[0])
    if found and found[0][0].minus_risk == 0:  # no reply loses at once
        second = [
            (replace(p, minus_later=-_later(table, side, move, rng)), move)
            for p, move in found[:DEEP_MOVES]
        ]
        found[:DEEP_MOVES] = sorted(second, key=lambda pair: pair[0])
    return [(move, difficulty) for difficulty, move in found]


def _later(table: Table, side: str, move: Move, rng: random.Random) -> float:
    """Return the share of losing replies after the best next move, summed over some replies."""
    if move.after.side == side:
        return 0.0
    total = 0.0
    for reply in _sample_moves(move.after, DEEP_REPLIES, rng):
        drawing = [
            next_
            for next_ in _sample_moves(reply.after, DEEP_NEXT_MOVES, rng)
            if _does_not_lose(table, next_)
        ]
        total += max((_risk(table, next_.after) for next_ in drawing), default=0.0)
    return total


def _risk(table: Table, position: Position) -> float:
    """Return the share of a position's moves that lose."""
    moves, losing = table.replies(position)
    return losing / moves if moves else 0.0


def _sample_moves(position: Position, limit: int, rng: random.Random) -> list[Move]:
    """Return a random sample of a position's moves."""
    moves = position.legal_moves()
    return rng.sample(moves, min(limit, len(moves)))


def _does_not_lose(table: Table, move: Move) -> bool:
    """Return whether a move does not lose."""
    value = table.probe(move.after)
    return value is not None and value.outcome != "win"
