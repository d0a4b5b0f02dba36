"""What a picture of the board cannot show, in words: side to move, hands, what rules add."""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier.drawing.view import View
from damier.lang import say, say_of
from damier.refusal import named

if TYPE_CHECKING:
    from damier.position import Position


def side_name(side: str) -> str:
    """Return the name of a side in the language in use."""
    return say(f"side.{side}")


def caption(position: Position) -> list[str]:
    """Return, sentence by sentence, who is to move and all else that decides what is legal.

    The first sentence says who is to move or how the game has ended; repetition is not looked at.
    """
    view = View.of(position)
    side = side_name(position.side)
    other = side_name("b" if position.side == "w" else "w")
    said = [_first(position, side)]
    if position.unfinished and view.in_play:
        placing = any(step.kind == "place" for step in position.steps())
        key = "one-more" if placing else "in-play"
        said.append(say(f"drawing.{key}", cell=view.in_play, turn=position.begun))
    if view.closed:
        said.append(say("drawing.closed", cells=", ".join(view.closed)))
    if view.hands and any(view.hands):
        said.append(say("drawing.hands", white=view.hands[0], black=view.hands[1]))
    for note in position.rules.file.notes(*position.words):
        details = {"side": side, "other": other, **named(position.rules.file, position.words, note)}
        said.append(say_of(position.rules.name, f"note.{note.key}", **details))
    if view.resting:
        by_side = sorted(view.resting, key=lambda cell: "wb".index(position.cell(cell)))
        pawns = (f"{side_name(position.cell(cell))} {cell}" for cell in by_side)
        said.append(say("drawing.marks", pawns=", ".join(pawns)))
    return said


def description(position: Position) -> list[str]:
    """Return, sentence by sentence, what a picture of the board shows."""
    board, view = position.rules.board, View.of(position)
    ranks, files = (
        say(f"drawing.{what}", count=count)
        for what, count in (("ranks", board.ranks), ("files", board.files))
    )
    said = [say("drawing.board", ranks=ranks, files=files)]
    for side in "wb":
        cells = ", ".join(n for n, s in view.pawns.items() if s == side) or say("drawing.none")
        said.append(say("drawing.pawns", side=side_name(side), cells=cells))
    for place, bits in board.places.items():
        cells = ", ".join(board.sorted_names(bits))
        name = say_of(position.rules.name, f"places.{place}")
        said.append(say("drawing.places", place=name, cells=cells))
    return said


def _first(position: Position, side: str) -> str:
    result = position.result()
    if result is not None:
        return result.sentence()
    return say("drawing.stuck" if position.over else "drawing.to-move", side=side)
