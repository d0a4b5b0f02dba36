"""Measure the ladder of levels: each against the one below, and level 1 against `random`.

    python bench/ladder.py --write

Pairings stop early when the sequential test has decided (arena, 0 against 70 Elo) and the 95 %
interval does not hold one half, and at `--games` otherwise. With `--write` the table goes into
docs/levels.md, between its two marks.
"""

import argparse
import sys
from pathlib import Path

import damier
from damier import arena
from damier.search import warm

RULESETS = (
    ("fraha", None),
    ("chefa", "fair"),
    ("badia", None),
    ("seega", None),
    ("fanorona", "malagasy"),
    ("fanorona", "international"),
)
PAIRINGS = [("level:1", "random"), *((f"level:{n}", f"level:{n - 1}") for n in range(2, 9))]
DOCUMENT = Path(__file__).parent.parent / "docs" / "levels.md"
BEGIN, END = "<!-- ladder -->", "<!-- end of ladder -->"


def measure(rules: damier.Rules, pairing: tuple[str, str], games: int, seed: int) -> arena.Score:
    """Play a pairing until it is decided or all games are played."""
    match = arena.Match(rules, pairing, games, seed)
    score = arena.Score(*pairing)
    running = arena.run(match)
    try:
        for found, _ in running:
            score = found
            low, high = score.interval
            if score.decided(0, 70) and not low <= 0.5 <= high and score.games >= 20:
                break
    finally:
        running.close()  # type: ignore[attr-defined]
    return score


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--top-games", type=int, default=8, help="of level 8")
    parser.add_argument("--game", action="append", default=[])
    parser.add_argument("--level", action="append", type=int, default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    lines = ["| game | pairing | games | result | points | 95 % |", "|---|---|---:|---|---:|---|"]
    for name, preset in RULESETS:
        if args.game and name not in args.game:
            continue
        rules = damier.game(name, preset)
        warm(rules)
        label = f"{name} `{preset}`" if preset else name
        for number, pairing in enumerate(PAIRINGS, 1):
            if args.level and number not in args.level:
                continue
            games = args.top_games if number == 8 else args.games
            score = measure(rules, pairing, games, args.seed)
            low, high = score.interval
            lines.append(
                f"| {label} | {score.first} – {score.second} | {score.games} "
                f"| +{score.wins} ={score.draws} −{score.losses} "
                f"| {score.mean:.0%} | {low:.0%} – {high:.0%} |"
            )
            print(lines[-1], flush=True)
    if args.write:
        text = DOCUMENT.read_text("utf-8")
        before, after = text.index(BEGIN) + len(BEGIN), text.index(END)
        table = "\n".join(lines)
        DOCUMENT.write_text(f"{text[:before]}\n\n{table}\n\n{text[after:]}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
