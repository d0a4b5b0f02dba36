"""What the interface of online play gives and takes over HTTP; events and acts are in `events`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from damier.online import events as e
from damier.web.models import Strict


class NameIn(Strict):
    """A player's name."""

    name: Annotated[str, Field(min_length=1, max_length=200)]


class IdentityIn(NameIn):
    """Somebody new."""

    bot: bool = Field(default=False, description="Whether a program plays: others see it.")


class ActIn(Strict):
    """Something that a player does."""

    id: e.ActId = Field(description="Chosen by the client: the same one twice acts once.")
    version: int = Field(ge=0, description="The last version that the client knows.")
    act: e.Act


class TextIn(Strict):
    """An address to be drawn as a QR code."""

    text: Annotated[str, Field(max_length=300)]


class SecretOut(BaseModel):
    """A secret: whoever has it is the player."""

    secret: str


class IdentityOut(SecretOut):
    """A new identity."""

    id: str
    name: str


class RatingOut(BaseModel):
    """How strong a player is at a game."""

    game: str
    pace: Literal["live", "days", "none"]
    points: int
    deviation: int
    provisional: bool
    games: int


class ResultsOut(BaseModel):
    """How a player's games ended."""

    game: str
    won: int
    drawn: int
    lost: int


class PlayerOut(BaseModel):
    """A player, as anybody may see him."""

    id: str
    name: str
    bot: bool
    created: int
    ratings: list[RatingOut]
    results: list[ResultsOut]


class SeatOut(BaseModel):
    """Who sits somewhere."""

    id: str
    name: str
    bot: bool
    points: int | None
    provisional: bool


class SeatsOut(BaseModel):
    """Who plays."""

    w: SeatOut | None
    b: SeatOut | None


class ClockOut(BaseModel):
    """A clock, as it stood at some time of the server's."""

    kind: Literal["none", "live", "days"]
    minutes: float | None
    seconds: int | None
    days: int | None
    w: int | None = Field(description="Milliseconds left to White.")
    b: int | None
    running: e.Side | None = Field(description="Whose time runs; null before his first turn.")
    at: int = Field(description="The server's time when all this held.")
    deadline: int | None


class OfferOut(BaseModel):
    """An offer that stands."""

    what: e.What
    by: e.Side


class EndOut(BaseModel):
    """How a game ended."""

    winner: e.Side | None
    reason: str
    text: str


class PresenceOut(BaseModel):
    """Who is there."""

    w: bool
    b: bool
    watchers: int


class GameOut(BaseModel):
    """A game as it stands, for one of its readers."""

    id: str
    version: int
    game: str
    options: dict[str, str]
    start: str | None
    turns: list[str]
    spent: list[int] = Field(description="What each turn cost, in milliseconds.")
    position: str
    status: Literal["waiting", "playing", "over", "aborted"]
    seats: SeatsOut
    creator: SeatOut
    colour: Literal["w", "b", "lot"]
    you: e.Side | None
    to_move: e.Side | None
    clock: ClockOut
    rated: bool
    open: bool
    solved: bool
    offers: list[OfferOut]
    result: EndOut | None
    rematch: str | None
    phrases: list[e.Said]
    lines: list[list[str]] = Field(description="What you have planned; nobody else sees it.")
    presence: PresenceOut
    created: int
    updated: int
    rating_changes: dict[e.Side, e.Change] | None


class BriefOut(BaseModel):
    """A game in a list."""

    id: str
    game: str
    options: dict[str, str]
    clock: e.ClockIn
    colour: Literal["w", "b", "lot"]
    rated: bool
    solved: bool
    open: bool
    seats: SeatsOut
    creator: SeatOut
    status: Literal["waiting", "playing", "over", "aborted"]
    to_move: e.Side | None
    your: e.Side | None
    deadline: int | None
    turns: int
    position: str
    result: EndOut | None
    created: int
    updated: int


class GamesOut(BaseModel):
    """Some games; `before` asks for the next ones."""

    games: list[BriefOut]
    before: int | None = None


class LobbyOut(BaseModel):
    """Games that wait for somebody."""

    entries: list[BriefOut]


class EventsOut(BaseModel):
    """What happened at a table."""

    events: list[e.Event]


class DoneOut(BaseModel):
    """Written, hence acknowledged."""

    version: int


class RecordOut(BaseModel):
    """A game as text."""

    text: str


class SvgOut(BaseModel):
    """A picture."""

    svg: str


Json = dict[str, Any]
