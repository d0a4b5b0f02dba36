"""Online games as JSON for their readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from damier.i18n import translate
from damier.online import events as e
from damier.online.clock import Clock
from damier.online.events import CorrespondenceClock, LiveClock, Side
from damier.online.models import Json
from damier.online.players import Player
from damier.online.ratings import PROVISIONAL_DEVIATION
from damier.online.reducer import ConditionalLines, OnlineGame
from damier.position import Result, Rules, load_rules
from damier.web.state import describe_state


@lru_cache(maxsize=256)
def is_solved(rules: Rules) -> bool:
    """Return whether a table holds every position of a game: perfect play can be looked up."""
    from damier.errors import DamierError
    from damier.solve import find

    try:
        table = find(rules)
    except DamierError:
        return False
    return table is not None and table.pawns is None


def is_standard(terms: e.GameSetup) -> bool:
    """Return whether a game has the default rules and start; only such games can be rated."""
    return not load_rules(terms.game, **terms.options).changed and terms.start is None


def clock_state(clock: Clock, now: int) -> Json:
    """Return the state of a clock at a given time."""
    settings = clock.settings
    return {
        "kind": settings.kind,
        "minutes": settings.minutes if isinstance(settings, LiveClock) else None,
        "seconds": settings.seconds if isinstance(settings, LiveClock) else None,
        "days": settings.days if isinstance(settings, CorrespondenceClock) else None,
        "w": clock.time_left("w", now),
        "b": clock.time_left("b", now),
        "running": clock.to_move if clock.is_running else None,
        "at": now,
        "deadline": clock.deadline,
    }


class PlayerDirectory:
    """Names and ratings of players, for one game and pace."""

    def __init__(self, players: Mapping[str, Player], ratings_of: Mapping[str, Any]) -> None:
        self.players, self.ratings_of = players, ratings_of

    def seat(self, player: str | None) -> Json | None:
        """Return a player, or None if there is none."""
        if player is None:
            return None
        identity = self.players.get(player)
        if identity is None:
            return _deleted_player(player)
        rating = self.ratings_of.get(player)
        return {
            "id": player,
            "name": identity.name,
            "bot": identity.bot,
            "points": None if rating is None else round(rating.points),
            "provisional": rating is None or rating.deviation > PROVISIONAL_DEVIATION,
        }

    def seats(self, w: str | None, b: str | None) -> Json:
        """Return the players of both sides."""
        return {"w": self.seat(w), "b": self.seat(b)}

    def creator(self, player: str) -> Json:
        """Return the creator of a game."""
        return self.seat(player) or _deleted_player(player)


def _deleted_player(player: str) -> Json:
    """Return a player whose identity was deleted."""
    name = translate("online.deleted-player")
    return {"id": player, "name": name, "bot": False, "points": None, "provisional": True}


def result_view(status: str, winner: Any, reason: str | None, name: str) -> Json | None:
    """Return the result in the current language; None if the game has none."""
    if status != "over":
        return None
    text = Result(winner, reason or "", name).sentence()
    return {"winner": winner, "reason": reason, "text": text}


def game_view(
    game: OnlineGame, directory: PlayerDirectory, now: int, you: Side | None, more: Json
) -> Json:
    """Return a game for a reader; `more` has the fields of the channel: lines and presence."""
    changes = game.rating_changes
    return {
        "id": game.id,
        "version": game.version,
        "game": game.rules.name,
        "options": dict(game.rules.changed),
        "start": game.setup.start,
        "turns": game.moves,
        "spent": list(game.spent),
        "position": str(game.gameplay.position),
        "status": game.status,
        "seats": directory.seats(game.w, game.b),
        "creator": directory.creator(game.creator),
        "colour": game.setup.colour,
        "you": you,
        "to_move": game.to_move,
        "clock": clock_state(game.clock, now),
        "rated": game.setup.rated,
        "open": game.setup.open,
        "solved": is_solved(game.rules),
        "offers": [{"what": what, "by": by} for what, by in game.offers.items()],
        "result": result_view(game.status, game.winner, game.reason, game.rules.name),
        "rematch": game.rematch,
        "hints": {side: len(game.hint_plies.get(side, ())) for side in ("w", "b")},
        "phrases": [phrase.model_dump() for phrase in game.phrases],
        "created": game.created,
        "updated": game.updated,
        "rating_changes": None
        if changes is None
        else {"w": changes.w.model_dump(), "b": changes.b.model_dump()},
        **more,
    }


def game_summary(row: Mapping[str, Any], directory: PlayerDirectory, you: str | None) -> Json:
    """Return a game in a list, from a row of the table `games`."""
    terms = e.GameSetup.model_validate_json(row["terms"])
    rules = load_rules(terms.game, **terms.options)
    your = "w" if you and row["white"] == you else "b" if you and row["black"] == you else None
    return {
        "id": row["id"],
        "game": row["game"],
        "options": dict(rules.changed),
        "clock": terms.clock.model_dump(),
        "colour": terms.colour,
        "rated": row["rated"],
        "solved": is_solved(rules),
        "open": row["open"],
        "seats": directory.seats(row["white"], row["black"]),
        "creator": directory.creator(row["creator"]),
        "status": row["status"],
        "to_move": row["to_move"],
        "your": your,
        "deadline": row["deadline"],
        "turns": row["turns"],
        "position": row["position"],
        "result": result_view(row["status"], row["winner"], row["reason"], row["game"]),
        "created": row["created"],
        "updated": row["updated"],
    }


@dataclass(frozen=True)
class Snapshot:
    """A game after an event, in one language; `state` is the board to display after a move."""

    view: Json
    state: Json | None

    def for_seat(self, you: Side | None, lines: ConditionalLines) -> Json:
        """Return the fields of an event message for a reader."""
        view = {**self.view, "you": you, "lines": [list(line) for line in lines]}
        return {"view": view, "state": self.state}


def snapshots(
    events: Sequence[e.GameEvent],
    states: Sequence[OnlineGame],
    directory: PlayerDirectory,
    now: int,
    presence: Json,
) -> list[Snapshot]:
    """Return the game after each event, in the current language."""
    more = {"lines": [], "presence": presence}
    return [
        Snapshot(
            game_view(game, directory, now, None, more),
            describe_state(game.gameplay) if isinstance(event, e.MovePlayed) else None,
        )
        for event, game in zip(events, states, strict=True)
    ]
