"""What rules need not say: the names of `RulesFile` that `rules.py` may leave out.

A game on one board whose pawns are all placed or all there from the start, where the third
occurrence of a position is a draw and a turn is one step, need say nothing of all this.
"""

from damier.games.steps import Action, Note
from damier.games.terms import (
    BLACK,
    BLACK_WINS,
    BLOCKED,
    REPETITION,
    WHITE_WINS,
    Option,
    drawn,
    won,
)
from damier.jit import kernel

FINAL = 0
ONE_STEP_UNIQUE = False
MIDTURN = 0
FIELDS: tuple[str, ...] = ()
OPTIONS: tuple[Option, ...] = ()
PRESETS: dict[str, dict[str, str]] = {"default": {}}
REASONS: tuple[str, ...] = ()
COLOUR_SWAP = False
CAPTURES = False


@kernel
def superfluous(r: int, step: int) -> bool:
    """Tell whether another order of the same steps writes the same turn: never."""
    return False


@kernel
def repeatable(w: int, b: int, r: int) -> bool:
    """Tell whether a position counts towards repetition: every one."""
    return True


@kernel
def repeated(w: int, b: int, r: int) -> int:
    """Return the judgement on a position that occurs for the third time: a draw."""
    return drawn(REPETITION)


@kernel
def superko(r: int) -> bool:
    """Tell whether a turn must not bring back a position of the game: it may."""
    return False


@kernel
def shut_in(w: int, b: int, r: int) -> int:
    """Return the judgement on a position whose turns are all barred: its mover loses."""
    return won(1 - (r & 1), BLOCKED)


def pawns(r: int) -> int:
    """Return how many pawns a side has at most: no rule limits them."""
    return 64


def hands(w: int, b: int, r: int) -> tuple[int, int] | None:
    """Return how many pawns each side has still to place: none are ever placed."""
    return None


def read_fields(w: int, b: int, r: int, fields: list[str]) -> int:
    """Return the third word with what the fields of a position's text say: there are none."""
    return r


def write_fields(w: int, b: int, r: int) -> list[str]:
    """Return the fields of a position's text: there are none."""
    return []


def transformed(r: int, to: tuple[int, ...], swap: bool) -> int:
    """Return the third word under a symmetry of the board: it names no cell and no colour."""
    return r


def why(w: int, b: int, r: int, tried: Action) -> Note | None:
    """Return the rule of this game that a step would break: what the steps say is enough."""
    return None


def must(w: int, b: int, r: int) -> str:
    """Return what narrows the choice of steps: nothing."""
    return ""


def shown(w: int, b: int, r: int, judgement: int) -> int:
    """Return the cells that show why a game has ended: the winner's, or of who is blocked."""
    if judgement >> 2 == BLOCKED:
        return b if r & 1 == BLACK else w
    return {WHITE_WINS: w, BLACK_WINS: b}.get(judgement & 3, 0)


def resting(w: int, b: int, r: int) -> int:
    """Return the pawns that their owner must not move next: none."""
    return 0


def barred(w: int, b: int, r: int) -> tuple[tuple[int, int], ...]:
    """Return the cells between which a step is barred for now: none."""
    return ()


def notes(w: int, b: int, r: int) -> list[Note]:
    """Return what decides about legal turns and cannot be seen on the board: nothing."""
    return []


def reminder(w: int, b: int, r: int) -> Note | None:
    """Return what the player to move had better know: nothing."""
    return None
