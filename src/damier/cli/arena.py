"""`damier arena`: play a match and print scores with confidence intervals."""

import argparse
import json
import signal
import sys
from pathlib import Path
from typing import Any

from damier import files, record
from damier.arena import MAX_MOVES, ArenaGame, Match, Score, elo_difference, today
from damier.arena import run as run_match
from damier.cli.common import add_execution, add_game, add_options, is_interactive, rules_of
from damier.cli.terminal import escape_controls, print_raw
from damier.errors import DamierError, describe_os_error
from damier.execution import open_executor
from damier.games.levels import LEVELS
from damier.i18n import translate


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_game(parser)
    players = translate("cli.arena.players", most=max(LEVELS))
    parser.add_argument("players", metavar=translate("cli.player"), nargs="+", help=players)
    add_options(parser)
    for flags, default in (
        (("--games", "-n"), 20),
        (("--seed",), 1),
        (("--opening",), 4),
    ):
        parser.add_argument(
            *flags,
            type=int,
            default=default,
            metavar=translate("cli.number"),
            help=translate(f"cli.arena.{flags[0][2:]}"),
        )
    add_execution(parser)
    parser.add_argument(
        "--sprt", nargs=2, type=float, metavar="ELO", help=translate("cli.arena.sprt")
    )
    parser.add_argument("--json", action="store_true", help=translate("cli.arena.json"))
    parser.add_argument("--save", metavar=translate("cli.file"), help=translate("cli.arena.save"))


def run(args: argparse.Namespace) -> int:
    """Play the match and print the results, also after an interrupt."""
    rules = rules_of(args)
    if args.opening < 0:
        raise DamierError("arena-games")
    test = tuple(args.sprt) if args.sprt else None
    match = Match(rules, tuple(args.players), args.games, args.seed, args.opening, test)
    scores: dict[tuple[str, str], Score] = {}
    games: list[ArenaGame] = []
    status = 0
    progress = _Progress(match)
    # SIGTERM prints the results so far, like an interrupt.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    saved = _GameFile(Path(args.save)) if args.save else None
    try:
        with open_executor(args.workers, args.cluster) as executor:
            for score, pair in run_match(match, executor=executor):
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
        text = translate(
            "arena.not-saved", count=len(saved.unwritten), message=describe_os_error(saved.failed)
        )
        print(translate("cli.error", message=text), file=sys.stderr)
        status = status or 1
    for name in match.players:
        failures = [game.failure for game in games if game.failure and game.loser == name]
        if failures:
            text = translate("arena.failure", name=name, count=len(failures), failure=failures[0])
            print(text, file=sys.stderr)
    if args.json:
        print(json.dumps(_as_json(match, list(scores.values())), indent=1))
    else:
        print(table(list(scores.values())))
        if any(score.unfinished for score in scores.values()):
            print(translate("arena.unfinished", most=MAX_MOVES))
    return status


class _GameFile:
    """File of the games played. If writing fails, the match continues and writing is retried."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._between = ""  # separator before the next game
        self.unwritten: list[str] = []  # games that are not in the file yet
        self.failed: OSError | None = None
        if path.is_file() or not path.exists():  # do not replace a pipe by a file
            files.write(path, [])

    def add(self, games: list[record.Record]) -> None:
        """Append games to the file, with those of earlier failed attempts."""
        self.unwritten += [record.write([game]) for game in games]
        try:
            files.append(self._path, self._between + "\n".join(self.unwritten))
        except OSError as error:
            self.failed = error
            return
        self._between, self.unwritten, self.failed = "\n", [], None


class _Progress:
    """Progress line on standard error, if it is a terminal."""

    def __init__(self, match: Match) -> None:
        n = len(match.players)
        self._total = (match.games + 1) // 2 * 2 * (n * (n - 1) // 2)
        self._shown = is_interactive(sys.stderr)
        self._write(translate("arena.begins", count=self._total))

    def show(self, score: Score, played: int) -> None:
        """Show the score of a pairing and the number of games played."""
        line = translate(
            "arena.progress",
            played=played,
            count=self._total,
            first=score.first,
            second=score.second,
            result=score.result,
        )
        self._write(line)

    def _write(self, line: str) -> None:
        if self._shown:
            print_raw(f"\r\x1b[K{escape_controls(line)}", sys.stderr, end="")

    def end(self) -> None:
        """End the line."""
        if self._shown:
            print(file=sys.stderr)


def table(scores: list[Score]) -> str:
    """Return the results as a text table."""
    head = [translate(f"arena.{name}") for name in ("pairing", "games", "wins", "share", "elo")]
    rows = [head]
    for score in scores:
        low, high = score.interval
        rows.append(
            [
                f"{score.first} – {score.second}",
                str(score.games),
                score.result,
                f"{score.mean:.1%} [{low:.1%}, {high:.1%}]",
                f"{_elo(score.mean)} [{_elo(low)}, {_elo(high)}]",
            ]
        )
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    return "\n".join(
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _elo(mean: float) -> str:
    elo = elo_difference(mean)
    return f"{elo:+.0f}" if abs(elo) < 1e6 else "+∞" if elo > 0 else "-∞"


def _as_json(match: Match, scores: list[Score]) -> dict[str, Any]:
    """Return the results as JSON data; an infinite Elo difference is null."""
    return {
        "game": match.rules.name,
        "options": dict(match.rules.changed),
        "seed": match.seed,
        "opening_turns": match.opening_moves,
        "pairings": [
            {
                "first": score.first,
                "second": score.second,
                "games": score.games,
                "wins": score.wins,
                "draws": score.draws,
                "losses": score.losses,
                "unfinished": score.unfinished,
                "score": round(score.mean, 4),
                "interval": [round(bound, 4) for bound in score.interval],
                "elo": _finite(elo_difference(score.mean)),
                "elo_interval": [_finite(elo_difference(bound)) for bound in score.interval],
            }
            for score in scores
        ],
    }


def _finite(elo: float) -> float | None:
    return round(elo, 1) if abs(elo) < 1e6 else None
