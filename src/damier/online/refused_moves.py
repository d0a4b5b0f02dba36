"""Moves that this server could not store: their players' clocks stand still until they come again.

A client sends a refused move again by itself. It has `RESEND_TIME_MS` for that from the moment at
which the server can write again; after that the clock runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from damier.online.clock import SECOND
from damier.online.reducer import OnlineGame

RESEND_TIME_MS = 10 * SECOND
MAX_REFUSED_MOVES = 10_000  # remembered at a time


@dataclass
class RefusedMove:
    """A move that could not be stored."""

    since: int  # when it arrived for the first time
    board_version: int | None  # of the game then; None if the game could not be read
    until: int | None = None  # None while the server cannot write

    def concerns(self, game: OnlineGame) -> bool:
        """Return whether the move is still to be played in a game."""
        is_same_board = self.board_version in (None, game.board_version)
        return game.status == "playing" and is_same_board


class RefusedMoves:
    """The refused moves of this process, by game."""

    def __init__(self) -> None:
        self._moves: dict[str, RefusedMove] = {}

    def record(self, game_id: str, since: int, board_version: int | None) -> None:
        """Record that a move was refused, or refused again."""
        known = self._moves.get(game_id)
        if known is not None and board_version in (None, known.board_version):
            known.until = None
            return
        self._moves.pop(game_id, None)  # the new one is the youngest
        self._moves[game_id] = RefusedMove(since, board_version)
        if len(self._moves) > MAX_REFUSED_MOVES:
            del self._moves[next(iter(self._moves))]

    def server_can_write(self, now: int) -> None:
        """Start the time in which the moves refused until now must come again."""
        for move in self._moves.values():
            if move.until is None:
                move.until = now + RESEND_TIME_MS

    def items(self) -> list[tuple[str, RefusedMove]]:
        """Return all refused moves with their games."""
        return list(self._moves.items())

    def find(self, game_id: str) -> RefusedMove | None:
        """Return the refused move of a game."""
        return self._moves.get(game_id)

    def forget(self, game_id: str, move: RefusedMove) -> None:
        """Forget a refused move, unless another one was recorded meanwhile."""
        if self._moves.get(game_id) is move:
            del self._moves[game_id]

    def is_awaited(self, game: OnlineGame, now: int) -> bool:
        """Return whether the refused move of a game may still come, so that its clock stands."""
        move = self._moves.get(game.id)
        return move is not None and move.concerns(game) and (move.until is None or now < move.until)

    def expired(self, now: int) -> Iterator[str]:
        """Yield the games whose refused move has not come in time."""
        for game_id, move in self.items():
            if move.until is not None and now >= move.until:
                yield game_id
