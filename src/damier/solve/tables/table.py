"""Tables: the values of all positions of a game, or of its endings.

A file is used only if its header names these rules and the current version of rules and numbering.
"""

from __future__ import annotations

import glob
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from damier import jit, paths
from damier.errors import DamierError, Notice, describe_os_error
from damier.games.folder import Folder
from damier.position import Move, Position, Rules
from damier.solve.link import link_loops, space_module
from damier.solve.numbering import key, numbering_of, version_of
from damier.solve.numbering.enumerated import MAX_RESTS
from damier.solve.tables import probe_kernels
from damier.solve.tables.file import MAX_RESIDENT_BYTES, BlockArray, read, read_header
from damier.solve.tables.values import Metric, Value, value_of


def file_name(rules: Rules, pawns: int = 0) -> str:
    """Return the file name of a table that comes with its game.

    `pawns` is the limit of endings, 0 for a whole game.
    """
    return _file_name(rules, pawns, "")


def _file_name(rules: Rules, pawns: int, digest: str) -> str:
    parts = [rules.name, *(f"{k}={v}" for k, v in key(rules).items())]
    if digest:
        parts.append(digest)
    if pawns:
        parts.append(f"{pawns}-pawns")
    return "_".join(parts) + ".table"


def tables_directory() -> Path:
    """Return the directory of tables that were built on this machine."""
    return paths.data_directory() / "tables"


def built_path(rules: Rules, pawns: int = 0) -> Path:
    """Return the path of a table that is built on this machine.

    For a game that is not bundled the name contains a digest of its rules: games of the same name,
    and versions of one game, have tables side by side.
    """
    digest = "" if rules.folder.bundled else rules.folder.digest[:8]
    return tables_directory() / _file_name(rules, pawns, digest)


def portable_tables(folder: Folder) -> dict[str, Path]:
    """Return the tables for a copy of a game elsewhere, such as a static site, by file name.

    They are those that come with the game and, for a game that is not bundled, those built on this
    machine, if they are small.
    """
    pattern = glob.escape(folder.name)
    found = {path.name: path for path in sorted(folder.tables.glob(f"{pattern}*.table"))}
    if not folder.bundled:
        digest = f"_{folder.digest[:8]}"
        for path in sorted(tables_directory().glob(f"{pattern}*{digest}.table")):
            name = path.name.replace(digest, "")
            if path.stat().st_size <= MAX_RESIDENT_BYTES:
                found.setdefault(name, path)
    return found


def other_tables(rules: Rules) -> list[Path]:
    """Return the tables built on this machine for other rules of a game of the same name."""
    if rules.folder.bundled:
        return []
    used = {path.name for path in candidates(rules)}
    try:
        found = sorted(tables_directory().glob("*.table"))
    except OSError:
        return []
    return [
        path
        for path in found
        if f"{path.stem}_".startswith(f"{rules.name}_") and path.name not in used
    ]


def refuse_replacing(path: Path, rules: Rules, pawns: int = 0) -> None:
    """Raise DamierError if a path holds something else than a table of these rules.

    A damaged table, and one of an earlier version of a bundled game, may be replaced.
    """
    if not path.exists():
        return
    try:
        header = read_header(path)
        found = header["game"], header["options"], header.get("pawns", 0)
        version = header["rules"]
    except DamierError as error:
        if error.key == "table-foreign":
            raise DamierError("solve-foreign", path=path) from error
        return
    except KeyError as error:
        raise DamierError("solve-foreign", path=path) from error
    same = found == (rules.name, key(rules), pawns)
    if same and (rules.folder.bundled or version == version_of(rules)):
        return
    raise DamierError("solve-other-rules", path=path, found=_ruleset_text(found[0], found[1]))


def header_of(rules: Rules, counts: Mapping[str, object]) -> dict[str, object]:
    """Return the header of a table file, without the description of its arrays."""
    return {
        "game": rules.name,
        "options": key(rules),
        "rules": version_of(rules),
        "counts": dict(counts),
    }


