"""Make tests/data/known_wins.json: positions with few winning turns, known from tables or proofs.

    python bench/known_wins.py

Positions come from games of weak levels. An answer is a turn that keeps the win, by the table
where there is one; in Seega and Fanorona by a proof of the search, and the others were searched
to the same number of nodes without finding a win.
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
from damier.search.known import table_of

FILE = Path(__file__).parent.parent / "tests" / "data" / "known_wins.json"
RULESETS: tuple[tuple[str, str | None, dict[str, str], int], ...] = (
    ("fraha", None, {}, 20),
    ("chefa", None, {}, 20),
    # The ban can make a win where the table, which knows no history, has none.
    ("badia", None, {"repetition": "draw"}, 20),
    ("seega", None, {}, 20),
    ("fanorona", "malagasy", {}, 10),
    ("fanorona", "international", {}, 10),
)
NODES = 60_000


def answers_of(engine: Engine, game: damier.Game) -> tuple[list[str], int] | None:
    """Return the winning turns and the distance of the win, if it is a puzzle."""
    table = table_of(game.rules)
    if table is not None:
        value = table.probe(game.position)
        if value is None or value.outcome != "win" or not 3 <= (value.distance or 0) <= 11:
            return None
        answers = []
        for turn in game.turns():
            after = table.probe(turn.after)
            assert after is not None
            if after.before(turn.after.side == game.position.side).outcome == "win":
                answers.append(turn.text)
        distance = value.distance or 0
    else:
        if engine.think(game, Limits(nodes=NODES // 4)).best.value <= PROVED:
            return None
        result = engine.think(game, Limits(nodes=NODES), multipv=True)
        wins = [root for root in result.turns if root.value > PROVED]
        if not wins or (wins[0].distance or 0) < 3:
            return None
        after_words = {root.after for root in wins}
        answers = [turn.text for turn in game.turns() if turn.words in after_words]
        distance = wins[0].distance or 0
    return (answers, distance) if len(answers) <= max(1, len(game.turns()) // 8) else None


def main() -> int:
    puzzles: dict[str, list[dict[str, object]]] = {}
    for name, preset, options, count in RULESETS:
        rules = damier.game(name, preset, **options)
        warm(rules)
        engine = Engine(rules, room=NODES)
        drawn = random.Random(1)
        found: dict[str, tuple[list[str], int]] = {}
        seed = 0
        while len(found) < count:
            seed += 1
            game, mover = damier.Game(rules), player(f"level:{drawn.randrange(1, 3)}", seed)
            fresh = True
            while game.result() is None and game.ply < 80:
                if fresh and drawn.random() < 0.3 and game.ply > 3:
                    puzzle = answers_of(engine, damier.Game(game.position))
                    if puzzle and len(found) < count:
                        found[str(game.position)] = puzzle
                        fresh = False  # one a game
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
