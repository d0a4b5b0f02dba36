"""From what a request says to a game, quickly: a request carries every turn since the start."""

from collections import OrderedDict
from threading import Lock
from typing import Any

from damier.errors import DamierError
from damier.history import Game
from damier.position import Rules, game

# What games replayed lately may take, in bytes; and what one takes, with each of its turns: rather
# more than measured.
MOST_KEPT = 48 << 20
_GAME, _TURN = 16_000, 800
# How many turns farther a game may have gone since this process was last asked about it: others
# answer too.
_BEFORE = 12


_Key = tuple[Rules, str | None, tuple[str, ...]]


class BadTurn(DamierError):
    """A refused turn, and how many turns before it are good."""

    def __init__(self, error: DamierError, ply: int) -> None:
        super().__init__(error.key, **error.details)
        self.error = error
        self.ply = ply

    def __str__(self) -> str:
        return str(self.error)


class Kept:
    """Games replayed lately, by rules, start and turns: to save time, nothing depends on it."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self.most = most
        self.bytes = 0
        self._games: OrderedDict[_Key, Game] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._games)

    def take(self, rules: Rules, start: str | None, turns: tuple[str, ...]) -> Game | None:
        """Return the game, or the longest part of it, that is known, and forget it.

        Who takes it keeps it again, with what was played since: the two are one line of play, and
        count once.
        """
        with self._lock:
            for ply in range(len(turns), max(-1, len(turns) - _BEFORE - 1), -1):
                found = self._games.pop((rules, start, turns[:ply]), None)
                if found is not None:
                    self.bytes -= _bytes(turns[:ply])
                    return found
        return None

    def keep(self, rules: Rules, start: str | None, turns: tuple[str, ...], found: Game) -> None:
        """Keep a game, and forget those that nobody has asked for longest."""
        with self._lock:
            if (rules, start, turns) not in self._games:
                self.bytes += _bytes(turns)
            # Without the turns that were listed for it: those can be many.
            self._games[rules, start, turns] = found.at(found.ply)
            while self.bytes > self.most:
                (_, _, forgotten), _ = self._games.popitem(last=False)
                self.bytes -= _bytes(forgotten)


def _bytes(turns: tuple[str, ...]) -> int:
    return _GAME + _TURN * len(turns)


KEPT = Kept()


def replayed(body: dict[str, Any]) -> Game:
    """Return the game that a request describes, or raise DamierError saying what is wrong."""
    rules = game(body["game"], body["preset"], **body["options"])
    start, turns = body["start"], tuple(body["turns"])
    found = KEPT.take(rules, start, turns)
    if found is None:
        found = Game(rules.start() if start is None else rules.position(start))
    try:
        for turn in turns[found.ply :]:
            found = found.play(turn)
    except DamierError as error:
        raise BadTurn(error, found.ply) from None
    finally:
        KEPT.keep(rules, start, turns[: found.ply], found)
    return found
