"""Audit of the search without tables: how often it keeps a win that a table knows.

    python tools/win_audit.py --positions 1000 --seconds 1

Positions come from random games. Each is won for the side to move and has at least one move that
gives the win away.
"""

import argparse
import random
import sys
from time import perf_counter

import damier
from damier.search import Engine, Limits, warm
from damier.solve import find, probe_moves

RULESETS: tuple[tuple[str, str | None, dict[str, str]], ...] = (
    ("fraha", None, {}),
    ("chefa", None, {}),
    ("chefa", "fair", {}),
    ("badia", None, {}),
    ("badia", None, {"repetition": "draw"}),
)


def won_positions(rules: damier.Rules, count: int, seed: int) -> dict[damier.Position, set[str]]:
    """Return distinct won positions of random games, each with its winning moves."""
    rng = random.Random(seed)
    found: dict[damier.Position, set[str]] = {}
    while len(found) < count:
        game = damier.Game(rules)
        while (moves := game.legal_moves()) and game.ply < 60:
            if rng.random() < 0.2:
                valued = probe_moves(damier.Game(game.position))
                winning = {move.text for move, value in valued if value.outcome == "win"}
                if winning and len(winning) < len(valued):
                    found[game.position] = winning
            game = game.play(rng.choice(moves))
    return dict(list(found.items())[:count])


def main() -> int:
    """Print the share of wins kept for each ruleset."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game")
    args = parser.parse_args()
    for name, preset, options in RULESETS:
        if args.game not in (None, name):
            continue
        rules = damier.load_rules(name, preset, **options)
        label = " ".join([name, *filter(None, [preset]), *(f"{k}={v}" for k, v in options.items())])
        if find(rules) is None:
            print(f"{label}: no table")
            continue
        warm(rules)
        limits = Limits(seconds=args.seconds)
        engine = Engine(rules, expected_nodes=limits.expected_nodes)
        kept, began = 0, perf_counter()
        positions = won_positions(rules, args.positions, args.seed)
        for position, winning in positions.items():
            game = damier.Game(position)
            kept += game.parse_move(engine.think(game, limits).best.text(game)).text in winning
        print(
            f"{label}: {kept} of {len(positions)} won positions kept "
            f"({kept / len(positions):.1%}) at {args.seconds} s each, "
            f"{perf_counter() - began:.0f} s in all",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
