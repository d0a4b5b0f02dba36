"""What the page asks of the engine and the tables."""

from typing import Any

from damier.errors import DamierError
from damier.game import Game
from damier.search import Stop
from damier.search.analysis import analyse
from damier.search.levels import LevelPlayer


def choose(game: Game, level: int, seed: int | None, stop: Stop) -> str:
    """Return the turn that a level plays."""
    return LevelPlayer(level, seed).choose(game, stop).text


def analysis_out(game: Game, seconds: float, stop: Stop) -> dict[str, Any]:
    """Return every legal turn with its value, best first."""
    turns = [
        {
            "turn": valued.turn.text,
            "chance": min(1.0, max(0.0, float(valued.chance))),
            "outcome": valued.outcome,
            "distance": valued.distance,
            "line": list(valued.line),
        }
        for valued in analyse(game, seconds=seconds, stop=stop).turns
    ]
    if not turns:
        raise DamierError("over")
    return {**{k: turns[0][k] for k in ("chance", "outcome", "distance")}, "turns": turns}


def probe_out(game: Game) -> dict[str, Any] | None:
    """Return what a table says of a position and its turns, or None if there is no table."""
    from damier.solve import probe_turns, tables

    table = tables.find(game.rules)
    value = table.probe(game.position) if table is not None else None
    if value is None:
        return None
    return {
        "outcome": value.outcome,
        "distance": value.distance,
        "turns": [
            {"turn": turn.text, "outcome": v.outcome, "distance": v.distance}
            for turn, v in probe_turns(game)
        ],
    }
