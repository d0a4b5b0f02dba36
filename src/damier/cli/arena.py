"""`damier arena`: let players play each other, and say who is stronger and how surely."""

import argparse
import json
import signal
import sys
from pathlib import Path
from typing import Any

from damier import files, record
from damier.arena import Match, Played, Score, elo_of, today
from damier.arena import run as run_match
from damier.cli.common import add_game, add_options, person_at, rules_of
from damier.errors import DamierError, told
from damier.games.levels import LEVELS
from damier.lang import say


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_game(parser)
    players = say("cli.arena.players", most=max(LEVELS))
    parser.add_argument("players", metavar=say("cli.player"), nargs="+", help=players)
    add_options(parser)
    for words, default in (
        (("--games", "-n"), 20), (("--seed",), 1), (("--opening",), 4), (("--workers",), None)
    ):  # fmt: skip
        parser.add_argument(
            *words, type=int, default=default, metavar=say("cli.number"),
            help=say(f"cli.arena.{words[0][2:]}"),
        )  # fmt: skip
    parser.add_argument("--sprt", nargs=2, type=float, metavar="ELO", help=say("cli.arena.sprt"))
    parser.add_argument("--json", action="store_true", help=say("cli.arena.json"))
    parser.add_argument("--save", metavar=say("cli.file"), help=say("cli.arena.save"))


def run(args: argparse.Namespace) -> int:
    """Play the match, show how it goes, and print the results; an interrupt keeps them."""
    rules = rules_of(args)
    if (args.workers is not None and args.workers < 1) or args.opening < 0:
        raise DamierError("arena-games")
    test = tuple(args.sprt) if args.sprt else None
    match = Match(rules, tuple(args.players), args.games, args.seed, args.opening, test)
    scores: dict[tuple[str, str], Score] = {}
    games: list[Played] = []
    status = 0
    progress = _Progress(match)
    # To be told to end keeps what was played, as an interrupt does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    saved = _Saved(Path(args.save)) if args.save else None
    try:
        for score, pair in run_match(match, args.workers):
            scores[score.first, score.second] = score
            games += pair
            progress.show(score, len(games))
            if saved is not None:
                saved.add([game.record(rules, today()) for game in pair])
    except KeyboardInterrupt:
        status = 130
    finally:
        progress.end()
    if saved is not None and saved.failed is not None:
        text = say("arena.not-saved", count=len(saved.owed), message=told(saved.failed))
        print(say("cli.error", message=text), file=sys.stderr)
        status = status or 1
    for name in match.players:
        failures = [game.failure for game in games if game.failure and game.loser == name]
        if failures:
            text = say("arena.failure", name=name, count=len(failures), failure=failures[0])
            print(text, file=sys.stderr)
    if args.json:
        print(json.dumps(_as_json(match, list(scores.values())), indent=1))
    else:
        print(table(list(scores.values())))
    return status


class _Saved:
    """The file of games played. A match goes on where it cannot be written, and tries again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._between = ""
        self.owed: list[str] = []  # games that are not in the file yet
        self.failed: OSError | None = None
        if path.is_file() or not path.exists():  # a pipe is not replaced
            files.write(path, [])

    def add(self, games: list[record.Record]) -> None:
        """Add games to the file."""
        self.owed += [record.write([game]) for game in games]
        try:
            files.append(self._path, self._between + "\n".join(self.owed))
        except OSError as error:
            self.failed = error
            return
        self._between, self.owed, self.failed = "\n", [], None


class _Progress:
    """One line on standard error that says how far the match is, if a person is looking."""

    def __init__(self, match: Match) -> None:
        n = len(match.players)
        self._total = (match.games + 1) // 2 * 2 * (n * (n - 1) // 2)
        self._shown = person_at(sys.stderr)
        self._write(say("arena.begins", count=self._total))

    def show(self, score: Score, played: int) -> None:
        """Say how far the match is."""
        line = say(
            "arena.progress", played=played, count=self._total, first=score.first,
            second=score.second, wins=score.wins, draws=score.draws, losses=score.losses,
        )  # fmt: skip
        self._write(line)

    def _write(self, line: str) -> None:
        if self._shown:
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line."""
        if self._shown:
            print(file=sys.stderr)


def table(scores: list[Score]) -> str:
    """Return the results as a table for people."""
    head = [say(f"arena.{name}") for name in ("pairing", "games", "wins", "share", "elo")]
    rows = [head]
    for score in scores:
        low, high = score.interval
        rows.append(
            [
                f"{score.first} – {score.second}",
                str(score.games),
                f"+{score.wins} ={score.draws} -{score.losses}",
                f"{score.mean:.1%} [{low:.1%}, {high:.1%}]",
                f"{_elo(score.mean)} [{_elo(low)}, {_elo(high)}]",
            ]
        )
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    return "\n".join(
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _elo(mean: float) -> str:
    elo = elo_of(mean)
    return f"{elo:+.0f}" if abs(elo) < 1e6 else "+∞" if elo > 0 else "-∞"


def _as_json(match: Match, scores: list[Score]) -> dict[str, Any]:
    """Return the results for programs; a difference in Elo without bound is null."""
    return {
        "game": match.rules.name,
        "options": dict(match.rules.changed),
        "seed": match.seed,
        "opening_turns": match.opening_turns,
        "pairings": [
            {
                "first": score.first,
                "second": score.second,
                "games": score.games,
                "wins": score.wins,
                "draws": score.draws,
                "losses": score.losses,
                "score": round(score.mean, 4),
                "interval": [round(bound, 4) for bound in score.interval],
                "elo": _finite(elo_of(score.mean)),
                "elo_interval": [_finite(elo_of(bound)) for bound in score.interval],
            }
            for score in scores
        ],
    }


def _finite(elo: float) -> float | None:
    return round(elo, 1) if abs(elo) < 1e6 else None
