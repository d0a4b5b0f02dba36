"""Models of the events of a game and of the actions of its players.

Only events are stored: a game is the list of its events, numbered from 1.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from damier.web.models import MAX_MOVES, MoveText, Name, StrictModel

Side = Literal["w", "b"]
OfferKind = Literal["draw", "takeback", "rematch"]
Phrase = Literal["hello", "luck", "thanks", "well-played", "sorry", "wait", "oops", "bye"]

MAX_CONDITIONAL_LINES = 20
MAX_LINE_MOVES = 16
GameId = Annotated[str, Field(min_length=1, max_length=24, pattern=r"^[A-Za-z0-9_-]+$")]
PlayerId = Annotated[str, Field(min_length=1, max_length=24, pattern=r"^[A-Za-z0-9_-]+$")]
ActionId = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[ -~]+$")]
DELETED_PLAYER = "deleted"  # stands in events for a player whose identity was deleted
MAX_VERSION = (1 << 31) - 1  # of a game: PostgreSQL's integers
MAX_TIME = (1 << 53) - 1  # in milliseconds: exact in JavaScript
Version = Annotated[int, Field(ge=0, le=MAX_VERSION)]


# ---- game setup ----------------------------------------------------------------------------------


class NoClock(StrictModel):
    """No time limit."""

    kind: Literal["none"] = "none"


class LiveClock(StrictModel):
    """Minutes for the whole game and an increment in seconds per move."""

    kind: Literal["live"] = "live"
    minutes: float = Field(ge=0, le=180)
    seconds: int = Field(ge=0, le=180)

    @model_validator(mode="after")
    def _some_time(self) -> LiveClock:
        if self.minutes * 60 + self.seconds < 1:
            raise ValueError("the clock allows less than a second")
        return self


class CorrespondenceClock(StrictModel):
    """Days for each move: correspondence play."""

    kind: Literal["days"] = "days"
    days: int = Field(ge=1, le=14)


ClockSettings = Annotated[NoClock | LiveClock | CorrespondenceClock, Field(discriminator="kind")]


class GameSetup(StrictModel):
    """The settings of a new game."""

    game: Name
    options: dict[Name, Name] = Field(default={}, max_length=20)
    start: Annotated[str, Field(max_length=200)] | None = None
    colour: Literal["w", "b", "lot"] = Field(default="lot", description="The creator's.")
    clock: ClockSettings = NoClock()
    rated: bool = False
    open: bool = Field(default=False, description="Shown in the lobby: anybody may join.")


# ---- actions of players --------------------------------------------------------------------------


class MoveAction(StrictModel):
    """Play a move."""

    kind: Literal["turn"]
    turn: MoveText
    premove: bool = Field(
        default=False, description="Whether it was chosen before the opponent's move: it is free."
    )


class OfferAction(StrictModel):
    """Make an offer to the opponent; offering what the opponent has offered accepts it."""

    kind: Literal["offer"]
    what: OfferKind


class AcceptAction(StrictModel):
    """Accept an offer of the opponent."""

    kind: Literal["accept"]
    what: OfferKind


class DeclineAction(StrictModel):
    """Decline an offer of the opponent, or withdraw an own offer."""

    kind: Literal["decline"]
    what: OfferKind


class ResignAction(StrictModel):
    """Resign the game."""

    kind: Literal["resign"]


class AbortAction(StrictModel):
    """Abort the game before both players have moved."""

    kind: Literal["abort"]


class PhraseAction(StrictModel):
    """Send one of the predefined phrases."""

    kind: Literal["phrase"]
    phrase: Phrase


class ConditionalLinesAction(StrictModel):
    """Set the conditional moves of a player, replacing earlier ones.

    A line is a list of moves from the current position, the opponent's first. Only its owner sees
    it.
    """

    kind: Literal["lines"]
    lines: list[Annotated[list[MoveText], Field(min_length=2, max_length=MAX_LINE_MOVES)]] = Field(
        max_length=MAX_CONDITIONAL_LINES
    )


PlayerAction = Annotated[
    MoveAction
    | OfferAction
    | AcceptAction
    | DeclineAction
    | ResignAction
    | AbortAction
    | PhraseAction
    | ConditionalLinesAction,
    Field(discriminator="kind"),
]


# ---- events --------------------------------------------------------------------------------------


class _BaseEvent(BaseModel):
    model_config = ConfigDict(frozen=True)

    version: int = Field(ge=1, description="Events of a game are numbered from 1, without a gap.")
    at: int = Field(description="The server's time, in milliseconds since 1970.")
    by: Side | None = Field(
        default=None,
        description="The side that acted; null for the server or someone without a seat.",
    )


class GameCreated(_BaseEvent):
    """A game was created."""

    kind: Literal["created"] = "created"
    creator: PlayerId
    terms: GameSetup


class PlayerJoined(_BaseEvent):
    """The second player has joined: the game starts."""

    kind: Literal["joined"] = "joined"
    w: PlayerId
    b: PlayerId


class MovePlayed(_BaseEvent):
    """A move was played. `spent` is its cost on the clock, `lag` the deducted network lag."""

    kind: Literal["turn"] = "turn"
    turn: MoveText
    spent: int = Field(default=0, description="Milliseconds.")
    lag: int = Field(default=0, description="Milliseconds deducted for network lag.")
    planned: bool = Field(default=False, description="Whether the move is a conditional move.")


class OfferMade(_BaseEvent):
    """An offer was made."""

    kind: Literal["offered"] = "offered"
    what: OfferKind


class OfferAccepted(_BaseEvent):
    """An offer was accepted."""

    kind: Literal["accepted"] = "accepted"
    what: OfferKind


class OfferDeclined(_BaseEvent):
    """An offer was declined, or withdrawn by the player who had made it."""

    kind: Literal["declined"] = "declined"
    what: OfferKind


class MovesTakenBack(_BaseEvent):
    """The last moves were taken back."""

    kind: Literal["taken-back"] = "taken-back"
    turns: int = Field(ge=1, le=MAX_MOVES)


class PhraseSent(_BaseEvent):
    """A predefined phrase was sent."""

    kind: Literal["phrase"] = "phrase"
    phrase: Phrase


class PlayerResigned(_BaseEvent):
    """A player resigned."""

    kind: Literal["resigned"] = "resigned"


class GameAborted(_BaseEvent):
    """The game was aborted before both players had moved: it has no result."""

    kind: Literal["aborted"] = "aborted"


class TimeExpired(_BaseEvent):
    """The time of `by` ran out."""

    kind: Literal["flagged"] = "flagged"


class GameEnded(_BaseEvent):
    """The game is over."""

    kind: Literal["ended"] = "ended"
    winner: Side | None
    reason: str


class RatingValue(BaseModel):
    """A rating and its deviation."""

    points: float
    deviation: float


class RatingChange(BaseModel):
    """A rating before and after a game."""

    before: RatingValue
    after: RatingValue


class RatingsChanged(_BaseEvent):
    """The players' ratings have changed."""

    kind: Literal["rated"] = "rated"
    w: RatingChange
    b: RatingChange


