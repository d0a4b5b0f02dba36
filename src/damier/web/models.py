"""Request and response models of the HTTP interface, with all limits on sizes and counts.

Wire formats say "turn" for a player's complete action, which the code calls a move.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from damier.games.steps import Kind
from damier.web.handlers import LEVELS

MAX_MOVES = 2000
MAX_BYTES = 256 * 1024  # of a request body
MAX_SECONDS = 20.0  # for an answer, without the time that an analysis asks for
MAX_NODES = 1_000_000
MAX_PROBED_POSITIONS = 1000  # of one request

Name = Annotated[str, Field(max_length=40)]
CellName = Annotated[str, Field(max_length=3, examples=["a1"])]
Mark = Literal["w", "b", "W", "B"]  # a pawn's side, in capitals for kings
# A move of many captures can be 31 steps long, four characters each.
MoveText = Annotated[str, Field(max_length=200, examples=["d3-e3A"])]
PositionText = Annotated[str, Field(max_length=200)]


class StrictModel(BaseModel):
    """Base of request models: refuses unknown fields and values of another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class RulesSelection(StrictModel):
    """Base of requests that choose a game and its options."""

    game: Name = Field(description="As `GET games` names it.")
    preset: Name | None = Field(default=None, description="A named set of options.")
    options: dict[Name, Name] = Field(
        default={}, max_length=20, description="Options that differ from the preset's."
    )


class GameRequest(RulesSelection):
    """A game in progress: its rules, start and moves. The server stores no games."""

    start: PositionText | None = Field(
        default=None,
        description="The text of the position before the first move; null for the usual start.",
    )
    turns: list[MoveText] = Field(
        default=[], max_length=MAX_MOVES, examples=[["d3-e3A"]], description="The moves played."
    )


class GameNameRequest(StrictModel):
    """A game by its name."""

    game: Name


class PositionRequest(RulesSelection):
    """A position set up by hand."""

    cells: dict[CellName, Mark] = Field(
        max_length=64, description="The pawns on the cells that are not empty."
    )
    side: Literal["w", "b"] = Field(description="Who is to move.")
    fields: dict[Name, Annotated[str, Field(max_length=20)]] = Field(
        default={}, max_length=20, description="By name; absent ones are as at the start."
    )


class StateRequest(GameRequest):
    """A game, and the steps of a move in progress."""

    begun: list[Annotated[int, Field(ge=0, lt=1 << 16)]] = Field(
        default=[], max_length=40, description="The numbers of the steps taken so far."
    )


class PlayRequest(GameRequest):
    """A game and the next move."""

    turn: MoveText = Field(examples=["d4-d3A"])


class WhyNotRequest(StateRequest):
    """A game, the steps of a move in progress, and the cell that the player chooses.

    `origin` is the cell of the pawn chosen before, if any.
    """

    origin: CellName | None = None
    target: CellName


class EngineMoveRequest(GameRequest):
    """A game in which the engine plays the next move."""

    level: int = Field(default=4, ge=1, le=LEVELS, description="From 1, a beginner, up.")
    seed: int | None = Field(
        default=None,
        ge=0,
        lt=1 << 32,
        description="The same seed gives the same moves, except at the top level.",
    )


class AnalysisRequest(GameRequest):
    """A game whose current position is to be analysed."""

    seconds: float = Field(
        default=1.0,
        gt=0,
        le=MAX_SECONDS,
        description="How long to search, unless a table has the values.",
    )
    nodes: int | None = Field(
        default=None,
        ge=1,
        le=MAX_NODES,
        description="How many nodes to search instead, for a reproducible answer.",
    )


class ExplanationRequest(AnalysisRequest):
    """A game and a legal move of its current position that is to be explained."""

    turn: MoveText


class ProbeRequest(GameRequest):
    """A game whose current position is looked up in a table, or many positions instead."""

    positions: list[PositionText] | None = Field(
        default=None,
        max_length=MAX_PROBED_POSITIONS,
        description="Texts of positions to look up instead, without `start` and `turns`.",
    )


