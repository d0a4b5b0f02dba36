"""What happens at a table (events) and what a player can do there (acts), with their forms.

Events are what is kept: a game is the list of its events, numbered from 1, and nothing else.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from damier.web.models import MOST_TURNS, Name, Strict, TurnText

Side = Literal["w", "b"]
What = Literal["draw", "takeback", "rematch"]
Phrase = Literal["hello", "luck", "thanks", "well-played", "sorry", "wait", "oops", "bye"]

LONGEST_NAME = 30
MOST_LINES = 20
LONGEST_LINE = 16
GameId = Annotated[str, Field(min_length=1, max_length=24, pattern=r"^[A-Za-z0-9_-]+$")]
PlayerId = Annotated[str, Field(min_length=1, max_length=24, pattern=r"^[A-Za-z0-9_-]+$")]
ActId = Annotated[str, Field(min_length=1, max_length=64)]


# ---- what is agreed before a game ----------------------------------------------------------------


class NoClock(Strict):
    """As long as it takes."""

    kind: Literal["none"] = "none"


class LiveClock(Strict):
    """So many minutes for all turns, and some seconds more for each."""

    kind: Literal["live"] = "live"
    minutes: float = Field(ge=0, le=180)
    seconds: int = Field(ge=0, le=180)

    @model_validator(mode="after")
    def _some_time(self) -> LiveClock:
        if self.minutes * 60 + self.seconds < 1:
            raise ValueError("no time at all")
        return self


class DaysClock(Strict):
    """So many days for each turn: correspondence."""

    kind: Literal["days"] = "days"
    days: int = Field(ge=1, le=14)


ClockIn = Annotated[NoClock | LiveClock | DaysClock, Field(discriminator="kind")]


class Terms(Strict):
    """What is agreed before a game begins."""

    game: Name
    options: dict[Name, Name] = Field(default={}, max_length=20)
    start: Annotated[str, Field(max_length=200)] | None = None
    colour: Literal["w", "b", "lot"] = Field(default="lot", description="The creator's.")
    clock: ClockIn = NoClock()
    rated: bool = False
    open: bool = Field(default=False, description="Shown in the lobby: anybody may join.")


# ---- what a player can do ------------------------------------------------------------------------


class TurnAct(Strict):
    """Play a turn."""

    kind: Literal["turn"]
    turn: TurnText


class OfferAct(Strict):
    """Offer something to the other; who offers what is offered to him accepts it."""

    kind: Literal["offer"]
    what: What


class AcceptAct(Strict):
    """Accept what the other offers."""

    kind: Literal["accept"]
    what: What


class DeclineAct(Strict):
    """Decline what the other offers, or take back an offer of one's own."""

    kind: Literal["decline"]
    what: What


class ResignAct(Strict):
    """Give the game up."""

    kind: Literal["resign"]


class AbortAct(Strict):
    """Call the game off, before both have played a turn."""

    kind: Literal["abort"]


class PhraseAct(Strict):
    """Say one of a few things."""

    kind: Literal["phrase"]
    phrase: Phrase


class LinesAct(Strict):
    """Say what to answer if the other plays this or that; replaces what was said before.

    A line is a list of turns from the position on the board, the other's first. Only its owner
    ever sees it.
    """

    kind: Literal["lines"]
    lines: list[
        Annotated[list[TurnText], Field(min_length=2, max_length=LONGEST_LINE)]
    ] = Field(max_length=MOST_LINES)  # fmt: skip


Act = Annotated[
    TurnAct | OfferAct | AcceptAct | DeclineAct | ResignAct | AbortAct | PhraseAct | LinesAct,
    Field(discriminator="kind"),
]


# ---- what happens --------------------------------------------------------------------------------


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True)

    version: int = Field(ge=1, description="Events of a game are numbered from 1, without a gap.")
    at: int = Field(description="The server's time, in milliseconds since 1970.")
    by: Side | None = Field(default=None, description="Who did it; null: the server or an outsider")


class Created(_Event):
    """Somebody has set up a table."""

    kind: Literal["created"] = "created"
    creator: PlayerId
    terms: Terms


class Joined(_Event):
    """The second player has come: the game begins."""

    kind: Literal["joined"] = "joined"
    w: PlayerId
    b: PlayerId


class TurnPlayed(_Event):
    """A turn was played. `spent` is what it cost on the clock, `lag` what was let off for lag."""

    kind: Literal["turn"] = "turn"
    turn: TurnText
    spent: int = Field(default=0, description="Milliseconds.")
    lag: int = Field(default=0, description="Milliseconds that were not counted.")
    planned: bool = Field(default=False, description="Whether a line of the player's answered.")


class Offered(_Event):
    """An offer was made."""

    kind: Literal["offered"] = "offered"
    what: What


class Accepted(_Event):
    """An offer was accepted."""

    kind: Literal["accepted"] = "accepted"
    what: What


class Declined(_Event):
    """An offer was declined, or withdrawn by who had made it."""

    kind: Literal["declined"] = "declined"
    what: What


class TakenBack(_Event):
    """The last turns were taken back."""

    kind: Literal["taken-back"] = "taken-back"
    turns: int = Field(ge=1, le=MOST_TURNS)


class Said(_Event):
    """A phrase was said."""

    kind: Literal["phrase"] = "phrase"
    phrase: Phrase


class Resigned(_Event):
    """A player gave up."""

    kind: Literal["resigned"] = "resigned"


class Aborted(_Event):
    """The game was called off before it had begun in earnest: it counts for nothing."""

    kind: Literal["aborted"] = "aborted"


class Flagged(_Event):
    """The time of `by` ran out."""

    kind: Literal["flagged"] = "flagged"


class Ended(_Event):
    """The game is over."""

    kind: Literal["ended"] = "ended"
    winner: Side | None
    reason: str


class Strength(BaseModel):
    """A rating."""

    points: float
    deviation: float


class Change(BaseModel):
    """A rating before and after a game."""

    before: Strength
    after: Strength


class Rated(_Event):
    """The players' ratings have changed."""

    kind: Literal["rated"] = "rated"
    w: Change
    b: Change


class Rematch(_Event):
    """The two play on, with colours changed, at another table."""

    kind: Literal["rematch"] = "rematch"
    game: GameId


class Paused(_Event):
    """The server was away for so long: the running clock gets it back."""

    kind: Literal["paused"] = "paused"
    milliseconds: int


class Closed(_Event):
    """The table was closed for being abandoned, or by the administrator."""

    kind: Literal["closed"] = "closed"
    reason: Literal["abandoned", "administrator"] = "abandoned"


Event = Annotated[
    Created | Joined | TurnPlayed | Offered | Accepted | Declined | TakenBack | Said | Resigned
    | Aborted | Flagged | Ended | Rated | Rematch | Paused | Closed,
    Field(discriminator="kind"),
]  # fmt: skip
EVENT: TypeAdapter[Event] = TypeAdapter(Event)
ACT: TypeAdapter[Act] = TypeAdapter(Act)


def other(side: Side) -> Side:
    """Return the other side."""
    return "b" if side == "w" else "w"