class RematchCreated(_BaseEvent):
    """A rematch with colours reversed was created as another game."""

    kind: Literal["rematch"] = "rematch"
    game: GameId


class ClockCompensated(_BaseEvent):
    """The server could not write: the running clock gets the lost time back."""

    kind: Literal["paused"] = "paused"
    milliseconds: int = Field(description="Negative if the system clock was set back.")


class GameClosed(_BaseEvent):
    """The game was closed because it was abandoned, or by the administrator."""

    kind: Literal["closed"] = "closed"
    reason: Literal["abandoned", "administrator"] = "abandoned"


class HintTaken(_BaseEvent):
    """A player of a casual game has asked this server for help with it; once per position."""

    kind: Literal["hint"] = "hint"


class PlayerRemoved(_BaseEvent):
    """The identity of `by` was deleted; null: of the creator, who had no seat."""

    kind: Literal["removed"] = "removed"


GameEvent = Annotated[
    GameCreated | PlayerJoined | MovePlayed | OfferMade | OfferAccepted | OfferDeclined
    | MovesTakenBack | PhraseSent | PlayerResigned | GameAborted | TimeExpired | GameEnded
    | RatingsChanged | RematchCreated | ClockCompensated | GameClosed | HintTaken
    | PlayerRemoved,
    Field(discriminator="kind"),
]  # fmt: skip  # compact list
GAME_EVENT: TypeAdapter[GameEvent] = TypeAdapter(GameEvent)
PLAYER_ACTION: TypeAdapter[PlayerAction] = TypeAdapter(PlayerAction)


def opponent(side: Side) -> Side:
    """Return the other side."""
    return "b" if side == "w" else "w"
