"""Training of an evaluation network of shapes: self-play, then a fit.

    damier solve GAME --preset PRESET --pawns 6
    python tools/network.py GAME --preset PRESET --afresh --games 5000 --write
    python tools/network.py GAME --preset PRESET --games 14000 --seed 2 --write
    python tools/network.py GAME --preset PRESET --games 22000 --seed 3 --write

The game must have a network in its evaluation, which defines its size (`UNITS`, `ROWS` …) and
format; the game's `shapes.py` reads and writes its file.

The engine plays against itself, with some random moves, until a table of endings knows the result.
The target of a position is a mixture of the game's result and the value of the search. Positions
one or two random moves away have the value of a search as target, because a search meets such
positions too; endings, from these games and at random, have the table's value. The network is
fitted to these targets by stochastic gradient descent with Adagrad. The explained variance of the
results is measured on a sixth of the games, which a first fit leaves out.

The search uses the current network; `--afresh` starts with one that only counts pawns.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from damier import jit
from damier.errors import DamierError
from damier.execution import Task, open_executor
from damier.gameplay import Game
from damier.games import GAMES, Words
from damier.position import Position, Rules, load_rules
from damier.search import Limits
from damier.search.analysis import chance_of
from damier.search.engine import Engine
from damier.search.root import root_moves
from damier.search.tablebase import endings_of
from tuning import known_points

if TYPE_CHECKING:
    from damier.solve.tables import Table

# Play: nodes for each move, range of random opening moves, share of random moves later.
PLAYED_NODES, OPENING, RANDOM_SHARE = 1500, (2, 8), 0.1
# Limits of moves after the opening, and after a table knows the result.
MAX_MOVES, MAX_ENDING_MOVES = 60, 6
# Share of positions with a nearby example: with more than MANY pawns, and with fewer.
MANY, BESIDE_MANY, BESIDE_FEW = 11, 0.6, 0.25
SCATTERED = 6  # random endings per game
# Weight of the result in the target of a position; the rest is the value of the search.
RESULT_WEIGHT = 0.6
PAWN = 50  # initial value of a pawn
EPOCHS, RATE, CAUTION = 12, 0.05, 1e-3


@dataclass(frozen=True)
class Example:
    """Training example: a position, the target chance, and the mover's points if known."""

    words: Words
    chance: float
    points: float | None = None


@dataclass(frozen=True)
class Settings:
    """Settings of self-play."""

    rules: Rules
    nodes: int
    seed: int
    knowledge: tuple[int, ...] | None  # weights, followed by the tables of the evaluation


def network_file(rules: Rules) -> ModuleType:
    """Return the module of a game that reads and writes the network's file."""
    part = rules.folder.part("shapes")
    if part is None:
        sys.exit(f"{rules.name} has no network")
    return part


