"""The weights of the estimates, by game: which feature counts how much, and where that is from.

They are in `weights.json`, which `python -m damier.search.tuning GAME --write` writes. A scale is
the advantage that wins with 73 %; the unit is free. The network that judges Fanorona's shapes, many
numbers without names, is in `shapes.bin`, which `python -m damier.search.shapes --write` writes:
a line that says where it is from, then numbers of 16 bits, packed with zlib.
"""

import json
import sys
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("weights.json")
SHAPES_FILE = Path(__file__).with_name("shapes.bin")
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


def shapes_source() -> str:
    """Return where the network that judges Fanorona's shapes is from."""
    return SHAPES_FILE.read_bytes().partition(b"\n")[0].decode("utf-8")


def read_shapes() -> tuple[int, ...]:
    """Return the network that judges Fanorona's shapes."""
    _, _, numbers = SHAPES_FILE.read_bytes().partition(b"\n")
    return tuple(_little(array("h", zlib.decompress(numbers))))


def write_shapes(source: str, network: Sequence[int]) -> None:
    """Put a new network that judges Fanorona's shapes into its file."""
    numbers = zlib.compress(_little(array("h", network)).tobytes(), 9)
    SHAPES_FILE.write_bytes(source.encode("utf-8") + b"\n" + numbers)


def _little(numbers: "array[int]") -> "array[int]":
    """Return numbers that the file holds, or is to hold, with the lowest byte first."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
