"""Tuning of the evaluation weights: self-play, then logistic regression.

    python tools/tuning.py GAME --games 2000

The engine plays games against itself from random openings. For a solved game the results of random
positions come from a table (`--table`; `--games` then counts positions). Each position is followed
to the end of quiescence search; the weights are then fitted so that the winning chance of the
evaluation is as close as possible to the results. A table of endings from `damier solve`, if there
is one, gives the results of endings and of games that reach them. The weights are printed and, with
`--write`, written to `weights.json`.

A fit starts with the current weights; `--afresh` starts with pawns alone, so that the command
reproduces the weights completely. Each of `--rounds` plays with the weights of the one before.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from damier import files
from damier.errors import DamierError
from damier.execution import Executor, Task, open_executor
from damier.gameplay import Game
from damier.games import GAMES, Words
from damier.position import Position, Rules, load_rules, read_options
from damier.search import Limits
from damier.search.engine import Engine
from damier.search.root import root_moves
from damier.search.searcher import evaluation_of
from damier.search.tablebase import endings_of, table_of

if TYPE_CHECKING:
    from damier.solve.tables import Table

# Default strength of the prior: the number of positions that each current weight counts for.
PRIOR_POSITIONS = 50
# Sampled positions of a game: so many early ones, where pawns may still be placed, and so many
# later ones.
SAMPLES = 12
# Limits of moves in a game, and after a table knows the result.
MAX_MOVES, MAX_ENDING_MOVES = 300, 20


@dataclass(frozen=True)
class Settings:
    """Settings of self-play."""

    rules: Rules
    nodes: int
    seed: int
    weights: tuple[int, ...] | None = None  # None: the current weights


def one_game(settings: Settings, number: int) -> list[tuple[Words, float]]:
    """Play one game; return quiet positions and White's points."""
    rules = settings.rules
    rng = random.Random(f"{settings.seed} {number}")
    weights = None
    if settings.weights is not None:
        weights = settings.weights + evaluation_of(rules.folder).tables()
    engine = Engine(rules, expected_nodes=settings.nodes, compiled=True, weights=weights)
    played = Game(rules)
    opening = rng.randrange(2, 9)
    endings, points, last = endings_of(rules), None, MAX_MOVES
    while played.result() is None and played.ply < last:
        if points is None and endings is not None:
            points = known_points(endings, played.position)
            last = last if points is None else played.ply + MAX_ENDING_MOVES
        if played.ply < opening or rng.random() < 0.03:
            root = rng.choice(root_moves(played))
        else:
            root = engine.think(played, Limits(nodes=settings.nodes)).best
        played = played.play(root.move(played))
    if points is None:
        result = played.result()
        points = 0.5 if result is None or result.winner is None else float(result.winner == "w")
    met = [p.words for p in played.positions[opening:-1]]
    early, late = met[:SAMPLES], met[SAMPLES:]
    found: list[tuple[Words, float]] = []
    for words in early + rng.sample(late, min(SAMPLES, len(late))):
        quiet = engine.searcher.quiet_leaf(words)
        if quiet is not None:
            known = None
            if endings is not None:
                known = known_points(endings, Position(rules, *quiet))
            found.append((quiet, points if known is None else known))
    return found


def known_points(table: Table, position: Position) -> float | None:
    """Return White's points by a table, or None if the position is not in it."""
    value = table.probe(position)
    if value is None:
        return None
    points = {"win": 1.0, "draw": 0.5, "loss": 0.0}[value.outcome]
    return points if position.side == "w" else 1 - points


def from_table(settings: Settings, count: int) -> list[tuple[Words, float]]:
    """Return quiet positions of random games with White's points by a table."""
    table = table_of(settings.rules)
    if table is None:
        raise DamierError("no-value", game=settings.rules.name)
    rng = random.Random(settings.seed)
    engine = Engine(settings.rules, expected_nodes=1000, compiled=True)
    found: list[tuple[Words, float]] = []
    while len(found) < count:
        played = Game(settings.rules)
        while played.ply < 40 and (moves := root_moves(played)):
            played = played.play(rng.choice(moves).move(played))
            if played.result() is not None:
                break
            points = known_points(table, played.position) if rng.random() < 0.3 else None
            words = played.position.words
            if points is not None and engine.searcher.quiet_leaf(words) == words:
                found.append((words, points))
    return found


def features(rules: Rules, positions: list[Words]) -> tuple[Any, Any]:
    """Return a row of features for each position, from the mover's side, and its constant part.

    The evaluation is linear in the weights, so it gives a feature when its weight is 1 and the
    others are 0. The constant part comes from the tables after the weights.
    """
    import numba
    import numpy as np

    evaluation = evaluation_of(rules.folder)
    evaluate = evaluation_of(rules.folder, compiled=True).evaluate
    count = len(evaluation.NAMES)

    @numba.njit
    def fill(words: Any, unit: Any, column: Any) -> None:
        for row in range(len(words)):
            column[row] = evaluate(words[row, 0], words[row, 1], words[row, 2], unit)

    words, rows = np.array(positions), np.zeros((len(positions), count))
    given = np.zeros(len(positions))
    weights = np.array((*(0 for _ in range(count)), *evaluation.tables()), np.int64)
    fill(words, weights, given)
    for k in range(count):
        weights[k] = 1
        fill(words, weights, rows[:, k])
        weights[k] = 0
    return rows - given[:, None], given


