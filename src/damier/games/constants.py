"""Constants and helpers that all games share: sides, judgements, reasons and options."""

from dataclasses import dataclass

from damier.errors import DamierError
from damier.jit import kernel, popcount

WHITE, BLACK = 0, 1

# A step is one integer: 64 * group + cell, where each game numbers its kinds of step as groups.
CELL_BITS = 6

# A judgement is one integer: 0 while the game goes on, else 4 * reason + outcome. Outcome 0 is no
# result: no move is legal in an unreachable position about which the rules say nothing.
WHITE_WINS, BLACK_WINS, DRAW = 1, 2, 3
# Reasons that many games have. A game's own reasons, its REASONS, are numbered on from OWN_REASON.
REASONS = ("", "line", "square", "capture", "blocked", "stalled", "repetition")
LINE, SQUARE, CAPTURE, BLOCKED, STALLED, REPETITION = 1, 2, 3, 4, 5, 6
OWN_REASON = 16
STUCK = 4 * BLOCKED


@kernel
def step_of(group: int, cell: int) -> int:
    """Return the step of a group that is named by a cell."""
    return group << CELL_BITS | cell


@kernel
def group_and_cell(step: int) -> tuple[int, int]:
    """Return the group of a step and the cell that names it."""
    return step >> CELL_BITS, step & ((1 << CELL_BITS) - 1)


@kernel
def won(side: int, reason: int) -> int:
    """Return the judgement that a side has won."""
    return 4 * reason + WHITE_WINS + side


@kernel
def drawn(reason: int) -> int:
    """Return the judgement that the game is drawn."""
    return 4 * reason + DRAW


@kernel
def won_by_majority(w: int, b: int, reason: int) -> int:
    """Return the judgement that the side with more pawns has won."""
    more = popcount(w) - popcount(b)
    if more == 0:
        return drawn(reason)
    return won(WHITE if more > 0 else BLACK, reason)


@dataclass(frozen=True)
class Option:
    """Option of the rules, and the bits of the position's third word that hold it.

    Either one of the named `values`, or a whole number from 0 to `most`.
    """

    name: str
    bit: int
    values: tuple[str, ...] = ()
    default: str = ""
    most: int = 0

    @property
    def mask(self) -> int:
        """The bits of the third word that hold the option."""
        most = len(self.values) - 1 if self.values else self.most
        return ((1 << most.bit_length()) - 1) << self.bit

    def encode(self, value: object) -> int:
        """Return the value as bits of the position's third word."""
        text = str(value)
        if self.values:
            if text not in self.values:
                raise DamierError(
                    "option-value", name=self.name, value=text, values=" | ".join(self.values)
                )
            return self.values.index(text) << self.bit
        count = whole_number(text)
        if count is None or count > self.most:
            raise DamierError("option-number", name=self.name, value=text, most=self.most)
        return count << self.bit

    def canonical(self, value: object) -> str:
        """Return the value as canonical text; raise DamierError if it is not allowed."""
        bits = self.encode(value) >> self.bit
        return self.values[bits] if self.values else str(bits)


def choice(name: str, bit: int, *values: str) -> Option:
    """Return an option with named values, the first of them the default."""
    return Option(name, bit, values, values[0])


def number(name: str, bit: int, default: int, most: int) -> Option:
    """Return an option that takes a whole number."""
    return Option(name, bit, (), str(default), most)


def read_count(text: str, most: int) -> int:
    """Return the count in a field of a position's text; raise DamierError if it is not valid."""
    count = whole_number(text)
    if count is None or count > most:
        raise DamierError("count", text=text, most=most)
    return count


def whole_number(text: str) -> int | None:
    """Return the number written in plain digits, or None; int() also accepts ' 5' and '1_0'."""
    if text.isascii() and text.isdigit() and len(text) < 10 and text == str(int(text)):
        return int(text)
    return None
