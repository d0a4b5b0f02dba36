"""What the page asks of the engine and the tables."""

from typing import Any

from damier.errors import DamierError
from damier.history import Game
from damier.position import game as rules
from damier.search import Stop
from damier.search.analysis import Valued, analyse
from damier.search.levels import LevelPlayer
from damier.solve import Value, probe, probe_turns, value
from damier.web.state import actions_out

_FOLLOWED = 3  # turns of a line after its first whose steps are told


def choose(game: Game, level: int, seed: int | None, stop: Stop | None) -> str:
    """Return the turn that a level plays."""
    return LevelPlayer(level, seed).choose(game, stop).text


def analysis_out(game: Game, seconds: float, stop: Stop | None) -> dict[str, Any]:
    """Return every legal turn with its value, best first."""
    turns = [
        {
            "turn": valued.turn.text,
            "chance": min(1.0, max(0.0, float(valued.chance))),
            "outcome": valued.outcome,
            "distance": valued.distance,
            "line": list(valued.line),
            "steps": actions_out(game.position, valued.turn.steps),
            "then": _line_out(valued),
        }
        for valued in analyse(game, seconds=seconds, stop=stop).turns
    ]
    if not turns:
        raise DamierError("over")
    return {**{k: turns[0][k] for k in ("chance", "outcome", "distance")}, "turns": turns}


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
    worth = probe(rules(name).start())
    return None if worth is None else _value_out(worth)


def _value_out(worth: Value) -> dict[str, Any]:
    return {"outcome": worth.outcome, "distance": worth.distance, "to": worth.to}
