"""The truth about a position: what every legal turn is worth, as far as it is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp
from typing import Any

from damier.game import Game
from damier.rules import Position, Rules, Turn
from damier.search.engine import Engine, Limits, Root, Stop
from damier.search.kernel import PROVED
from damier.search.weights import SCALE


@dataclass(frozen=True)
class Valued:
    """A turn and what it is worth to the player who makes it.

    `chance` is his chance to win, from 0 to 1, a draw counting half. `outcome` ("win", "draw" or
    "loss") and `distance`, in turns, are there where a table or the search has proved them.
    """

    turn: Turn
    chance: float
    outcome: str | None = None
    distance: int | None = None
    line: tuple[str, ...] = ()


@dataclass
class Analysis:
    """The legal turns, best first, and how deep and how far the search has looked."""

    turns: list[Valued] = field(default_factory=list)
    depth: int = 0
    nodes: int = 0


def analyse(
    game: Game,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    stop: Stop | None = None,
) -> Analysis:
    """Return what every legal turn is worth: a table's word where there is one, else a search's.

    A finished game has no turns. Without a limit the search takes a second.
    """
    turns = game.turns()
    if not turns:
        return Analysis()
    table = table_of(game.rules)
    if table is not None:
        from_table = _from_table(table, game, turns)
        if from_table is not None:
            return from_table
    if seconds is None and nodes is None:
        seconds = 1.0
    limits = Limits(nodes=nodes, seconds=seconds)
    engine = Engine(game.rules, room=limits.room)
    thought = engine.think(game, limits, every=True, stop=stop)
    roots = {root.after: root for root in thought.roots}
    valued = []
    for turn in turns:
        root = roots[turn.words]
        line = (turn.text, *engine.line(root, game)[1:])
        valued.append(Valued(turn, *judgement(game.rules, root), line))
    valued.sort(key=lambda v: -roots[v.turn.words].value)
    return Analysis(valued, thought.depth, thought.nodes)


def judgement(rules: Rules, root: Root) -> tuple[float, str | None, int | None]:
    """Return the chance to win with a turn, and what is proved of it."""
    if root.value > PROVED:
        return 1.0, "win", root.distance
    if root.value < -PROVED:
        return 0.0, "loss", root.distance
    return chance_of(rules, root.value), None, None


def chance_of(rules: Rules, value: int) -> float:
    """Return the chance to win that an estimate means, a draw counting half."""
    return 1 / (1 + exp(-max(-20.0, min(20.0, value / SCALE[rules.name]))))


def table_of(rules: Rules) -> Any:
    """Return the solved values of a game, or None where there are none."""
    try:
        from damier.solve.tables import find
    except ImportError:
        return None
    return find(rules)


def _turn_from_table(table: Any, position: Position, turn: Turn) -> Any:
    """Return what a table says of a turn for the player who makes it, or None."""
    found = table.probe(turn.after)
    return None if found is None else found.before(turn.after.side == position.side)


def _from_table(table: Any, game: Game, turns: list[Turn]) -> Analysis | None:
    ranked = []
    for turn in turns:
        found = _turn_from_table(table, game.position, turn)
        if found is None:
            return None
        chance = {"win": 1.0, "draw": 0.5, "loss": 0.0}[found.outcome]
        distance = found.distance if found.to == "end" else None
        valued = Valued(turn, chance, found.outcome, distance, _line(table, turn))
        ranked.append((found.rank, valued))
    ranked.sort(key=lambda pair: pair[0])
    return Analysis([valued for _, valued in ranked])


def _line(table: Any, turn: Turn, most: int = 12) -> tuple[str, ...]:
    """Return a line of best turns by the table; a drawn one is not followed."""
    line, position = [turn.text], turn.after
    while len(line) < most and position.result() is None:
        ranked = []
        for later in position.turns():
            found = _turn_from_table(table, position, later)
            if found is None or found.outcome == "draw":
                return tuple(line)
            ranked.append((found.rank, later.text, later))
        best = min(ranked)[2]
        line.append(best.text)
        position = best.after
    return tuple(line)


def table_turns(game: Game) -> tuple[str, list[Turn]] | None:
    """Return the outcome by a table and the turns that it ranks first; None without a table."""
    table = table_of(game.rules)
    if table is None:
        return None
    ranked = []
    for turn in game.turns():
        found = _turn_from_table(table, game.position, turn)
        if found is None:
            return None
        ranked.append((found.rank, found.outcome, turn))
    best, outcome = min(row[:2] for row in ranked)
    return outcome, [turn for rank, _, turn in ranked if rank == best]
