"""How often the search, without tables, keeps a win that a table knows of.

    python bench/keeping.py --positions 1000 --seconds 1

Positions are met in random games and are won for the player to move in a game that begins there,
with at least one turn that gives the win away: where every turn wins there is nothing to find.
"""

import argparse
import random
import sys
from time import perf_counter

import damier
from damier.search import Engine, Limits, warm
from damier.solve import find, probe_turns

RULESETS: tuple[tuple[str, str | None, dict[str, str]], ...] = (
    ("fraha", None, {}),
    ("chefa", None, {}),
    ("chefa", "fair", {}),
    ("badia", None, {}),
    ("badia", None, {"repetition": "draw"}),
)


def won_positions(rules: damier.Rules, count: int, seed: int) -> dict[damier.Position, set[str]]:
    """Return won positions of random games, no two alike, each with the turns that win."""
    drawn = random.Random(seed)
    found: dict[damier.Position, set[str]] = {}
    while len(found) < count:
        game = damier.Game(rules)
        while (turns := game.turns()) and game.ply < 60:
            if drawn.random() < 0.2:
                valued = probe_turns(damier.Game(game.position))
                winning = {turn.text for turn, value in valued if value.outcome == "win"}
                if winning and len(winning) < len(valued):
                    found[game.position] = winning
            game = game.play(drawn.choice(turns))
    return dict(list(found.items())[:count])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game")
    args = parser.parse_args()
    for name, preset, options in RULESETS:
        if args.game not in (None, name):
            continue
        rules = damier.game(name, preset, **options)
        label = " ".join([name, *filter(None, [preset]), *(f"{k}={v}" for k, v in options.items())])
        if find(rules) is None:
            print(f"{label}: no table")
            continue
        warm(rules)
        limits = Limits(seconds=args.seconds)
        engine = Engine(rules, room=limits.room)
        kept, began = 0, perf_counter()
        positions = won_positions(rules, args.positions, args.seed)
        for position, winning in positions.items():
            game = damier.Game(position)
            kept += game.turn(engine.think(game, limits).best.text(game)).text in winning
        print(
            f"{label}: {kept} of {len(positions)} won positions kept "
            f"({kept / len(positions):.1%}) at {args.seconds} s each, "
            f"{perf_counter() - began:.0f} s in all",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
