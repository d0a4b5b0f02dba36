"""The truth about a position: what every legal turn is worth, as far as it is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp
from typing import Any

from damier.errors import DamierError
from damier.game import Game
from damier.rules import Position, Rules, Turn
from damier.search.engine import Engine, Limits, Root, Stop
from damier.search.kernel import PROVED
from damier.search.weights import SCALE

OPPOSITE = {"win": "loss", "loss": "win", "draw": "draw"}


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


def probe(table: Any, position: Position) -> tuple[str, int | None] | None:
    """Return what a table says of a position for the player to move, the end included."""
    result = position.result()
    if result:
        if result.winner is None:
            return "draw", 0
        return ("win" if result.winner == position.side else "loss"), 0
    value = table.probe(position)
    return None if value is None else (value.outcome, value.distance)


def rank(outcome: str, distance: int | None) -> tuple[int, int]:
    """Return the order of outcomes for the player who moves: quick wins, draws, late losses."""
    if outcome == "win":
        return 0, distance or 0
    return (1, 0) if outcome == "draw" else (2, -(distance or 0))


def _turn_from_table(table: Any, position: Position, turn: Turn) -> tuple[str, int | None] | None:
    found = probe(table, turn.after)
    if found is None:
        return None
    outcome, distance = found
    if turn.after.side != position.side:
        outcome = OPPOSITE[outcome]
    return outcome, None if outcome == "draw" or distance is None else distance + 1


def _from_table(table: Any, game: Game, turns: list[Turn]) -> Analysis | None:
    valued = []
    for turn in turns:
        found = _turn_from_table(table, game.position, turn)
        if found is None:
            return None
        outcome, distance = found
        chance = {"win": 1.0, "draw": 0.5, "loss": 0.0}[outcome]
        valued.append(Valued(turn, chance, outcome, distance, _line(table, turn)))
    valued.sort(key=lambda v: rank(v.outcome or "", v.distance))
    return Analysis(valued)


def _line(table: Any, turn: Turn, most: int = 12) -> tuple[str, ...]:
    """Return a line of best turns by the table; a drawn one is not followed."""
    line, position = [turn.text], turn.after
    value = probe(table, position)
    while value is not None and value[0] != "draw" and value[1] and len(line) < most:
        ranked = []
        for later in position.turns():
            found = _turn_from_table(table, position, later)
            if found is None:
                return tuple(line)
            ranked.append((rank(*found), later.text, later))
        best = min(ranked)[2]
        line.append(best.text)
        position = best.after
        value = probe(table, position)
    return tuple(line)


def table_turns(game: Game) -> list[Turn] | None:
    """Return the turns that a table ranks first, or None where there is no table."""
    table = table_of(game.rules)
    if table is None:
        return None
    best: list[Turn] = []
    best_rank: tuple[int, int] | None = None
    for turn in game.turns():
        found = _turn_from_table(table, game.position, turn)
        if found is None:
            return None
        its_rank = rank(*found)
        if best_rank is None or its_rank < best_rank:
            best, best_rank = [], its_rank
        if its_rank == best_rank:
            best.append(turn)
    if not best:
        raise DamierError("over")
    return best
