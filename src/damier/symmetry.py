"""Symmetries of positions and moves: rotations and reflections of the board, swapped colours."""

from damier import notation
from damier.errors import DamierError
from damier.games import RulesModule, Words
from damier.games.board import Board, map_cells


def transformed(module: RulesModule, words: Words, symmetry: int, swap: bool = False) -> Words:
    """Return a position under a symmetry of the board, by its number, and with swapped colours."""
    w, b, r = words
    symmetries = module.board(r).symmetries
    if not 0 <= symmetry < len(symmetries):
        raise DamierError("symmetry", number=symmetry, most=len(symmetries) - 1)
    if swap and not module.COLOUR_SWAP:
        raise DamierError("no-swap", game=module.NAME)
    if r & module.MIDTURN:
        raise DamierError("game-unfinished")
    to = symmetries[symmetry]
    w, b, r = map_cells(w, to), map_cells(b, to), module.transformed(r, to, swap)
    return (b, w, r ^ 1) if swap else (w, b, r)


def transformed_steps(
    module: RulesModule, words: Words, steps: tuple[int, ...], symmetry: int, swap: bool = False
) -> tuple[int, ...]:
    """Return the steps of a move as steps from the position's image under a symmetry."""
    image = transformed(module, words, symmetry, swap)
    to = module.board(words[2]).symmetries[symmetry]
    images: list[int] = []
    for step in steps:
        action = module.describe(*words, step).transformed(to)
        legal = notation.legal_steps(module, image)
        images.append(next(s for s in legal if module.describe(*image, s) == action))
        words, image = module.play(*words, step), module.play(*image, images[-1])
    return tuple(images)


def symmetry_key(module: RulesModule, words: Words) -> str:
    """Return a key that is equal for positions that are images of each other under a symmetry.

    It depends on what the count of occurrences depends on: the pawns, the side to move, and the
    bits of `REPETITION_BITS`.
    """
    w, b, r = words
    bits = module.REPETITION_BITS
    images = (
        (map_cells(w, to), map_cells(b, to), module.transformed(r, to, False) & bits if bits else 0)
        for to in module.board(r).symmetries
    )
    white, black, rest = min(images)
    return f"{white:x}.{black:x}.{r & 1}" + (f".{rest:x}" if bits else "")


def board_key(board: Board, colour_swap: bool, words: Words) -> str:
    """Return a key of the pawns on a board, equal for symmetric images.

    It does not depend on the side to move, on counters or on options, and with `colour_swap` not on
    which colour is which.
    """
    w, b, _ = words
    sides = ((w, b), (b, w)) if colour_swap else ((w, b),)
    images = ((map_cells(x, to), map_cells(y, to)) for x, y in sides for to in board.symmetries)
    white, black = min(images)
    return f"{white:x}.{black:x}"
