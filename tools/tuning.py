"""How the weights of the evaluations are found: self-play, then logistic regression.

    python tools/tuning.py GAME --games 2000

Games are played by the engine against itself from random openings; for a solved game a table
says how random positions end (`--table`; `--games` counts positions then). Each position is
followed to the quiet position where quiescence ends; the weights are then fitted so that
the chance to win which the evaluation means is as near as can be to how the games ended. Where
`damier solve` has written a table of endings, it says how they end: these and the games that reach
them. The weights are printed and, with `--write`, put into `weights.json`.

A fit begins with the weights in force; `--afresh` begins with pawns alone, so that the whole way
to the weights is in the command. Each of `--rounds` plays with what the one before has found.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from damier import files
from damier.errors import DamierError
from damier.games import GAMES, Words
from damier.history import Game
from damier.position import Position, Rules, game, read_options
from damier.search import Limits
from damier.search.engine import Engine
from damier.search.known import endings_of, table_of
from damier.search.root import root_turns
from damier.search.worker import evaluation_of

if TYPE_CHECKING:
    from damier.solve.tables import Table

# How strongly each weight is held to the one in force, if nothing else is said.
HOLD = 50
# Positions of a game that are taken: so many early ones, where pawns may still be placed, and so
# many others.
EACH = 12
# How many turns a game may have, and how many more once a table knows how it ends.
LONGEST, LONGER = 300, 20


@dataclass(frozen=True)
class Settings:
    """How the games are played."""

    rules: Rules
    nodes: int
    seed: int
    weights: tuple[int, ...] | None = None  # those in force


def one_game(settings: Settings, number: int) -> list[tuple[Words, float]]:
    """Play one game; return quiet positions and White's points."""
    rules = settings.rules
    drawn = random.Random(f"{settings.seed} {number}")
    weights = None
    if settings.weights is not None:
        weights = settings.weights + evaluation_of(rules.folder).tables()
    engine = Engine(rules, room=settings.nodes, compiled=True, weights=weights)
    played = Game(rules)
    opening = drawn.randrange(2, 9)
    endings, points, last = endings_of(rules), None, LONGEST
    while played.result() is None and played.ply < last:
        if points is None and endings is not None:
            points = known_points(endings, played.position)
            last = last if points is None else played.ply + LONGER
        if played.ply < opening or drawn.random() < 0.03:
            root = drawn.choice(root_turns(played))
        else:
            root = engine.think(played, Limits(nodes=settings.nodes)).best
        played = played.play(root.turn(played))
    if points is None:
        result = played.result()
        points = 0.5 if result is None or result.winner is None else float(result.winner == "w")
    met = [p.words for p in played.positions[opening:-1]]
    early, late = met[:EACH], met[EACH:]
    found: list[tuple[Words, float]] = []
    for words in early + drawn.sample(late, min(EACH, len(late))):
        quiet = engine.worker.quiet_leaf(words)
        if quiet is not None:
            known = None
            if endings is not None:
                known = known_points(endings, Position(rules, *quiet))
            found.append((quiet, points if known is None else known))
    return found


def known_points(table: Table, position: Position) -> float | None:
    """Return White's points as a table has them, None if it does not know the position."""
    value = table.probe(position)
    if value is None:
        return None
    points = {"win": 1.0, "draw": 0.5, "loss": 0.0}[value.outcome]
    return points if position.side == "w" else 1 - points


def from_table(settings: Settings, count: int) -> list[tuple[Words, float]]:
    """Return quiet positions of random games and White's points, as a table knows them."""
    table = table_of(settings.rules)
    if table is None:
        raise DamierError("no-value", game=settings.rules.name)
    drawn = random.Random(settings.seed)
    engine = Engine(settings.rules, room=1000, compiled=True)
    found: list[tuple[Words, float]] = []
    while len(found) < count:
        played = Game(settings.rules)
        while played.ply < 40 and (turns := root_turns(played)):
            played = played.play(drawn.choice(turns).turn(played))
            if played.result() is not None:
                break
            points = known_points(table, played.position) if drawn.random() < 0.3 else None
            words = played.position.words
            if points is not None and engine.worker.quiet_leaf(words) == words:
                found.append((words, points))
    return found


def features(rules: Rules, positions: list[Words]) -> tuple[Any, Any]:
    """Return a row for each position: what each weight is multiplied with, for the mover.

    The evaluation is linear in the weights, so a weight of one and no others shows its feature,
    beside what is looked up behind the weights, whatever they are: that is returned too.
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
    rows: Any, given: Any, points: Any, prior: Any, held: int = HOLD
) -> tuple[Any, float, float]:
    """Return the weights that explain the points best, and the loss before and after.

    Newton's method on the cross-entropy. Each weight is held to the prior as by `held` positions
    that have its feature; those of features that never occur stay where they are.
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
    """Return the rules to play by: presets or options, or all presets if none are chosen."""
    texts = chosen or list(GAMES[name].rules.PRESETS)
    return [game(name, **read_options(t.split())) if "=" in t else game(name, t) for t in texts]


def learned(
    played: list[Settings], games: int, table: bool, prior: tuple[int, ...], held: int
) -> tuple[tuple[int, ...], list[bool], str]:
    """Return the weights that games by some rules teach, which they use, and how well they fit."""
    import numpy as np

    rows, given, points = [], [], []
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for settings in played:
            each = range(games // len(played))
            if table:
                found = from_table(settings, len(each))
            else:
                parts = pool.map(one_game, [settings] * len(each), each, chunksize=10)
                found = [position for part in parts for position in part]
            seen, beside = features(settings.rules, [words for words, _ in found])
            rows.append(seen)
            given.append(beside)
            points += [p if words[2] & 1 == 0 else 1 - p for words, p in found]
    scale = played[0].rules.folder.weights.scale
    matrix = np.concatenate(rows)
    if not matrix.any():
        sys.exit("these rules are judged without weights: see tools/network.py")
    beside = np.concatenate(given) / scale
    theta, before, after = fit(matrix, beside, np.array(points), np.array(prior) / scale, held)
    print(f"{len(points)} positions: loss {before:.4f} -> {after:.4f} at scale {scale}", flush=True)
    weights = tuple(int(weight) for weight in np.rint(theta * scale))
    return weights, np.any(matrix, axis=0).tolist(), f"loss {after:.4f}"


def write(game: str, source: str, weights: dict[str, int]) -> None:
    """Put new weights of a game into its folder."""
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
        "--hold", type=int, default=HOLD, help="positions by which each old weight is held"
    )
    parser.add_argument("--afresh", action="store_true", help="begin with pawns alone")
    parser.add_argument("--table", action="store_true", help="positions valued by a table instead")
    parser.add_argument("--write", action="store_true", help="put the weights into weights.json")
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
        weights, used, fitted = learned(played, args.games, args.table, weights, args.hold)
    # What these rules do not use stays in force.
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
        if not (args.afresh and all(used)):  # it goes on from there
            source = f"{folder.weights.source}; then {source}"
        write(args.game, source, dict(zip(names, weights, strict=True)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
