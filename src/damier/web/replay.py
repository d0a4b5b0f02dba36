"""Replay of the game in a request, with a cache: a request carries every move since the start."""

from collections import OrderedDict
from threading import Lock
from typing import Any

from damier.errors import DamierError
from damier.gameplay import Game
from damier.position import Rules, load_rules

MAX_CACHE_BYTES = 48 << 20
# Estimated size of a cached game and of each of its moves, in bytes; rather more than measured.
_GAME_BYTES, _MOVE_BYTES = 16_000, 800
# How many moves may have been played since a game was cached. More than one, because several
# processes take turns at answering.
_MAX_NEW_MOVES = 12


_Key = tuple[Rules, str | None, tuple[str, ...]]


class BadMove(DamierError):
    """A move of a request's game is illegal; `details["ply"]` moves before it are legal."""

    http_status = 400  # whatever status the move's own error has

    def __init__(self, error: DamierError, ply: int) -> None:
        super().__init__(error.key, **error.details, ply=ply)
        self.error = error

    def __str__(self) -> str:
        return str(self.error)


class ReplayCache:
    """LRU cache of replayed games, by rules, start and moves; limited by estimated size."""

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self._games: OrderedDict[_Key, Game] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._games)

    def take(self, rules: Rules, start: str | None, moves: tuple[str, ...]) -> Game | None:
        """Remove and return the game with these moves, or with most of them; None if unknown.

        The caller puts the game back with the moves played since, so that a game in progress
        occupies one entry.
        """
        with self._lock:
            for ply in range(len(moves), max(-1, len(moves) - _MAX_NEW_MOVES - 1), -1):
                game = self._games.pop((rules, start, moves[:ply]), None)
                if game is not None:
                    self.bytes -= _estimated_bytes(moves[:ply])
                    return game
        return None

    def put(self, rules: Rules, start: str | None, moves: tuple[str, ...], game: Game) -> None:
        """Add a game; evict the least recently used games beyond the size limit."""
        with self._lock:
            if (rules, start, moves) not in self._games:
                self.bytes += _estimated_bytes(moves)
            # A copy without the cached list of legal moves, which can be long.
            self._games[rules, start, moves] = game.at(game.ply)
            while self.bytes > self.max_bytes:
                (_, _, evicted), _ = self._games.popitem(last=False)
                self.bytes -= _estimated_bytes(evicted)


def _estimated_bytes(moves: tuple[str, ...]) -> int:
    return _GAME_BYTES + _MOVE_BYTES * len(moves)


CACHE = ReplayCache()


def replay_game(body: dict[str, Any]) -> Game:
    """Return the game that a request describes; raise DamierError if it is not valid."""
    rules = load_rules(body["game"], body["preset"], **body["options"])
    start, moves = body["start"], tuple(body["turns"])
    game = CACHE.take(rules, start, moves)
    if game is None:
        game = Game(rules.start() if start is None else rules.position(start))
    try:
        for move in moves[game.ply :]:
            game = game.play(move)
    except DamierError as error:
        raise BadMove(error, game.ply) from None
    finally:
        CACHE.put(rules, start, moves[: game.ply], game)
    return game
