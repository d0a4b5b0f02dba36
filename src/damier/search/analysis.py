"""The truth about a position: what every legal turn is worth, as far as it is known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import exp
from typing import Literal

from damier.history import THIRD, Game
from damier.position import Rules, Turn
from damier.search.alphabeta import LEAST_TABLEBASE_WIN
from damier.search.engine import engine_for
from damier.search.known import endings_of
from damier.search.limits import Limits, Stop
from damier.search.root import MOST_ANALYSED, RootTurn
from damier.solve import Value, find, probe_turns, value_at_end
from damier.solve.tables.lines import line_of
from damier.solve.tables.practice import by_practice

# How many turns are followed where a table knows all of them, how many else, and how far: that
# takes time.
LINES, FOLLOWED, LINE = 10, 100, 12
CHANCE = {"win": 1.0, "draw": 0.5, "loss": 0.0}

Fault = Literal["blunder", "mistake", "inaccuracy", "missed"]
# How much of the chance to win a turn has given away, at least, where it is called so.
FAULTS: dict[Fault, float] = {"blunder": 0.35, "mistake": 0.18, "inaccuracy": 0.09}
# A turn keeps the draw, but another would have made so many more of the opponent's replies lose.
MISSED = 1 / 3


@dataclass(frozen=True)
class Valued:
    """A turn and what it is worth to the player who makes it.

    `chance` is his chance to win, from 0 to 1, a draw counting half. `outcome` ("win", "draw" or
    "loss") and `distance`, in turns, are there where a table or the search has proved them. `risk`
    is which part of the opponent's replies lose, where a table calls the turn drawn: the greater,
    the more difficult the draw is for him. `fault` says what playing it would be, beside the best
    turn: a "blunder", a "mistake", an "inaccuracy"; or a chance "missed", where it keeps the draw
    but gives the opponent an easy one.
    """

    turn: Turn
    chance: float
    outcome: str | None = None
    distance: int | None = None
    line: tuple[str, ...] = ()
    risk: float | None = None
    fault: Fault | None = None


@dataclass
class Analysis:
    """The legal turns, best first, and how deep and how far the search has looked.

    `hasty` says that it was made before all was compiled: the next one will look further.
    """

    turns: list[Valued] = field(default_factory=list)
    depth: int = 0
    nodes: int = 0
    hasty: bool = False


def analyse(
    game: Game,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    lines: int = LINES,
    stop: Stop | None = None,
) -> Analysis:
    """Return what every legal turn is worth: a table's word where there is one, else a search's.

    A finished game has no turns. Without a limit the search takes a second. Of a table's turns the
    best `lines` are followed. A position with very many turns is refused.
    """
    turns = game.turns(MOST_ANALYSED)
    if not turns:
        return Analysis()
    known = dict(probe_turns(game))
    if len(known) == len(turns):
        return Analysis(_judged(_by_table(game, known, lines)))
    if seconds is None and nodes is None:
        seconds = 1.0
    limits = Limits(nodes=nodes, seconds=seconds)
    engine = engine_for(None, game.rules, limits, endings=endings_of(game.rules), stop=stop)
    result = engine.think(game, limits, multipv=True, stop=stop)
    roots = {root.after: root for root in result.turns}
    proved = {turn: known.get(turn) or _value_at_end(game, turn) for turn in turns}
    valued = []
    for turn in turns:
        value = proved[turn]
        if value is not None:
            valued.append(_known(game, turn, value, False))
        else:
            judged = judgement(game.rules, roots[turn.words])
            valued.append(Valued(turn, *judged, (turn.text,)))
    valued.sort(key=lambda v: (_rank(v), -roots[v.turn.words].value))
    for k, one in enumerate(valued[:FOLLOWED]):
        value = proved[one.turn]
        if value is not None:
            valued[k] = _known(game, one.turn, value, True)
        else:
            line = engine.line(roots[one.turn.words], game)[1:]
            valued[k] = replace(one, line=(one.turn.text, *line))
    return Analysis(_judged(valued), result.depth, result.nodes, result.hasty)


def _judged(valued: list[Valued]) -> list[Valued]:
    """Return turns, the best of which is the first, with what is wrong with each."""
    return [replace(one, fault=_fault(valued[0], one)) for one in valued]


def _fault(best: Valued, played: Valued) -> Fault | None:
    """Return what is wrong with a turn: first what it gives away, then what it does not try for."""
    for fault, least in FAULTS.items():
        if best.chance - played.chance >= least:
            return fault
    if best.risk is None or played.risk is None:  # they are not both draws, or nobody has looked
        return None
    return "missed" if best.risk - played.risk >= MISSED else None


def _value_at_end(game: Game, turn: Turn) -> Value | None:
    """Return what a turn that ends the game is worth to its player; most are seen not to."""
    back = game.superko or game.times(turn.words) >= THIRD - 1
    return value_at_end(game, turn) if back or turn.after.over else None


def _by_table(game: Game, known: dict[Turn, Value], lines: int) -> list[Valued]:
    """Return turns with what a table says of them; of drawn ones those first that set a trap."""
    drawn: dict[tuple[int, int, int], list[Turn]] = {}
    for turn, value in known.items():
        if value.outcome == "draw":
            drawn.setdefault(value.rank, []).append(turn)
    risks: dict[Turn, float | None] = {}
    table = find(game.rules)
    if table is not None:
        for alike in drawn.values():
            risks |= {turn: one.risk for turn, one in by_practice(game, table, alike)}
    place = {turn: k for k, turn in enumerate(risks)}
    order = sorted(known, key=lambda turn: (known[turn].rank, place.get(turn, 0)))
    return [
        replace(_known(game, turn, known[turn], k < lines), risk=risks.get(turn))
        for k, turn in enumerate(order)
    ]


def _rank(valued: Valued) -> tuple[float, float]:
    """Return what to sort by, best first: wins, quick ones first; then chances; slow losses."""
    far = 1 << 20 if valued.distance is None else valued.distance
    return -valued.chance, {"win": far, "loss": -far}.get(valued.outcome or "", 0)


def judgement(rules: Rules, root: RootTurn) -> tuple[float, str | None, int | None]:
    """Return the chance to win with a turn, and what is proved of it."""
    if abs(root.value) > LEAST_TABLEBASE_WIN:
        outcome = "win" if root.value > 0 else "loss"
        return CHANCE[outcome], outcome, root.distance
    return chance_of(rules, root.value), None, None


def chance_of(rules: Rules, value: int) -> float:
    """Return the chance to win that an evaluation means, a draw counting half.

    It is rounded, because systems do not agree on the last bit of an exponential.
    """
    return round(1 / (1 + exp(-max(-20.0, min(20.0, value / rules.folder.weights.scale)))), 9)


def _known(game: Game, turn: Turn, value: Value, follow: bool) -> Valued:
    """Return a turn with what a table says of it."""
    distance = value.distance if value.to == "end" else None
    line = line_of(game, turn, value, LINE) if follow else [turn]
    texts = tuple(turn.text for turn in line)
    return Valued(turn, CHANCE[value.outcome], value.outcome, distance, texts)
