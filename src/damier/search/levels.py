"""Players that search: levels 1 to 8, and the engine with given limits.

A level has limits of depth and nodes, overlooks some moves and misjudges others. The figures are
measured by `damier arena`; docs/levels.md contains the results.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import replace

from damier.deprecation import deprecated_names
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games import Words
from damier.games.levels import LEVELS, Level
from damier.position import Move, Rules
from damier.search.alphabeta import MAX_DEPTH, PROVED, WIN
from damier.search.engine import Engine, engine_for
from damier.search.limits import Limits, SearchStats, Stop
from damier.search.root import RootMove, SearchResult
from damier.search.tablebase import endings_of, ranked_moves, table_moves

# Limits in a player's text; `plain=1` is a search without reductions.
LIMITS = ("nodes", "seconds", "depth", "plain")
# Limit of level 8 in its search for the most difficult of the drawn moves.
TRAP_NODES = 200_000


def level_of(rules: Rules, number: int) -> Level:
    """Return the settings of a level for a game."""
    return rules.folder.levels(rules.options)[number - 1]


def _engine_for(engine: Engine | None, game: Game, limits: Limits, stop: Stop | None) -> Engine:
    """Return an engine for a game: the given one if it is complete and fits, else a new one."""
    return engine_for(engine, game.rules, limits, endings=endings_of(game.rules), stop=stop)


@deprecated_names(looked="search_stats")
class EnginePlayer:
    """Player that chooses the best move of a search within limits.

    With `tables` it uses the table of a whole game; among drawn moves the search chooses the one
    that is most difficult to answer. Where the rules forbid repetition, the search also looks for
    the wins and losses that the table does not know.
    """

    def __init__(self, limits: Limits, tables: bool = False, seed: int | None = None) -> None:
        self.limits = limits
        self.search_stats = SearchStats()
        self._tables = tables
        self._random = random.Random(seed)
        self._engine: Engine | None = None

    def choose(self, game: Game, stop: Stop | None = None) -> Move:
        """Return one of the game's legal moves."""
        if game.over:
            raise DamierError("over")
        limits, only = self.limits, None
        from_table = table_moves(game) if self._tables else None
        if from_table is not None:
            value, moves = from_table
            self.search_stats = SearchStats()
            if value.outcome != "draw":
                return self._random.choice(moves)
            if value.bound:
                return self._choose_undecided(game, stop)
            if len(moves) == 1:
                return moves[0]
            limits = replace(limits, nodes=min(limits.nodes or TRAP_NODES, TRAP_NODES))
            only = {move.words for move in moves}
        self._engine = _engine_for(self._engine, game, limits, stop)
        result = self._engine.think(
            game, limits, fresh=limits.repeatable, contempt=only is None, only=only, stop=stop
        )
        self.search_stats = result.search_stats
        return result.best.move(game)

    def _choose_undecided(self, game: Game, stop: Stop | None) -> Move:
        """Return the move of a search where the table knows only bounds.

        A move that the table calls lost is avoided unless the search proves that it wins or that
        all others lose: the loss is not proved in this game, but likely.
        """
        undecided = {m.words: v for m, v in ranked_moves(game) or () if v.bound}
        best = self._best_of(game, self.limits, set(undecided), stop)
        safe = {words for words, value in undecided.items() if value.later <= 0}
        if best.value <= PROVED and best.after not in safe and safe:
            limits = replace(self.limits, nodes=min(self.limits.nodes or TRAP_NODES, TRAP_NODES))
            other = self._best_of(game, limits, safe, stop)
            best = other if other.value > -PROVED else best
        return best.move(game)

    def _best_of(
        self, game: Game, limits: Limits, only: Collection[Words], stop: Stop | None
    ) -> RootMove:
        """Return the best move of a search among those that lead to some positions."""
        self._engine = _engine_for(self._engine, game, limits, stop)
        fresh = limits.repeatable
        result = self._engine.think(game, limits, fresh=fresh, contempt=True, only=only, stop=stop)
        self.search_stats = result.search_stats
        return result.best


