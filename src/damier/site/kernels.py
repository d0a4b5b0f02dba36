"""The kernels of one game as a WebAssembly module, built in a process of its own.

    NUMBA_OPT=0 python -m damier.site.kernels GAME FILE

GAME may be a path. What Python calls is compiled for the arguments that it calls it with: arrays of
tables are as wide as in those that come with the game.
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
from damier.jit.retarget import Building, Entry, module
from damier.position import Rules, game
from damier.search.worker import alphabeta_of
from damier.solve.link import linked
from damier.solve.tables import Table, probing
from damier.solve.tables.file import read

INT, BOOL, WORDS = types.int64, types.boolean, types.Array(types.int64, 1, "C")
POSITION = INT, INT, INT


def entries(rules: Rules) -> Iterator[Entry]:
    """Yield the kernels of a game that Python calls: those that list turns, search and probe."""
    rules.compile()
    loops, search = rules.loops, alphabeta_of(rules.folder, True)
    room = types.UniTuple(WORDS, 3)
    yield Entry(loops, "begin_turns", POSITION)
    yield Entry(loops, "next_turns", (room, WORDS))
    yield Entry(loops, "perft", (*POSITION, INT))
    yield Entry(loops, "random_games", (*POSITION, INT, INT, INT, WORDS))
    yield Entry(loops.rules, "legal", (*POSITION, WORDS))
    yield Entry(search.evaluation, "evaluate", (*POSITION, WORDS))
    yield from _search(search, (WORDS, WORDS))
    known = set()
    for table in _tables(rules):
        space, *arrays = table.kernel()
        kinds = tuple(typeof(array) for array in arrays)
        if kinds not in known:
            known.add(kinds)
            yield from _probing(rules, kinds)
        if table.pawns is not None and (kinds, "search") not in known:
            known.add((kinds, "search"))
            yield from _search(alphabeta_of(rules.folder, True, space), kinds)


def _search(search: Any, kinds: tuple[Any, ...]) -> Iterator[Entry]:
    """Yield the kernels of a search, which looks into arrays of some kinds for endings."""
    yield Entry(search, "clear", (WORDS, BOOL))
    yield Entry(search, "push_repetition", (WORDS, *POSITION))
    yield Entry(search, "begin", (WORDS, *POSITION, INT, INT, INT))
    yield Entry(search, "search", (WORDS, WORDS, WORDS, WORDS, *kinds, INT))


def _probing(rules: Rules, kinds: tuple[Any, ...]) -> Iterator[Entry]:
    """Yield the kernels that probe a table, whose arrays are of some kinds."""
    loops: Any = linked(probing, rules)
    yield Entry(loops.walk, "new_room", ())
    yield Entry(loops.space, "probe_code", (*POSITION, *kinds))
    yield Entry(loops, "turn_codes", (*POSITION, *kinds, WORDS, WORDS))
    yield Entry(loops, "replies", (*POSITION, *kinds, WORDS, WORDS))


def _tables(rules: Rules) -> Iterator[Table]:
    """Yield the tables that come with a game, whatever its options."""
    for path in sorted(rules.folder.tables.glob("*.table")):
        header, arrays = read(path)
        yield Table(game(rules.name, **header["options"]), header, arrays)


def main(named: str, file: str) -> int:
    """Build the module of a game."""
    jit.use(Building())
    name = named if named in GAMES else load(Path(named)).name
    rules = game(name)
    files.write(Path(file), [module(entries(rules), {"game": name})], lasting=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
