"""Generator of tests/data/known_wins.json: positions with few winning moves.

    python tools/known_wins.py

Positions come from games of weak levels. The answers are the moves that keep the win: by the table
where there is one; in Seega and Fanorona by a proof of the search, where the other moves were
searched to the same number of nodes without finding a win.
"""

import json
import random
import sys
from pathlib import Path

import damier
from damier import files
from damier.players import player
from damier.search import Engine, Limits, warm
from damier.search.alphabeta import PROVED
from damier.search.tablebase import table_of

FILE = Path(__file__).parent.parent / "tests" / "data" / "known_wins.json"
RULESETS: tuple[tuple[str, str | None, dict[str, str], int], ...] = (
    ("fraha", None, {}, 20),
    ("chefa", None, {}, 20),
    # Under superko there are wins that the table, which ignores history, does not know.
    ("badia", None, {"repetition": "draw"}, 20),
    ("seega", None, {}, 20),
    ("fanorona", "malagasy", {}, 10),
    ("fanorona", "international", {}, 10),
)
NODES = 60_000


def answers_of(engine: Engine, game: damier.Game) -> tuple[list[str], int] | None:
    """Return the winning moves and the distance of the win; None if too many moves win."""
    table = table_of(game.rules)
    if table is not None:
        value = table.probe(game.position)
        if value is None or value.outcome != "win" or not 3 <= (value.distance or 0) <= 11:
            return None
        answers = []
        for move in game.legal_moves():
            after = table.probe(move.after)
            assert after is not None
            if after.before(move.after.side == game.position.side).outcome == "win":
                answers.append(move.text)
        distance = value.distance or 0
    else:
        if engine.think(game, Limits(nodes=NODES // 4)).best.value <= PROVED:
            return None
        result = engine.think(game, Limits(nodes=NODES), multipv=True)
        wins = [root for root in result.moves if root.value > PROVED]
        if not wins or (wins[0].distance or 0) < 3:
            return None
        after_words = {root.after for root in wins}
        answers = [move.text for move in game.legal_moves() if move.words in after_words]
        distance = wins[0].distance or 0
    return (answers, distance) if len(answers) <= max(1, len(game.legal_moves()) // 8) else None


def main() -> int:
    """Generate the file."""
    puzzles: dict[str, list[dict[str, object]]] = {}
    for name, preset, options, count in RULESETS:
        rules = damier.load_rules(name, preset, **options)
        warm(rules)
        engine = Engine(rules, expected_nodes=NODES)
        rng = random.Random(1)
        found: dict[str, tuple[list[str], int]] = {}
        seed = 0
        while len(found) < count:
            seed += 1
            game, mover = damier.Game(rules), player(f"level:{rng.randrange(1, 3)}", seed)
            fresh = True
            while game.result() is None and game.ply < 80:
                if fresh and rng.random() < 0.3 and game.ply > 3:
                    puzzle = answers_of(engine, damier.Game(game.position))
                    if puzzle and len(found) < count:
                        found[str(game.position)] = puzzle
                        fresh = False  # one position per game
                game = game.play(mover.choose(game))
        puzzles.setdefault(name, [])
        for position, (answers, distance) in found.items():
            source = "table" if table_of(rules) is not None else "proof"
            entry = {"position": position, "answers": answers, "distance": distance}
            puzzles[name].append({**entry, "preset": preset, "options": options, "source": source})
        print(name, preset, len(found), "of", seed, "games", flush=True)
    files.write_text(FILE, json.dumps(puzzles, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