@deprecated_names(looked="search_stats")
class LevelPlayer:
    """Player at a level, whose search is limited and makes mistakes."""

    def __init__(self, number: int, seed: int | None = None) -> None:
        self.number = number
        self.search_stats = SearchStats()
        self._random = random.Random(seed)
        self._engine: Engine | None = None
        self._strong: EnginePlayer | None = None

    def choose(self, game: Game, stop: Stop | None = None) -> Move:
        """Return one of the game's legal moves."""
        if game.over:
            raise DamierError("over")
        level = level_of(game.rules, self.number)
        limits = Limits(level.depth or MAX_DEPTH, level.nodes, level.seconds)
        if not level.slips and not level.overlooks:
            if self._strong is None or self._strong.limits != limits:
                best = self.number == max(LEVELS)
                self._strong = EnginePlayer(limits, best, self._random.getrandbits(32))
            move = self._strong.choose(game, stop)
            self.search_stats = self._strong.search_stats
            return move
        result = self._search(game, limits, stop)
        return self._choose_with_errors(game, level, result, self._random).move(game)

    def choices(self, game: Game, chances: Sequence[random.Random]) -> list[Words]:
        """Return the positions after the moves it would choose, one for each random generator.

        The position is searched once.
        """
        level = level_of(game.rules, self.number)
        if not level.slips and not level.overlooks:  # the choice is not random
            return [self.choose(game).words] * len(chances)
        result = self._search(game, Limits(level.depth or MAX_DEPTH, level.nodes), None)
        return [self._choose_with_errors(game, level, result, chance).after for chance in chances]

    def _search(self, game: Game, limits: Limits, stop: Stop | None) -> SearchResult:
        """Return the search result, before the level's mistakes."""
        self._engine = _engine_for(self._engine, game, limits, stop)
        result = self._engine.think(game, limits, multipv=True, stop=stop)
        self.search_stats = result.search_stats
        return result

    def _choose_with_errors(
        self, game: Game, level: Level, result: SearchResult, rng: random.Random
    ) -> RootMove:
        """Return the best move after the level's errors: overlooked moves and noisy values."""
        slip = level.slips * game.rules.folder.weights.scale / 100
        choice, best_value = result.best, float("-inf")
        for root in result.moves:
            if root.value == WIN - 1 and self.number >= 3:
                choice = root
                break
            seen = rng.random() * 100 >= level.overlooks
            value = root.value + rng.gauss(0, slip)
            if seen and value > best_value:
                choice, best_value = root, value
        return choice


def level_player(argument: str, seed: int | None) -> LevelPlayer:
    """Return the player that `level:3` names."""
    if argument not in {str(number) for number in LEVELS}:
        raise DamierError("level", argument=argument, most=max(LEVELS))
    return LevelPlayer(int(argument), seed)


def engine_player(argument: str, seed: int | None) -> EnginePlayer:
    """Return the player that `engine:nodes=20000`, `engine:seconds=1` or `engine:depth=4` names."""
    return EnginePlayer(read_limits("engine", argument))


def read_limits(name: str, argument: str) -> Limits:
    """Return the limits that a player's argument names, separated by commas."""
    limits: dict[str, float] = {}
    for part in argument.split(",") if argument else []:
        key, equals, value = part.partition("=")
        number = _number(value)
        if key not in LIMITS or not equals or number is None or key in limits:
            raise DamierError("player-limits", name=name, argument=argument)
        limits[key] = number
    if not limits.keys() - {"plain"}:
        raise DamierError("player-limits", name=name, argument=argument)
    return Limits(
        depth=min(MAX_DEPTH, int(limits.get("depth", MAX_DEPTH))),
        nodes=int(limits["nodes"]) if "nodes" in limits else None,
        seconds=limits.get("seconds"),
        reductions="plain" not in limits,
    )


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 < number < 1e12 else None
