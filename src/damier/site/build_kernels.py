"""Command that compiles the kernels of one game to a WebAssembly module.

    NUMBA_OPT=0 python -m damier.site.build_kernels GAME FILE

GAME is a name or a path. Kernels called from Python are compiled for the argument types of those
calls: arrays of tables have the item sizes of the tables that come with the game.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numba import typeof
from numba.core import types

from damier import files, jit
from damier.games import GAMES, load
from damier.jit.wasm_compiler import BuildBackend, Entry, module
from damier.position import Rules, load_rules
from damier.search.searcher import alphabeta_of
from damier.solve.link import link_loops
from damier.solve.tables import Table, portable_tables, probe_kernels
from damier.solve.tables.file import read

INT, BOOL, WORDS = types.int64, types.boolean, types.Array(types.int64, 1, "C")
POSITION = INT, INT, INT


def entries(rules: Rules) -> Iterator[Entry]:
    """Yield the kernels that Python calls: to list moves, search and probe tables."""
    rules.compile()
    loops, search = rules.loops, alphabeta_of(rules.folder, True)
    room = types.UniTuple(WORDS, 3)
    yield Entry(loops, "begin_moves", POSITION)
    yield Entry(loops, "next_moves", (room, WORDS))
    yield Entry(loops, "perft", (*POSITION, INT))
    yield Entry(loops, "random_games", (*POSITION, INT, INT, INT, WORDS))
    yield Entry(loops.rules, "legal", (*POSITION, WORDS))
    yield Entry(search.evaluation, "evaluate", (*POSITION, WORDS))
    yield from _search(search, (WORDS, WORDS))
    seen = set()
    for table in _tables(rules):
        space, *arrays = table.kernel()
        array_types = tuple(typeof(array) for array in arrays)
        if array_types not in seen:
            seen.add(array_types)
            yield from _probing(rules, array_types)
        if table.pawns is not None and (array_types, "search") not in seen:
            seen.add((array_types, "search"))
            yield from _search(alphabeta_of(rules.folder, True, space), array_types)


def _search(search: Any, array_types: tuple[Any, ...]) -> Iterator[Entry]:
    """Yield the kernels of a search that probes tables with arrays of these types."""
    yield Entry(search, "clear", (WORDS, BOOL))
    yield Entry(search, "push_repetition", (WORDS, *POSITION))
    yield Entry(search, "begin", (WORDS, *POSITION, INT, INT, INT))
    yield Entry(search, "search", (WORDS, WORDS, WORDS, WORDS, *array_types, INT))


def _probing(rules: Rules, array_types: tuple[Any, ...]) -> Iterator[Entry]:
    """Yield the kernels that probe a table with arrays of these types."""
    loops: Any = link_loops(probe_kernels, rules)
    yield Entry(loops.move_kernels, "new_iterator", ())
    yield Entry(loops.space, "probe_code", (*POSITION, *array_types))
    yield Entry(loops, "move_codes", (*POSITION, *array_types, WORDS, WORDS))
    yield Entry(loops, "replies", (*POSITION, *array_types, WORDS, WORDS))


def _tables(rules: Rules) -> Iterator[Table]:
    """Yield the tables that come with a game, for all its options."""
    for path in portable_tables(rules.folder).values():
        header, arrays = read(path)
        yield Table(load_rules(rules.name, **header["options"]), header, arrays)


def main(named: str, file: str) -> int:
    """Build the module of a game."""
    jit.use_backend(BuildBackend())
    name = named if named in GAMES else load(Path(named)).name
    rules = load_rules(name)
    files.write(Path(file), [module(entries(rules), {"game": name})], lasting=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
