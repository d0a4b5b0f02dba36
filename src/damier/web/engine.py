"""Descriptions of engine moves, analyses and table values in JSON."""

from collections.abc import Sequence
from typing import Any

from damier.errors import DamierError
from damier.gameplay import Game
from damier.position import Move, Rules, load_rules
from damier.search import Stop
from damier.search.analysis import MoveValue, analyse
from damier.search.levels import LevelPlayer, level_of
from damier.solve import Value, find, probe, probe_moves, value
from damier.web.responses import Body, error_response
from damier.web.state import describe_actions

_MAX_LINE_MOVES = 3  # moves after the first of a line whose steps are described
_MAX_BATCH_MOVES = 50  # described for each of many positions


def choose_engine_move(
    game: Game, level: int, seed: int | None, stop: Stop | None
) -> tuple[Move, bool]:
    """Return the move of a level, and whether it was chosen before the search was compiled.

    Raises DamierError if the search of a reproducible level had to stop early: its move would
    depend on the time.
    """
    player = LevelPlayer(level, seed)
    move = player.choose(game, stop)
    if stop is not None and stop.is_set() and level_of(game.rules, level).seconds is None:
        raise DamierError("too-much")
    return move, player.search_stats.hasty


def describe_analysis(
    game: Game, seconds: float | None, nodes: int | None, stop: Stop | None
) -> Body:
    """Return every legal move with its value, best first."""
    analysis = analyse(game, seconds=seconds, nodes=nodes, stop=stop)
    moves = [
        {
            "turn": valued.move.text,
            "chance": min(1.0, max(0.0, float(valued.chance))),
            "outcome": valued.outcome,
            "distance": valued.distance,
            "bound": valued.bound,
            "risk": valued.risk,
            "fault": valued.fault,
            "line": list(valued.line),
            "steps": describe_actions(game.position, valued.move.steps),
            "then": _describe_next_moves(valued),
        }
        for valued in analysis.moves
    ]
    if not moves:
        raise DamierError("over")
    best = {k: moves[0][k] for k in ("chance", "outcome", "distance", "bound", "risk")}
    return {**best, "hasty": analysis.hasty, "turns": moves}


def _describe_next_moves(valued: MoveValue) -> list[list[dict[str, Any]]]:
    """Return the steps of the moves that follow a move in its line."""
    position, moves = valued.move.after, []
    for text in valued.line[1 : 1 + _MAX_LINE_MOVES]:
        move = position.parse_move(text)
        moves.append(describe_actions(position, move.steps))
        position = move.after
    return moves


def describe_probe(game: Game) -> dict[str, Any] | None:
    """Return the values of a position and its moves in a table, or None if there is no table."""
    valued = probe_moves(game)
    position_value = value(game, valued)
    if position_value is None:
        return None
    moves = [{**_describe_value(v), "turn": move.text} for move, v in valued]
    return {**_describe_value(position_value), "turns": moves}


def describe_probes(
    rules: Rules, texts: Sequence[str], max_moves: int, stop: Stop | None
) -> list[Body]:
    """Return the values of each position and of its best moves in a table, or its error.

    Positions left when `stop` is set, and those with more than `max_moves` moves, have an error.
    Raise DamierError if there is no table, or if it is changed meanwhile.
    """
    if find(rules) is None:
        raise DamierError("no-table")
    answers = []
    for text in texts:
        try:
            if stop is not None and stop.is_set():
                raise DamierError("too-much")
            answers.append(_describe_probed_position(Game(rules.position(text)), max_moves))
        except DamierError as error:
            status, answer = error_response(error)
            if status >= 500:
                raise
            answers.append(answer)
    return answers


def _describe_probed_position(game: Game, max_moves: int) -> Body:
    """Return the values of one of many positions; raise DamierError if there are none."""
    if game.over:
        raise DamierError("over")
    game.position.legal_moves(limit=max_moves)
    values = describe_probe(game)
    if values is None:
        raise DamierError("no-table")
    moves = values["turns"]
    return {**values, "turns": moves[:_MAX_BATCH_MOVES], "total": len(moves)}


def describe_start_value(name: str) -> dict[str, Any] | None:
    """Return the value of a game's start under perfect play, or None if there is no table."""
    try:
        position_value = probe(load_rules(name).start())
    except DamierError:  # the table file was changed while in use
        position_value = None
    return None if position_value is None else _describe_value(position_value)


def _describe_value(position_value: Value) -> dict[str, Any]:
    return {
        "outcome": position_value.outcome,
        "distance": position_value.distance,
        "to": position_value.to,
        "bound": position_value.bound,
    }
