"""Kernels of every kind that a WebAssembly module can contain.

Build the module with:

    NUMBA_OPT=0 python -m tests.support.wasm_kernels FILE
"""

import sys
from pathlib import Path
from typing import Any

from damier import jit
from damier.jit import Buffer, buffer, enlarged, inlined, kernel, lowest, nth_bit, popcount, times

FIVE = (3, 1, 4, 1, 5)


@kernel
def sign(yes: bool, x: int) -> bool:
    """Return whether x is what one says: a truth value in, one out."""
    return (x < 0) == yes


@kernel
def mixed(x: int, y: int) -> tuple[int, bool, int]:
    """Return what the kernels of `damier.jit` say, and constants."""
    bits = popcount(x) << 5 ^ lowest(y) ^ nth_bit(y, popcount(y) // 2) << 10
    return times(x, y) ^ bits, x > y, FIVE[x % 5]


@kernel
def quotient(x: int, y: int) -> int:
    """Return x // y, which fails where y is 0."""
    return x // y


@kernel
def widths(a: Buffer, b: Buffer, c: Buffer) -> int:
    """Return a sum over arrays whose items have different sizes."""
    total = 0
    for k in range(len(a)):
        total += int(a[k]) + 3 * int(b[k]) + 5 * int(c[k])
    return total


@kernel
def nested(pair: tuple[tuple[Buffer, int], Buffer], by: int) -> None:
    """Add something to all items of the arrays in a tuple; return nothing."""
    (one, k), other = pair
    one[k] += by
    for j in range(len(other)):
        other[j] -= by


@inlined
def twice(x: int) -> int:
    """Return 2 x."""
    return 2 * x


@kernel
def grown(size: int, times_: int) -> tuple[Buffer, Buffer]:
    """Return arrays that are made and enlarged there."""
    first, second = buffer(size), buffer(3)
    for _ in range(times_):
        first = enlarged(first)
    first[len(first) - 1] = twice(size)
    second[1] = len(first)
    return first, second


@kernel
def scratch(rounds: int, size: int) -> int:
    """Return a sum over arrays that are made and given back, one after another."""
    total = 0
    for k in range(rounds):
        one = buffer(size)
        one[k % size] = k
        total += one[k % size] + one[(k + 1) % size]
    return total


@kernel
def listed(x: int) -> int:
    """Return a sum over a list of tuples: memory that grows."""
    pairs = [(x, x + 1)]
    for k in range(100):
        pairs.append((k, x))
    total = 0
    for a, b in pairs:
        total += a * b
    return total


def build(file: str) -> None:
    """Build the module."""
    from numba.core import types

    from damier.jit.wasm_compiler import BuildBackend, Entry, module

    jit.use_backend(BuildBackend())
    int_, words = types.int64, types.Array(types.int64, 1, "C")
    small, middle = types.Array(types.uint8, 1, "C"), types.Array(types.uint16, 1, "C")
    tuple_: Any = types.Tuple
    twin = jit.link(sys.modules[__name__])
    signatures: dict[str, list[Any]] = {
        "sign": [(types.boolean, int_)],
        "mixed": [(int_, int_)],
        "quotient": [(int_, int_)],
        "widths": [(small, middle, words), (words, words, words)],
        "nested": [(tuple_([tuple_([words, int_]), words]), int_)],
        "grown": [(int_, int_)],
        "scratch": [(int_, int_)],
        "listed": [(int_,)],
    }
    entries = [Entry(twin, name, one) for name, several in signatures.items() for one in several]
    Path(file).write_bytes(module(entries, {"game": "odd"}))


if __name__ == "__main__":
    build(sys.argv[1])
