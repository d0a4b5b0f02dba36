"""A puzzle as it is kept, its images, the puzzles of a game, and the one of a day."""

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
from damier.games import GAMES, ORDER
from damier.history import Game
from damier.lang import say
from damier.position import Position, Rules
from damier.puzzles.attempts import Verdict, cells_of, judged

Kind = Literal["win", "win-in", "draw", "avoid", "most"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# How far apart, about, two days' puzzles of a game stand in its list: a part of all.
STRIDE = 0.618


@dataclass(frozen=True)
class Puzzle:
    """A position in which one turn does what is asked, and so on along `line`.

    `line` is the solver's turn, the reply, the solver's next turn …, the last one the solver's.
    `within` is in how many turns, for `win-in` the solver's, for `avoid` the opponent's. `points`
    and `deviation` are its first rating, `solved` how often levels 1 to 7 solve it, in hundredths,
    and `surprise` how many turns look better at first sight. `proof` says by what it was proved:
    a table, or a search of all that can happen.
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
    options: tuple[tuple[str, str], ...] = ()

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return position.game(self.game, **dict(self.options))

    @cached_property
    def start(self) -> Position:
        """The position that it begins with."""
        return self.rules.position(self.position)

    @property
    def length(self) -> int:
        """How many turns the solver has to find."""
        return (len(self.line) + 1) // 2

    @property
    def task(self) -> str:
        """What is asked, in words."""
        return say(f"puzzle.task.{self.kind}.{self.start.side}", count=self.within or 0)

    @property
    def images(self) -> int:
        """How many images it has: the board turned and mirrored, the colours swapped."""
        file = self.rules.file
        return len(self.rules.board.symmetries) * (2 if file.COLOUR_SWAP else 1)

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
            turn = played.turn(text)
            line.append(turn.transformed(symmetry, bool(swap)).text)
            played = played.play(turn)
        start = self.start.transformed(symmetry, bool(swap))
        return replace(self, position=str(start), line=tuple(line))

    def attempt(self, turns: Sequence[str]) -> Verdict:
        """Judge all turns since the position: the solver's, and the replies that were given."""
        return judged(self, turns)

    def hint(self, turns: Sequence[str] = ()) -> list[str]:
        """Return the cells with which the true turn begins, after turns along the line."""
        return cells_of(self, turns)

    def written(self) -> str:
        """Return the puzzle as a line of its game's file."""
        content = {name: getattr(self, name) for name in _FIELDS}
        content["options"] = dict(self.options)
        kept = {k: v for k, v in content.items() if v not in (None, (), {})}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def read(cls, game: str, text: str) -> Puzzle:
        """Return the puzzle that a line of a game's file is."""
        content: dict[str, Any] = json.loads(text)
        options = tuple(content.pop("options", {}).items())
        kept: dict[str, Any] = {}
        for name, value in content.items():
            kept[name] = tuple(value) if isinstance(value, list) else value
        return cls(game, options=options, **kept)


_FIELDS = (
    "id", "position", "options", "kind", "within", "line", "points", "deviation", "solved",
    "surprise", "themes", "proof",
)  # fmt: skip


def file_of(game: str) -> Path:
    """Return the file that a game's puzzles are kept in: in its folder, or beside its file."""
    folder = position.game(game).folder
    if folder.path is not None and folder.path.is_file():
        return folder.path.with_suffix(".puzzles.jsonl")
    return folder.directory / "puzzles.jsonl"


def puzzles(game: str) -> Sequence[Puzzle]:
    """Return the puzzles of a game, easy ones first; a game that has none has an empty list."""
    path = file_of(game)
    return tuple(_listed(game, path).values()) if path.is_file() else ()


def puzzle_of(game: str, id: str) -> Puzzle:
    """Return a puzzle of a game by its id."""
    path = file_of(game)
    found = _listed(game, path).get(id) if path.is_file() else None
    if found is None:
        raise DamierError("puzzle", id=id, game=game)
    return found


@lru_cache(maxsize=64)
def _listed(game: str, path: Path) -> Mapping[str, Puzzle]:
    try:
        lines = path.read_text("utf-8").splitlines()
        listed = [Puzzle.read(game, line) for line in lines]
    except (ValueError, TypeError, KeyError) as error:
        raise DamierError("puzzle-file", path=path, problem=error) from error
    return {puzzle.id: puzzle for puzzle in listed}


def daily(date: datetime.date) -> Puzzle:
    """Return the puzzle of a day: the same for everyone, and no other day's for a long time.

    Games take turns; only those that come with this package, so that it is the same everywhere.
    """
    day = date.toordinal()
    names = [name for name in ORDER if name in GAMES and puzzles(name)]
    if not names:
        raise DamierError("puzzle", id=str(date), game="")
    found = puzzles(names[day % len(names)])
    stride = max(1, round(len(found) * STRIDE))
    while gcd(stride, len(found)) > 1:
        stride += 1
    return found[day // len(names) * stride % len(found)]
