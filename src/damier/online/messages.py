"""WebSocket messages: JSON objects, distinguished by `type`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter
from pydantic.json_schema import models_json_schema

from damier.online import events as e
from damier.online import models as m
from damier.web.models import ErrorDescription, StateResponse, StrictModel


class HelloMessage(StrictModel):
    """The first message: authenticates the player; without a secret the client only watches."""

    type: Literal["hello"]
    secret: Annotated[str, Field(max_length=64)] | None = None
    language: Annotated[str, Field(max_length=10)] = "en"


class FollowMessage(StrictModel):
    """Subscribe to the events of a game after `version`."""

    type: Literal["follow"]
    game: e.GameId
    version: e.Version | None = None


class UnfollowMessage(StrictModel):
    """Unsubscribe from a game."""

    type: Literal["leave"]
    game: e.GameId


class LobbySubscription(StrictModel):
    """Subscribe to the lobby, or unsubscribe."""

    type: Literal["lobby"]
    on: bool


class ActionMessage(StrictModel):
    """Perform an action in a game."""

    type: Literal["act"]
    game: e.GameId
    id: e.ActionId
    version: e.Version
    act: e.PlayerAction


class PingMessage(StrictModel):
    """Ask for the server time."""

    type: Literal["ping"]
    sent: Annotated[float, Field(ge=-e.MAX_TIME, le=e.MAX_TIME)]


ClientMessage = Annotated[
    HelloMessage
    | FollowMessage
    | UnfollowMessage
    | LobbySubscription
    | ActionMessage
    | PingMessage,
    Field(discriminator="type"),
]
CLIENT_MESSAGE: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)


class WelcomeMessage(BaseModel):
    """The answer to `hello`."""

    type: Literal["welcome"]
    player: m.PlayerProfile | None
    now: int


class GameMessage(BaseModel):
    """A complete game: after `follow`, when a player has joined, and when moves are taken back."""

    type: Literal["game"]
    game: m.GameView


class EventMessage(BaseModel):
    """An event of a followed game."""

    type: Literal["event"]
    game: str
    event: e.GameEvent
    clock: m.ClockState
    to_move: e.Side | None
    view: m.GameView | None = Field(
        description="The game after the event; null if a later event of a replay carries it, or if "
        "it could not be read: the client then follows the game again."
    )
    state: StateResponse | None = Field(
        description="After a move, the board to display, as `POST /api/v1/state` returns it."
    )


class AcknowledgeMessage(BaseModel):
    """An action was stored."""

    type: Literal["done"]
    id: str
    version: int


class ErrorMessage(BaseModel):
    """A message was refused; `error` is the same as over HTTP."""

    type: Literal["refused"]
    id: str | None
    game: str | None
    error: ErrorDescription


class PresenceMessage(BaseModel):
    """Presence at a followed game."""

    type: Literal["presence"]
    game: str
    w: bool
    b: bool
    watchers: int


class LobbyMessage(BaseModel):
    """The games in the lobby."""

    type: Literal["lobby"]
    entries: list[m.GameSummary]


class OwnGameMessage(BaseModel):
    """One of the player's games, not followed by this client, has changed."""

    type: Literal["mine"]
    game: m.GameSummary


class PongMessage(BaseModel):
    """The server time."""

    type: Literal["pong"]
    sent: float
    now: int


class CloseMessage(BaseModel):
    """The server is about to close the connection."""

    type: Literal["bye"]
    reason: Literal["restart", "limit", "slow", "junk", "hello", "full", "secret", "closed"]


SERVER_MESSAGES: tuple[type[BaseModel], ...] = (
    WelcomeMessage,
    GameMessage,
    EventMessage,
    AcknowledgeMessage,
    ErrorMessage,
    PresenceMessage,
    LobbyMessage,
    OwnGameMessage,
    PongMessage,
    CloseMessage,
)


def schema() -> dict[str, Any]:
    """Return the JSON schema of every message, event and action."""
    client: dict[str, Any] = CLIENT_MESSAGE.json_schema(ref_template="#/$defs/{model}")
    _, server = models_json_schema(
        [(model, "serialization") for model in SERVER_MESSAGES], ref_template="#/$defs/{model}"
    )
    references = [{"$ref": f"#/$defs/{model.__name__}"} for model in SERVER_MESSAGES]
    defs = {**server.get("$defs", {}), **client.pop("$defs", {})}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "damier online",
        "properties": {"client": client, "server": {"oneOf": references}},
        "$defs": defs,
    }
