"""What the HTTP interface takes and gives, with every bound on sizes and counts."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from damier.games.steps import Kind
from damier.web.answers import LEVELS

MOST_TURNS = 2000
MOST_BYTES = 256 * 1024
MOST_SECONDS = 20.0
MOST_NODES = 1_000_000

Name = Annotated[str, Field(max_length=40)]
Cell = Annotated[str, Field(max_length=3, examples=["a1"])]
# A turn of many captures can be 31 steps long, four characters each.
TurnText = Annotated[str, Field(max_length=200, examples=["d3-e3A"])]


class Strict(BaseModel):
    """Takes nothing that is not described, and no type for another."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Ruled(Strict):
    """The rules in force."""

    game: Name = Field(description="As `GET games` names it.")
    preset: Name | None = Field(default=None, description="A named set of options.")
    options: dict[Name, Name] = Field(
        default={}, max_length=20, description="Options that differ from the preset's."
    )


class Played(Ruled):
    """A game: its rules, where it began and the turns played. The server keeps none."""

    start: Annotated[str, Field(max_length=200)] | None = Field(
        default=None,
        description="The text of the position before the first turn; null for the usual start.",
    )
    turns: list[TurnText] = Field(
        default=[], max_length=MOST_TURNS, examples=[["d3-e3A"]], description="The turns played."
    )


class Named(Strict):
    """A game by its name."""

    game: Name


class Placed(Ruled):
    """A position that someone sets up."""

    cells: dict[Cell, Literal["w", "b"]] = Field(
        max_length=64, description="What stands on the cells that are not empty."
    )
    side: Literal["w", "b"] = Field(description="Who is to move.")
    fields: dict[Name, Annotated[str, Field(max_length=20)]] = Field(
        default={}, max_length=20, description="By name; those of the start if not given."
    )


class Looked(Played):
    """A game, and the steps of the turn under way."""

    begun: list[Annotated[int, Field(ge=0, lt=1 << 16)]] = Field(
        default=[], max_length=40, description="The numbers of the steps taken so far."
    )


class Tried(Played):
    """A game and the next turn."""

    turn: TurnText = Field(examples=["d4-d3A"])


class Attempt(Looked):
    """A game, the steps of the turn under way, and the cell that a player chooses.

    `origin` is the pawn that he has chosen before, if any.
    """

    origin: Cell | None = None
    target: Cell


class Asked(Played):
    """A game in which the engine is to move."""

    level: int = Field(default=4, ge=1, le=LEVELS, description="From 1, a beginner, up.")
    seed: int | None = Field(
        default=None,
        ge=0,
        lt=1 << 32,
        description="The same seed plays the same, but at the top level.",
    )


class Examined(Played):
    """A game whose position is to be analysed."""

    seconds: float = Field(
        default=1.0, gt=0, le=MOST_SECONDS, description="How long to search where no table knows."
    )
    nodes: int | None = Field(
        default=None,
        ge=1,
        le=MOST_NODES,
        description="How many nodes to search instead: the same answer each time.",
    )


class RecordText(Strict):
    """Game records as text, or a position's text: a game that begins there."""

    text: str = Field(max_length=200_000)
    game: Name | None = Field(default=None, description="The game of records that do not say.")
    options: dict[Name, Name] = Field(
        default={}, max_length=20, description="The rules of a position."
    )


class Recorded(Played):
    """A game to be written as a record."""

    white: Annotated[str, Field(max_length=80)] = "?"
    black: Annotated[str, Field(max_length=80)] = "?"
    date: Name = "?"
    winner: Literal["w", "b", "draw"] | None = None
    reason: Name = ""


class BoardOut(BaseModel):
    """A board: cells are named file then rank; lines make it a board of intersections."""

    ranks: int
    files: int
    cells: list[str]
    at: dict[str, tuple[int, int]] = Field(description="The file and rank of each, from 0.")
    lines: list[tuple[str, str]]
    places: dict[str, list[str]]
    arrows: list[tuple[str, str]]


class ActionOut(BaseModel):
    """What a step does."""

    kind: Kind
    origin: str | None = None
    target: str | None = None
    by: str | None = Field(default=None, description="The way to capture, where there are several.")
    takes: list[str] = Field(default=[], description="Cells of the pawns that it captures.")
    puts: list[tuple[str, str | None]] = Field(
        default=[], description="Other pawns that it sends elsewhere; null: off the board for now."
    )


