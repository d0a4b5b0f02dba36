"""How the shapes of Fanorona with forced captures got their weights: from what a search finds.

    python -m damier.search.shapes --positions 300000 --seed 1 --write

Positions with many pawns are taken from games that the engine plays against itself, now and then
at random, and from a random turn or two beside them, because a search meets such positions too.
A search says what chance each gives the player to move; the weights of cells and shapes are then
fitted to that by stochastic gradient descent, with steps that grow smaller for each weight the
more it has learnt (Adagrad). How much of the variance they explain is shown for a sixth of the
positions, which a first fit leaves out.

The search uses the weights in force; `--afresh` begins with pawns alone.
"""

from __future__ import annotations

import argparse
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from damier import jit
from damier.game import Game
from damier.games import Words
from damier.rules import game
from damier.search.engine import Engine, Limits, turn_of
from damier.search.sense import fanorona as sense
from damier.search.sense.fanorona import (
    KINDS,
    MANY,
    NAMES,
    SHAPES,
    STAGE,
    STAGES_WITH_FEW,
    shape_kinds,
)
from damier.search.weights import SCALE, SOURCE, WEIGHTS, write, write_shapes

RULES = game("fanorona", "international")
# How a game is played: nodes for each turn, random turns at first, and the share of them later.
PLAYED_NODES, OPENING, WILD = 700, 7, 0.15
# How many random turns beside the game are tried, and the share of positions that is taken.
ASIDE, TAKEN = (0, 1, 2), 0.6
# Values beyond this many scales are as good as certain.
CERTAIN = 12
PAWN = 50  # what a pawn is worth to begin with
EPOCHS, RATE, CAUTION = 12, 0.02, 1e-3

# What a fit knows of positions: stages, cells and shapes as `features` has them, and chances.
Known = tuple[Any, Any, Any, Any]


@dataclass(frozen=True)
class Settings:
    """How positions are found and valued."""

    nodes: int
    seed: int
    knowledge: tuple[int, ...] | None  # weights and what is looked up behind them


def pawns_alone() -> tuple[int, ...]:
    """Return the weights in force without what this fit finds: a pawn is a pawn."""
    names = zip(NAMES, WEIGHTS["fanorona"], strict=True)
    weights = (PAWN * name.endswith("pawn") if many(name) else weight for name, weight in names)
    return *weights, *(0 for _ in range(2 * len(MANY) * SHAPES))


def many(name: str) -> bool:
    """Tell whether a weight is one for many pawns."""
    return name.startswith("forced, up to")


def stage_of(words: Words) -> int:
    """Return how many pawns a position has, as a stage: less than 0 if they are few."""
    return STAGE[(words[0] | words[1]).bit_count()] - STAGES_WITH_FEW


def one_game(settings: Settings, number: int) -> list[tuple[Words, float]]:
    """Play one game as long as there are many pawns; return positions and their values."""
    drawn = random.Random(f"{settings.seed} {number}")
    engine = Engine(RULES, room=settings.nodes, compiled=True, weights=settings.knowledge)
    played, opening = Game(RULES), drawn.randrange(OPENING)
    found: list[tuple[Words, float]] = []
    while played.result() is None and stage_of(played.position.words) >= 0:
        for turns in ASIDE if played.ply >= opening else ():
            if drawn.random() < TAKEN:
                beside = strayed(engine, Game(played.position), turns, drawn)
                if beside.result() is None and stage_of(beside.position.words) >= 0:
                    value = engine.think(beside, Limits(nodes=settings.nodes)).best.value
                    found.append((beside.position.words, value))
        if played.ply < opening or drawn.random() < WILD:
            played = strayed(engine, played, 1, drawn)
        else:
            best = engine.think(played, Limits(nodes=PLAYED_NODES)).best
            played = played.play(turn_of(played.position, best.steps, best.after))
    return found


def strayed(engine: Engine, played: Game, turns: int, drawn: random.Random) -> Game:
    """Return a game after some random turns."""
    for _ in range(turns):
        if played.result() is None:
            root = drawn.choice(engine.roots(played))
            played = played.play(turn_of(played.position, root.steps, root.after))
    return played


def positions(settings: Settings, count: int) -> list[tuple[Words, float]]:
    """Return so many positions and what a search says of them."""
    found: list[tuple[Words, float]] = []
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        number, batch = 0, 200
        while len(found) < count:
            games = range(number, number + batch)
            for part in pool.map(one_game, [settings] * batch, games, chunksize=10):
                found += part
            number += batch
            print(f"{len(found)} of {count} positions", file=sys.stderr, flush=True)
    return found[:count]