class ReadRecordsRequest(StrictModel):
    """Game records as text, or the text of a position: a game that starts there."""

    text: str = Field(max_length=200_000)
    game: Name | None = Field(default=None, description="The game of records that do not name it.")
    options: dict[Name, Name] = Field(
        default={}, max_length=20, description="The options for a position."
    )


class WriteRecordRequest(GameRequest):
    """A game to write as a record."""

    white: Annotated[str, Field(max_length=80)] = "?"
    black: Annotated[str, Field(max_length=80)] = "?"
    date: Name = "?"
    winner: Literal["w", "b", "draw"] | None = None
    reason: Name = ""


class BoardDescription(BaseModel):
    """A board. Cells are named by file and rank; `lines` connect cells of line boards."""

    ranks: int
    files: int
    cells: list[str]
    hexagonal: bool
    width: float = Field(description="The width of the drawing, in cells.")
    height: float = Field(description="The height of the drawing, in cells.")
    at: dict[str, tuple[float, float]] = Field(
        description="The middle of each cell, to the right of the first and above it, in cells."
    )
    lines: list[tuple[str, str]]
    places: dict[str, list[str]]
    arrows: list[tuple[str, str]]


class ActionDescription(BaseModel):
    """The effect of a step."""

    kind: Kind
    origin: str | None = None
    target: str | None = None
    by: str | None = Field(
        default=None, description="The kind of capture, where there are several."
    )
    takes: list[str] = Field(default=[], description="The cells of captured pawns.")
    puts: list[tuple[str, str | None]] = Field(
        default=[], description="Other pawns that it moves; null: off the board for now."
    )


class StepDescription(ActionDescription):
    """A step: one atomic choice of a move. `set` has the new contents of the cells that change.

    `turn` is the text of the move if the step completes it. Otherwise `then` lists the steps that
    may follow, or is null where the response would be too long: request them with `begun`.
    """

    step: int = Field(description="Its number, for `begun`.")
    text: str = Field(description="What it adds to the text of the move.")
    set: dict[str, str] = Field(
        default={}, description="`w`, `b` (in capitals for kings) or `.` on each changed cell."
    )
    closed: list[str] = Field(default=[], description="Cells closed to the pawn in play after it.")
    turn: str | None = None
    then: "list[StepDescription] | None" = None


class ResultDescription(BaseModel):
    """The result of a game: the winner (null for a draw), the reason, and the decisive pawns."""

    winner: Literal["w", "b"] | None
    reason: str
    text: str
    cells: list[str]


class StateResponse(BaseModel):
    """The state of a game."""

    game: str
    options: dict[str, str] = Field(description="Those that differ from the default rules.")
    board: BoardDescription
    start: str
    ply: int = Field(description="The number of moves played.")
    position: str
    side: Literal["w", "b"] = Field(description="Who is to move.")
    cells: dict[str, Mark] = Field(description="The cells that are not empty.")
    resting: list[str] = Field(description="Cells of pawns that must not move next.")
    barred: list[tuple[str, str]] = Field(
        description="Pairs of cells between which a step is barred."
    )
    fields: dict[str, str] = Field(description="The position's fields by name.")
    hands: dict[str, int] | None = Field(description="Pawns in hand, where pawns are placed.")
    pawns: int = Field(description="The number of pawns of each side at the start.")
    removed: dict[Literal["w", "b"], int] = Field(
        description="How many of their own pawns the players took off the board."
    )
    captures: bool = Field(description="Whether pawns can be captured in this game.")
    superko: bool = Field(description="Whether repeating a position is illegal.")
    must: str = Field(description="What the player must do, for example `capture`, or empty.")
    reminder: str = Field(description="A hint about the rules for the player to move, or empty.")
    occurrences: int = Field(description="How often this position has occurred.")
    result: ResultDescription | None = Field(description="Null while the game goes on.")
    steps: list[StepDescription] = Field(description="The legal steps.")
    last: list[StepDescription] = Field(description="The steps of the last move.")
    mover: Literal["w", "b"] | None = Field(description="Who played the last move.")
    movers: list[Literal["w", "b"]] = Field(description="Who played each move.")
    before: str | None = Field(description="The position before the last move.")
    cells_before: dict[str, Mark] | None = Field(description="The cells of that position.")


