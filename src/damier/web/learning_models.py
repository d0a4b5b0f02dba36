"""Request and response models of lessons, puzzles and training."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from damier.learning.ratings import (
    MAX_DEVIATION,
    MAX_POINTS,
    MAX_VOLATILITY,
    MIN_DEVIATION,
    MIN_POINTS,
    MIN_VOLATILITY,
)
from damier.web.models import (
    ActionDescription,
    GameNameRequest,
    MoveText,
    Name,
    StateResponse,
    StrictModel,
)

PuzzleKind = Literal["win", "win-in", "draw", "avoid", "most"]


class TrainingRequest(GameNameRequest):
    """The outcome of a puzzle, with the rating and the card before it. The server stores none."""

    id: Name | None = Field(default=None, description="As `POST puzzles` lists it.")
    points: float = Field(
        default=1500.0, ge=MIN_POINTS, le=MAX_POINTS, description="The solver's rating."
    )
    deviation: float = Field(
        default=350.0, ge=MIN_DEVIATION, le=MAX_DEVIATION, description="The rating deviation."
    )
    volatility: float = Field(
        default=0.06, ge=MIN_VOLATILITY, le=MAX_VOLATILITY, description="The rating volatility."
    )
    score: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="0 to 1; null: the rating does not change.",
    )
    card: dict[Name, Annotated[float, Field(ge=0, le=1e13)] | None] | None = Field(
        default=None, max_length=10, description="The card of the last response; null: none."
    )
    grade: int | None = Field(
        default=None,
        ge=1,
        le=4,
        description="1 missed, 2 with help, 3 solved, 4 at once; null: no change.",
    )
    now: int = Field(ge=0, lt=1 << 43, description="The time, in milliseconds since 1970.")


class LessonAttemptRequest(GameNameRequest):
    """An attempt at a step of a game's lessons."""

    step: int = Field(ge=0, lt=100, description="From 0, in the order of `lessons`.")
    stage: int = Field(default=0, ge=0, lt=100, description="Which move of the step, from 0.")
    turn: MoveText


class PuzzleRequest(GameNameRequest):
    """A puzzle of a game, or a symmetric image of it."""

    id: Name = Field(description="As `POST puzzles` lists it.")
    image: int = Field(
        default=0,
        ge=0,
        lt=16,
        description="The board turned or mirrored, or colours swapped; 0: the original.",
    )


class PuzzleAttemptRequest(PuzzleRequest):
    """A puzzle and the moves played since its position: the solver's, and the replies."""

    turns: list[MoveText] = Field(default=[], max_length=80)


class DailyPuzzleRequest(StrictModel):
    """A date, in UTC."""

    date: Annotated[str, Field(max_length=10, examples=["2026-11-18"])]


class PuzzleSummary(BaseModel):
    """A puzzle without its position and solution."""

    id: str
    kind: PuzzleKind
    within: int | None = Field(
        description="Number of moves: for `win-in` the solver's, for `avoid` the opponent's."
    )
    points: int = Field(description="Its rating.")
    deviation: int = Field(description="The standard deviation of its rating.")
    surprise: int = Field(
        description="How many moves a static evaluation prefers to the right one."
    )
    themes: list[str]
    proof: Literal["table", "search"] = Field(description="How it was proved.")
    length: int = Field(description="How many moves the solver has to find.")
    images: int = Field(description="The number of its symmetric images.")


class PuzzlesResponse(BaseModel):
    """The puzzles of a game, the easiest first."""

    puzzles: list[PuzzleSummary]


class PuzzleResponse(BaseModel):
    """A puzzle to be solved."""

    game: str
    id: str
    image: int
    options: dict[str, str] = Field(description="Those that differ from the default rules.")
    start: str = Field(description="The text of its position.")
    side: Literal["w", "b"] = Field(description="Who has to solve it.")
    kind: PuzzleKind
    task: str = Field(description="The task as text.")
    length: int = Field(description="How many moves the solver has to find.")


class PuzzleAttemptResponse(BaseModel):
    """The verdict on an attempt."""

    right: bool
    solved: bool
    reply: str | None = Field(description="The opponent's move, if the puzzle goes on.")
    punishment: list[str] = Field(description="Best play after a wrong move.")
    exact: bool = Field(
        description="Whether the punishment is proved, not only found by the engine."
    )
    said: str = Field(description="The verdict as text.")


class PuzzleHintResponse(BaseModel):
    """The cells with which the right move begins, and its steps."""

    cells: list[str]
    steps: list[ActionDescription]


class PuzzleSolutionResponse(BaseModel):
    """The line that solves a puzzle: the solver's move, the reply, and so on."""

    line: list[str]


class DailyPuzzleResponse(BaseModel):
    """The puzzle of a day."""

    game: str
    id: str


class TrainingResponse(BaseModel):
    """A solver's rating after a puzzle, and the puzzle's card of the spaced repetition."""

    points: float
    deviation: float
    volatility: float
    card: dict[str, float | None] | None


class RefusedAction(BaseModel):
    """An illegal action that a learner may try, and the explanation."""

    origin: str | None
    target: str
    text: str


class LessonStageDescription(BaseModel):
    """One move of a lesson step: the position, the task, and a move that solves it."""

    position: str
    side: Literal["w", "b"]
    text: str
    shown: list[ActionDescription]
    refused: list[RefusedAction]


class LessonStepDescription(BaseModel):
    """A step of a game's lessons. With `against`, the task is to win a game against that level."""

    key: str
    title: str
    done: str = Field(description="The text shown when it is done.")
    against: int | None
    lost: str
    drawn: str
    stages: list[LessonStageDescription]


class LessonsResponse(BaseModel):
    """A game's lessons, in order."""

    game: str
    steps: list[LessonStepDescription]


class LessonAttemptResponse(BaseModel):
    """Whether a move solves the task, the comment on it, and the game after the reply."""

    met: bool
    said: str = Field(description="Empty where the lesson has no comment on the move.")
    reply: str | None = Field(description="The opponent's move, if the step goes on.")
    state: StateResponse
