"""Reversi: enclose enemy pawns, which change sides; the player with more pawns at the end wins.

Each player in turn places a pawn so that enemy pawns stand in a straight line between it and
another own pawn, without a gap. All pawns so enclosed change sides. A player who cannot do so
passes. The game ends when neither can. A game of 1883, as it is played since 1971, on a small
board.
"""

from damier.games.board import Board
from damier.games.constants import OWN_REASON, WHITE, choice, drawn, group_and_cell, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel, popcount

NAME = "reversi"
OPTIONS = (choice("size", 1, "4", "6"),)
PRESETS = {"small": {}, "large": {"size": "6"}}
BOARDS = (Board(4, 4), Board(6, 6))
HOME = (
    (BOARDS[0].bits("b3", "c2"), BOARDS[0].bits("b2", "c3")),
    (BOARDS[1].bits("c4", "d3"), BOARDS[1].bits("c3", "d4")),
)
REASONS, MORE = ("more",), OWN_REASON
COLOUR_SWAP = True
# Steps: placing a pawn, passing.
PLACE, PASS, GROUPS = 0, 1, 2
FINAL = 0b11
WAYS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
NONE = 63
# By size, cell and way, the next cell.
NEXT = tuple(
    c + board.shift(way) if board.mask(way) >> c & 1 else NONE
    for board in BOARDS
    for c in range(36)
    for way in WAYS
)
ALL = tuple(board.cells for board in BOARDS)


def board(r: int) -> Board:
    return BOARDS[r >> 1 & 1]


def start(r: int) -> tuple[int, int, int]:
    return *HOME[r >> 1 & 1], r


@kernel
def enclosed(own: int, enemy: int, cell: int, size: int) -> int:
    """Return the enemy pawns that a pawn on a cell encloses."""
    found = 0
    for way in range(8):
        line, c = 0, NEXT[288 * size + 8 * cell + way]
        while c != NONE and enemy >> c & 1:
            line |= 1 << c
            c = NEXT[288 * size + 8 * c + way]
        if c != NONE and own >> c & 1:
            found |= line
    return found


@kernel
def places(own: int, enemy: int, size: int) -> int:
    """Return the cells where a player may place a pawn."""
    found = 0
    for cell in range(36):
        if (ALL[size] & ~(own | enemy)) >> cell & 1 and enclosed(own, enemy, cell, size):
            found |= 1 << cell
    return found


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    size = r >> 1 & 1
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    out[PLACE], out[PASS] = places(own, enemy, size), 0
    if out[PLACE]:
        return 0
    if places(enemy, own, size):
        out[PASS] = 1
        return 0
    white, black = popcount(w), popcount(b)
    if white == black:
        return drawn(MORE)
    return won(0 if white > black else 1, MORE)


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    group, cell = group_and_cell(step)
    if group == PASS:
        return w, b, r ^ 1
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    turned = enclosed(own, enemy, cell, r >> 1 & 1)
    own |= turned | 1 << cell
    enemy &= ~turned
    w, b = (own, enemy) if r & 1 == WHITE else (enemy, own)
    return w, b, r ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    group, cell = group_and_cell(step)
    if group == PASS:
        return Action("pass")
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    return Action("place", target=cell, flips=enclosed(own, enemy, cell, r >> 1 & 1))