Likeness = Annotated[
    str,
    Field(
        description="Equal for positions with the same pawns and side to move, and for those that "
        "differ by a symmetry of the board."
    ),
]


class LegalMovesResponse(BaseModel):
    """The legal moves, each with the position after it."""

    turns: list["LegalMoveDescription"]
    total: int
    likeness: Likeness


class LegalMoveDescription(BaseModel):
    """A legal move."""

    turn: str
    after: str
    likeness: Likeness


class PlayedMoveDescription(BaseModel):
    """A move that was played, and the position after it."""

    turn: str
    mover: Literal["w", "b"]
    steps: list[StepDescription]
    likeness: Likeness


class LineResponse(BaseModel):
    """A game from its first position to its last: the first position, and every move."""

    board: BoardDescription
    side: Literal["w", "b"] = Field(description="Who is to move first.")
    cells: dict[str, Mark] = Field(description="The pawns on the board at first.")
    likeness: Likeness
    turns: list[PlayedMoveDescription]
    result: ResultDescription | None = Field(description="Null while the game goes on.")


class EngineMoveResponse(BaseModel):
    """The engine's move, and the game after it."""

    turn: str
    hasty: bool = Field(description="Chosen by code not yet compiled: later moves are better.")
    state: StateResponse


class MoveAnalysis(BaseModel):
    """The value of a move for the player who makes it."""

    turn: str
    chance: float = Field(ge=0, le=1, description="Expected score: a win is 1, a draw 0.5.")
    outcome: Literal["win", "draw", "loss"] | None = Field(description="Null: not proved.")
    distance: int | None = Field(description="Moves to the end of the game, where proved.")
    bound: bool = Field(
        description="Repetition is forbidden and neither side's win is proved: there is no draw, "
        "and no forced win is known."
    )
    risk: float | None = Field(
        ge=0,
        le=1,
        description="The share of the opponent's replies that lose, where a table says draw: the "
        "greater it is, the more difficult the draw is for the opponent.",
    )
    fault: Literal["blunder", "mistake", "inaccuracy", "missed"] | None = Field(
        description="The kind of mistake, compared with the best move; `missed`: still a draw, but "
        "an easier one for the opponent."
    )
    line: list[str] = Field(description="This move and the best ones after it.")
    steps: list[ActionDescription] = Field(description="The steps of this move.")
    then: list[list[ActionDescription]] = Field(
        description="The steps of the next moves of the line."
    )


class AnalysisResponse(BaseModel):
    """Every legal move with its value, best first, and the value for the player to move."""

    chance: float
    outcome: Literal["win", "draw", "loss"] | None
    distance: int | None
    bound: bool = Field(description="As in each move.")
    risk: float | None
    hasty: bool = Field(description="Made by code not yet compiled: later analyses are deeper.")
    turns: list[MoveAnalysis]


class ExplanationResponse(BaseModel):
    """A move explained in words."""

    turn: str
    sentences: list[str] = Field(description="The most important first.")
    line: list[str] = Field(description="This move and the best ones after it.")
    proved: bool = Field(description="Whether the value of the move is proved.")


class TableValue(BaseModel):
    """A value in a table, for the player to move; `distance` in moves to the end or a capture.

    `bound`: repetition is forbidden and neither side's win is proved. Then there is no draw, and
    `outcome` "draw" only means that no forced win is known.
    """

    outcome: Literal["win", "draw", "loss"]
    distance: int | None
    to: Literal["end", "capture"]
    bound: bool


class MoveTableValue(TableValue):
    """The value of a move in a table."""

    turn: str


class ProbedPosition(TableValue):
    """The values of one of many positions and of its best moves in a table."""

    turns: list[MoveTableValue] = Field(description="The best first, at most 50.")
    total: int = Field(description="The number of all moves with a value.")


