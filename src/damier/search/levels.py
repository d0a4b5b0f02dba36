"""Players made of the search: levels 1 to 8, and the engine with its limits named.

A level looks so many turns deep, at so many positions, overlooks some turns and misjudges
others. The figures are measured by `damier arena`; the ladder is printed in docs/levels.md.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from damier.errors import DamierError
from damier.games import Words
from damier.games.levels import LEVELS, USUAL, Level
from damier.history import Game
from damier.position import Rules, Turn
from damier.search.alphabeta import MAX_DEPTH, WIN
from damier.search.engine import Engine, engine_for
from damier.search.known import endings_of, table_turns
from damier.search.limits import Limits, Looked, Stop
from damier.search.root import RootTurn, SearchResult

# What a player's text may limit; `plain=1` is a search without reductions.
LIMITS = ("nodes", "seconds", "depth", "plain")
# How long level 8 looks for the most difficult of the turns that a table calls drawn.
TRAP_NODES = 200_000


def level_of(rules: Rules, number: int) -> Level:
    """Return how a level plays a game."""
    module = rules.folder.levels
    levels: tuple[Level, ...] = USUAL if module is None else module.levels(rules.options)
    return levels[number - 1]


def _engine_for(engine: Engine | None, game: Game, limits: Limits, stop: Stop | None) -> Engine:
    """Return an engine for a game: the one that there is, unless a better one can be had."""
    return engine_for(engine, game.rules, limits, endings=endings_of(game.rules), stop=stop)


class EnginePlayer:
    """Plays the best turn that a search within limits finds.

    With `tables` it plays by the table of a whole game: of the turns that draw, the search's
    choice, which is the most difficult to answer.
    """

    def __init__(self, limits: Limits, tables: bool = False, seed: int | None = None) -> None:
        self.limits = limits
        self.looked = Looked()
        self._tables = tables
        self._random = random.Random(seed)
        self._engine: Engine | None = None

    def choose(self, game: Game, stop: Stop | None = None) -> Turn:
        """Return one of the game's legal turns."""
        if game.over:
            raise DamierError("over")
        limits, only = self.limits, None
        known = table_turns(game) if self._tables else None
        if known is not None:
            value, turns = known
            self.looked = Looked()
            if value.outcome != "draw" or len(turns) == 1:
                return self._random.choice(turns)
            limits = replace(limits, nodes=min(limits.nodes or TRAP_NODES, TRAP_NODES))
            only = {turn.words for turn in turns}
        self._engine = _engine_for(self._engine, game, limits, stop)
        result = self._engine.think(
            game, limits, fresh=limits.repeatable, contempt=only is None, only=only, stop=stop
        )
        self.looked = result.looked
        return result.best.turn(game)


class LevelPlayer:
    """Plays at a level: as well as it can with what the level lets it see."""

    def __init__(self, number: int, seed: int | None = None) -> None:
        self.number = number
        self.looked = Looked()
        self._random = random.Random(seed)
        self._engine: Engine | None = None
        self._strong: EnginePlayer | None = None

    def choose(self, game: Game, stop: Stop | None = None) -> Turn:
        """Return one of the game's legal turns."""
        if game.over:
            raise DamierError("over")
        level = level_of(game.rules, self.number)
        limits = Limits(level.depth or MAX_DEPTH, level.nodes, level.seconds)
        if not level.slips and not level.overlooks:
            if self._strong is None or self._strong.limits != limits:
                best = self.number == max(LEVELS)
                self._strong = EnginePlayer(limits, best, self._random.getrandbits(32))
            turn = self._strong.choose(game, stop)
            self.looked = self._strong.looked
            return turn
        result = self._seen(game, limits, stop)
        return self._erring(game, level, result, self._random).turn(game)

    def choices(self, game: Game, chances: Sequence[random.Random]) -> list[Words]:
        """Return where the turns lead that it would choose by several chances, looking once."""
        level = level_of(game.rules, self.number)
        if not level.slips and not level.overlooks:  # chance has no part in it
            return [self.choose(game).words] * len(chances)
        result = self._seen(game, Limits(level.depth or MAX_DEPTH, level.nodes), None)
        return [self._erring(game, level, result, chance).after for chance in chances]

    def _seen(self, game: Game, limits: Limits, stop: Stop | None) -> SearchResult:
        """Return what the level sees before it errs."""
        self._engine = _engine_for(self._engine, game, limits, stop)
        result = self._engine.think(game, limits, multipv=True, stop=stop)
        self.looked = result.looked
        return result

    def _erring(
        self, game: Game, level: Level, result: SearchResult, chance: random.Random
    ) -> RootTurn:
        """Return the best turn as the level sees it: it overlooks some and misjudges others."""
        slip = level.slips * game.rules.folder.weights.scale / 100
        choice, best_value = result.best, float("-inf")
        for root in result.turns:
            if root.value == WIN - 1 and self.number >= 3:
                choice = root
                break
            seen = chance.random() * 100 >= level.overlooks
            value = root.value + chance.gauss(0, slip)
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
    found: dict[str, float] = {}
    for part in argument.split(",") if argument else []:
        key, equals, value = part.partition("=")
        number = _number(value)
        if key not in LIMITS or not equals or number is None or key in found:
            raise DamierError("player-limits", name=name, argument=argument)
        found[key] = number
    if not found.keys() - {"plain"}:
        raise DamierError("player-limits", name=name, argument=argument)
    return Limits(
        depth=min(MAX_DEPTH, int(found.get("depth", MAX_DEPTH))),
        nodes=int(found["nodes"]) if "nodes" in found else None,
        seconds=found.get("seconds"),
        reductions="plain" not in found,
    )


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 < number < 1e12 else None
