"""The network that judges shapes where captures are forced: many numbers without names.

`shapes.bin` is a line that says where it is from, then numbers of 16 bits, packed with zlib.
"""

import sys
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path

FILE = Path(__file__).with_name("shapes.bin")


def source() -> str:
    """Return where the network is from."""
    return FILE.read_bytes().partition(b"\n")[0].decode("utf-8")


def read() -> tuple[int, ...]:
    """Return the network."""
    _, _, numbers = FILE.read_bytes().partition(b"\n")
    return tuple(_little(array("h", zlib.decompress(numbers))))


def write(origin: str, network: Sequence[int]) -> None:
    """Put a new network into its file."""
    numbers = zlib.compress(_little(array("h", network)).tobytes(), 9)
    FILE.write_bytes(origin.encode("utf-8") + b"\n" + numbers)


def _little(numbers: "array[int]") -> "array[int]":
    """Return numbers that the file holds, or is to hold, with the lowest byte first."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
