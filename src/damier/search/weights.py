"""The weights of the estimates, by game: which feature counts how much, and where that is from.

They are in `weights.json`, which `python -m damier.search.tuning GAME --write` writes. A scale is
the advantage that wins with 73 %; the unit is free. Fanorona's shapes, many and without names, are
in `shapes.json`, which `python -m damier.search.shapes --write` writes.
"""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("weights.json")
SHAPES_FILE = Path(__file__).with_name("shapes.json")
_read: dict[str, Any] = json.loads(FILE.read_text("utf-8"))

SOURCE: dict[str, str] = {game: entry["source"] for game, entry in _read.items()}
SCALE: dict[str, int] = {game: entry["scale"] for game, entry in _read.items()}
WEIGHTS: dict[str, tuple[int, ...]] = {
    game: tuple(entry["weights"].values()) for game, entry in _read.items()
}


def write(game: str, source: str, weights: dict[str, int]) -> None:
    """Put new weights of a game into the file."""
    entry = {"source": source, "scale": SCALE[game], "weights": weights}
    read = {**json.loads(FILE.read_text("utf-8")), game: entry}
    FILE.write_text(json.dumps(read, indent=1) + "\n", "utf-8")


def read_shapes() -> dict[str, list[int]]:
    """Return the weights of Fanorona's shapes, by stage and by what is in the middle."""
    shapes: dict[str, list[int]] = json.loads(SHAPES_FILE.read_text("utf-8"))
    return shapes


def write_shapes(shapes: dict[str, list[int]]) -> None:
    """Put new weights of Fanorona's shapes into their file."""
    lines = (f"{json.dumps(name)}: {json.dumps(found)}" for name, found in shapes.items())
    SHAPES_FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
