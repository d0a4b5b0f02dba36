"""Defaults of the names of `RulesModule` that `rules.py` may leave out.

They describe a game whose moves are single steps, without options, in which the third occurrence
of a position is a draw.
"""

from damier.games.constants import (
    BLACK,
    BLACK_WINS,
    BLOCKED,
    REPETITION,
    WHITE_WINS,
    Option,
    drawn,
    won,
)
from damier.games.steps import Action, Note
from damier.jit import kernel

FINAL = 0
ONE_STEP_UNIQUE = False
MIDTURN = 0
REPETITION_BITS = 0
FIELDS: tuple[str, ...] = ()
OPTIONS: tuple[Option, ...] = ()
PRESETS: dict[str, dict[str, str]] = {"default": {}}
REASONS: tuple[str, ...] = ()
COLOUR_SWAP = False
CAPTURES = False


@kernel
def superfluous(r: int, step: int) -> bool:
    """Tell whether another order of the same steps is the same move: never."""
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
    """Tell whether a move must not repeat a position of the game: it may."""
    return False


@kernel
def shut_in(w: int, b: int, r: int) -> int:
    """Return the judgement on a position in which superko forbids every move: a loss."""
    return won(1 - (r & 1), BLOCKED)


def pawns(r: int) -> int:
    """Return how many pawns a side has at most: no rule limits them."""
    return 64


def hands(w: int, b: int, r: int) -> tuple[int, int] | None:
    """Return how many pawns each side has still to place: none are ever placed."""
    return None


def read_fields(w: int, b: int, r: int, fields: list[str]) -> int:
    """Return the third word with the values of the fields: there are none."""
    return r


def write_fields(w: int, b: int, r: int) -> list[str]:
    """Return the fields of a position's text: there are none."""
    return []


def transformed(r: int, to: tuple[int, ...], swap: bool) -> int:
    """Return the third word under a symmetry of the board: it names no cell and no colour."""
    return r


def why(w: int, b: int, r: int, tried: Action) -> Note | None:
    """Return the rule of this game that makes a step illegal: none beyond the shared reasons."""
    return None


def must(w: int, b: int, r: int) -> str:
    """Return the obligation that restricts the choice of steps: none."""
    return ""


def shown(w: int, b: int, r: int, judgement: int) -> int:
    """Return the cells that show why a game has ended: the winner's or the blocked pawns."""
    if judgement >> 2 == BLOCKED:
        return b if r & 1 == BLACK else w
    return {WHITE_WINS: w, BLACK_WINS: b}.get(judgement & 3, 0)


def promoted(w: int, b: int, r: int) -> int:
    """Return the promoted pawns: none."""
    return 0


def resting(w: int, b: int, r: int) -> int:
    """Return the pawns that their owner must not move next: none."""
    return 0


def barred(w: int, b: int, r: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of cells between which a step is forbidden now: none."""
    return ()


def notes(w: int, b: int, r: int) -> list[Note]:
    """Return facts that affect the legal moves and are not visible on the board: none."""
    return []


def reminder(w: int, b: int, r: int) -> Note | None:
    """Return a hint for the player to move: none."""
    return None
