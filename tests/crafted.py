"""Table files that lie: damaged ones, and ones whose checksums hold for something else.

What a file is made of can be drawn by chance, and each is told by a few numbers and words: so a
case that was once found is kept as a line of JSON.
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
LIES: list[Any] = [
    None, True, False, 0, 1, -1, 3, 7, 64, 255, 65536, 2**31, 2**32, 2**63, 2**64, 10**18, 1e400,
    -1.5, "", "values", "end", "capture", "fraha", "\ud800", "é" * 50, [], {}, [[]], [0], [-1],
    [2**40], ["x"], {"a": 1}, "9" * 400,
]  # fmt: skip


def rules_of(name: str) -> Rules:
    game, options, _ = TABLES[name]
    return damier.game(game, **options)


@cache
def good(name: str) -> bytes:
    """Return a table file that is as it should be."""
    from damier.solve import retrograde

    rules, pawns = rules_of(name), TABLES[name][2]
    if not pawns:
        return (rules.folder.tables / f"{name}.table").read_bytes()
    return retrograde.content(retrograde.solve(rules, pawns, 1), 1)


def taken_apart(data: bytes) -> tuple[Any, bytes]:
    """Return header and blocks of a table file."""
    (length,) = struct.unpack("<I", data[8:12])
    return json.loads(zlib.decompress(data[20 : 20 + length])), data[20 + length :]


def put_together(header: Any, payload: bytes) -> bytes:
    """Return a table file whose checksums hold, whatever is in it."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    packed = zlib.compress(text)
    check = hashlib.sha256(packed).digest()[:8]
    return tables.file.MAGIC + struct.pack("<I", len(packed)) + check + packed + payload


def crafted(name: str, seed: int) -> bytes:
    """Return a file that is like a table in most ways, and in some is not."""
    chance = random.Random(seed)
    data = good(name)
    kind = chance.randrange(4)
    if kind == 0:
        return _damaged(data, chance)
    header, payload = taken_apart(data)
    if kind == 1:
        payload = _damaged(payload, chance)
    else:
        for _ in range(chance.randint(1, 3)):
            _lie(header, chance)
    if isinstance(header, dict) and chance.random() < 0.8:
        header["bytes"] = header.get("bytes") if kind > 2 else len(payload)
        header["sha256"] = hashlib.sha256(payload).hexdigest()
    return put_together(header, payload)


def _damaged(data: bytes, chance: random.Random) -> bytes:
    """Return bytes of which some are others, or gone, or more."""
    if not data:
        return chance.randbytes(5)
    at = chance.randrange(len(data) + 1)
    match chance.randrange(6):
        case 0:
            return data[:at]
        case 1:
            return data + chance.randbytes(chance.choice((1, 20, 70_000)))
        case 2:
            return data[:at] + chance.randbytes(chance.randint(1, 9)) + data[at:]
        case 3:
            return data[:at] + data[at + chance.randint(1, 2000) :]
        case 4:
            return bytes(len(data))
    spoiled = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        spoiled[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(spoiled)


def _lie(where: Any, chance: random.Random) -> None:
    """Say something else somewhere in a header."""
    while True:
        keys: list[Any] = list(where) if isinstance(where, dict) else list(range(len(where)))
        if not keys:
            return
        key = chance.choice(keys)
        if isinstance(where[key], dict | list) and chance.random() < 0.7:
            where = where[key]
            continue
        match chance.randrange(4):
            case 0 if isinstance(where, dict):
                del where[key]
            case 1 if isinstance(where, list):
                where.insert(key, deepcopy(where[key]))
            case 2 if type(where[key]) is int:
                where[key] += chance.choice((-1, 1, -65536, 65536, 10**9, 2**40))
            case _:
                where[key] = deepcopy(chance.choice(LIES))
        return


def check_table(name: str, data: bytes, path: Path) -> str | None:
    """See to it that a file is refused as a DamierError, or answers; return why it is refused."""
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
