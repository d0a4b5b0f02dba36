"""Symmetries: the board turned or mirrored, the colours swapped, in positions and in turns."""

import re

from damier.errors import DamierError
from damier.rules import Position, Rules

_CELL = re.compile(r"[a-u]\d+")
_OTHER_COLOUR = str.maketrans("wb", "bw")


def transformed(position: Position, symmetry: int, swap: bool) -> Position:
    """Return a position under a symmetry of the board, by number, and with colours swapped."""
    rules, board = position.rules, position.rules.board
    if not 0 <= symmetry < len(board.symmetries):
        raise DamierError("symmetry", number=symmetry, most=len(board.symmetries) - 1)
    if swap and not rules.file.COLOUR_SWAP:
        raise DamierError("no-swap", game=rules.name)
    rows, side, *fields = str(position).split(" ")
    marks = "".join(reversed(rows.split("/")))
    turned = [""] * board.size
    for i, to in enumerate(board.symmetries[symmetry]):
        turned[to] = marks[i]
    ranks = ("".join(turned[k : k + board.files]) for k in range(0, board.size, board.files))
    rows = "/".join(reversed(list(ranks)))
    fields = [_map_cells(rules, symmetry, field) for field in fields]
    if swap:
        rows, side = rows.translate(_OTHER_COLOUR), side.translate(_OTHER_COLOUR)
        fields = [fields[rules.file.FIELDS.index(_opposite(name))] for name in rules.file.FIELDS]
    return rules.position(" ".join((rows, side, *fields)))


def transformed_turn(rules: Rules, text: str, symmetry: int) -> str:
    """Return a turn's text under a symmetry of the board."""
    text = _map_cells(rules, symmetry, text)
    order = rules.board.cell_order
    indices = rules.board.indices
    # What is written in cell order is sorted anew: captures of one step, pairs of placements.
    text = re.sub(
        r"(x[a-u]\d+)+",
        lambda m: "".join(
            sorted(re.findall(r"x[a-u]\d+", m[0]), key=lambda x: order(indices[x[1:]]))
        ),
        text,
    )
    if re.fullmatch(r"[a-u]\d+\+[a-u]\d+", text) and rules.options["placement_captures"] == "no":
        text = "+".join(sorted(text.split("+"), key=lambda name: order(indices[name])))
    return text


def _map_cells(rules: Rules, symmetry: int, text: str) -> str:
    board = rules.board
    table = board.symmetries[symmetry]
    return _CELL.sub(lambda m: board.names[table[board.indices[m[0]]]], text)


def _opposite(field: str) -> str:
    """Return the field that says the same of the other colour."""
    colour, _, rest = field.partition("-")
    return {"white": f"black-{rest}", "black": f"white-{rest}"}.get(colour, field)
