"""What a game answers, whatever makes it fast: the same facts from every speed.

    python tests/speeds.py GAME FILE      print them by the WebAssembly in a file

GAME may be a path. There wasmtime runs what a browser would, and neither Numba nor NumPy can be
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
from damier.jit import wasm
from damier.position import Position, Rules
from damier.search import Engine, Limits, warm
from damier.search.analysis import analyse
from damier.solve import find, probe_turns, value
from damier.web.answers import answer
from rulesets import random_game

POSITIONS = Path(__file__).parent.parent / "bench" / "positions.json"


class InWasmtime:
    """A module run by wasmtime; see `damier.jit.wasm.Carrier`."""

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
    """Yield what a game answers, compiled, under each of its presets."""
    for preset in damier.GAMES[name].rules.PRESETS:
        rules = damier.game(name, preset)
        warm(rules)
        rules.compile()
        tally = rules.loops.buffer(6)
        seed = rules.loops.random_games(*rules.start().words, 10, 100, 7, tally)
        yield f"{preset}: random games", [int(seed), *map(int, tally)]
        engine = Engine(rules, room=1 << 15, compiled=True)
        for game in _games(rules):
            position = game.position
            yield (
                f"{preset} {position}",
                {
                    "turns": [[list(steps), list(words)] for steps, words in position.ends()],
                    "perft": position.perft(1 if len(position.turns()) > 40 else 2),
                    "search": searched(engine, game, Limits(nodes=3000)),
                    "analysis": analysed(game),
                    "probe": probed(game),
                },
            )
        for level in (1, 4):
            asked: dict[str, Any] = {"game": name, "preset": preset, "options": {}, "start": None}
            asked |= {"turns": [], "begun": [], "level": level, "seed": 5}
            status, text = answer("move", asked, "fr", None)
            yield f"{preset}: level {level}", [status, text.decode()]


def _games(rules: Rules) -> Iterator[damier.Game]:
    """Yield some games that are not over."""
    played = random_game(rules, 8, most=40)
    for ply in range(1, played.ply, 9):
        if played.at(ply).result() is None:
            yield played.at(ply)


def searched(engine: Engine, game: damier.Game, limits: Limits) -> list[Any]:
    """Return what a search finds."""
    found = engine.think(game, limits)
    line = engine.line(found.best, game)
    return [found.nodes, found.depth, [[r.value, r.depth] for r in found.turns], list(line)]


def analysed(game: damier.Game) -> list[Any]:
    """Return what every turn is worth."""
    turns = analyse(game, nodes=2000).turns
    return [[v.turn.text, v.chance, v.outcome, v.distance, list(v.line), v.risk] for v in turns]


def probed(game: damier.Game) -> list[Any]:
    """Return what a table says, by all the ways to ask it."""
    table = find(game.rules)
    if table is None:
        return []
    position, known = game.position, probe_turns(game)
    ranked = [[turn.text, worth.outcome, worth.distance] for turn, worth in known]
    codes = [list(map(int, row)) for row in table.child_codes(position)]
    return [table.code(position), codes, list(table.replies(position)), ranked, str(value(game))]


def signature(name: str, compiled: bool, most: int | None = None) -> dict[str, int]:
    """Return the nodes of a search of fixed depth, of positions that have so many at most."""
    rules = damier.game(name)
    engine = Engine(rules, room=1 << 18, compiled=compiled)
    given = Path(__file__).parent / "data" / "signature.json"
    signed = json.loads(given.read_text("utf-8")).get(name, {})
    texts = json.loads(POSITIONS.read_text("utf-8")).get(name, {})
    return {
        label: engine.think(damier.Game(rules.position(text)), Limits(depth=4)).nodes
        for label, text in texts.items()
        if most is None or signed[label] <= most
    }


def called(position: Position) -> dict[str, bool]:
    """Return of all that Python asks of a game whether a module answers it."""
    engine = Engine(position.rules, room=0, compiled=True)
    kernels, loops = engine.worker.kernels, position.rules.loops
    named = {
        loops: ("begin_turns", "next_turns", "perft", "random_games"),
        kernels: ("clear", "push_repetition", "begin", "search"),
        kernels.rules: ("legal",),
        kernels.evaluation: ("evaluate",),
    }
    table = find(position.rules)
    if table is not None:
        probing = table._probing(True)[0]
        named |= {probing: ("turn_codes", "replies"), probing.space: ("probe_code",)}
    return {
        f"{twin.__name__}.{name}": isinstance(getattr(twin, name), wasm.Kernel)
        for twin, names in named.items()
        for name in names
    }


def told(named: str, file: str, carrier: type[wasm.Carrier]) -> str:
    """Return, as JSON, all that the module in a file says of a game, and what it does itself."""
    modules = jit.used()
    if not isinstance(modules, wasm.Modules):
        modules = wasm.Modules(carrier)
        jit.use(modules)
    name = named if named in damier.GAMES else load(named).name
    start = damier.game(name).start()
    plain = start.turns()  # a game may be on show before its module is there
    assert not start.rules.compiled
    modules.add(Path(file).read_bytes())
    assert start.rules.compiled
    assert start.turns() == plain
    found = {
        "facts": dict(facts(name)),
        "signature": signature(name, True),
        "called": called(start),
    }
    return json.dumps(found)


if __name__ == "__main__":
    print(told(sys.argv[1], sys.argv[2], InWasmtime))
