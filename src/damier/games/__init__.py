"""The one registry of games. A game is a file here, a line here, a rule page and test data."""

from typing import Protocol

from damier.games import badia, chefa, fanorona, fraha, seega
from damier.games.board import Board
from damier.games.terms import Option
from damier.jit import Buffer

Words = tuple[int, int, int]


class GameFile(Protocol):
    """What a game's file gives: everything else asks it, and no rule is written elsewhere.

    A position is three integers: White's pawns, Black's pawns, and a word for the rest, whose bit
    0 is the side to move and which holds the options in force. The steps are in groups; a legal
    step is a bit in its group's word.
    """

    NAME: str
    GROUPS: int  # groups of steps
    FINAL: int  # the groups whose steps always end the turn, as bits
    ONE_STEP_UNIQUE: bool  # no other turn reaches the position that a turn of one step reaches
    MIDTURN: int  # bits of the third word that are set inside a turn and only there
    FIELDS: tuple[str, ...]  # of the position's text, after the side
    OPTIONS: tuple[Option, ...]
    PRESETS: dict[str, dict[str, str]]  # the first one is the default
    COLOUR_SWAP: bool  # the rules are the same for both colours

    def board(self, r: int) -> Board:
        """Return the board under the options of the word."""
        ...

    def pawns(self, r: int) -> int:
        """Return how many pawns a side has at most."""
        ...

    def start(self, r: int) -> Words:
        """Return the starting position, given the options as a word."""
        ...

    def legal(self, w: int, b: int, r: int, out: Buffer) -> int:
        """Return the judgement on a position, or 0 and in `out` the legal steps of each group."""
        ...

    def play(self, w: int, b: int, r: int, step: int) -> Words:
        """Return the position after a legal step."""
        ...

    def superfluous(self, r: int, step: int) -> bool:
        """Tell whether another order of the same steps writes the same turn."""
        ...

    def repeatable(self, w: int, b: int, r: int) -> bool:
        """Tell whether a position counts towards repetition."""
        ...

    def repeated(self, w: int, b: int, r: int) -> int:
        """Return the judgement on a position that occurs for the third time."""
        ...

    def returning(self, r: int) -> bool:
        """Tell whether a turn may bring back a position of the game."""
        ...

    def step_text(self, w: int, b: int, r: int, step: int) -> str:
        """Return the part of the turn's text that a step writes."""
        ...

    def read_fields(self, w: int, b: int, r: int, fields: list[str]) -> int:
        """Return the third word with what the fields of a position's text say."""
        ...

    def write_fields(self, w: int, b: int, r: int) -> list[str]:
        """Return the fields of a position's text."""
        ...


GAMES: dict[str, GameFile] = {file.NAME: file for file in (fraha, chefa, badia, seega, fanorona)}
