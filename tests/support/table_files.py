"""Malformed table files: damaged ones, and ones whose checksums match a wrong content.

A file is generated from a seed or from a few numbers and words, so that a failing case can be
stored as a line of JSON.
"""

import hashlib
import json
import random
import struct
import zlib
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import damier
from damier import DamierError
from damier.position import Rules
from damier.solve import tables
from damier.solve.numbering import numbering_of

# A game whose positions are all numbered, one with three arrays, and endings in tiers.
TABLES: dict[str, tuple[str, dict[str, str], int]] = {
    "fraha": ("fraha", {}, 0),
    "chefa": ("chefa", {}, 0),
    "endings": ("fanorona", {"board": "3x3"}, 4),
    "seega": ("seega", {}, 3),
}
WRONG_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 3, 7, 64, 255, 65536, 2**31, 2**32, 2**63, 2**64, 10**18, 1e400,
    -1.5, "", "values", "end", "capture", "fraha", "\ud800", "é" * 50, [], {}, [[]], [0], [-1],
    [2**40], ["x"], {"a": 1}, "9" * 400,
]  # fmt: skip  # compact list


def rules_of(name: str) -> Rules:
    game, options, _ = TABLES[name]
    return damier.load_rules(game, **options)


@cache
def valid_table(name: str) -> bytes:
    """Return the bytes of a valid table file."""
    from damier.solve import retrograde

    rules, pawns = rules_of(name), TABLES[name][2]
    if not pawns:
        return (rules.folder.tables / f"{name}.table").read_bytes()
    return retrograde.content(retrograde.solve(rules, pawns, 1), 1)


def split_table(data: bytes) -> tuple[Any, bytes]:
    """Return header and blocks of a table file."""
    (length,) = struct.unpack("<I", data[8:12])
    return json.loads(zlib.decompress(data[20 : 20 + length])), data[20 + length :]


def join_table(header: Any, payload: bytes) -> bytes:
    """Return a table file with correct checksums for any content."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    packed = zlib.compress(text)
    check = hashlib.sha256(packed).digest()[:8]
    return tables.file.MAGIC + struct.pack("<I", len(packed)) + check + packed + payload


def malformed_table(name: str, seed: int) -> bytes:
    """Return a table file with random defects."""
    rng = random.Random(seed)
    data = valid_table(name)
    kind = rng.randrange(4)
    if kind == 0:
        return _damaged(data, rng)
    header, payload = split_table(data)
    if kind == 1:
        payload = _damaged(payload, rng)
    else:
        for _ in range(rng.randint(1, 3)):
            _falsify(header, rng)
    if isinstance(header, dict) and rng.random() < 0.8:
        header["bytes"] = header.get("bytes") if kind > 2 else len(payload)
        header["sha256"] = hashlib.sha256(payload).hexdigest()
    return join_table(header, payload)


def _damaged(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes with random changes, deletions or insertions."""
    if not data:
        return rng.randbytes(5)
    at = rng.randrange(len(data) + 1)
    match rng.randrange(6):
        case 0:
            return data[:at]
        case 1:
            return data + rng.randbytes(rng.choice((1, 20, 70_000)))
        case 2:
            return data[:at] + rng.randbytes(rng.randint(1, 9)) + data[at:]
        case 3:
            return data[:at] + data[at + rng.randint(1, 2000) :]
        case 4:
            return bytes(len(data))
    spoiled = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        spoiled[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(spoiled)


def _falsify(where: Any, rng: random.Random) -> None:
    """Replace a random value in a header."""
    while True:
        keys: list[Any] = list(where) if isinstance(where, dict) else list(range(len(where)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(where[key], dict | list) and rng.random() < 0.7:
            where = where[key]
            continue
        match rng.randrange(4):
            case 0 if isinstance(where, dict):
                del where[key]
            case 1 if isinstance(where, list):
                where.insert(key, deepcopy(where[key]))
            case 2 if type(where[key]) is int:
                where[key] += rng.choice((-1, 1, -65536, 65536, 10**9, 2**40))
            case _:
                where[key] = deepcopy(rng.choice(WRONG_VALUES))
        return


def check_table(name: str, data: bytes, path: Path) -> str | None:
    """Assert that a file is refused as a DamierError, or answers; return the reason."""
    rules = rules_of(name)
    path.write_bytes(data)
    try:
        table = tables.Table.open(path, rules)
        for module_store in (table.plain, table.kernel):
            module_store()
        for number in (0, len(table.arrays["values"]) - 1):
            assert table.arrays["values"][number] >= 0
        position = rules.start()
        for code in (table.code(position), *table.probe_children(position)[:, 3].tolist()):
            assert code >= -1
    except DamierError as error:
        assert str(path) in str(error)
        return error.key
    assert len(table.arrays["values"]) == numbering_of(rules).space_for(rules, table.header).size
    return None