def pawns_alone(rules: Rules) -> tuple[int, ...]:
    """Return the current weights and a network that counts up to 15 pawns."""
    net = rules.folder.evaluation
    step = net.FULL // 32
    first, weight = net.FULL // 2, PAWN * 32
    rows = [[0] * net.UNITS for _ in range(net.ROWS)]
    for kind in range(net.CELL_KINDS):
        rows[net.OWN_ROW + kind][0], rows[net.ENEMY_ROW + kind][0] = step, -step
    rows[net.FIRST_ROW][0] = first
    numbers = [number for row in rows for number in row]
    for _ in net.STAGES:
        numbers += [weight] + [0] * (net.UNITS - 1) + [-weight // 2]
    return (*rules.folder.weights.weights.values(), *net.pack(tuple(numbers)))


def table_of(rules: Rules) -> Table:
    """Return the table of endings; raise DamierError if there is none."""
    table = endings_of(rules)
    if table is None:
        raise DamierError("no-value", game=rules.name)
    return table


def one_game(settings: Settings, number: int) -> list[Example]:
    """Play one game; return its examples."""
    rules = settings.rules
    rng = random.Random(f"{settings.seed} {number}")
    endings = table_of(rules)
    engine = Engine(
        rules,
        expected_nodes=settings.nodes,
        compiled=True,
        weights=settings.knowledge,
        endings=endings,
    )
    played, opening = Game(rules), rng.randrange(*OPENING)
    found: list[Example] = []
    met: list[tuple[Words, int]] = []  # since the last random move, with their values
    points = None
    while played.result() is None and played.ply < opening + MAX_MOVES:
        points = known_points(endings, played.position)
        if points is not None:
            break
        if played.ply < opening or rng.random() < RANDOM_SHARE:
            found += [Example(words, chance_of(rules, value)) for words, value in met]
            met = []
            played = after_random_move(played, rng)
            continue
        best = engine.think(played, Limits(nodes=PLAYED_NODES)).best
        met.append((played.position.words, best.value))
        found += nearby_examples(engine, played.position, settings.nodes, rng)
        played = played.play(best.move(played))
    result = played.result()
    if points is None:
        points = 0.5 if result is None or result.winner is None else float(result.winner == "w")
    for words, value in met:
        own = points if words[2] & 1 == 0 else 1 - points
        chance = RESULT_WEIGHT * own + (1 - RESULT_WEIGHT) * chance_of(rules, value)
        found.append(Example(words, chance, own))
    return found + list(ending_examples(played, endings, rng))


def nearby_examples(
    engine: Engine, position: Position, nodes: int, rng: random.Random
) -> Iterator[Example]:
    """Yield positions one and two random moves away, with the values of a search."""
    share = BESIDE_MANY if pawns_of(position) > MANY else BESIDE_FEW
    for moves in (1, 2):
        if rng.random() < share:
            game = Game(position)
            for _ in range(moves):
                if game.result() is None:
                    game = after_random_move(game, rng)
            if game.result() is None:
                value = engine.think(game, Limits(nodes=nodes)).best.value
                yield Example(game.position.words, chance_of(engine.rules, value))


def ending_examples(played: Game, endings: Table, rng: random.Random) -> Iterator[Example]:
    """Yield endings that a table knows: after random moves in a game, and random ones."""
    for _ in range(MAX_ENDING_MOVES):
        if played.result() is None:
            yield from table_example(endings, played.position)
            played = after_random_move(played, rng)
    rules = played.rules
    for _ in range(SCATTERED):
        pawns = rng.randint(2, endings.pawns or 2)
        cells = rng.sample(range(rules.board.size), pawns)
        white = rng.randint(1, pawns - 1)
        w, b = sum(1 << cell for cell in cells[:white]), sum(1 << cell for cell in cells[white:])
        position = Position(rules, w, b, rules.word)
        if Game(position).result() is None:
            yield from table_example(endings, position)


def table_example(endings: Table, position: Position) -> Iterator[Example]:
    """Yield an ending with its table value."""
    points = known_points(endings, position)
    if points is not None:
        own = points if position.rest & 1 == 0 else 1 - points
        yield Example(position.words, own, own)


def pawns_of(position: Position) -> int:
    """Return the number of pawns on the board."""
    return (position.words[0] | position.words[1]).bit_count()


def after_random_move(played: Game, rng: random.Random) -> Game:
    """Return a game after a random move."""
    return played.play(rng.choice(root_moves(played)).move(played))


def examples(settings: Settings, games: int) -> list[Example]:
    """Return the examples of some games, in order."""
    found: list[Example] = []
    tasks = (Task(f"game {number}", one_game, (settings, number)) for number in range(games))
    with open_executor(workers=2) as executor:
        for number, (_, part) in enumerate(executor.map(tasks), 1):
            found += part
            if number % 1000 == 0:
                print(f"{number} of {games} games", file=sys.stderr, flush=True)
    return found


def features(rules: Rules, positions: list[Words]) -> tuple[Any, Any]:
    """Return the stage of each position and its active rows, padded with -1."""
    import numba
    import numpy as np

    net, files = rules.folder.evaluation, rules.board.files
    shape_of, shapes = jit.link(net).shape_of, net.SHAPE_KINDS
    own_row, enemy_row, first_row = net.OWN_ROW, net.ENEMY_ROW, net.FIRST_ROW
    windows = [(r, f) for r in range(rules.board.ranks - 2) for f in range(files - 2)]
    corners = np.array([[files * r + f, (r + f) & 1] for r, f in windows])
    kinds, cells = np.array(net.shape_kinds()), np.array(net.KIND_OF_CELL[: rules.board.size])

    @numba.njit
    def fill(words: Any, stages: Any, rows: Any) -> None:
        for k in range(len(words)):
            own, enemy = words[k, words[k, 2] & 1], words[k, 1 - (words[k, 2] & 1)]
            for j in range(len(corners)):
                at = corners[j, 0]
                kind = kinds[shape_of(own >> at, enemy >> at, files)]
                rows[k, j] = kind + shapes * corners[j, 1]
            count = len(corners)
            for cell in range(len(cells)):
                if (own | enemy) >> cell & 1:
                    side = own_row if own >> cell & 1 else enemy_row
                    rows[k, count] = side + cells[cell]
                    count += 1
            rows[k, count] = first_row
            stages[k] = count - len(corners)

    stages = np.zeros(len(positions), np.int64)
    rows = np.full((len(positions), len(windows) + rules.board.size + 1), -1, np.int32)
    fill(np.array(positions), stages, rows)
    return np.array(net.STAGE)[stages], rows


# Network during training: its rows, and the weights of its units by stage, in units of FULL.
Network = tuple[Any, Any]


def fit(net: ModuleType, stages: Any, rows: Any, chances: Any, seed: int) -> Network:
    """Return the network that fits the target chances best."""
    import numba
    import numpy as np

    count = net.UNITS

    @numba.njit
    def descend(
        order: Any, network: Any, steps: Any, rate: float, stages: Any, rows: Any, chances: Any
    ) -> None:
        numbers, weights = network
        row_steps, weight_steps = steps
        units, slopes = np.zeros(count, np.float32), np.zeros(count, np.float32)
        for k in order:
            stage = stages[k]
            units[:] = 0
            for row in rows[k]:
                if row >= 0:
                    units += numbers[row]
            value = weights[stage, count]
            for j in range(count):
                value += weights[stage, j] * min(max(units[j], 0), 1)
            error = 1 / (1 + np.exp(-value)) - chances[k]
            for j in range(count + 1):
                slope = error * (min(max(units[j], 0), 1) if j < count else 1)
                if j < count:
                    slopes[j] = error * weights[stage, j] if 0 < units[j] < 1 else 0
                weight_steps[stage, j] += slope * slope
                weights[stage, j] -= rate * slope / np.sqrt(weight_steps[stage, j])
            for row in rows[k]:
                if row >= 0:
                    for j in range(count):
                        row_steps[row, j] += slopes[j] * slopes[j]
                        numbers[row, j] -= rate * slopes[j] / np.sqrt(row_steps[row, j])

    rng = np.random.default_rng(seed)
    numbers = np.zeros((net.ROWS, count), np.float32)
    first = net.FIRST_ROW
    numbers[net.OWN_ROW : first] = rng.normal(0, 0.05, (first - net.OWN_ROW, count))
    numbers[first] = 0.5
    weights = rng.normal(0, 0.5, (len(net.STAGES), count + 1)).astype(np.float32)
    steps = np.full_like(numbers, CAUTION), np.full_like(weights, CAUTION)
    for epoch in range(EPOCHS):
        order = rng.permutation(len(stages))
        rate = RATE * (1 - epoch / EPOCHS)
        descend(order, (numbers, weights), steps, rate, stages, rows, chances)
    return numbers, weights


def predict(network: Network, stages: Any, rows: Any) -> Any:
    """Return the chances that a network predicts for positions."""
    import numpy as np

    numbers, weights = network
    count = numbers.shape[1]
    padded = np.vstack([numbers, np.zeros((1, count), np.float32)])  # row -1 adds nothing
    found = []
    for k in range(0, len(stages), 10_000):
        units = np.clip(padded[rows[k : k + 10_000]].sum(axis=1), 0, 1)
        by_stage = weights[stages[k : k + 10_000]]
        found.append((units * by_stage[:, :count]).sum(axis=1) + by_stage[:, count])
    return 1 / (1 + np.exp(-np.concatenate(found)))


def explained_variance(chances: Any, points: Any, stages: Any, count: int) -> list[float]:
    """Return the explained share of the variance of results, by stage."""
    import numpy as np

    each = [(stages == stage) & ~np.isnan(points) for stage in range(count)]
    errors = [float(np.mean((chances[k] - points[k]) ** 2)) for k in each]
    return [1 - error / float(np.var(points[k])) for k, error in zip(each, errors, strict=True)]


def train(rules: Rules, found: list[Example], seed: int) -> tuple[list[int], str]:
    """Return the network trained on all examples, and the R² of one on unseen games."""
    import numpy as np

    net = rules.folder.evaluation
    stages, rows = features(rules, [example.words for example in found])
    chances = np.array([example.chance for example in found], np.float32)
    points = np.array([example.points for example in found], np.float64)  # None is not a number
    most = len(found) * 5 // 6
    first = fit(net, stages[:most], rows[:most], chances[:most], seed)
    unseen = predict(first, stages[most:], rows[most:])
    shares = explained_variance(unseen, points[most:], stages[most:], len(net.STAGES))
    fitted = "R² " + ", ".join(f"{share:.2f}" for share in shares)
    return quantise(rules, fit(net, stages, rows, chances, seed)), fitted


def quantise(rules: Rules, network: Network) -> list[int]:
    """Return a network in integers, as in its file."""
    import numpy as np

    net = rules.folder.evaluation
    numbers, weights = network
    numbers = np.clip(np.rint(numbers * net.FULL), 1 - net.OFFSET, net.OFFSET - 1)
    weights = np.rint(weights * rules.folder.weights.scale)
    return [int(number) for number in (*numbers.ravel(), *weights.ravel())]


def main() -> int:
    """Train the network and print how well it explains results."""
    parser = argparse.ArgumentParser(prog="python tools/network.py")
    parser.add_argument("game", choices=sorted(GAMES))
    parser.add_argument("--preset", help="the rules that the network judges")
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--nodes", type=int, default=3000, help="for a position beside a game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--afresh", action="store_true", help="begin with pawns alone")
    parser.add_argument("--write", action="store_true", help="put the network into its file")
    args = parser.parse_args()
    rules = load_rules(args.game, args.preset)
    file = network_file(rules)
    settings = Settings(rules, args.nodes, args.seed, pawns_alone(rules) if args.afresh else None)
    network, fitted = train(rules, examples(settings, args.games), args.seed)
    print(fitted)
    if args.write:
        command = " ".join(arg for arg in sys.argv[1:] if arg != "--write")
        pawns = table_of(rules).pawns
        source = f"tools/network.py {command}: {fitted}, with endings of {pawns} pawns"
        if not args.afresh:  # the earlier network was the start
            source = f"{file.source()}; then {source}"
        file.write(source, network)
    return 0


if __name__ == "__main__":
    sys.exit(main())
