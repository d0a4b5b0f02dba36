"""Values of moves as labels and colours of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier.i18n import translate

if TYPE_CHECKING:
    from damier.position import Move, Position
    from damier.solve import Value


def opening_heat(start: Position, valued: list[tuple[Move, Value]]) -> dict[str, tuple[str, float]]:
    """Return labels and colours of the cells that first moves reach with their first step."""
    return heat_of([(start.describe(move.steps[0]).target, value) for move, value in valued])


def heat_of(valued: list[tuple[str | None, Value]]) -> dict[str, tuple[str, float]]:
    """Return a label and a colour value for each cell, from the best move that leads there.

    `valued` has the best moves first.
    """
    heat: dict[str, tuple[str, float]] = {}
    for cell, value in valued:
        if cell is None or cell in heat:
            continue
        label = translate(f"results.letter.{'open' if value.bound else value.outcome}")
        if value.distance is not None:
            label += str(value.distance)
        heat[cell] = label, {"win": 1.0, "draw": 0.0, "loss": -1.0}[value.outcome]
    return heat
