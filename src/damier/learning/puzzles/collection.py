"""Stored puzzles: the puzzles of a game, their symmetric images, and the daily puzzle."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import gcd
from pathlib import Path
from typing import Any, Literal, get_args

from damier import position
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games import GAMES, ORDER
from damier.i18n import translate
from damier.learning.puzzles.attempts import AttemptVerdict, hint_cells, judge_attempt
from damier.position import Position, Rules

Kind = Literal["win", "win-in", "draw", "avoid", "most"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Distance between the puzzles of consecutive days in a game's list, as a fraction of its length.
STRIDE = 0.618


@dataclass(frozen=True)
class Puzzle:
    """Position with a goal that exactly one move achieves, and its solution.

    `line` alternates moves of the solver and replies; first and last are the solver's. `within`
    limits the number of moves, for `win-in` the solver's, for `avoid` the opponent's. `points`
    and `deviation` are its first rating, `solved` how often levels 1 to 7 solve it, in hundredths,
    and `surprise` how many moves a search of depth 1 prefers. `proof` is the method of its proof: a
    table or an exhaustive search. `rest` is the number of moves of both sides from the end of the
    line to the proved win, 0 if the line ends the game; None if there is no win, or if the table
    does not know it. `held` is for `avoid` the number of the opponent's moves within which the
    solution is proved not to lose. `nodes` is the size of the search that solves a puzzle that no
    level solves; None if a level solves it.
    """

    game: str
    id: str
    position: str
    kind: Kind
    line: tuple[str, ...]
    points: int
    deviation: int
    surprise: int
    proof: Literal["table", "search"]
    solved: tuple[int, ...] = ()
    themes: tuple[str, ...] = ()
    within: int | None = None
    rest: int | None = None
    held: int | None = None
    nodes: int | None = None
    options: tuple[tuple[str, str], ...] = ()

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return position.load_rules(self.game, **dict(self.options))

    @cached_property
    def start(self) -> Position:
        """The first position."""
        return self.rules.position(self.position)

    @property
    def length(self) -> int:
        """Number of the solver's moves."""
        return (len(self.line) + 1) // 2

    @property
    def task(self) -> str:
        """Text of the goal, in the language in use."""
        return translate(f"puzzle.task.{self.kind}.{self.start.side}", count=self.within or 0)

    @property
    def images(self) -> int:
        """Number of symmetric images: rotations, reflections and swapped colours."""
        module = self.rules.module
        return len(self.rules.board.symmetries) * (2 if module.COLOUR_SWAP else 1)

    def image(self, number: int) -> Puzzle:
        """Return an image of the puzzle by its number; 0 is the puzzle itself."""
        if not 0 <= number < self.images:
            raise DamierError("puzzle-image", number=number, most=self.images - 1)
        swap, symmetry = divmod(number, len(self.rules.board.symmetries))
        if number == 0:
            return self
        played = Game(self.start)
        line = []
        for text in self.line:
            move = played.parse_move(text)
            line.append(move.transformed(symmetry, bool(swap)).text)
            played = played.play(move)
        start = self.start.transformed(symmetry, bool(swap))
        return replace(self, position=str(start), line=tuple(line))

    def attempt(self, moves: Sequence[str]) -> AttemptVerdict:
        """Judge all moves since the first position, the solver's and the replies."""
        return judge_attempt(self, moves)

    def hint(self, moves: Sequence[str] = ()) -> list[str]:
        """Return the cells where the next move of the solution begins."""
        return hint_cells(self, moves)

    def written(self) -> str:
        """Return the puzzle as a line of its game's file."""
        content = {name: getattr(self, name) for name in _FIELDS}
        content["options"] = dict(self.options)
        present = {k: v for k, v in content.items() if v not in (None, (), {})}
        return json.dumps(present, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def read(cls, game: str, text: str) -> Puzzle:
        """Return the puzzle of a line of a game's file."""
        content: dict[str, Any] = json.loads(text)
        options = tuple(content.pop("options", {}).items())
        fields: dict[str, Any] = {}
        for name, value in content.items():
            fields[name] = tuple(value) if isinstance(value, list) else value
        return cls(game, options=options, **fields)


_FIELDS = (
    "id",
    "position",
    "options",
    "kind",
    "within",
    "line",
    "rest",
    "held",
    "points",
    "deviation",
    "solved",
    "nodes",
    "surprise",
    "themes",
    "proof",
)


def puzzle_file(game: str) -> Path:
    """Return the file of a game's puzzles: in its folder, or beside its single file."""
    folder = position.load_rules(game).folder
    if folder.path is not None and folder.path.is_file():
        return folder.path.with_suffix(".puzzles.jsonl")
    return folder.directory / "puzzles.jsonl"


def puzzles(game: str) -> Sequence[Puzzle]:
    """Return the puzzles of a game, the easiest first; empty if it has none."""
    path = puzzle_file(game)
    return tuple(_read_file(game, path).values()) if path.is_file() else ()


def find_puzzle(game: str, id: str) -> Puzzle:
    """Return a puzzle of a game by its id."""
    path = puzzle_file(game)
    puzzle = _read_file(game, path).get(id) if path.is_file() else None
    if puzzle is None:
        raise DamierError("puzzle", id=id, game=game)
    return puzzle


@lru_cache(maxsize=64)
def _read_file(game: str, path: Path) -> Mapping[str, Puzzle]:
    stored: list[Puzzle] = []
    try:
        for line in path.read_text("utf-8").splitlines():
            stored.append(Puzzle.read(game, line))
    except (ValueError, TypeError, KeyError) as error:
        raise DamierError("puzzle-file", path=f"{path}:{len(stored) + 1}", problem=error) from error
    return {puzzle.id: puzzle for puzzle in stored}


def daily(date: datetime.date) -> Puzzle:
    """Return the puzzle of a day, the same for everyone and not repeated for a long time.

    The games of this package alternate; custom games are excluded.
    """
    day = date.toordinal()
    names = [name for name in ORDER if name in GAMES and puzzles(name)]
    if not names:
        raise DamierError("puzzle", id=str(date), game="")
    collection = puzzles(names[day % len(names)])
    stride = max(1, round(len(collection) * STRIDE))
    while gcd(stride, len(collection)) > 1:
        stride += 1
    return collection[day // len(names) * stride % len(collection)]
