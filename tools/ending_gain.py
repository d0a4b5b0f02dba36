"""Measurement of what a table of endings adds to the strength of the search.

    damier solve GAME --pawns 11
    python tools/ending_gain.py GAME --pawns 12 --games 200

Positions with at most so many pawns, as many for each side unless `--difference` allows more, are
taken from games between equal levels. Each is played twice, colours swapped, by two searches with
the same nodes for each move: one probes the table, the other has none.
"""

import argparse
import contextlib
import random
import sys

import damier
from damier import Position, Rules
from damier.arena import MAX_MOVES, Score, elo_difference
from damier.errors import DamierError
from damier.execution import Task, open_executor
from damier.gameplay import Game
from damier.players import player
from damier.search import Engine, Limits, warm
from damier.search.tablebase import endings_of

LEVEL = "level:3"  # of both players of the games from which positions are taken
WITH, WITHOUT = "with the table", "without"


def sample(rules: Rules, seed: int, pawns: int, difference: int) -> Position:
    """Return a position with at most so many pawns from a game between equal levels."""
    rng = random.Random(seed)
    while True:
        players = [player(LEVEL, rng.getrandbits(32)) for _ in range(2)]
        game, found = Game(rules), list[Position]()
        while game.result() is None and game.ply < MAX_MOVES:
            game = game.play(players[game.position.side == "b"].choose(game))
            position = game.position
            white, black = position.white.bit_count(), position.black.bit_count()
            after_placement = rules.module.hands(*position.words) in (None, (0, 0))
            if after_placement and white + black <= pawns and abs(white - black) <= difference:
                found.append(position)
        found = [position for position in found if not position.over]
        if found:
            return rng.choice(found)


def play_pair(
    rules: Rules, seed: int, pawns: int, difference: int, nodes: int
) -> tuple[list[float], int]:
    """Play a position twice; return the points of the search with the table, and games stopped."""
    warm(rules)
    table = endings_of(rules)
    if table is None:
        raise DamierError("no-value", game=rules.name)
    start, points, stopped = sample(rules, seed, pawns, difference), [], 0
    for side in "wb":
        engines = {
            colour: Engine(rules, expected_nodes=nodes, endings=table if colour == side else None)
            for colour in "wb"
        }
        game = Game(start)
        while game.result() is None and game.ply < MAX_MOVES:
            engine = engines[game.position.side]
            found = engine.think(game, Limits(nodes=nodes), contempt=True)
            game = game.play(found.best.move(game))
        result = game.result()
        stopped += result is None
        drawn = result is None or result.winner is None
        points.append(0.5 if drawn or result is None else float(result.winner == side))
    return points, stopped


def main() -> int:
    """Play the pairs and print the score."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game")
    parser.add_argument("--pawns", type=int, default=12)
    parser.add_argument("--difference", type=int, default=0)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--cluster")
    args = parser.parse_args()
    rules, score = damier.load_rules(args.game), Score(WITH, WITHOUT)
    warm(rules)
    first = args.seed * 1_000_003
    tasks = (
        Task(f"pair {k}", play_pair, (rules, first + k, args.pawns, args.difference, args.nodes))
        for k in range((args.games + 1) // 2)
    )
    with (
        open_executor(args.workers, args.cluster) as executor,
        contextlib.closing(executor.map(tasks)) as results,
    ):
        for _, (points, stopped) in results:
            score.add_points(points, stopped)
    low, high = score.interval
    elo = [f"{elo_difference(value):+.0f}" for value in (score.mean, low, high)]
    table = endings_of(rules)
    print(
        f"{rules.name}, table of {table.pawns if table else 0} pawns, positions with at most "
        f"{args.pawns} pawns, difference {args.difference}, {args.nodes} nodes a move, "
        f"seed {args.seed}: "
        f"{score.result} in {score.games} games, {score.mean:.1%} ({low:.1%} to {high:.1%}), "
        f"Elo {elo[0]} ({elo[1]} to {elo[2]})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
