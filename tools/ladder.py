"""Measurement of the levels: each against the one below, and level 1 against `random`.

    python tools/ladder.py [--game NAME] [--preset NAME] [--level N] [--cluster ADDRESS]

A pairing ends when the sequential test has decided (arena, 0 against 70 Elo) and the 95 % interval
excludes one half, or after `--games` games. Each result replaces the earlier one in
bench/results/ladder.json at once, so that an interrupted run loses nothing. The tables in
docs/levels.md and docs/levels.fr.md are written from that file.
"""

import argparse
import contextlib
import json
import sys
from pathlib import Path

import damier
from damier import arena, files
from damier.execution import Executor, open_executor
from damier.games.levels import LEVELS
from damier.search import warm

RULESETS = (
    ("fraha", None),
    ("chefa", "fair"),
    ("badia", None),
    ("seega", None),
    ("fanorona", "malagasy"),
    ("fanorona", "international"),
)
PAIRINGS = [("level:1", "random"), *((f"level:{n}", f"level:{n - 1}") for n in LEVELS[1:])]
RESULTS = Path(__file__).parent.parent / "bench" / "results" / "ladder.json"
DOCS = Path(__file__).parent.parent / "docs"
DOCUMENTS = {
    DOCS / "levels.md": "| game | pairing | games | result | points | 95 % |",
    DOCS / "levels.fr.md": "| jeu | rencontre | parties | résultat | points | 95 % |",
}
BEGIN, END = "<!-- ladder -->", "<!-- end of ladder -->"


def label(name: str, preset: str | None) -> str:
    """Return the name of a game in a table."""
    return f"{name.title()} `{preset}`" if preset else name.title()


def measure(match: arena.Match, least: int, executor: Executor) -> arena.Score:
    """Play a pairing until it is decided or all games are played."""
    first, second = match.players
    score = arena.Score(first, second)
    with contextlib.closing(arena.run(match, executor=executor)) as pairs:
        for found, _ in pairs:
            score = found
            low, high = score.interval
            if score.is_decided(0, 70) and not low <= 0.5 <= high and score.games >= least:
                break
    return score


def row(name: str, score: arena.Score) -> str:
    """Return a pairing's line of the table."""
    low, high = score.interval
    return (
        f"| {name} | {score.first} – {score.second} | {score.games} "
        f"| {score.result} | {score.mean:.0%} | {low:.0%} – {high:.0%} |"
    )


def store(name: str, pairing: tuple[str, str], line: str) -> None:
    """Store the line of a pairing and rewrite the tables."""
    lines: dict[str, str] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    lines[f"{name} {pairing[0]}"] = line
    order = [f"{label(*ruleset)} {first}" for ruleset in RULESETS for first, _ in PAIRINGS]
    lines = {key: lines[key] for key in order if key in lines}
    files.write_text(RESULTS, json.dumps(lines, indent=1, ensure_ascii=False) + "\n")
    for path, head in DOCUMENTS.items():
        text = path.read_text("utf-8")
        before, after = text.index(BEGIN) + len(BEGIN), text.index(END)
        table = "\n".join([head, "|---|---|---:|---|---:|---|", *lines.values()])
        files.write_text(path, f"{text[:before]}\n\n{table}\n\n{text[after:]}")


def main() -> int:
    """Play the pairings and store their results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--least", type=int, default=20, help="games before a pairing may stop")
    parser.add_argument("--top-games", type=int, default=10, help="of level 8")
    parser.add_argument("--game", action="append", default=[])
    parser.add_argument("--preset")
    parser.add_argument("--level", action="append", type=int, default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, help="local processes (default: one per core)")
    parser.add_argument("--cluster", help="address of a Dask scheduler")
    args = parser.parse_args()
    with open_executor(args.workers, args.cluster) as executor:
        measure_all(args, executor)
    return 0


def measure_all(args: argparse.Namespace, executor: Executor) -> None:
    """Play the pairings that the arguments choose, and store each result at once."""
    for name, preset in RULESETS:
        if (args.game and name not in args.game) or args.preset not in (None, preset):
            continue
        rules, name_in_table = damier.load_rules(name, preset), label(name, preset)
        warm(rules)  # compile once, and not in each worker
        for number, pairing in enumerate(PAIRINGS, 1):
            if args.level and number not in args.level:
                continue
            games = args.top_games if number == max(LEVELS) else args.games
            match = arena.Match(rules, pairing, games, args.seed)
            line = row(name_in_table, measure(match, args.least, executor))
            print(line, flush=True)
            store(name_in_table, pairing, line)


if __name__ == "__main__":
    sys.exit(main())