class Table:
    """Values of a game's positions. Threads may share it."""

    def __init__(self, rules: Rules, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        self.rules, self.header, self.arrays = rules, header, arrays
        self.metric: Metric = header.get("metric", "end")
        self._space = numbering_of(rules).space_for(rules, header)
        self._local = threading.local()

    @classmethod
    def open(cls, path: Path | str, rules: Rules) -> Table:
        """Return the table in a file; raise DamierError if it is damaged, foreign or outdated."""
        path = Path(path)
        header, arrays = read(path)
        try:
            return cls._of_rules(path, rules, header, arrays)
        except (KeyError, TypeError, AttributeError) as error:
            # The checksums are correct, but damier did not write this file.
            raise DamierError("table-foreign", path=path) from error

    @classmethod
    def _of_rules(
        cls, path: Path, rules: Rules, header: Mapping[str, Any], arrays: Mapping[str, BlockArray]
    ) -> Table:
        """Return the table after checking that it belongs to these rules."""
        if header["game"] != rules.name or header["options"] != key(rules):
            raise DamierError(
                "table-rules",
                path=path,
                found=_ruleset_text(header["game"], header["options"]),
                expected=_ruleset_text(rules.name, key(rules)),
            )
        if header["rules"] != version_of(rules):
            raise DamierError("table-outdated", path=path)
        if not _is_plausible(rules, header) or tuple(arrays) != tuple(numbering_of(rules).ARRAYS):
            raise DamierError("table-foreign", path=path)
        table = cls(rules, header, arrays)
        lengths = getattr(table._space, "lengths", {})
        if any(len(a) != lengths.get(name, table._space.size) for name, a in arrays.items()):
            raise DamierError("table-outdated", path=path)
        return table

    @property
    def lost(self) -> bool:
        """Whether the file was changed while in use, so that some blocks are unreadable."""
        return any(isinstance(array, BlockArray) and array.lost for array in self.arrays.values())

    @property
    def pawns(self) -> int | None:
        """The greatest number of pawns of the endings, or None for a whole game."""
        pawns = self.header.get("pawns")
        return None if pawns is None else int(pawns)

    def plain(self) -> tuple[Any, Any, Any]:
        """Return the same as `kernel` for plain Python, where blocks are unpacked one by one."""
        arrays = tuple(self.arrays.values())
        store = arrays[0] if len(arrays) == 1 else arrays
        return space_module(self.rules, False), store, self._space.lookup(jit.PYTHON_RUNTIME)

    def kernel(self) -> tuple[Any, Any, Any]:
        """Return module, values and numbering for probing in compiled kernels.

        `module.probe_code(w, b, r, values, numbering)` is a compiled kernel. It returns -1 for a
        position that is not in the table, else its code (see `solve.value_codes`): 0 for a draw,
        2d + 1 for a loss and 2d + 2 for a win in d moves. The position must be between moves. A
        template can be linked with the module: `jit.link(loops, rules=…, table=module)`.
        """
        module = space_module(self.rules, True)
        runtime = jit.runtime_of(module)
        # A new solution has arrays already; those of a file are packed in blocks.
        arrays = tuple(
            a.array(runtime) if isinstance(a, BlockArray) else a for a in self.arrays.values()
        )
        store = arrays[0] if len(arrays) == 1 else arrays
        return module, store, self._space.lookup(runtime)

    def probe_children(self, position: Position) -> Any:
        """Return an array with a row for each move of a position that is not over.

        A row is the three words of the position reached and its code, for the side that moves
        next; -1 if it is not in the table. This is fast and has no texts; see also
        `damier.solve.probe_moves`.
        """
        import numpy as np

        return np.array(self.child_codes(position), np.int64).reshape(-1, 4)

    def child_codes(self, position: Position) -> list[tuple[int, int, int, int]]:
        """Return the same rows without NumPy."""
        loops, store, t, iterator, out = self._probing(self.rules.compiled)
        count = int(loops.move_codes(*position.words, store, t, iterator, out))
        words = [int(word) for word in out[: 4 * count]]
        return list(zip(words[::4], words[1::4], words[2::4], words[3::4], strict=True))

    def replies(self, position: Position) -> tuple[int, int]:
        """Return the number of moves of a position, and how many of them lose."""
        loops, store, t, iterator, legal = self._probing(self.rules.compiled)
        moves, losing = loops.replies(*position.words, store, t, legal, iterator)
        return int(moves), int(losing)

    def _probing(self, compiled: bool) -> Any:
        """Return linked kernels with their buffers, cached for each thread."""
        cached = self._local.__dict__
        if compiled not in cached.setdefault("probing", {}):
            loops = link_loops(probe_kernels, self.rules, compiled)
            _, store, t = self.kernel() if compiled else self.plain()
            out = loops.buffer(4 * loops.MAX_MOVES)
            cached["probing"][compiled] = loops, store, t, loops.move_kernels.new_iterator(), out
        return cached["probing"][compiled]

    def code(self, position: Position) -> int:
        """Return a position's code, or -1 if it is not in the table."""
        if position.unfinished:
            return -1
        loops, store, t, *_ = self._probing(self.rules.compiled)
        return int(loops.space.probe_code(*position.words, store, t))

    def probe(self, position: Position) -> Value | None:
        """Return the value of a position between moves, or None if it is not in the table."""
        code = self.code(position)
        return None if code < 0 else value_of(code, self.metric)

    def probe_move(self, position: Position, move: Move) -> Value | None:
        """Return the value of a move for the side that plays it, or None if unknown."""
        after = move.after
        value = self.probe(after)
        if value is None:
            return None
        captures = _pawns(after) < _pawns(position)
        return value.before(after.side == position.side, captures)

    def probe_many(self, white: Any, black: Any, rest: Any) -> Any:
        """Return the codes of many positions, given as arrays of their three words; -1 if unknown.

        See `damier.solve.value_codes` and `value_of` for the codes. This compiles kernels.
        """
        import numpy as np

        words = [np.ascontiguousarray(a, np.int64) for a in (white, black, rest)]
        codes = np.zeros(len(words[0]), np.int64)
        _, store, t = self.kernel()
        link_loops(probe_kernels, self.rules).probe_all(*words, codes, store, t)
        return codes


def _pawns(position: Position) -> int:
    return position.white.bit_count() + position.black.bit_count()


def _ruleset_text(game: str, options: Mapping[str, str]) -> str:
    return " ".join([game, *(f"{k}={v}" for k, v in options.items())])[:200]


def _is_plausible(rules: Rules, header: Mapping[str, Any]) -> bool:
    """Return whether a header is plausible. A false one could cost unlimited time or memory."""
    metric, pawns = header.get("metric", "end"), header.get("pawns")
    if rules.folder.numbering is None:
        positions, rests = header["positions"], header["rests"]
        if metric != "end" or type(positions) is not int or positions <= 0:
            return False
        if not 0 < len(rests) <= MAX_RESTS:
            return False
        return all(type(word) is int and 0 <= word < 1 << 63 for word in rests)
    if not hasattr(
        rules.folder.numbering, "goal_code"
    ):  # without captures all positions are numbered
        return metric == "end" and pawns is None
    if pawns is not None and type(pawns) is not int:
        return False
    solver: Any = getattr(rules.folder.part("solving"), "SOLVER", None)
    try:
        return bool(metric == solver.metric(rules) and pawns == solver.endings(rules, pawns))
    except DamierError:
        return False


def candidates(rules: Rules) -> list[Path]:
    """Return the existing files that may hold a table for these rules, the best first."""
    whole = built_path(rules)
    endings = whole.parent.glob(f"{glob.escape(whole.stem)}_[0-9]*-pawns.table")
    found = [rules.folder.tables / file_name(rules), whole]
    return [path for path in (*found, *sorted(endings, reverse=True)) if path.exists()]


CHECK_INTERVAL_S = 1.0  # between two checks of whether the files of a table have changed
MAX_OPEN = 64  # tables

Stamps = tuple[
    tuple[Path, int, int, int], ...
]  # path, inode, size and modification time of each file


@dataclass(frozen=True)
class _CacheEntry:
    """Table of some rules, the state of its files, and the time of the next check."""

    table: Table | None
    stamps: Stamps
    until: float


class TableCache:
    """Cache of open tables, shared by threads.

    Files may be added, deleted and changed while a server runs, so they are checked periodically.
    If a file becomes damaged, its open table stays in use as long as it is readable.
    """

    def __init__(self) -> None:
        self._found: OrderedDict[tuple[Rules, str], _CacheEntry] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, rules: Rules) -> Table | None:
        """Return the table for some rules, or None."""
        place = rules, str(tables_directory())
        with self._lock:
            found = self._found.get(place)
            lost = found is not None and found.table is not None and found.table.lost
            if found is None or lost or found.until < time.monotonic():
                found = self._refresh(rules, None if lost else found)
                self._found[place] = found
                if len(self._found) > MAX_OPEN:
                    self._found.popitem(last=False)
            self._found.move_to_end(place)
            return found.table

    def clear(self) -> None:
        """Close all tables, so that their files are searched again."""
        with self._lock:
            self._found.clear()

    def _refresh(self, rules: Rules, before: _CacheEntry | None) -> _CacheEntry:
        """Return a new entry; the table is opened again if its files have changed."""
        stamps = _stamps(rules)
        table = None if before is None else before.table
        if before is None or before.stamps != stamps:
            opened = _first(rules, [path for path, *_ in stamps])
            table = opened if opened is not None or not stamps else table
        return _CacheEntry(table, stamps, time.monotonic() + CHECK_INTERVAL_S)


def _stamps(rules: Rules) -> Stamps:
    found = []
    try:
        for path in candidates(rules):
            about = path.stat()
            found.append((path, about.st_ino, about.st_size, about.st_mtime_ns))
    except OSError as error:  # an unreadable directory
        warnings.warn(Notice(describe_os_error(error)), stacklevel=4)
    return tuple(found)


def _first(rules: Rules, paths: list[Path]) -> Table | None:
    """Return the table in the first valid file, with a warning for each invalid one."""
    for path in paths:
        try:
            return Table.open(path, rules)
        except DamierError as error:
            warnings.warn(Notice(str(error)), stacklevel=5)
        except OSError as error:
            warnings.warn(Notice(describe_os_error(error)), stacklevel=5)
    return None


_TABLE_CACHE = TableCache()


def find(rules: Rules) -> Table | None:
    """Return the table for these rules, bundled or built on this machine, or None.

    An invalid file is skipped with a warning; `Table.open` raises the reason.
    """
    return _TABLE_CACHE.find(rules)


def clear_table_cache() -> None:
    """Search for table files again, because some were written or deleted."""
    _TABLE_CACHE.clear()
