"""Texts about a position: the caption of a drawing, and a description for screen readers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from damier.drawing.view import View
from damier.i18n import translate, translate_for_game
from damier.illegal_moves import note_details

if TYPE_CHECKING:
    from damier.position import Position


def side_name(side: str) -> str:
    """Return the name of a side in the language in use."""
    return translate(f"side.{side}")


def caption(position: Position) -> list[str]:
    """Return sentences about the state of the game that the board alone does not show.

    The first sentence gives the side to move or the result, without regard to repetition.
    """
    view = View.of(position)
    side = side_name(position.side)
    other = side_name("b" if position.side == "w" else "w")
    sentences = [_first(position, side)]
    if position.unfinished and view.in_play:
        placing = any(step.kind == "place" for step in position.steps())
        key = "one-more" if placing else "in-play"
        sentences.append(translate(f"drawing.{key}", cell=view.in_play, turn=position.begun))
    if view.closed:
        sentences.append(translate("drawing.closed", cells=", ".join(view.closed)))
    if view.hands and any(view.hands):
        sentences.append(translate("drawing.hands", white=view.hands[0], black=view.hands[1]))
    for note in position.rules.module.notes(*position.words):
        details = {
            "side": side,
            "other": other,
            **note_details(position.rules.module, position.words, note),
        }
        sentences.append(translate_for_game(position.rules.name, f"note.{note.key}", **details))
    if view.promoted:
        pawns = _sides(position, view.promoted)
        sentences.append(translate_for_game(position.rules.name, "drawing.promoted", pawns=pawns))
    if view.resting:
        sentences.append(translate("drawing.marks", pawns=_sides(position, view.resting)))
    return sentences


def _sides(position: Position, cells: Iterable[str]) -> str:
    """Return some pawns as text, White's first: the side and the cell of each."""
    by_side = sorted(cells, key=lambda cell: "wb".index(position.cell(cell)))
    return ", ".join(f"{side_name(position.cell(cell))} {cell}" for cell in by_side)


def description(position: Position) -> list[str]:
    """Return sentences that describe the board and the pawns on it."""
    board, view = position.rules.board, View.of(position)
    ranks, files = (
        translate(f"drawing.{key}", count=count)
        for key, count in (("ranks", board.ranks), ("files", board.files))
    )
    sentences = [translate("drawing.board", ranks=ranks, files=files)]
    for side in "wb":
        cells = ", ".join(n for n, s in view.pawns.items() if s == side) or translate(
            "drawing.none"
        )
        sentences.append(translate("drawing.pawns", side=side_name(side), cells=cells))
    for place, bits in board.places.items():
        cells = ", ".join(board.sorted_names(bits))
        name = translate_for_game(position.rules.name, f"places.{place}")
        sentences.append(translate("drawing.places", place=name, cells=cells))
    return sentences


def _first(position: Position, side: str) -> str:
    """Return the first sentence of a caption: the result, or the side to move."""
    result = position.result()
    if result is not None:
        return result.sentence()
    return translate("drawing.stuck" if position.over else "drawing.to-move", side=side)
