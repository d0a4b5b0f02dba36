"""Table files: what every position is worth, in compressed blocks that can be read one by one.

The format is described in docs/tables.md. A file is trusted only if its checksum holds and its
header names this format, these rules, and the numbering and the version of the rules in use.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
import threading
import warnings
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Literal

from damier import places
from damier.errors import DamierError
from damier.games import GAMES
from damier.position import Position, Rules, Turn, _compiled
from damier.solve.codes import HOLDING

MAGIC = b"DAMIERTB"
FORMAT = 1
BLOCK = 1 << 16
CACHED_BLOCKS = 256  # of each array: 16 MB

Outcome = Literal["win", "draw", "loss"]
Metric = Literal["end", "capture"]


@dataclass(frozen=True)
class Value:
    """What a position is worth to the side to move.

    `distance` is the number of turns to the end when the winner hurries and the loser delays, or
    None for a draw. Where `to` is "capture", it is the number of turns to the next capture that
    keeps the win (or to the end, if that comes first), and None if a win needs no capture. `later`
    chooses between values that are otherwise alike: of a turn that captures it is the distance
    after it; of a draw, less is better.
    """

    outcome: Outcome
    distance: int | None = None
    to: Metric = "end"
    later: int = field(default=0, compare=False, repr=False)

    @property
    def rank(self) -> tuple[int, int, int]:
        """What to sort by: the best for the side to move first, that is lowest."""
        distance = 1 << 20 if self.distance is None else self.distance
        if self.outcome == "win":
            return 0, distance, self.later
        if self.outcome == "draw":
            return 1, 0, self.later
        return 2, -distance, -self.later

    def before(self, same_side: bool = False, captures: bool = False) -> Value:
        """Return what a turn that leads here is worth to the side that plays it."""
        outcome = self.outcome
        if not same_side:
            turned: dict[Outcome, Outcome] = {"win": "loss", "draw": "draw", "loss": "win"}
            outcome = turned[outcome]
        if self.distance is None:
            return Value(outcome, None, self.to, self.later if same_side else -self.later)
        if captures and self.to == "capture":
            return Value(outcome, 1, self.to, self.distance)
        return Value(outcome, self.distance + 1, self.to)


def value_of(code: int, metric: Metric = "end") -> Value:
    """Return what a code (see `damier.solve.codes`) means."""
    if code == 0:
        return Value("draw", None, metric)
    distance = (code - 1) >> 1
    return Value(
        "win" if (code - 1) & 1 else "loss", None if distance == HOLDING else distance, metric
    )


def numbering(name: str) -> Any:
    """Return the module that numbers a game's positions."""
    found = GAMES[name].numbering
    if found is None:
        raise ImportError(name)
    return found


def key(rules: Rules) -> dict[str, str]:
    """Return the options that a table depends on, where they differ from the default."""
    ignored = numbering(rules.name).IGNORED
    return {name: value for name, value in rules.changed.items() if name not in ignored}


def file_name(rules: Rules, pawns: int = 0) -> str:
    """Return the name of the file for some rules, of endings with at most so many pawns."""
    parts = [rules.name, *(f"{k}={v}" for k, v in key(rules).items())]
    if pawns:
        parts.append(f"{pawns}-pawns")
    return "_".join(parts) + ".table"


def data_directory() -> Path:
    """Return where tables that were built on this machine are kept."""
    return places.data_directory() / "tables"


class Blocks:
    """An array of bytes in compressed blocks: a block is unpacked when it is asked for."""

    def __init__(self, data: memoryview, size: int, ends: list[int], width: int) -> None:
        self._data, self._size, self._ends, self._width = data, size, ends, width
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.Lock()
        self._array: Any = None

    def __len__(self) -> int:
        return self._size // self._width

    def _unpacked(self, k: int) -> bytes:
        begin = self._ends[k - 1] if k else 0
        if begin == self._ends[k]:  # nothing but zeros
            return bytes(min(BLOCK, self._size - k * BLOCK))
        return zlib.decompress(self._data[begin : self._ends[k]])

    def __getitem__(self, number: int) -> int:
        if self._array is not None:
            return int(self._array[number])
        k, at = divmod(number * self._width, BLOCK)
        with self._lock:
            block = self._cache.get(k)
            if block is None:
                block = self._cache[k] = self._unpacked(k)
                if len(self._cache) > CACHED_BLOCKS:
                    self._cache.popitem(last=False)
            else:
                self._cache.move_to_end(k)
        return int.from_bytes(block[at : at + self._width], "little")

    def array(self) -> Any:
        """Return all of it as a numpy array, unpacked once."""
        if self._array is None:
            import numpy as np

            whole = np.zeros(self._size, np.uint8)
            for k in range(len(self._ends)):
                if self._ends[k] > (self._ends[k - 1] if k else 0):
                    block = self._unpacked(k)
                    whole[k * BLOCK : k * BLOCK + len(block)] = np.frombuffer(block, np.uint8)
            self._array = whole.view(f"<u{self._width}")
        return self._array


