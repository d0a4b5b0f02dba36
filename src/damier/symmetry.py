"""Symmetries: the board turned or mirrored, the colours swapped, in positions and in turns."""

from damier import notation
from damier.errors import DamierError
from damier.games import RulesFile, Words
from damier.games.steps import NOWHERE, Action


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
    w, b, r = _moved(w, to), _moved(b, to), file.transformed(r, to, swap)
    return (b, w, r ^ 1) if swap else (w, b, r)


def transformed_steps(
    file: RulesFile, words: Words, steps: tuple[int, ...], symmetry: int
) -> tuple[int, ...]:
    """Return the steps of a turn as steps from the position's image under a symmetry."""
    image, to = transformed(file, words, symmetry), file.board(words[2]).symmetries[symmetry]
    found: list[int] = []
    for step in steps:
        action = _turned(file.describe(*words, step), to)
        legal = notation.legal_steps(file, image)
        found.append(next(s for s in legal if file.describe(*image, s) == action))
        words, image = file.play(*words, step), file.play(*image, found[-1])
    return tuple(found)


def _moved(cells: int, to: tuple[int, ...]) -> int:
    return sum(1 << there for i, there in enumerate(to) if cells >> i & 1)


def _turned(action: Action, to: tuple[int, ...]) -> Action:
    def cell(i: int) -> int:
        return i if i == NOWHERE else to[i]

    return action._replace(
        origin=cell(action.origin),
        target=cell(action.target),
        takes=_moved(action.takes, to),
        puts=tuple((cell(a), cell(b)) for a, b in action.puts),
    )