class StepOut(ActionOut):
    """One atomic choice. `set` says what stands on the cells that change.

    `turn` is there when the step ends the turn; else `then` lists what may follow, or is null
    where the answer would be too long: ask again with `begun`.
    """

    step: int = Field(description="Its number, for `begun`.")
    text: str = Field(description="What it adds to the turn's text.")
    set: dict[str, str] = Field(default={}, description="`w`, `b` or `.` on each changed cell.")
    closed: list[str] = Field(default=[], description="Cells closed to the pawn in play after it.")
    turn: str | None = None
    then: "list[StepOut] | None" = None


class ResultOut(BaseModel):
    """How a game ended: the winner (null for a draw), why, and the pawns that show it."""

    winner: Literal["w", "b"] | None
    reason: str
    text: str
    cells: list[str]


class StateOut(BaseModel):
    """A game as it stands."""

    game: str
    options: dict[str, str] = Field(description="Those that differ from the default rules.")
    board: BoardOut
    start: str
    ply: int = Field(description="How many turns were played.")
    position: str
    side: Literal["w", "b"] = Field(description="Who is to move.")
    cells: dict[str, Literal["w", "b"]] = Field(description="The cells that are not empty.")
    resting: list[str] = Field(description="Cells of pawns that their owner must not move next.")
    barred: list[tuple[str, str]] = Field(description="Cells between which a step is barred.")
    fields: dict[str, str] = Field(description="The position's fields by name.")
    hands: dict[str, int] | None = Field(description="Pawns in hand, where pawns are placed.")
    pawns: int = Field(description="How many pawns a side begins with.")
    captures: bool = Field(description="Whether pawns can be captured in this game.")
    superko: bool = Field(description="Whether no position may be brought back.")
    must: str = Field(description="What narrows the choice, `capture` say; empty if nothing does.")
    reminder: str = Field(description="What the player to move had better know, or empty.")
    occurrences: int = Field(description="How often this position has occurred.")
    result: ResultOut | None = Field(description="Null while the game goes on.")
    steps: list[StepOut] = Field(description="What may be done next.")
    last: list[StepOut] = Field(description="The steps of the last turn.")
    mover: Literal["w", "b"] | None = Field(description="Who played the last turn.")
    movers: list[Literal["w", "b"]] = Field(description="Who played each turn.")
    before: str | None = Field(description="The position before the last turn.")
    cells_before: dict[str, Literal["w", "b"]] | None = Field(description="The same, by cells.")


Likeness = Annotated[
    str,
    Field(
        description="Equal for positions with the same pawns and side to move, and for those that "
        "differ by a symmetry of the board."
    ),
]


class TurnsOut(BaseModel):
    """The legal turns, and where each leads."""

    turns: list["TurnOut"]
    total: int
    likeness: Likeness


class TurnOut(BaseModel):
    """A legal turn."""

    turn: str
    after: str
    likeness: Likeness


class FollowedOut(BaseModel):
    """A turn that was played, and the position after it."""

    turn: str
    mover: Literal["w", "b"]
    steps: list[StepOut]
    likeness: Likeness


class LineOut(BaseModel):
    """A game from its first position to its last: what stood where at first, and every turn."""

    board: BoardOut
    side: Literal["w", "b"] = Field(description="Who is to move first.")
    cells: dict[str, Literal["w", "b"]] = Field(description="The cells not empty at first.")
    likeness: Likeness
    turns: list[FollowedOut]
    result: ResultOut | None = Field(description="Null while the game goes on.")


class MoveOut(BaseModel):
    """The engine's turn, and the game after it."""

    turn: str
    hasty: bool = Field(description="Chosen before all was compiled: the next is a better one.")
    state: StateOut


class ValueOut(BaseModel):
    """What a turn is worth to the player who makes it."""

    turn: str
    chance: float = Field(ge=0, le=1, description="To win, a draw counting half.")
    outcome: Literal["win", "draw", "loss"] | None = Field(description="Null: not proved.")
    distance: int | None = Field(description="Turns to the end, where that is proved.")
    risk: float | None = Field(
        ge=0,
        le=1,
        description="Which part of the opponent's replies lose, where a table calls it drawn: the "
        "greater, the more difficult the draw is for him.",
    )
    fault: Literal["blunder", "mistake", "inaccuracy", "missed"] | None = Field(
        description="What playing it would be, beside the best; `missed`: the draw is kept, but "
        "the opponent was let off."
    )
    line: list[str] = Field(description="This turn and the best ones after it.")
    steps: list[ActionOut] = Field(description="What this turn does, step by step.")
    then: list[list[ActionOut]] = Field(description="What the next turns of the line do.")