def pack(header: Mapping[str, object], arrays: Mapping[str, Any]) -> bytes:
    """Return the content of a table file."""
    payload = bytearray()
    described = []
    for name, array in arrays.items():
        data = memoryview(array).cast("B")
        ends = []
        start = len(payload)
        for k in range(0, len(data), BLOCK):
            block = bytes(data[k : k + BLOCK])
            if block.count(0) < len(block):
                payload += zlib.compress(block, 9)
            ends.append(len(payload) - start)
        width = memoryview(array).itemsize
        described.append({"name": name, "size": len(data), "width": width, "ends": ends})
    whole = {
        **header,
        "format": FORMAT,
        "arrays": described,
        "bytes": len(payload),
        "sha256": hashlib.sha256(payload).hexdigest(),
    }
    text = json.dumps(whole, separators=(",", ":"), sort_keys=True).encode()
    packed = zlib.compress(text, 9)
    check = hashlib.sha256(packed).digest()[:8]
    return MAGIC + struct.pack("<I", len(packed)) + check + packed + payload


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.part")
    temporary.write_bytes(content)
    os.replace(temporary, path)


def header_of(rules: Rules, counts: Mapping[str, object]) -> dict[str, object]:
    """Return what a table file says of itself, but for its arrays."""
    return {
        "game": rules.name,
        "options": key(rules),
        "rules": numbering(rules.name).VERSION,
        "counts": dict(counts),
    }


def read(path: Path) -> tuple[dict[str, Any], dict[str, Blocks]]:
    """Return header and arrays of a table file, or raise DamierError saying why it is refused."""
    with path.open("rb") as file:
        data = _mapped(file)
        return _parsed(path, file, data)


def _mapped(file: BinaryIO) -> memoryview:
    """Return the content of a file, in memory only as far as it is used.

    Files are replaced, never changed in place: whoever has mapped the old one keeps it. Windows
    would not let a mapped file be replaced, so there it is read whole; and an empty file cannot be
    mapped at all.
    """
    if os.name == "nt" or os.fstat(file.fileno()).st_size == 0:
        return memoryview(file.read())
    return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _parsed(
    path: Path, file: BinaryIO, data: memoryview
) -> tuple[dict[str, Any], dict[str, Blocks]]:
    start = len(MAGIC) + 12
    if data[: len(MAGIC)] != MAGIC or len(data) < start:
        raise DamierError("table-foreign", path=path)
    (length,) = struct.unpack("<I", data[len(MAGIC) : len(MAGIC) + 4])
    packed = data[start : start + length]
    if hashlib.sha256(packed).digest()[:8] != data[len(MAGIC) + 4 : start]:
        raise DamierError("table-damaged", path=path)
    header: dict[str, Any] = json.loads(zlib.decompress(packed))
    if header.get("format") != FORMAT:
        raise DamierError("table-format", path=path, found=header.get("format"), known=FORMAT)
    payload = data[start + length :]
    if len(payload) != header["bytes"] or _digest(file, start + length) != header["sha256"]:
        raise DamierError("table-damaged", path=path)
    arrays, begin = {}, 0
    for array in header["arrays"]:
        end = begin + (array["ends"][-1] if array["ends"] else 0)
        arrays[array["name"]] = Blocks(
            payload[begin:end], array["size"], array["ends"], array["width"]
        )
        begin = end
    return header, arrays


def _digest(file: BinaryIO, start: int) -> str:
    """Return the checksum of a file from somewhere on: read, as a map would fill the memory."""
    digest = hashlib.sha256()
    file.seek(start)
    while piece := file.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()