def features(found: list[tuple[Words, float]]) -> tuple[Any, Any, Any]:
    """Return the stage of each position, what its cells count for each weight, and its shapes."""
    import numba
    import numpy as np

    linked, board = jit.link(sense), RULES.board
    in_place, shape_of = linked.in_place, linked.shape_of
    ranks, files = board.ranks - 2, board.files - 2
    units = np.vstack([np.ones((1, KINDS), np.int64), np.eye(KINDS, dtype=np.int64)])

    @numba.njit
    def fill(words: Any, cells: Any, shapes: Any) -> None:
        for row in range(len(words)):
            own, enemy = words[row, words[row, 2] & 1], words[row, 1 - (words[row, 2] & 1)]
            cells[row, 0] = 1
            for k in range(len(units)):
                cells[row, 1 + k] = in_place(own, enemy, 0, units[k], 0)
            for k in range(ranks * files):
                rank, file = k // files, k % files
                at = (files + 2) * rank + file
                shape = shape_of(own >> at, enemy >> at, files + 2)
                shapes[row, k] = SHAPES * ((rank + file) & 1) + shape

    words = np.array([words for words, _ in found])
    cells = np.zeros((len(words), 1 + len(units)))
    shapes = np.zeros((len(words), ranks * files), np.int64)
    fill(words, cells, shapes)
    stages = np.array([stage_of(words) for words, _ in found])
    kinds = np.array(shape_kinds())
    each = int(kinds.max()) + 1
    shapes = kinds[shapes % SHAPES] + each * (shapes // SHAPES) + 2 * each * stages[:, None]
    return stages, cells, shapes


def fit(known: Known, seed: int) -> tuple[Any, Any]:
    """Return the weights of cells, by stage, and of shapes that explain the chances best."""
    import numba
    import numpy as np

    @numba.njit
    def descend(order: Any, known: Any, found: Any, steps: Any) -> None:
        stages, cells, shapes, chances = known
        by_cell, by_shape = found
        cell_steps, shape_steps = steps
        for row in order:
            stage, value = stages[row], 0.0
            for k in range(cells.shape[1]):
                value += by_cell[stage, k] * cells[row, k]
            for k in shapes[row]:
                value += by_shape[k]
            error = 1 / (1 + np.exp(-value)) - chances[row]
            for k in range(cells.shape[1]):
                slope = error * cells[row, k]
                cell_steps[stage, k] += slope * slope
                by_cell[stage, k] -= RATE * slope / np.sqrt(cell_steps[stage, k])
            for k in shapes[row]:
                shape_steps[k] += error * error
                by_shape[k] -= RATE * error / np.sqrt(shape_steps[k])

    drawn = np.random.default_rng(seed)
    by_cell = np.zeros((len(MANY), known[1].shape[1]))
    by_shape = np.zeros(len(MANY) * 2 * (max(shape_kinds()) + 1))
    found, steps = (by_cell, by_shape), (by_cell + CAUTION, by_shape + CAUTION)
    for _ in range(EPOCHS):
        descend(drawn.permutation(len(known[0])), known, found, steps)
    return found


def explained(known: Known, found: tuple[Any, Any]) -> list[float]:
    """Return, stage by stage, which share of the chances' variance the weights explain."""
    import numpy as np

    stages, cells, shapes, chances = known
    by_cell, by_shape = found
    value = (by_cell[stages] * cells).sum(axis=1) + by_shape[shapes].sum(axis=1)
    error = 1 / (1 + np.exp(-value)) - chances
    each = [stages == stage for stage in range(len(MANY))]
    return [1 - float(np.mean(error[k] ** 2) / np.var(chances[k])) for k in each]


def learned(found: list[tuple[Words, float]], seed: int) -> tuple[Any, Any, str]:
    """Return the weights of cells and shapes, and how well they explain what they have not seen."""
    import numpy as np

    scale = SCALE["fanorona"]
    values = np.clip([value / scale for _, value in found], -CERTAIN, CERTAIN)
    stages, cells, shapes = features(found)
    chances = 1 / (1 + np.exp(-values))
    most = len(found) * 5 // 6
    first = fit((stages[:most], cells[:most], shapes[:most], chances[:most]), seed)
    shares = explained((stages[most:], cells[most:], shapes[most:], chances[most:]), first)
    by_cell, by_shape = fit((stages, cells, shapes, chances), seed)
    share = ", ".join(f"{share:.2f}" for share in shares)
    return np.rint(by_cell * scale), np.rint(by_shape * scale), f"R² {share}"


def main() -> int:
    """Fit the weights for many pawns and print them."""
    parser = argparse.ArgumentParser(prog="python -m damier.search.shapes")
    parser.add_argument("--positions", type=int, default=300_000)
    parser.add_argument("--nodes", type=int, default=5000, help="of the search that values one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--afresh", action="store_true", help="begin with pawns alone")
    parser.add_argument("--write", action="store_true", help="put the weights into their files")
    args = parser.parse_args()
    settings = Settings(args.nodes, args.seed, pawns_alone() if args.afresh else None)
    by_cell, by_shape, fitted = learned(positions(settings, args.positions), args.seed)
    found = iter(by_cell.ravel())
    weights = {
        name: int(next(found)) if many(name) else old
        for name, old in zip(NAMES, WEIGHTS["fanorona"], strict=True)
    }
    for name in filter(many, NAMES):
        print(f"{name:24} {weights[name]:6}")
    print(fitted)
    if args.write:
        labels = [f"up to {most}, {what}" for most in MANY for what in ("strong", "weak")]
        parts = by_shape.reshape(len(labels), -1).astype(int).tolist()
        command = " ".join(arg for arg in sys.argv[1:] if arg != "--write")
        write_shapes(dict(zip(labels, parts, strict=True)))
        source = f"{SOURCE['fanorona']}; then damier.search.shapes {command}: {fitted}"
        write("fanorona", source, weights)
    return 0


if __name__ == "__main__":
    sys.exit(main())
