"""How often the search, without tables, keeps a win that a table knows of.

    python bench/keeping.py --positions 1000 --seconds 1

Positions are met in random games and are won for the player to move, with at least one turn that
gives the win away: where every turn wins there is nothing to find.
"""

import argparse
import random
import sys
from time import perf_counter

import damier
from damier.search import Engine, Limits, warm
from damier.solve.tables import Table, find

# Badia once more without its ban on repetition (BA-11), which tables leave aside: with the ban some
# of their wins are none.
RULESETS: tuple[tuple[str, str | None, dict[str, str]], ...] = (
    ("fraha", None, {}),
    ("chefa", None, {}),
    ("chefa", "fair", {}),
    ("badia", None, {}),
    ("badia", None, {"repetition": "draw"}),
)


def won_positions(
    rules: damier.Rules, table: Table, count: int, seed: int
) -> list[damier.Position]:
    """Return won positions of random games, no two alike."""
    drawn = random.Random(seed)
    found: dict[damier.Position, None] = {}
    while len(found) < count:
        game = damier.Game(rules)
        while (turns := game.turns()) and game.ply < 60:
            value = table.probe(game.position)
            chosen = value is not None and value.outcome == "win" and drawn.random() < 0.2
            if chosen and not all(keeps(table, game.position, turn) for turn in turns):
                found[game.position] = None
            game = game.play(drawn.choice(turns))
    return list(found)[:count]


def keeps(table: Table, position: damier.Position, turn: damier.Turn) -> bool:
    """Tell whether a turn keeps the win."""
    value = table.probe(turn.after)
    assert value is not None
    return value.before(turn.after.side == position.side).outcome == "win"


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
        table = find(rules)
        if table is None:
            print(f"{label}: no table")
            continue
        warm(rules)
        limits = Limits(seconds=args.seconds)
        engine = Engine(rules, room=limits.room)
        kept, began = 0, perf_counter()
        positions = won_positions(rules, table, args.positions, args.seed)
        by_distance: dict[bool, list[int]] = {True: [], False: []}
        for position in positions:
            best = engine.think(damier.Game(position), limits).best
            turn = position.turn(best.text(damier.Game(position)))
            good = keeps(table, position, turn)
            kept += good
            value = table.probe(position)
            assert value is not None
            by_distance[good].append(value.distance or 0)
        lost = sorted(by_distance[False])
        print(
            f"{label}: {kept} of {len(positions)} won positions kept "
            f"({kept / len(positions):.1%}) at {args.seconds} s each, "
            f"{perf_counter() - began:.0f} s in all; distances of those lost: {lost[:20]}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
