"""Tables: what every position of a game, or of its endings, is worth.

A file is used only if its header names these rules, and the numbering and the version of the rules
in use.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from damier import jit, places
from damier.errors import DamierError, Notice, told
from damier.position import Position, Rules, Turn
from damier.solve.link import linked, space_module
from damier.solve.numbering import MOST_POSITIONS, key, numbering_of, version_of
from damier.solve.tables import probing
from damier.solve.tables.file import Blocks, read
from damier.solve.tables.values import Metric, Value, value_of


def file_name(rules: Rules, pawns: int = 0) -> str:
    """Return the name of the file for some rules, of endings with at most so many pawns."""
    parts = [rules.name, *(f"{k}={v}" for k, v in key(rules).items())]
    if pawns:
        parts.append(f"{pawns}-pawns")
    return "_".join(parts) + ".table"


def data_directory() -> Path:
    """Return where tables that were built on this machine are kept."""
    return places.data_directory() / "tables"


def header_of(rules: Rules, counts: Mapping[str, object]) -> dict[str, object]:
    """Return what a table file says of itself, but for its arrays."""
    return {
        "game": rules.name,
        "options": key(rules),
        "rules": version_of(rules),
        "counts": dict(counts),
    }


class Table:
    """The values of a game's positions. Threads may share it."""

    def __init__(self, rules: Rules, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        self.rules, self.header, self.arrays = rules, header, arrays
        self.metric: Metric = header.get("metric", "end")
        self._space = numbering_of(rules).space_for(rules, header)
        self._local = threading.local()

    @classmethod
    def open(cls, path: Path | str, rules: Rules) -> Table:
        """Return the table in a file, or raise DamierError: damaged, foreign or outdated."""
        path = Path(path)
        header, arrays = read(path)
        try:
            return cls._of_rules(path, rules, header, arrays)
        except (KeyError, TypeError, AttributeError) as error:
            # The checksums are right, but this is not what damier writes.
            raise DamierError("table-foreign", path=path) from error

    @classmethod
    def _of_rules(
        cls, path: Path, rules: Rules, header: Mapping[str, Any], arrays: Mapping[str, Blocks]
    ) -> Table:
        """Return a table if it is one of these rules, and what a solver of theirs would write."""
        if header["game"] != rules.name or header["options"] != key(rules):
            raise DamierError(
                "table-rules", path=path, found=_described(header["game"], header["options"]),
                expected=_described(rules.name, key(rules)),
            )  # fmt: skip
        if header["rules"] != version_of(rules):
            raise DamierError("table-outdated", path=path)
        if not _credible(rules, header) or tuple(arrays) != tuple(numbering_of(rules).ARRAYS):
            raise DamierError("table-foreign", path=path)
        table = cls(rules, header, arrays)
        if any(len(array) != table._space.size for array in arrays.values()):
            raise DamierError("table-outdated", path=path)
        return table

    @property
    def lost(self) -> bool:
        """Whether the file was changed while it was in use, so that some of it is gone."""
        return any(isinstance(array, Blocks) and array.lost for array in self.arrays.values())

    @property
    def pawns(self) -> int | None:
        """The most pawns in a position that is held, or None if all positions are."""
        found = self.header.get("pawns")
        return None if found is None else int(found)

    def plain(self) -> tuple[Any, Any, Any]:
        """Return the same three as `kernel` for plain Python, which unpacks blocks one by one."""
        arrays = tuple(self.arrays.values())
        store = arrays[0] if len(arrays) == 1 else arrays
        return space_module(self.rules, False), store, self._space.lookup(jit.PLAIN)

    def kernel(self) -> tuple[Any, Any, Any]:
        """Return what compiled loops need to probe: a module, the values and the numbering.

        `module.probe_code(w, b, r, values, numbering)` is a compiled kernel. It returns -1 for a
        position that is not held, else its code (see `damier.solve.codes`): 0 for a draw, 2d + 1
        for a loss and 2d + 2 for a win in d turns. The position must be between turns. A template
        can be linked with the module: `jit.link(loops, rules=…, table=module)`.
        """
        module = space_module(self.rules, True)
        home = jit.home_of(module)
        # Just solved they are arrays already; read from a file they are packed in blocks.
        arrays = tuple(a.array(home) if isinstance(a, Blocks) else a for a in self.arrays.values())
        store = arrays[0] if len(arrays) == 1 else arrays
        return module, store, self._space.lookup(home)

    def probe_children(self, position: Position) -> Any:
        """Return an array with a row for each turn of a position that is not over.

        A row is the three words of the position reached and its code, for the side that moves
        next; -1 where it is not held. This is the fast way, without texts;
        `damier.solve.probe_turns` is the friendly one.
        """
        import numpy as np

        return np.array(self.child_codes(position), np.int64).reshape(-1, 4)

    def child_codes(self, position: Position) -> list[tuple[int, int, int, int]]:
        """Return the same rows without NumPy."""
        loops, store, t, room, out = self._probing(self.rules.compiled)
        count = int(loops.turn_codes(*position.words, store, t, room, out))
        words = [int(word) for word in out[: 4 * count]]
        return list(zip(words[::4], words[1::4], words[2::4], words[3::4], strict=True))

    def replies(self, position: Position) -> tuple[int, int]:
        """Return how many turns a position has, and how many of them lose."""
        loops, store, t, room, legal = self._probing(self.rules.compiled)
        turns, losing = loops.replies(*position.words, store, t, legal, room)
        return int(turns), int(losing)

    def _probing(self, compiled: bool) -> Any:
        """Return loops and their room, kept for the next time, for each thread its own."""
        kept = self._local.__dict__
        if compiled not in kept.setdefault("rooms", {}):
            loops = linked(probing, self.rules, compiled)
            _, store, t = self.kernel() if compiled else self.plain()
            out = loops.buffer(4 * loops.TURNS)
            kept["rooms"][compiled] = loops, store, t, loops.walk.new_room(), out
        return kept["rooms"][compiled]

    def code(self, position: Position) -> int:
        """Return a position's code, or -1 if it is not held."""
        if position.unfinished:
            return -1
        loops, store, t, *_ = self._probing(self.rules.compiled)
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

        words = [np.ascontiguousarray(a, np.int64) for a in (white, black, rest)]
        codes = np.zeros(len(words[0]), np.int64)
        _, store, t = self.kernel()
        linked(probing, self.rules).probe_all(*words, codes, store, t)
        return codes


def _pawns(position: Position) -> int:
    return position.white.bit_count() + position.black.bit_count()


def _described(game: str, options: Mapping[str, str]) -> str:
    return " ".join([game, *(f"{k}={v}" for k, v in options.items())])[:200]


def _credible(rules: Rules, header: Mapping[str, Any]) -> bool:
    """Tell whether a header may be true: looking for the numbers it claims could take for ever."""
    metric, pawns = header.get("metric", "end"), header.get("pawns")
    if rules.folder.numbering is None:
        positions = header["positions"]
        return metric == "end" and type(positions) is int and 0 < positions <= MOST_POSITIONS
    if not hasattr(rules.folder.numbering, "goal_code"):  # no pawns are lost: all are numbered
        return metric == "end" and pawns is None
    if pawns is not None and type(pawns) is not int:
        return False
    analysis: Any = getattr(rules.folder.part("solving"), "ANALYSIS", None)
    try:
        return bool(metric == analysis.metric(rules) and pawns == analysis.endings(rules, pawns))
    except DamierError:
        return False


def candidates(rules: Rules) -> list[Path]:
    """Return the files in which a table for these rules may be, the most useful first."""
    name = file_name(rules).removesuffix(".table")
    found = [rules.folder.tables / f"{name}.table", data_directory() / f"{name}.table"]
    endings = data_directory().glob(f"{name}_*-pawns.table")
    return [path for path in (*found, *sorted(endings, reverse=True)) if path.exists()]


LOOK_EVERY = 1.0  # seconds between two looks at whether the files of a table have changed
MOST_OPEN = 64  # rules whose tables are kept open

Stamps = tuple[tuple[Path, int, int, int], ...]  # which files there are, and how to tell others


@dataclass(frozen=True)
class _Found:
    """What was found for some rules, in which files, and until when that is taken for granted."""

    table: Table | None
    stamps: Stamps
    until: float


class Shelf:
    """The tables that are in use. Threads share it.

    Files may come, go and change while a server runs: now and then it looks. Where a file was
    damaged whose table is already open, and still whole, that one stays.
    """

    def __init__(self) -> None:
        self._found: OrderedDict[tuple[Rules, str], _Found] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, rules: Rules) -> Table | None:
        """Return the table for some rules."""
        place = rules, str(data_directory())
        with self._lock:
            found = self._found.get(place)
            lost = found is not None and found.table is not None and found.table.lost
            if found is None or lost or found.until < time.monotonic():
                found = self._looked(rules, None if lost else found)
                self._found[place] = found
                if len(self._found) > MOST_OPEN:
                    self._found.popitem(last=False)
            self._found.move_to_end(place)
            return found.table

    def forget(self) -> None:
        """Look for all of them anew."""
        with self._lock:
            self._found.clear()

    def _looked(self, rules: Rules, before: _Found | None) -> _Found:
        """Look whether the files are as before; open what has changed."""
        stamps = _stamps(rules)
        table = None if before is None else before.table
        if before is None or before.stamps != stamps:
            opened = _first(rules, [path for path, *_ in stamps])
            table = opened if opened is not None or not stamps else table
        return _Found(table, stamps, time.monotonic() + LOOK_EVERY)


def _stamps(rules: Rules) -> Stamps:
    found = []
    try:
        for path in candidates(rules):
            about = path.stat()
            found.append((path, about.st_ino, about.st_size, about.st_mtime_ns))
    except OSError as error:  # a directory that may not be read
        warnings.warn(Notice(told(error)), stacklevel=4)
    return tuple(found)


def _first(rules: Rules, paths: list[Path]) -> Table | None:
    """Return the table in the first of some files that is not refused."""
    for path in paths:
        try:
            return Table.open(path, rules)
        except DamierError as error:
            warnings.warn(Notice(str(error)), stacklevel=5)
        except OSError as error:
            warnings.warn(Notice(told(error)), stacklevel=5)
    return None


_SHELF = Shelf()


def find(rules: Rules) -> Table | None:
    """Return the table for these rules, shipped or built on this machine, or None.

    A file that is refused is passed over with a warning; `Table.open` says why it is.
    """
    return _SHELF.find(rules)


def forget() -> None:
    """Look for table files anew from now on: some were written or deleted."""
    _SHELF.forget()