class ProbeResponse(BaseModel):
    """The values of a position and of each of its moves in a table, as in `TableValue`.

    The response to a request with `positions` has only the field `positions`, and no other has it.
    """

    outcome: Literal["win", "draw", "loss"] | None = None
    distance: int | None = None
    to: Literal["end", "capture"] | None = None
    bound: bool = False
    turns: list[MoveTableValue] = []
    positions: "list[ProbedPosition | ErrorResponse]" = Field(
        default=[],
        description="For each position, in order, its value, or the error that there is none.",
    )


class WarmUpResponse(BaseModel):
    """Whether the engine is compiled for the game."""

    ready: bool


class WhyNotResponse(BaseModel):
    """Why a move is illegal, as a key and as a message; both are empty if it is legal."""

    key: str
    message: str


class RecordDescription(BaseModel):
    """A game that was read from a record."""

    game: str
    options: dict[str, str]
    start: str | None
    turns: list[str]
    white: str
    black: str
    date: str
    result: ResultDescription | None


class RecordProblem(BaseModel):
    """A problem of a record, with its line."""

    line: int
    message: str


class ReadRecordsResponse(BaseModel):
    """The records of a text, and the problems of those that cannot be read."""

    records: list[RecordDescription]
    problems: list[RecordProblem]


class WriteRecordResponse(BaseModel):
    """A record as text."""

    text: str


class PositionResponse(BaseModel):
    """A position as text, its result, and its problem, which is empty if it is legal.

    Pawns on the board are subtracted from those in hand in `fields`.
    """

    position: str
    fields: dict[str, str]
    result: ResultDescription | None
    problem: str


class OptionDescription(BaseModel):
    """An option: one of `values`, or a whole number from 0 to `most`."""

    name: str
    values: list[str]
    default: str
    most: int


class ExampleLine(BaseModel):
    """A position and moves from it, as an illustration."""

    options: dict[str, str] = {}
    start: str
    turns: list[str]


class BoardAppearance(BaseModel):
    """The appearance of a game's board on the page."""

    page: dict[str, tuple[str, str]] = Field(
        description="Colours for light and dark mode: of the frame, table, squares, odd "
        "squares, lines and signs, and of named places. A theme may use others."
    )
    miniature: list[str] = Field(description="Moves played on the small board of the first page.")
    aim: ExampleLine | None = Field(description="The picture of the game's aim.")


class GameDescription(BaseModel):
    """A game with its options, board and start."""

    name: str
    presets: dict[str, dict[str, str]]
    options: list[OptionDescription]
    board: BoardDescription
    start: str
    symmetric: bool
    pawns: int
    captures: bool
    lessons: int = Field(description="The number of steps of its lessons; 0: no lessons.")
    look: BoardAppearance


class GamesResponse(BaseModel):
    """All games."""

    games: list[GameDescription]
    levels: int
    public: str | None = Field(description="The public address of the page, if known.")
    online: bool = Field(description="Whether the server offers online play.")


class RulesDiagram(BaseModel):
    """A diagram in the rules; with `tries`, the reader is asked to find one of these moves."""

    board: BoardDescription
    position: str
    cells: dict[str, Mark]
    side: Literal["w", "b"]
    options: dict[str, str]
    caption: str
    marked: list[str]
    arrows: list[list[str]]
    tries: list[str]


class RulesSection(BaseModel):
    """A section of the rules: Markdown and diagrams."""

    key: str
    title: str
    parts: list[str | RulesDiagram]


class RulesResponse(BaseModel):
    """A game's rules for a reader, and the value of its start under perfect play, if known."""

    game: str
    games: list[str]
    title: str
    opening: str
    sections: list[RulesSection]
    worth: TableValue | None


class HealthResponse(BaseModel):
    """The health and the version of the server."""

    ok: bool
    version: str


class ErrorDescription(BaseModel):
    """An error: a stable key, and a message in the language of the request."""

    key: str
    message: str
    details: dict[str, Any] = {}


class ErrorResponse(BaseModel):
    """The body of every error response."""

    error: ErrorDescription


LegalMovesResponse.model_rebuild()
ProbeResponse.model_rebuild()
