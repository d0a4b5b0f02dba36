"""What is said over a WebSocket: JSON texts, each with its `type`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter
from pydantic.json_schema import models_json_schema

from damier.online import events as e
from damier.online import models as m
from damier.web.models import Strict


class Hello(Strict):
    """The first message, always: who speaks; without a secret, somebody who watches."""

    type: Literal["hello"]
    secret: Annotated[str, Field(max_length=64)] | None = None
    language: Annotated[str, Field(max_length=10)] = "en"


class Follow(Strict):
    """Hear of everything that happens at a table, after what is known already."""

    type: Literal["follow"]
    game: e.GameId
    version: Annotated[int, Field(ge=0)] | None = None


class Leave(Strict):
    """Hear of a table no more."""

    type: Literal["leave"]
    game: e.GameId


class Lobby(Strict):
    """Hear of the lobby, or no more."""

    type: Literal["lobby"]
    on: bool


class Do(Strict):
    """Do something at a table."""

    type: Literal["act"]
    game: e.GameId
    id: e.ActId
    version: int = Field(ge=0)
    act: e.Act


class Ping(Strict):
    """Ask for the server's time."""

    type: Literal["ping"]
    sent: Annotated[float, Field(allow_inf_nan=False)]


Message = Annotated[Hello | Follow | Leave | Lobby | Do | Ping, Field(discriminator="type")]
MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)


class Welcome(BaseModel):
    """The answer to `hello`."""

    type: Literal["welcome"]
    player: m.PlayerOut | None
    now: int


class GameTold(BaseModel):
    """A whole game: after `follow`, and when seats or many turns have changed."""

    type: Literal["game"]
    game: m.GameOut


class EventTold(BaseModel):
    """Something happened at a table that is followed."""

    type: Literal["event"]
    game: str
    event: e.Event
    clock: m.ClockOut
    to_move: e.Side | None


class Done(BaseModel):
    """An act is written, hence acknowledged."""

    type: Literal["done"]
    id: str
    version: int


class Refused(BaseModel):
    """An act, or whatever it was, is refused; `error` is what HTTP would answer."""

    type: Literal["refused"]
    id: str | None
    game: str | None
    error: dict[str, Any]


class Presence(BaseModel):
    """Who is at a table that is followed."""

    type: Literal["presence"]
    game: str
    w: bool
    b: bool
    watchers: int


class LobbyTold(BaseModel):
    """The tables that wait for anybody."""

    type: Literal["lobby"]
    entries: list[m.BriefOut]


class Mine(BaseModel):
    """A game of yours that you do not follow has gone on."""

    type: Literal["mine"]
    game: m.BriefOut


class Pong(BaseModel):
    """The server's time."""

    type: Literal["pong"]
    sent: float
    now: int


class Bye(BaseModel):
    """The server is about to close the connection."""

    type: Literal["bye"]
    reason: Literal["restart", "limit", "slow", "junk", "hello", "full", "secret", "closed"]


ANSWERS: tuple[type[BaseModel], ...] = (
    Welcome, GameTold, EventTold, Done, Refused, Presence, LobbyTold, Mine, Pong, Bye,
)  # fmt: skip


def schema() -> dict[str, Any]:
    """Return the JSON schema of every message, event and act."""
    said: dict[str, Any] = MESSAGE.json_schema(ref_template="#/$defs/{model}")
    _, told = models_json_schema(
        [(model, "serialization") for model in ANSWERS], ref_template="#/$defs/{model}"
    )
    names = [{"$ref": f"#/$defs/{model.__name__}"} for model in ANSWERS]
    defs = {**told.get("$defs", {}), **said.pop("$defs", {})}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "damier online",
        "properties": {"client": said, "server": {"oneOf": names}},
        "$defs": defs,
    }
