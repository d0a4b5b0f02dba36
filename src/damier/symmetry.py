"""Symmetries: the board turned or mirrored, the colours swapped, in positions and in turns."""

from damier import notation
from damier.errors import DamierError
from damier.games import RulesFile, Words
from damier.games.board import moved


def transformed(file: RulesFile, words: Words, symmetry: int, swap: bool = False) -> Words:
    """Return a position under a symmetry of the board, by number, and with colours swapped."""
    w, b, r = words
    symmetries = file.board(r).symmetries
    if not 0 <= symmetry < len(symmetries):
        raise DamierError("symmetry", number=symmetry, most=len(symmetries) - 1)
    if swap and not file.COLOUR_SWAP:
        raise DamierError("no-swap", game=file.NAME)
    if r & file.MIDTURN:
        raise DamierError("game-unfinished")
    to = symmetries[symmetry]
    w, b, r = moved(w, to), moved(b, to), file.transformed(r, to, swap)
    return (b, w, r ^ 1) if swap else (w, b, r)


def transformed_steps(
    file: RulesFile, words: Words, steps: tuple[int, ...], symmetry: int, swap: bool = False
) -> tuple[int, ...]:
    """Return the steps of a turn as steps from the position's image under a symmetry."""
    image = transformed(file, words, symmetry, swap)
    to = file.board(words[2]).symmetries[symmetry]
    found: list[int] = []
    for step in steps:
        action = file.describe(*words, step).turned(to)
        legal = notation.legal_steps(file, image)
        found.append(next(s for s in legal if file.describe(*image, s) == action))
        words, image = file.play(*words, step), file.play(*image, found[-1])
    return tuple(found)


def likeness(file: RulesFile, words: Words) -> str:
    """Return what positions have in common that differ by a symmetry of the board, or not at all.

    Pawns and side to move are compared, and no other field, as where occurrences are counted.
    """
    w, b, r = words
    white, black = min((moved(w, to), moved(b, to)) for to in file.board(r).symmetries)
    return f"{white:x}.{black:x}.{r & 1}"
