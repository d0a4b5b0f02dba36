"""Symmetries: the board turned or mirrored, the colours swapped, in positions and in turns."""

from damier.errors import DamierError
from damier.games.steps import NOWHERE, Action
from damier.position import Position, Turn


def transformed(position: Position, symmetry: int, swap: bool) -> Position:
    """Return a position under a symmetry of the board, by number, and with colours swapped."""
    rules, symmetries = position.rules, position.rules.board.symmetries
    if not 0 <= symmetry < len(symmetries):
        raise DamierError("symmetry", number=symmetry, most=len(symmetries) - 1)
    if swap and not rules.file.COLOUR_SWAP:
        raise DamierError("no-swap", game=rules.name)
    if position.unfinished:
        raise DamierError("game-unfinished")
    to = symmetries[symmetry]
    white, black = (_moved(pawns, to) for pawns in (position.white, position.black))
    rest = rules.file.transformed(position.rest, to, swap)
    if swap:
        return Position(rules, black, white, rest ^ 1)
    return Position(rules, white, black, rest)


def transformed_turn(position: Position, turn: Turn, symmetry: int) -> Turn:
    """Return a turn of a position as a turn of its image under a symmetry of the board."""
    image = transformed(position, symmetry, False)
    to, file = position.rules.board.symmetries[symmetry], position.rules.file
    words, words2, steps = position.words, image.words, []
    for step in turn.steps:
        action = _turned(file.describe(*words, step), to)
        here = Position(position.rules, *words2)
        steps.append(
            next(s.number for s in here.steps() if file.describe(*words2, s.number) == action)
        )
        words, words2 = file.play(*words, step), file.play(*words2, steps[-1])
    return image.turn_of(steps)


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