class Table:
    """The values of a game's positions. Threads may share it."""

    def __init__(self, rules: Rules, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        self.rules, self.header, self.arrays = rules, header, arrays
        self.metric: Metric = header.get("metric", "end")
        self._space = numbering(rules.name).space_for(rules, header)
        self._local = threading.local()

    @classmethod
    def open(cls, path: Path | str, rules: Rules) -> Table:
        """Return the table in a file, or raise DamierError: damaged, foreign or outdated."""
        path = Path(path)
        try:
            return cls._opened(path, rules)
        except DamierError:
            raise
        except (KeyError, TypeError, AttributeError, IndexError, ValueError, zlib.error) as error:
            # The checksums are right, but this is not what damier writes.
            raise DamierError("table-foreign", path=path) from error

    @classmethod
    def _opened(cls, path: Path, rules: Rules) -> Table:
        header, arrays = read(path)
        if header["game"] != rules.name or header["options"] != key(rules):
            raise DamierError(
                "table-rules", path=path, found=_described(header["game"], header["options"]),
                expected=_described(rules.name, key(rules)),
            )  # fmt: skip
        if header["rules"] != numbering(rules.name).VERSION:
            raise DamierError("table-outdated", path=path)
        table = cls(rules, header, arrays)
        if len(arrays["values"]) != table._space.size:
            raise DamierError("table-outdated", path=path)
        return table

    @property
    def pawns(self) -> int | None:
        """The most pawns in a position that is held, or None if all positions are."""
        found = self.header.get("pawns")
        return None if found is None else int(found)

    def plain(self) -> tuple[Any, Any, Any]:
        """Return the same three as `kernel` for plain Python, which unpacks blocks one by one."""
        from damier.solve.solver import space_module

        arrays = tuple(self.arrays.values())
        store = arrays[0] if len(arrays) == 1 else arrays
        return space_module(self.rules, False), store, self._space.lookup(False)

    def kernel(self) -> tuple[Any, Any, Any]:
        """Return what compiled loops need to probe: a module, the values and the numbering.

        `module.probe_code(w, b, r, values, numbering)` is a compiled kernel. It returns -1 for a
        position that is not held, else its code (see `damier.solve.codes`): 0 for a draw, 2d + 1
        for a loss and 2d + 2 for a win in d turns. The position must be between turns. A template
        can be linked with the module: `jit.link(loops, rules=…, table=module)`.
        """
        from damier.solve.solver import space_module

        # Just solved they are arrays already; read from a file they are packed in blocks.
        arrays = tuple(a.array() if isinstance(a, Blocks) else a for a in self.arrays.values())
        store = arrays[0] if len(arrays) == 1 else arrays
        return space_module(self.rules, True), store, self._space.lookup(True)

    def probe_children(self, position: Position) -> Any:
        """Return an array with a row for each turn of a position that is not over.

        A row is the three words of the position reached and its code, for the side that moves
        next; -1 where it is not held. This is the fast way, without texts;
        `damier.solve.probe_turns` is the friendly one.
        """
        import numpy as np

        loops, store, t, room, out = self._probing(self.rules.name in _compiled)
        count = loops.turn_codes(*position.words, store, t, room, out)
        return np.array(out[: 4 * count], np.int64).reshape(-1, 4)

    def _probing(self, compiled: bool) -> Any:
        """Return loops and their room, kept for the next time, for each thread its own."""
        kept = self._local.__dict__
        if compiled not in kept.setdefault("rooms", {}):
            from damier.solve.solver import probing

            loops = probing(self.rules, compiled)
            _, store, t = self.kernel() if compiled else self.plain()
            out = loops.buffer(4 * loops.TURNS)
            kept["rooms"][compiled] = loops, store, t, loops.walk.new_room(), out
        return kept["rooms"][compiled]

    def code(self, position: Position) -> int:
        """Return a position's code, or -1 if it is not held."""
        if position.unfinished:
            return -1
        loops, store, t, *_ = self._probing(self.rules.name in _compiled)
        return int(loops.space.probe_code(*position.words, store, t))

    def probe(self, position: Position) -> Value | None:
        """Return the value of a position between turns, or None if it is not held."""
        code = self.code(position)
        return None if code < 0 else value_of(code, self.metric)

    def probe_turn(self, position: Position, turn: Turn) -> Value | None:
        """Return what a turn is worth to the side that plays it, or None if that is not held."""
        after = turn.after
        value = self.probe(after)
        if value is None:
            return None
        captures = _pawns(after) < _pawns(position)
        return value.before(after.side == position.side, captures)

    def probe_many(self, white: Any, black: Any, rest: Any) -> Any:
        """Return the codes of many positions, given as arrays of their three words; -1 if not held.

        See `damier.solve.codes` and `value_of` for what a code means. This compiles kernels.
        """
        import numpy as np

        from damier.solve.solver import probing

        words = [np.ascontiguousarray(a, np.int64) for a in (white, black, rest)]
        codes = np.zeros(len(words[0]), np.int64)
        _, store, t = self.kernel()
        probing(self.rules).probe_all(*words, codes, store, t)
        return codes


def _pawns(position: Position) -> int:
    return position.white.bit_count() + position.black.bit_count()


def _described(game: str, options: Mapping[str, str]) -> str:
    return " ".join([game, *(f"{k}={v}" for k, v in options.items())])


def candidates(rules: Rules) -> list[Path]:
    """Return the files in which a table for these rules may be, the most useful first."""
    name = file_name(rules).removesuffix(".table")
    found = [rules.folder.tables / f"{name}.table", data_directory() / f"{name}.table"]
    endings = data_directory().glob(f"{name}_*-pawns.table")
    return [path for path in (*found, *sorted(endings, reverse=True)) if path.exists()]


def find(rules: Rules) -> Table | None:
    """Return the table for these rules, shipped or built on this machine, or None.

    A file that is refused is passed over with a warning; `Table.open` says why it is.
    """
    try:
        numbering(rules.name)
    except ImportError:
        return None
    return _find(rules, str(data_directory()))


def forget() -> None:
    """Look for table files anew from now on: some were written or deleted."""
    _find.cache_clear()


@cache
def _find(rules: Rules, directory: str) -> Table | None:
    for path in candidates(rules):
        try:
            return Table.open(path, rules)
        except (DamierError, OSError) as error:
            warnings.warn(str(error), stacklevel=3)
    return None
