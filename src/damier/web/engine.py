"""What the page asks of the engine and the tables."""

from typing import Any

from damier.errors import DamierError
from damier.history import Game
from damier.position import Turn
from damier.position import game as rules
from damier.search import Stop
from damier.search.analysis import Valued, analyse
from damier.search.levels import LevelPlayer, level_of
from damier.solve import Value, probe, probe_turns, value
from damier.web.state import actions_out

Out = dict[str, Any]

_FOLLOWED = 3  # turns of a line after its first whose steps are told


def choose(game: Game, level: int, seed: int | None, stop: Stop | None) -> tuple[Turn, bool]:
    """Return the turn that a level plays, and whether it was chosen in haste.

    A level that always plays the same is not cut short: a search that had to stop is no answer.
    """
    player = LevelPlayer(level, seed)
    turn = player.choose(game, stop)
    if stop is not None and stop.is_set() and level_of(game.rules, level).seconds is None:
        raise DamierError("too-much")
    return turn, player.looked.hasty


def analysis_out(game: Game, seconds: float | None, nodes: int | None, stop: Stop | None) -> Out:
    """Return every legal turn with its value, best first."""
    found = analyse(game, seconds=seconds, nodes=nodes, stop=stop)
    turns = [
        {
            "turn": valued.turn.text,
            "chance": min(1.0, max(0.0, float(valued.chance))),
            "outcome": valued.outcome,
            "distance": valued.distance,
            "risk": valued.risk,
            "fault": valued.fault,
            "line": list(valued.line),
            "steps": actions_out(game.position, valued.turn.steps),
            "then": _line_out(valued),
        }
        for valued in found.turns
    ]
    if not turns:
        raise DamierError("over")
    best = {k: turns[0][k] for k in ("chance", "outcome", "distance", "risk")}
    return {**best, "hasty": found.hasty, "turns": turns}


def _line_out(valued: Valued) -> list[list[dict[str, Any]]]:
    """Return what the turns do that follow one in its line."""
    position, found = valued.turn.after, []
    for text in valued.line[1 : 1 + _FOLLOWED]:
        turn = position.turn(text)
        found.append(actions_out(position, turn.steps))
        position = turn.after
    return found


def probe_out(game: Game) -> dict[str, Any] | None:
    """Return what a table says of a game and its turns, or None if there is no table."""
    valued = probe_turns(game)
    worth = value(game, valued)
    if worth is None:
        return None
    turns = [{**_value_out(v), "turn": turn.text} for turn, v in valued]
    return {**_value_out(worth), "turns": turns}


def worth_out(name: str) -> dict[str, Any] | None:
    """Return what a game is worth from its start under perfect play, where a table knows."""
    try:
        worth = probe(rules(name).start())
    except DamierError:  # a table that was changed in use: the page does without
        worth = None
    return None if worth is None else _value_out(worth)


def _value_out(worth: Value) -> dict[str, Any]:
    return {"outcome": worth.outcome, "distance": worth.distance, "to": worth.to}
