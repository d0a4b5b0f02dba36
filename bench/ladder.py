"""Measure the ladder of levels: each against the one below, and level 1 against `random`.

    python bench/ladder.py [--game NAME] [--preset NAME] [--level N]

Pairings stop early when the sequential test has decided (arena, 0 against 70 Elo) and the 95 %
interval does not hold one half, and at `--games` otherwise. Each pairing measured is kept in
bench/results/ladder.json, in place of what was there, and the tables in docs/levels.md and
docs/levels.fr.md are written from it: a run that is cut short loses nothing.
"""

import argparse
import json
import sys
from pathlib import Path

import damier
from damier import arena, files
from damier.games.levels import LEVELS
from damier.search import warm
from measure import RESULTS

RULESETS = (
    ("fraha", None),
    ("chefa", "fair"),
    ("badia", None),
    ("seega", None),
    ("fanorona", "malagasy"),
    ("fanorona", "international"),
)
PAIRINGS = [("level:1", "random"), *((f"level:{n}", f"level:{n - 1}") for n in LEVELS[1:])]
KEPT = RESULTS / "ladder.json"
DOCS = Path(__file__).parent.parent / "docs"
DOCUMENTS = {
    DOCS / "levels.md": "| game | pairing | games | result | points | 95 % |",
    DOCS / "levels.fr.md": "| jeu | rencontre | parties | résultat | points | 95 % |",
}
BEGIN, END = "<!-- ladder -->", "<!-- end of ladder -->"


def label(name: str, preset: str | None) -> str:
    """Return what a table calls a game."""
    return f"{name.title()} `{preset}`" if preset else name.title()


def measure(
    rules: damier.Rules, pairing: tuple[str, str], games: int, least: int, seed: int
) -> arena.Score:
    """Play a pairing until it is decided or all games are played."""
    match = arena.Match(rules, pairing, games, seed)
    score = arena.Score(*pairing)
    running = arena.run(match)
    try:
        for found, _ in running:
            score = found
            low, high = score.interval
            if score.decided(0, 70) and not low <= 0.5 <= high and score.games >= least:
                break
    finally:
        running.close()  # type: ignore[attr-defined]
    return score


def row(what: str, score: arena.Score) -> str:
    """Return a pairing's line of the table."""
    low, high = score.interval
    return (
        f"| {what} | {score.first} – {score.second} | {score.games} "
        f"| +{score.wins} ={score.draws} −{score.losses} "
        f"| {score.mean:.0%} | {low:.0%} – {high:.0%} |"
    )


def keep(what: str, pairing: tuple[str, str], line: str) -> None:
    """Keep a pairing's line, and write the tables anew."""
    kept: dict[str, str] = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    kept[f"{what} {pairing[0]}"] = line
    order = [f"{label(*ruleset)} {first}" for ruleset in RULESETS for first, _ in PAIRINGS]
    kept = {key: kept[key] for key in order if key in kept}
    files.write_text(KEPT, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    for path, head in DOCUMENTS.items():
        text = path.read_text("utf-8")
        before, after = text.index(BEGIN) + len(BEGIN), text.index(END)
        table = "\n".join([head, "|---|---|---:|---|---:|---|", *kept.values()])
        files.write_text(path, f"{text[:before]}\n\n{table}\n\n{text[after:]}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--least", type=int, default=20, help="games before a pairing may stop")
    parser.add_argument("--top-games", type=int, default=10, help="of level 8")
    parser.add_argument("--game", action="append", default=[])
    parser.add_argument("--preset")
    parser.add_argument("--level", action="append", type=int, default=[])
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for name, preset in RULESETS:
        if (args.game and name not in args.game) or args.preset not in (None, preset):
            continue
        rules, what = damier.game(name, preset), label(name, preset)
        warm(rules)
        for number, pairing in enumerate(PAIRINGS, 1):
            if args.level and number not in args.level:
                continue
            games = args.top_games if number == max(LEVELS) else args.games
            line = row(what, measure(rules, pairing, games, args.least, args.seed))
            print(line, flush=True)
            keep(what, pairing, line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
