"""From what a request says to a game, quickly: a request carries every turn since the start."""

from collections import OrderedDict
from threading import Lock

from damier.errors import DamierError
from damier.history import Game
from damier.position import Rules, game
from damier.web.models import Played

_MOST_KEPT = 4096

# Games replayed lately, by rules, start and turns. Only to save time: nothing depends on it.
_kept: OrderedDict[tuple[object, ...], Game] = OrderedDict()
_lock = Lock()


class BadTurn(DamierError):
    """A refused turn, and how many turns before it are good."""

    def __init__(self, error: DamierError, ply: int) -> None:
        super().__init__(error.key, **error.details)
        self.error = error
        self.ply = ply

    def __str__(self) -> str:
        return str(self.error)


def rules_of(played: Played) -> Rules:
    """Return the rules that a request names."""
    return game(played.game, played.preset, **played.options)


def replayed(played: Played) -> Game:
    """Return the game that a request describes, or raise DamierError saying what is wrong."""
    rules = rules_of(played)
    turns = tuple(played.turns)
    # Mostly a game that was asked for before, or one more turn.
    for known in (turns, turns[:-1]):
        found = _get((rules, played.start, known))
        if found is not None:
            break
    else:
        found = Game(rules.start() if played.start is None else rules.position(played.start))
    for turn in turns[found.ply :]:
        try:
            found = found.play(turn)
        except DamierError as error:
            raise BadTurn(error, found.ply) from None
    _keep((rules, played.start, turns), found)
    return found


def _get(key: tuple[object, ...]) -> Game | None:
    with _lock:
        found = _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
        return found


def _keep(key: tuple[object, ...], found: Game) -> None:
    with _lock:
        _kept[key] = found
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
