"""File of the neural network that evaluates shapes when captures are forced.

`shapes.bin` is a line of text with the origin of the network, then its parameters as 16-bit
integers, lowest byte first, compressed with zlib.
"""

import sys
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path

FILE = Path(__file__).with_name("shapes.bin")


def source() -> str:
    """Return the origin of the network."""
    return FILE.read_bytes().partition(b"\n")[0].decode("utf-8")


def read() -> tuple[int, ...]:
    """Return the parameters of the network."""
    _, _, numbers = FILE.read_bytes().partition(b"\n")
    return tuple(_little(array("h", zlib.decompress(numbers))))


def write(origin: str, network: Sequence[int]) -> None:
    """Write a new network to the file."""
    numbers = zlib.compress(_little(array("h", network)).tobytes(), 9)
    FILE.write_bytes(origin.encode("utf-8") + b"\n" + numbers)


def _little(numbers: "array[int]") -> "array[int]":
    """Convert numbers between the native byte order and little-endian, in place."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
