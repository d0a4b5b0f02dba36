"""Analysis of a position: the value of every legal move, proved or estimated."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import exp
from typing import Literal

from damier.gameplay import MAX_OCCURRENCES, Game
from damier.position import Move, Rules
from damier.search.alphabeta import MIN_TABLEBASE_WIN
from damier.search.engine import engine_for
from damier.search.limits import Limits, Stop
from damier.search.root import MAX_ANALYSED, RootMove
from damier.search.tablebase import endings_of
from damier.solve import Value, confirmed_value, find, probe_moves, value_at_end
from damier.solve.tables.draw_ranking import rank_drawn_moves
from damier.solve.tables.lines import line_of

# Number of moves whose line of best play is computed, with a table and without one (lines take
# time), and the length of a line in moves.
LINES, MAX_SEARCHED_LINES, LINE_LENGTH = 10, 100, 12
CHANCE = {"win": 1.0, "draw": 0.5, "loss": 0.0}

Fault = Literal["blunder", "mistake", "inaccuracy", "missed"]
# Least loss of winning chance for each fault.
FAULTS: dict[Fault, float] = {"blunder": 0.35, "mistake": 0.18, "inaccuracy": 0.09}
# A drawn move is "missed" if the best drawn move has a risk that is greater by at least this.
MISSED = 1 / 3


@dataclass(frozen=True)
class MoveValue:
    """Value of a move for the player who makes it.

    `chance` is the winning chance from 0 to 1, a draw counting half. `outcome` ("win", "draw" or
    "loss") and `distance`, in moves, are given if a table or the search has proved them. `risk` is
    the share of the opponent's replies that lose, for a move that a table calls drawn: the greater,
    the more difficult the draw for the opponent. `fault` classifies the move compared with the best
    one: a "blunder", a "mistake", an "inaccuracy", or "missed" if it keeps the draw but makes it
    easy for the opponent. `bound` is True where the rules forbid repetition and the table proves
    nothing: no forced win is known, and `chance` is estimated by the search.
    """

    move: Move
    chance: float
    outcome: str | None = None
    distance: int | None = None
    line: tuple[str, ...] = ()
    risk: float | None = None
    fault: Fault | None = None
    bound: bool = False


@dataclass
class Analysis:
    """Legal moves, best first, with the depth and nodes of the search.

    `hasty` is True if not all kernels were compiled yet; the next analysis will be deeper.
    """

    moves: list[MoveValue] = field(default_factory=list)
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
    """Return the value of every legal move, from a table if there is one, else from a search.

    Where the rules forbid repetition, the search values the moves that the table does not decide.
    A finished game has no moves. Without a limit the search takes one second. With a table, lines
    of best play are given for the best `lines` moves. A position with more than MAX_ANALYSED moves
    raises DamierError.
    """
    moves = game.legal_moves(MAX_ANALYSED)
    if not moves:
        return Analysis()
    known = {move: value for move, value in probe_moves(game) if not value.bound}
    if len(known) == len(moves):
        return Analysis(_with_faults(_by_table(game, known, lines)))
    if seconds is None and nodes is None:
        seconds = 1.0
    limits = Limits(nodes=nodes, seconds=seconds)
    engine = engine_for(None, game.rules, limits, endings=endings_of(game.rules), stop=stop)
    result = engine.think(game, limits, multipv=True, stop=stop)
    roots = {root.after: root for root in result.moves}
    proved = {move: known.get(move) or _value_at_end(game, move) for move in moves}
    valued = []
    for move in moves:
        value = proved[move]
        if value is not None:
            valued.append(_from_table(game, move, value, False))
        else:
            valued.append(_value_by_search(game, move, roots[move.words]))
    valued.sort(key=lambda v: (_rank(v), -roots[v.move.words].value))
    for k, move_value in enumerate(valued[:MAX_SEARCHED_LINES]):
        value = proved[move_value.move]
        if value is not None:
            valued[k] = _from_table(game, move_value.move, value, True)
        else:
            line = engine.line(roots[move_value.move.words], game)[1:]
            valued[k] = replace(move_value, line=(move_value.move.text, *line))
    return Analysis(_with_faults(valued), result.depth, result.nodes, result.hasty)


def _value_by_search(game: Game, move: Move, root: RootMove) -> MoveValue:
    """Return a move with the value of a search; under superko a win needs a separate proof."""
    chance, outcome, distance = judgement(game.rules, root)
    if outcome is not None and game.superko:
        value = confirmed_value(game, move)
        if value is not None:
            return _from_table(game, move, value, False)
        outcome = distance = None
    bound = game.superko and outcome is None
    return MoveValue(move, chance, outcome, distance, (move.text,), bound=bound)


def _with_faults(valued: list[MoveValue]) -> list[MoveValue]:
    """Return moves, sorted best first, with their faults."""
    return [replace(value, fault=_fault(valued[0], value)) for value in valued]


def _fault(best: MoveValue, played: MoveValue) -> Fault | None:
    """Return the fault of a move: first for lost winning chance, then for a missed trap."""
    for fault, least in FAULTS.items():
        if best.chance - played.chance >= least:
            return fault
    if best.risk is None or played.risk is None:  # not both drawn, or the risk is unknown
        return None
    return "missed" if best.risk - played.risk >= MISSED else None


def _value_at_end(game: Game, move: Move) -> Value | None:
    """Return the value of a move that ends the game, else None; most moves need no full check."""
    may_repeat = game.superko or game.times(move.words) >= MAX_OCCURRENCES - 1
    return value_at_end(game, move) if may_repeat or move.after.over else None


def _by_table(game: Game, known: dict[Move, Value], lines: int) -> list[MoveValue]:
    """Return moves with their table values; among drawn moves those with most risk come first."""
    drawn: dict[tuple[int, int, int], list[Move]] = {}
    for move, value in known.items():
        if value.outcome == "draw":
            drawn.setdefault(value.rank, []).append(move)
    risks: dict[Move, float | None] = {}
    table = find(game.rules)
    if table is not None:
        for equal in drawn.values():
            risks |= {
                move: difficulty.risk for move, difficulty in rank_drawn_moves(game, table, equal)
            }
    risk_order = {move: k for k, move in enumerate(risks)}
    order = sorted(known, key=lambda move: (known[move].rank, risk_order.get(move, 0)))
    return [
        replace(_from_table(game, move, known[move], k < lines), risk=risks.get(move))
        for k, move in enumerate(order)
    ]


def _rank(valued: MoveValue) -> tuple[float, float]:
    """Return the sort key: by winning chance, quick wins and slow losses first."""
    distance = 1 << 20 if valued.distance is None else valued.distance
    return -valued.chance, {"win": distance, "loss": -distance}.get(valued.outcome or "", 0)


def judgement(rules: Rules, root: RootMove) -> tuple[float, str | None, int | None]:
    """Return the winning chance of a move, and the proved outcome and distance if any."""
    if abs(root.value) > MIN_TABLEBASE_WIN:
        outcome = "win" if root.value > 0 else "loss"
        return CHANCE[outcome], outcome, root.distance
    return chance_of(rules, root.value), None, None


def chance_of(rules: Rules, value: int) -> float:
    """Return the winning chance for an evaluation, a draw counting half.

    It is rounded, because the last bit of an exponential differs between systems.
    """
    return round(1 / (1 + exp(-max(-20.0, min(20.0, value / rules.folder.weights.scale)))), 9)


def _from_table(game: Game, move: Move, value: Value, follow: bool) -> MoveValue:
    """Return a move with its table value; with `follow` also a line of best play."""
    distance = value.distance if value.to == "end" else None
    line = line_of(game, move, value, LINE_LENGTH) if follow else [move]
    texts = tuple(move.text for move in line)
    return MoveValue(move, CHANCE[value.outcome], value.outcome, distance, texts)
