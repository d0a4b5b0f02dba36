"""Answers of a game that must be equal in plain Python, machine code and WebAssembly.

    python -m tests.support.game_facts GAME FILE      print the answers of the WebAssembly in FILE

GAME may be a path. wasmtime runs the module as a browser would; Numba and NumPy cannot be
imported.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.modules |= dict.fromkeys(("numba", "numpy", "llvmlite"))  # type: ignore[arg-type]

import damier
from damier import jit
from damier.games import load
from damier.jit import wasm_runtime
from damier.position import Position, Rules
from damier.search import Engine, Limits, warm
from damier.search.analysis import analyse
from damier.solve import find, probe_moves, value
from damier.web.endpoints import answer
from tests.support.rulesets import random_game

POSITIONS = Path(__file__).parents[2] / "bench" / "positions.json"


class WasmtimeModule:
    """A module run by wasmtime; see `damier.jit.wasm_runtime.WasmInstance`."""

    def __init__(self, code: bytes) -> None:
        import wasmtime

        self._store = wasmtime.Store()
        made = wasmtime.Instance(self._store, wasmtime.Module(self._store.engine, code), [])
        self._exports: Any = made.exports(self._store)
        self.memory: Any = self._exports["memory"]

    def call(self, name: str, first: int, second: int) -> int:
        return int(self._exports[name](self._store, first, second))

    def read(self, address: int, size: int) -> bytes:
        return bytes(self.memory.read(self._store, address, address + size))

    def write(self, address: int, data: bytes) -> None:
        self.memory.write(self._store, data, address)


def facts(name: str) -> Iterator[tuple[str, Any]]:
    """Yield a game's answers, compiled, under each of its presets."""
    for preset in damier.GAMES[name].rules.PRESETS:
        rules = damier.load_rules(name, preset)
        warm(rules)
        rules.compile()
        tally = rules.loops.buffer(6)
        seed = rules.loops.random_games(*rules.start().words, 10, 100, 7, tally)
        yield f"{preset}: random games", [int(seed), *map(int, tally)]
        engine = Engine(rules, expected_nodes=1 << 15, compiled=True)
        for game in _games(rules):
            position = game.position
            yield (
                f"{preset} {position}",
                {
                    "turns": [[list(steps), list(words)] for steps, words in position.ends()],
                    "perft": position.perft(1 if len(position.legal_moves()) > 40 else 2),
                    "search": search_result(engine, game, Limits(nodes=3000)),
                    "analysis": move_values(game),
                    "probe": table_answers(game),
                },
            )
        for level in (1, 4):
            asked: dict[str, Any] = {"game": name, "preset": preset, "options": {}, "start": None}
            asked |= {"turns": [], "begun": [], "level": level, "seed": 5}
            status, text = answer("move", asked, "fr", None)
            yield f"{preset}: level {level}", [status, text.decode()]


def _games(rules: Rules) -> Iterator[damier.Game]:
    """Yield some unfinished games."""
    played = random_game(rules, 8, max_moves=40)
    for ply in range(1, played.ply, 9):
        if played.at(ply).result() is None:
            yield played.at(ply)


def search_result(engine: Engine, game: damier.Game, limits: Limits) -> list[Any]:
    """Return the result of a search."""
    found = engine.think(game, limits)
    line = engine.line(found.best, game)
    return [found.nodes, found.depth, [[r.value, r.depth] for r in found.moves], list(line)]


def move_values(game: damier.Game) -> list[Any]:
    """Return the value of every move."""
    moves = analyse(game, nodes=2000).moves
    return [[v.move.text, v.chance, v.outcome, v.distance, list(v.line), v.risk] for v in moves]


def table_answers(game: damier.Game) -> list[Any]:
    """Return a table's answers through every query function."""
    table = find(game.rules)
    if table is None:
        return []
    position, known = game.position, probe_moves(game)
    ranked = [[move.text, worth.outcome, worth.distance] for move, worth in known]
    codes = [list(map(int, row)) for row in table.child_codes(position)]
    return [table.code(position), codes, list(table.replies(position)), ranked, str(value(game))]


def signature(name: str, compiled: bool, max_nodes: int | None = None) -> dict[str, int]:
    """Return the node counts of fixed-depth searches that stay below a limit."""
    rules = damier.load_rules(name)
    engine = Engine(rules, expected_nodes=1 << 18, compiled=compiled)
    given = Path(__file__).parents[1] / "data" / "signature.json"
    signed = json.loads(given.read_text("utf-8")).get(name, {})
    texts = json.loads(POSITIONS.read_text("utf-8")).get(name, {})
    return {
        label: engine.think(damier.Game(rules.position(text)), Limits(depth=4)).nodes
        for label, text in texts.items()
        if max_nodes is None or signed[label] <= max_nodes
    }


def module_kernels(position: Position) -> dict[str, bool]:
    """Return for each kernel whether the module contains it."""
    engine = Engine(position.rules, expected_nodes=0, compiled=True)
    kernels, loops = engine.searcher.kernels, position.rules.loops
    named = {
        loops: ("begin_moves", "next_moves", "perft", "random_games"),
        kernels: ("clear", "push_repetition", "begin", "search"),
        kernels.rules: ("legal",),
        kernels.evaluation: ("evaluate",),
    }
    table = find(position.rules)
    if table is not None:
        probing = table._probing(True)[0]
        named |= {probing: ("move_codes", "replies"), probing.space: ("probe_code",)}
    return {
        f"{twin.__name__}.{name}": isinstance(getattr(twin, name), wasm_runtime.WasmKernel)
        for twin, names in named.items()
        for name in names
    }


def module_answers(named: str, file: str, instance: type[wasm_runtime.WasmInstance]) -> str:
    """Return as JSON the answers of the module in a file, and the kernels it contains."""
    modules = jit.current_backend()
    if not isinstance(modules, wasm_runtime.WasmBackend):
        modules = wasm_runtime.WasmBackend(instance)
        jit.use_backend(modules)
    name = named if named in damier.GAMES else load(named).name
    start = damier.load_rules(name).start()
    plain = start.legal_moves()  # a game may be on show before its module is there
    assert not start.rules.compiled
    modules.add(Path(file).read_bytes())
    assert start.rules.compiled
    assert start.legal_moves() == plain
    found = {
        "facts": dict(facts(name)),
        "signature": signature(name, True),
        "called": module_kernels(start),
    }
    return json.dumps(found)


if __name__ == "__main__":
    print(module_answers(sys.argv[1], sys.argv[2], WasmtimeModule))
