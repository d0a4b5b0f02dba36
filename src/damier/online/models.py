"""Request and response models of the online HTTP interface; see `events` for events and actions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from damier.online import events as e
from damier.web.models import StrictModel


class RenameRequest(StrictModel):
    """A new name for a player."""

    name: Annotated[str, Field(min_length=1, max_length=200)]


class IdentityRequest(RenameRequest):
    """A new player."""

    bot: bool = Field(default=False, description="Whether a program plays; shown to other players.")


class ActionRequest(StrictModel):
    """An action of a player."""

    id: e.ActionId = Field(
        description="Chosen by the client; an action with the same id is executed once."
    )
    version: e.Version = Field(description="The last version that the client knows.")
    act: e.PlayerAction


class QrCodeRequest(StrictModel):
    """A URL to draw as a QR code."""

    text: Annotated[str, Field(max_length=300)]


class SecretResponse(BaseModel):
    """A secret, which authenticates the player."""

    secret: str


class IdentityResponse(SecretResponse):
    """A new identity."""

    id: str
    name: str


class PlayerRating(BaseModel):
    """The rating of a player at a game and pace."""

    game: str
    pace: Literal["live", "days", "none"]
    points: int
    deviation: int
    provisional: bool
    games: int


class PlayerResults(BaseModel):
    """The results of a player at a game."""

    game: str
    won: int
    drawn: int
    lost: int


class PlayerProfile(BaseModel):
    """The public profile of a player."""

    id: str
    name: str
    bot: bool
    created: int
    ratings: list[PlayerRating]
    results: list[PlayerResults]


class ExportedAddress(BaseModel):
    """The hash of an address, without the hash."""

    until: int = Field(description="When it is deleted.")


class ExportedGame(BaseModel):
    """A game of an identity, with all its events."""

    id: str
    side: e.Side | None
    events: list[e.GameEvent]
    lines: list[list[str]] = Field(description="The conditional moves of the identity.")


class IdentityExport(BaseModel):
    """Everything that is stored about an identity, without hashes."""

    player: PlayerProfile
    addresses: list[ExportedAddress]
    games: list[ExportedGame]


class SeatedPlayer(BaseModel):
    """A player at a game."""

    id: str
    name: str
    bot: bool
    points: int | None
    provisional: bool


class Seats(BaseModel):
    """The players of a game by side."""

    w: SeatedPlayer | None
    b: SeatedPlayer | None


class ClockState(BaseModel):
    """The state of a clock at a server time."""

    kind: Literal["none", "live", "days"]
    minutes: float | None
    seconds: int | None
    days: int | None
    w: int | None = Field(description="Milliseconds left to White.")
    b: int | None
    running: e.Side | None = Field(
        description="The side whose time runs; null before its first move."
    )
    at: int = Field(description="The server time of this state.")
    deadline: int | None


class PendingOffer(BaseModel):
    """An offer that was neither accepted nor declined."""

    what: e.OfferKind
    by: e.Side


class OnlineResult(BaseModel):
    """The result of an online game."""

    winner: e.Side | None
    reason: str
    text: str


class GamePresence(BaseModel):
    """Which players are connected, and how many watchers."""

    w: bool
    b: bool
    watchers: int


class GameView(BaseModel):
    """The current state of a game as one reader sees it."""

    id: str
    version: int
    game: str
    options: dict[str, str]
    start: str | None
    turns: list[str]
    spent: list[int] = Field(description="Cost of each move in milliseconds.")
    position: str
    status: Literal["waiting", "playing", "over", "aborted"]
    seats: Seats
    creator: SeatedPlayer
    colour: Literal["w", "b", "lot"]
    you: e.Side | None
    to_move: e.Side | None
    clock: ClockState
    rated: bool
    open: bool
    solved: bool
    offers: list[PendingOffer]
    result: OnlineResult | None
    rematch: str | None
    phrases: list[e.PhraseSent]
    lines: list[list[str]] = Field(description="The reader's conditional moves.")
    hints: dict[e.Side, int] = Field(
        description="For how many positions each side has asked this server for help."
    )
    presence: GamePresence
    created: int
    updated: int
    rating_changes: dict[e.Side, e.RatingChange] | None


class GameSummary(BaseModel):
    """A game in a list."""

    id: str
    game: str
    options: dict[str, str]
    clock: e.ClockSettings
    colour: Literal["w", "b", "lot"]
    rated: bool
    solved: bool
    open: bool
    seats: Seats
    creator: SeatedPlayer
    status: Literal["waiting", "playing", "over", "aborted"]
    to_move: e.Side | None
    your: e.Side | None
    deadline: int | None
    turns: int
    position: str
    result: OnlineResult | None
    created: int
    updated: int


class GameListResponse(BaseModel):
    """A page of games; pass `before` to get the next page."""

    games: list[GameSummary]
    before: int | None = None


class LobbyResponse(BaseModel):
    """Games that wait for an opponent."""

    entries: list[GameSummary]


class EventsResponse(BaseModel):
    """Events of a game."""

    events: list[e.GameEvent]
    more: bool = Field(description="Whether there are later events: ask again with `since`.")


class ActionResponse(BaseModel):
    """The version that a stored action led to."""

    version: int


class GameRecordResponse(BaseModel):
    """A game record as text."""

    text: str


class QrCodeResponse(BaseModel):
    """A QR code as SVG."""

    svg: str


Json = dict[str, Any]
