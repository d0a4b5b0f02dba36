"""A table as its readers see it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from damier.online import events as e
from damier.online.clock import Clock
from damier.online.events import DaysClock, LiveClock, Side
from damier.online.models import Json
from damier.online.players import Player
from damier.online.strength import PROVISIONAL
from damier.online.table import Table
from damier.position import Result, Rules, game


@lru_cache(maxsize=256)
def solved(rules: Rules) -> bool:
    """Tell whether a table holds every position of a game: perfect play can be looked up."""
    from damier.errors import DamierError
    from damier.solve import find

    try:
        table = find(rules)
    except DamierError:
        return False
    return table is not None and table.pawns is None


def standard(terms: e.Terms) -> bool:
    """Tell whether a game has the usual rules and start: only such games are rated."""
    return not game(terms.game, **terms.options).changed and terms.start is None


def clock_out(clock: Clock, now: int) -> Json:
    """Return a clock as it stands at some time."""
    settings = clock.settings
    return {
        "kind": settings.kind,
        "minutes": settings.minutes if isinstance(settings, LiveClock) else None,
        "seconds": settings.seconds if isinstance(settings, LiveClock) else None,
        "days": settings.days if isinstance(settings, DaysClock) else None,
        "w": clock.left("w", now),
        "b": clock.left("b", now),
        "running": clock.moving if clock.counts else None,
        "at": now,
        "deadline": clock.deadline,
    }


class Cast:
    """Who plays, with their names and ratings for the game at hand."""

    def __init__(self, players: Mapping[str, Player], strengths: Mapping[str, Any]) -> None:
        self.players, self.strengths = players, strengths

    def seat(self, player: str | None) -> Json | None:
        """Return who sits somewhere."""
        known = self.players.get(player or "")
        if player is None or known is None:
            return None
        strength = self.strengths.get(player)
        return {
            "id": player,
            "name": known.name,
            "bot": known.bot,
            "points": None if strength is None else round(strength.points),
            "provisional": strength is None or strength.deviation > PROVISIONAL,
        }

    def seats(self, w: str | None, b: str | None) -> Json:
        """Return who sits where."""
        return {"w": self.seat(w), "b": self.seat(b)}

    def creator(self, player: str) -> Json:
        """Return who has set up a table, who may be known no more."""
        return self.seat(player) or {
            "id": player, "name": "?", "bot": False, "points": None, "provisional": True,
        }  # fmt: skip


def result_out(status: str, winner: Any, reason: str | None, name: str) -> Json | None:
    """Return how a game ended, in the language in use."""
    if status != "over":
        return None
    text = Result(winner, reason or "", name).sentence()
    return {"winner": winner, "reason": reason, "text": text}


def game_out(table: Table, cast: Cast, now: int, you: Side | None, more: Json) -> Json:
    """Return a game for a reader; `more` is what the table does not know: lines, presence."""
    rated = table.rated
    return {
        "id": table.id,
        "version": table.version,
        "game": table.rules.name,
        "options": dict(table.rules.changed),
        "start": table.terms.start,
        "turns": table.turns,
        "spent": list(table.spent),
        "position": str(table.play.position),
        "status": table.status,
        "seats": cast.seats(table.w, table.b),
        "creator": cast.creator(table.creator),
        "colour": table.terms.colour,
        "you": you,
        "to_move": table.to_move,
        "clock": clock_out(table.clock, now),
        "rated": table.terms.rated,
        "open": table.terms.open,
        "solved": solved(table.rules),
        "offers": [{"what": what, "by": by} for what, by in table.offers.items()],
        "result": result_out(table.status, table.winner, table.reason, table.rules.name),
        "rematch": table.rematch,
        "phrases": [said.model_dump() for said in table.phrases],
        "created": table.created,
        "updated": table.updated,
        "rating_changes": None
        if rated is None
        else {"w": rated.w.model_dump(), "b": rated.b.model_dump()},
        **more,
    }


def brief_out(row: Any, cast: Cast, you: str | None) -> Json:
    """Return a game in a list, from what is kept of it for such lists."""
    terms = e.Terms.model_validate_json(row.terms)
    rules = game(terms.game, **terms.options)
    your = "w" if you and row.white == you else "b" if you and row.black == you else None
    return {
        "id": row.id,
        "game": row.game,
        "options": dict(rules.changed),
        "clock": terms.clock.model_dump(),
        "colour": terms.colour,
        "rated": row.rated,
        "solved": solved(rules),
        "open": row.open,
        "seats": cast.seats(row.white, row.black),
        "creator": cast.creator(row.creator),
        "status": row.status,
        "to_move": row.to_move,
        "your": your,
        "deadline": row.deadline,
        "turns": row.turns,
        "position": row.position,
        "result": result_out(row.status, row.winner, row.reason, row.game),
        "created": row.created,
        "updated": row.updated,
    }