class AnalysisOut(BaseModel):
    """Every legal turn with its value, best first, and the value of the position to its mover."""

    chance: float
    outcome: Literal["win", "draw", "loss"] | None
    distance: int | None
    risk: float | None
    hasty: bool = Field(description="Made before all was compiled: the next looks further.")
    turns: list[ValueOut]


class TableValue(BaseModel):
    """What a table says, for the player to move: `distance` in turns to the end or a capture."""

    outcome: Literal["win", "draw", "loss"]
    distance: int | None
    to: Literal["end", "capture"]


class ProbedOut(TableValue):
    """What a table says of a turn."""

    turn: str


class ProbeOut(TableValue):
    """What a table says of a position and of each of its turns."""

    turns: list[ProbedOut]


class ReadyOut(BaseModel):
    """Whether the engine is ready to answer at full speed."""

    ready: bool


class WhyOut(BaseModel):
    """Why a turn is refused, as a key and in words; both empty if it is not."""

    key: str
    message: str


class RecordOut(BaseModel):
    """A game that was read from a record."""

    game: str
    options: dict[str, str]
    start: str | None
    turns: list[str]
    white: str
    black: str
    date: str
    result: ResultOut | None


class ProblemOut(BaseModel):
    """What is wrong with a record, and on which line."""

    line: int
    message: str


class RecordsOut(BaseModel):
    """What was read: good records, and what is wrong with the others."""

    records: list[RecordOut]
    problems: list[ProblemOut]


class TextOut(BaseModel):
    """A text."""

    text: str


class PositionOut(BaseModel):
    """A position as text, how it stands, and what is wrong with it, which is empty if nothing is.

    Where a hand held pawns that are on the board, `fields` have fewer in hand.
    """

    position: str
    fields: dict[str, str]
    result: ResultOut | None
    problem: str


class OptionOut(BaseModel):
    """An option: one of `values`, or a whole number from 0 to `most`."""

    name: str
    values: list[str]
    default: str
    most: int


class ShownOut(BaseModel):
    """A position and turns from it, to look at."""

    options: dict[str, str] = {}
    start: str
    turns: list[str]


class LookOut(BaseModel):
    """How a board looks on the page."""

    page: dict[str, tuple[str, str]] = Field(
        description="Colours, light and dark, of the frame, the table, each square, every odd one, "
        "line and sign, and of the cells of a place by its name. A theme may take others."
    )
    miniature: list[str] = Field(description="Turns that a small board begins with.")
    aim: ShownOut | None = Field(description="What a small picture of the game's aim shows.")


class GameOut(BaseModel):
    """A game that can be played."""

    name: str
    presets: dict[str, dict[str, str]]
    options: list[OptionOut]
    board: BoardOut
    start: str
    symmetric: bool
    pawns: int
    captures: bool
    lessons: int = Field(description="How many steps its lessons have; 0: it has none.")
    look: LookOut


class GamesOut(BaseModel):
    """All games."""

    games: list[GameOut]
    levels: int
    public: str | None = Field(description="Where others find the page, if the server knows.")
    online: bool = Field(description="Whether people far from each other can play here.")


class DiagramOut(BaseModel):
    """A position in the rules: with `tries`, one in which a turn is to be found."""

    board: BoardOut
    position: str
    cells: dict[str, Literal["w", "b"]]
    side: Literal["w", "b"]
    options: dict[str, str]
    caption: str
    marked: list[str]
    arrows: list[list[str]]
    tries: list[str]


class SectionOut(BaseModel):
    """A section of the rules: Markdown and diagrams."""

    key: str
    title: str
    parts: list[str | DiagramOut]


class RulesOut(BaseModel):
    """A game's rules for a reader, and what perfect play from the start is worth if known."""

    game: str
    games: list[str]
    title: str
    opening: str
    sections: list[SectionOut]
    worth: TableValue | None


class HealthOut(BaseModel):
    """That the server answers, and which version it is."""

    ok: bool
    version: str


class ErrorBody(BaseModel):
    """What is wrong: a key that does not change, and a sentence in the language asked for."""

    key: str
    message: str
    details: dict[str, Any] = {}


class ErrorOut(BaseModel):
    """A refusal."""

    error: ErrorBody


TurnsOut.model_rebuild()
