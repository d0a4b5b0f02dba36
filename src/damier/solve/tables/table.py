"""Tables: what every position of a game, or of its endings, is worth.

A file is used only if its header names these rules, and the numbering and the version of the rules
in use.
"""

from __future__ import annotations

import threading
import warnings
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from damier import places
from damier.errors import DamierError
from damier.position import Position, Rules, Turn
from damier.solve.link import linked, space_module
from damier.solve.numbering import key, numbering_of, version_of
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
        if header["rules"] != version_of(rules):
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

        loops, store, t, room, out = self._probing(self.rules.compiled)
        count = loops.turn_codes(*position.words, store, t, room, out)
        return np.array(out[: 4 * count], np.int64).reshape(-1, 4)

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
