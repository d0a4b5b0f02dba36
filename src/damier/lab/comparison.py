"""Comparison of rules with their variants: exact changes, and changes between sample games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from damier.errors import DamierError
from damier.gameplay import Game, HistoryPolicy
from damier.games.run_time_errors import located_errors
from damier.lab import intervals
from damier.lab.exact import ExactValues
from damier.lab.fairness import finished_games, points
from damier.lab.intervals import Estimate
from damier.lab.samples import prepare
from damier.lab.variants import Variant
from damier.position import Rules
from damier.search.root import MAX_ANALYSED
from damier.solve.numbering import key

if TYPE_CHECKING:
    from damier.solve.tables.comparison import Changes

SampleGames = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class ExactSummary:
    """What remains of the exact values of a variant: its table is not kept."""

    start: str  # outcome of the start: "first", "second", "draw" or "open"
    points: float | None  # of the first player with best play
    distance: int | None  # moves to the end from the start
    drawn: float  # share of positions
    longest: int | None  # moves of the longest forced win
    first_moves: tuple[int, int]  # those that keep the value of the start, and all

    @classmethod
    def of(cls, exact: ExactValues) -> ExactSummary:
        """Return the summary of the values of a game."""
        start, to_end = exact.start, exact.table.metric == "end"
        kept = sum(value.outcome == start.outcome for _, value in exact.openings)
        return cls(
            exact.winner or ("open" if start.bound else "draw"),
            exact.points,
            start.distance if to_end else None,
            exact.drawn,
            exact.longest if to_end else None,
            (kept, len(exact.openings)),
        )


@dataclass
class Comparison:
    """Rules and a variant of them: games of both, and exact values where they are known.

    `used` has for each replayed game the first move before which the variant makes a difference,
    or None.
    """

    variant: Variant
    before: SampleGames
    after: SampleGames = ()
    used: list[int | None] = field(default_factory=list)
    exact: tuple[ExactSummary | None, ExactSummary | None] = (None, None)
    changes: Changes | None = None  # of the values of positions

    @property
    def score(self) -> Estimate:
        """The change of the first player's points."""
        return intervals.bounded_difference(scores(self.after), scores(self.before), 0.0, 1.0)

    @property
    def drawn(self) -> Estimate:
        """The change of the share of finished games that are drawn."""
        return intervals.bounded_difference(draws(self.after), draws(self.before), 0.0, 1.0)

    @property
    def unfinished(self) -> Estimate:
        """The change of the share of games that do not end."""
        return intervals.bounded_difference(stops(self.after), stops(self.before), 0.0, 1.0)

    @property
    def length(self) -> Estimate:
        """The change of the mean length of finished games, in moves."""
        return intervals.difference(lengths(self.after), lengths(self.before))

    @property
    def in_play(self) -> Estimate:
        """The share of games in which the variant makes a difference."""
        return intervals.share(sum(ply is not None for ply in self.used), len(self.used))

    @property
    def exact_points(self) -> float | None:
        """The change of the first player's points with best play."""
        one, two = (exact.points if exact else None for exact in self.exact)
        return None if one is None or two is None else two - one

    @property
    def exact_share(self) -> float | None:
        """The share of positions whose outcome changes."""
        if self.changes is None:
            return None
        return self.changes.outcomes / max(1, self.changes.positions)

    @property
    def without_effect(self) -> bool:
        """Whether it is proved that the variant changes the value of no position."""
        return (
            self.changes is not None
            and self.changes.outcomes == 0
            and self.changes.distances == 0
            and self.exact_points == 0
        )


def scores(games: SampleGames) -> list[float]:
    """Return the first player's points in finished games."""
    return [points(game) for game in finished_games(games)]


def draws(games: SampleGames) -> list[float]:
    """Return 1 for each finished game that is drawn, else 0."""
    return [float(game["winner"] is None) for game in finished_games(games)]


def stops(games: SampleGames) -> list[float]:
    """Return 1 for each game that did not end, else 0."""
    return [float(game["reason"] is None) for game in games]


def lengths(games: SampleGames) -> list[float]:
    """Return the numbers of moves of finished games."""
    return [float(len(game["moves"])) for game in finished_games(games)]


def first_differences(
    rules: Rules, variants: Sequence[Rules], moves: Sequence[str]
) -> list[int | None]:
    """Return for each variant the first move of a game before which it makes a difference.

    A difference is another result, or other legal moves or positions after them. None: there is
    none until the end of the game. Positions with more moves than are listed are passed over.
    """
    with located_errors():
        prepare(rules)
        found: list[int | None] = [None] * len(variants)
        alive: dict[int, Game] = {k: Game(other) for k, other in enumerate(variants)}
        game = Game(rules)
        for ply in range(len(moves) + 1):
            here = _situation(game)
            for k in list(alive):
                if _situation(alive[k]) != here:
                    found[k] = ply
                    del alive[k]
            if ply == len(moves) or not alive:
                return found
            game = game.play(moves[ply])
            alive = {k: other.play(moves[ply]) for k, other in alive.items()}
    return found


def _situation(game: Game) -> object:
    """Return what a player can notice of the rules in a position of a game."""
    result = game.result()
    if result is not None:
        return result.winner, result.reason
    position = game.position
    here = position.white, position.black, position.side, position.rules.board.names
    try:
        moves = game.legal_moves(MAX_ANALYSED)
    except DamierError:
        return here
    return here, [(move.text, *move.words[:2], move.words[2] & 1) for move in moves]


def table_changes(one: ExactValues, two: ExactValues, most: int) -> Changes | None:
    """Return how many positions have another value; None if this is not known.

    Where the rules forbid repetition tables hold bounds, which are not compared. `most` is the
    greatest number of positions to compare.
    """
    from damier.solve.tables.comparison import Changes, comparable, compare

    superko = (
        HistoryPolicy(exact.rules.module).superko(exact.rules.start().rest) for exact in (one, two)
    )
    if any(superko) or not comparable(one.table, two.table):
        return None
    if one.rules.name == two.rules.name and key(one.rules) == key(two.rules):
        # The numbering declares that the options do not change the value of any position.
        whole = sum(one.total(what) for what in ("won", "drawn", "lost"))
        return Changes(whole, 0, 0)
    return None if one.numbers > most else compare(one.table, two.table)