def fit(
    rows: Any, given: Any, points: Any, prior: Any, held: int = PRIOR_POSITIONS
) -> tuple[Any, float, float]:
    """Return the weights that fit the points best, and the loss before and after.

    This is Newton's method on the cross-entropy. The prior of each weight counts like `held`
    positions with its feature; weights of features that do not occur are not changed.
    """
    import numpy as np

    used = rows.any(axis=0)
    rows, theta, near = rows[:, used], prior[used], prior[used]
    hold = held * (rows**2).sum(axis=0) / (rows != 0).sum(axis=0)

    def loss(theta: Any) -> float:
        chance = 1 / (1 + np.exp(-rows @ theta - given))
        chance = np.clip(chance, 1e-9, 1 - 1e-9)
        return float(-np.mean(points * np.log(chance) + (1 - points) * np.log(1 - chance)))

    def cost(theta: Any) -> float:
        return len(points) * loss(theta) + float(hold @ (theta - near) ** 2) / 2

    for _ in range(30):
        chance = 1 / (1 + np.exp(-rows @ theta - given))
        gradient = rows.T @ (chance - points) + hold * (theta - near)
        curvature = (rows * (chance * (1 - chance))[:, None]).T @ rows + np.diag(hold)
        step = np.linalg.solve(curvature, gradient)
        while cost(theta - step) > cost(theta) and abs(step).max() >= 1e-6:
            step /= 2  # too far
        theta = theta - step
        if abs(step).max() < 1e-6:
            break
    found = prior.copy()
    found[used] = theta
    return found, loss(near), loss(theta)


def rules_of(name: str, chosen: list[str]) -> list[Rules]:
    """Return the chosen rules, given as presets or options; by default all presets."""
    texts = chosen or list(GAMES[name].rules.PRESETS)
    return [
        load_rules(name, **read_options(t.split())) if "=" in t else load_rules(name, t)
        for t in texts
    ]


def train(
    executor: Executor,
    played: list[Settings],
    games: int,
    table: bool,
    prior: tuple[int, ...],
    held: int,
) -> tuple[tuple[int, ...], list[bool], str]:
    """Return the fitted weights, which of them the rules use, and a description of the fit."""
    import numpy as np

    rows, given, points = [], [], []
    for settings in played:
        each = range(games // len(played))
        if table:
            found = from_table(settings, len(each))
        else:
            tasks = (Task(f"game {number}", one_game, (settings, number)) for number in each)
            found = [position for _, part in executor.map(tasks) for position in part]
        seen, beside = features(settings.rules, [words for words, _ in found])
        rows.append(seen)
        given.append(beside)
        points += [p if words[2] & 1 == 0 else 1 - p for words, p in found]
    scale = played[0].rules.folder.weights.scale
    matrix = np.concatenate(rows)
    if not matrix.any():
        sys.exit("the evaluation of these rules has no weights; use tools/network.py")
    beside = np.concatenate(given) / scale
    theta, before, after = fit(matrix, beside, np.array(points), np.array(prior) / scale, held)
    print(f"{len(points)} positions: loss {before:.4f} -> {after:.4f} at scale {scale}", flush=True)
    weights = tuple(int(weight) for weight in np.rint(theta * scale))
    return weights, np.any(matrix, axis=0).tolist(), f"loss {after:.4f}"


def write(game: str, source: str, weights: dict[str, int]) -> None:
    """Write new weights to a game's folder."""
    folder = GAMES[game]
    entry = {"source": source, "scale": folder.weights.scale, "weights": weights}
    files.write_text(folder.directory / "weights.json", json.dumps(entry, indent=1) + "\n")


def main() -> int:
    """Tune the weights of a game and print them."""
    parser = argparse.ArgumentParser(prog="python tools/tuning.py")
    parser.add_argument("game", choices=sorted(GAMES))
    parser.add_argument(
        "--rules", action="append", default=[], help="a preset, or options such as size=7"
    )
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument(
        "--hold",
        type=int,
        default=PRIOR_POSITIONS,
        help="strength of the old weights, in positions",
    )
    parser.add_argument("--afresh", action="store_true", help="start with pawns alone")
    parser.add_argument("--table", action="store_true", help="positions valued by a table instead")
    parser.add_argument("--write", action="store_true", help="write weights.json")
    parser.add_argument("--workers", type=int, default=2, help="local processes")
    parser.add_argument("--cluster", help="address of a Dask scheduler, instead of processes")
    args = parser.parse_args()
    folder = GAMES[args.game]
    names, now = folder.evaluation.NAMES, tuple(folder.weights.weights.values())
    weights = now
    if args.afresh:
        weights = tuple(folder.weights.scale * name.endswith("pawn") for name in names)
    for number in range(args.rounds):
        played = [
            Settings(rules, args.nodes, args.seed + number, weights)
            for rules in rules_of(args.game, args.rules)
        ]
        workers = None if args.cluster else args.workers
        with open_executor(workers, args.cluster) as executor:
            weights, used, fitted = train(
                executor, played, args.games, args.table, weights, args.hold
            )
    # Weights that these rules do not use are kept.
    weights = tuple(new if met else old for old, new, met in zip(now, weights, used, strict=True))
    for name, old, new in zip(names, now, weights, strict=True):
        print(f"{name:20} {old:6} {new:6}")
    if args.write:
        command = " ".join(arg for arg in sys.argv[1:] if arg != "--write")
        source = f"tools/tuning.py {command}: {fitted}"
        for settings in played:
            endings = endings_of(settings.rules)
            if endings is not None:
                source += f", with endings of {endings.pawns} pawns"
        if not (args.afresh and all(used)):  # it continues from those weights
            source = f"{folder.weights.source}; then {source}"
        write(args.game, source, dict(zip(names, weights, strict=True)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
