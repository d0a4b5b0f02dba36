"""What the HTTP interface takes and gives where somebody learns: lessons, puzzles, training."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from damier.web.models import ActionOut, Name, Named, StateOut, Strict, TurnText

PuzzleKind = Literal["win", "win-in", "draw", "avoid", "most"]


class Trained(Named):
    """How a puzzle went: the solver's rating and the puzzle's card before it. None is kept."""

    id: Name | None = Field(default=None, description="As `POST puzzles` lists it.")
    points: float = Field(default=1500.0, ge=0, le=4000, description="The solver's rating.")
    deviation: float = Field(default=350.0, ge=1, le=350, description="How sure that is.")
    volatility: float = Field(default=0.06, gt=0, le=1, description="How steady it is.")
    score: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="0 to 1; null: the rating stays as it is.",
    )
    card: dict[Name, Annotated[float, Field(ge=0, le=1e13)] | None] | None = Field(
        default=None, max_length=10, description="As it was answered the last time; null: none."
    )
    grade: int | None = Field(
        default=None,
        ge=1,
        le=4,
        description="1 missed, 2 with help, 3 solved, 4 at once; null: the card stays.",
    )
    now: int = Field(ge=0, lt=1 << 43, description="The time, in milliseconds since 1970.")


class Attempted(Named):
    """A turn that is to do what a step of a game's lessons asks for."""

    step: int = Field(ge=0, lt=100, description="From 0, in the order of `lessons`.")
    stage: int = Field(default=0, ge=0, lt=100, description="From 0: which of the step's turns.")
    turn: TurnText


class PuzzleNamed(Named):
    """A puzzle of a game, as it is kept or as an image of that."""

    id: Name = Field(description="As `POST puzzles` lists it.")
    image: int = Field(
        default=0,
        ge=0,
        lt=16,
        description="The board turned or mirrored, colours swapped; 0: as it is kept.",
    )


class PuzzleTried(PuzzleNamed):
    """A puzzle and all turns since its position: the solver's, and the replies to them."""

    turns: list[TurnText] = Field(default=[], max_length=20)


class Dated(Strict):
    """A day, by the clock of Greenwich (UTC), so that it is the same everywhere."""

    date: Annotated[str, Field(max_length=10, examples=["2026-11-18"])]


class PuzzleOut(BaseModel):
    """A puzzle, without what would give it away."""

    id: str
    kind: PuzzleKind
    within: int | None = Field(
        description="In how many turns: `win-in` the solver's, `avoid` the opponent's."
    )
    points: int = Field(description="Its rating.")
    deviation: int = Field(description="The standard deviation of that.")
    surprise: int = Field(description="How many turns look better than the true one at sight.")
    themes: list[str]
    proof: Literal["table", "search"] = Field(description="By what it was proved.")
    length: int = Field(description="How many turns the solver has to find.")
    images: int = Field(description="How many images it has.")


class PuzzlesOut(BaseModel):
    """The puzzles of a game, the easiest first: none if it has none."""

    puzzles: list[PuzzleOut]


class PuzzleShownOut(BaseModel):
    """A puzzle to be solved."""

    game: str
    id: str
    image: int
    options: dict[str, str] = Field(description="Those that differ from the default rules.")
    start: str = Field(description="The text of its position.")
    side: Literal["w", "b"] = Field(description="Who has to solve it.")
    kind: PuzzleKind
    task: str = Field(description="What is asked, in words.")
    length: int = Field(description="How many turns the solver has to find.")


class VerdictOut(BaseModel):
    """What a try is worth."""

    right: bool
    solved: bool
    reply: str | None = Field(description="The opponent's turn, if the puzzle goes on.")
    punishment: list[str] = Field(description="What follows a wrong turn by best play.")
    exact: bool = Field(description="Whether that is proved; else the engine found it.")
    said: str = Field(description="All that in words.")


class HintOut(BaseModel):
    """The cells with which the true turn begins."""

    cells: list[str]


class SolutionOut(BaseModel):
    """The line that solves a puzzle: the solver's turn, the reply, and so on."""

    line: list[str]


class DailyOut(BaseModel):
    """The puzzle of a day."""

    game: str
    id: str


class TrainedOut(BaseModel):
    """A solver's rating after a puzzle, and the puzzle's card: when it is due, and what says so."""

    points: float
    deviation: float
    volatility: float
    card: dict[str, float | None] | None


class RefusedOut(BaseModel):
    """Something that a learner may try in vain, and what to tell him."""

    origin: str | None
    target: str
    text: str


class StageOut(BaseModel):
    """One turn of a step: where, what is to be done, and a turn that does it."""

    position: str
    side: Literal["w", "b"]
    text: str
    shown: list[ActionOut]
    refused: list[RefusedOut]


class LessonOut(BaseModel):
    """A step of a game's lessons. With `against` it is a game to be won against that level."""

    key: str
    title: str
    done: str = Field(description="What is said once it is done.")
    against: int | None
    lost: str
    drawn: str
    stages: list[StageOut]


class LessonsOut(BaseModel):
    """A game's lessons, in order."""

    game: str
    steps: list[LessonOut]


class JudgedOut(BaseModel):
    """Whether a turn does what is asked, what is said of it, and the game after the reply."""

    met: bool
    said: str = Field(description="Empty where the lesson has no words for such a turn.")
    reply: str | None = Field(description="The opponent's turn, where the step goes on.")
    state: StateOut
