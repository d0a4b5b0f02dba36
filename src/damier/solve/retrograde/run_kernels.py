"""Kernels of sorted runs of keys; see `sorted_runs`."""

from damier.jit import Buffer, kernel


@kernel
def compare(a: Buffer, i: int, b: Buffer, j: int, width: int) -> int:
    """Return 0 if key i of `a` is less than key j of `b`, 1 if equal, else 2."""
    for k in range(width):
        x, y = a[width * i + k], b[width * j + k]
        if x != y:
            return 0 if x < y else 2
    return 1


@kernel
def copy(a: Buffer, i: int, out: Buffer, count: int, width: int) -> int:
    """Append key i of `a` to `count` keys; return the new count."""
    for k in range(width):
        out[width * count + k] = a[width * i + k]
    return count + 1


@kernel
def unique(keys: Buffer, width: int) -> int:
    """Remove duplicates from sorted keys, in place; return how many keys are left."""
    count, size = 0, len(keys) // width
    for i in range(size):
        if count == 0 or compare(keys, i, keys, count - 1, width) != 1:
            count = copy(keys, i, keys, count, width)
    return count


@kernel
def merge(a: Buffer, b: Buffer, out: Buffer, width: int) -> int:
    """Write the union of two runs to `out`; return the number of keys."""
    i, j, count = 0, 0, 0
    size_a, size_b = len(a) // width, len(b) // width
    while i < size_a and j < size_b:
        order = compare(a, i, b, j, width)
        if order == 2:
            count = copy(b, j, out, count, width)
        else:
            count = copy(a, i, out, count, width)
        if order <= 1:
            i += 1
        if order >= 1:
            j += 1
    while i < size_a:
        count = copy(a, i, out, count, width)
        i += 1
    while j < size_b:
        count = copy(b, j, out, count, width)
        j += 1
    return count


@kernel
def subtract(a: Buffer, b: Buffer, out: Buffer, width: int) -> int:
    """Write the keys of run `a` that are not in run `b` to `out`; return how many there are.

    The next key of `b` is found by steps that double, so a short run `a` is fast.
    """
    j, count, size_b = 0, 0, len(b) // width
    for i in range(len(a) // width):
        step = 1
        while j + step < size_b and compare(b, j + step, a, i, width) == 0:
            j += step
            step *= 2
        while step > 1:
            step //= 2
            if j + step < size_b and compare(b, j + step, a, i, width) == 0:
                j += step
        while j < size_b and compare(b, j, a, i, width) == 0:
            j += 1
        if j == size_b or compare(b, j, a, i, width) != 1:
            count = copy(a, i, out, count, width)
    return count
