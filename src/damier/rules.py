"""A game with its options, positions, turns and results: what a Python user touches.

    >>> import damier
    >>> position = damier.game("fanorona").start()
    >>> [str(turn) for turn in position.turns()]
    ['d2-e3A', 'd3-e3A', 'd3-e3W', 'e2-e3A', 'f2-e3A']
    >>> print(position.play("d3-e3A"))
    bbbbbbbbb/bbbbbbbbb/bwb.w.wbw/wwwwwwwww/wwwwwwwww b 0

Nothing here looks at earlier positions; `damier.Game` does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from operator import attrgetter, index
from types import MappingProxyType, ModuleType
from typing import Any

from damier import jit
from damier.errors import DamierError
from damier.games import GAMES, GameFile, Words
from damier.games.board import Board
from damier.games.terms import REASONS
from damier.lang import say

_compiled: set[str] = set()


def game(name: str, preset: str | None = None, /, **options: object) -> Rules:
    """Return the rules of a game, by a preset (the default if none is named) and options.

    >>> game("fanorona", "international").options["capture"]
    'forced'
    """
    file = GAMES.get(name)
    if file is None:
        raise DamierError("game", name=name, games=", ".join(GAMES))
    chosen = dict(file.PRESETS[next(iter(file.PRESETS))])
    if preset is not None:
        if preset not in file.PRESETS:
            raise DamierError("preset", name=preset, game=name, presets=", ".join(file.PRESETS))
        chosen = dict(file.PRESETS[preset])
    known = {option.name: option for option in file.OPTIONS}
    for key, value in options.items():
        if key not in known:
            raise DamierError("option", name=key, game=name, options=", ".join(known))
        chosen[key] = known[key].canonical(value)
    return _rules(name, tuple(chosen.get(key, o.default) for key, o in known.items()))


def read_options(texts: Iterable[str]) -> dict[str, str]:
    """Return the options that texts such as `capture=forced` choose."""
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise DamierError("option-form", text=text)
        options[name] = value
    return options


@cache
def _rules(name: str, values: tuple[str, ...]) -> Rules:
    return Rules(name, values)


@dataclass(frozen=True)
class Rules:
    """A game with its options. Made by `damier.game`; equal rules are one object."""

    name: str
    values: tuple[str, ...]

    def __reduce__(self) -> tuple[object, ...]:
        return _rules, (self.name, self.values)

    def __repr__(self) -> str:
        options = "".join(f", {k}={v!r}" for k, v in self.changed.items())
        return f"damier.game({self.name!r}{options})"

    @cached_property
    def file(self) -> GameFile:
        """The game's file."""
        return GAMES[self.name]

    @cached_property
    def options(self) -> Mapping[str, str]:
        """Every option and its value."""
        names = (option.name for option in self.file.OPTIONS)
        return MappingProxyType(dict(zip(names, self.values, strict=True)))

    @cached_property
    def changed(self) -> Mapping[str, str]:
        """The options that differ from the default rules."""
        defaults = {option.name: option.default for option in self.file.OPTIONS}
        return MappingProxyType({k: v for k, v in self.options.items() if v != defaults[k]})

    @cached_property
    def word(self) -> int:
        """The options as bits of a position's third word."""
        return sum(o.encode(v) for o, v in zip(self.file.OPTIONS, self.values, strict=True))

    @cached_property
    def board(self) -> Board:
        """The board."""
        return self.file.board(self.word)

    @property
    def pawns(self) -> int:
        """How many pawns a side has at most."""
        return self.file.pawns(self.word)

    @property
    def step_range(self) -> int:
        """Every step of this game is a number below this one."""
        return self.file.GROUPS << 6

    @property
    def loops(self) -> Any:
        """The loops of `damier.kernels` for this game, compiled if `compile` was called."""
        return _loops(self.name, self.name in _compiled)

    def compile(self) -> None:
        """Answer with compiled code from now on, in this process: for many positions.

        The first time on a machine this takes some seconds a game. Answers stay the same.
        """
        _compiled.add(self.name)

    def start(self) -> Position:
        """Return the position at the start."""
        return Position(self, *self.file.start(self.word))

    def position(self, text: str) -> Position:
        """Return the position that a text describes, or raise DamierError.

        Any well-formed text will do: whether a game can reach the position is not asked.
        """
        return Position(self, *_read(self, text))


@cache
def _loops(name: str, compiled: bool) -> ModuleType:
    from damier import kernels

    file = sys.modules[f"damier.games.{name}"]
    if compiled:
        return jit.link(kernels, rules=jit.link(file))
    return jit.link_plain(kernels, rules=file)


@dataclass(frozen=True)
class Result:
    """How a game ended: the winner, "w", "b" or None for a draw, and the reason."""

    winner: str | None
    reason: str

    @classmethod
    def of(cls, judgement: int) -> Result | None:
        """Return what a judgement of the rules means: None where nobody has won and none drawn."""
        if not judgement & 3:
            return None
        return cls((None, "w", "b", None)[judgement & 3], REASONS[judgement >> 2])

    def sentence(self) -> str:
        """Return the result in plain words, in the language in use."""
        return say(f"result.{self.winner or 'draw'}", reason=say(f"reason.{self.reason}"))


@dataclass(frozen=True)
class Step:
    """One atomic choice inside a turn: a number below `Rules.step_range`, and what it writes."""

    number: int
    text: str

    def __str__(self) -> str:
        return self.text


class Turn:
    """Everything a player does before the other acts: its text, its steps, where it leads.

    Turns are made by the hundred, so this class is light: the position after the turn is made
    when it is asked for.
    """

    __slots__ = ("_rules", "_steps", "_text", "_words")

    def __init__(self, rules: Rules, text: str, steps: tuple[int, ...], words: Words) -> None:
        self._rules = rules
        self._text = text
        self._steps = steps
        self._words = words

    @property
    def text(self) -> str:
        """The turn's text."""
        return self._text

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of its steps."""
        return self._steps

    @property
    def words(self) -> Words:
        """The position after the turn, as the game's file knows it."""
        return self._words

    @property
    def after(self) -> Position:
        """The position after the turn."""
        return Position(self._rules, *self.words)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<turn {self.text}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Turn):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self._rules, self.text, self.words


@dataclass(frozen=True, repr=False)
class Position:
    """All that decides which turns are legal next, repetition aside. Immutable and hashable.

    Inside a turn, `begun` is the text of the steps taken so far.
    """

    rules: Rules
    white: int
    black: int
    rest: int
    begun: str = field(default="", compare=False)

    @property
    def words(self) -> Words:
        """The position as the game's file knows it."""
        return self.white, self.black, self.rest

    @property
    def side(self) -> str:
        """The side to move, "w" or "b"."""
        return "wb"[self.rest & 1]

    @property
    def unfinished(self) -> bool:
        """Whether a turn is under way."""
        return self.rest & self.rules.file.MIDTURN != 0

    @property
    def over(self) -> bool:
        """Whether nobody can go on: there is a result, or no game reaches this position."""
        return self.rules.file.legal(*self.words, [0] * self.rules.file.GROUPS) != 0

    def __str__(self) -> str:
        return _write(self)

    def __repr__(self) -> str:
        return f"<{self.rules.name} {self}>"

    def cell(self, name: str) -> str:
        """Return what stands on a cell: "w", "b" or "."."""
        i = self.rules.board.indices.get(name)
        if i is None:
            raise DamierError("cell", name=name)
        return ".wb."[(self.white >> i & 1) + 2 * (self.black >> i & 1)]

    def result(self) -> Result | None:
        """Return how the game has ended, or None. Repetition is not looked at."""
        return self._result

    @cached_property
    def _result(self) -> Result | None:
        """How the game has ended: asked several times while a turn is read and played."""
        if self.unfinished:
            return None
        return Result.of(self.rules.file.legal(*self.words, [0] * self.rules.file.GROUPS))

    def steps(self) -> list[Step]:
        """Return the legal steps, with which a turn begins or goes on."""
        file = self.rules.file
        legal = [0] * file.GROUPS
        if file.legal(*self.words, legal):
            return []
        return [
            Step(64 * group + cell, file.step_text(*self.words, 64 * group + cell))
            for group in range(file.GROUPS)
            for cell in range(64)
            if legal[group] >> cell & 1
        ]

    def step(self, number: int) -> Position:
        """Return the position after a legal step."""
        file, legal = self.rules.file, [0] * self.rules.file.GROUPS
        number = index(number)  # an agent's number may be NumPy's
        group, cell = number >> 6, number & 63
        over = file.legal(*self.words, legal)
        if over or not 0 <= group < file.GROUPS or not legal[group] >> cell & 1:
            raise DamierError("step", number=number)
        words = file.play(*self.words, number)
        text = self.begun + file.step_text(*self.words, number)
        return Position(self.rules, *words, text if words[2] & file.MIDTURN else "")

    def turns(self) -> list[Turn]:
        """Return the legal turns sorted by text; inside a turn, the ways to go on with it."""
        return sorted(_turns(self), key=attrgetter("_text"))

    def turn(self, text: str) -> Turn:
        """Return the legal turn that a text writes, or raise DamierError saying why not."""
        text = str(text)
        found = _find(self, text)
        if found is None:
            from damier.refusal import refusal

            raise refusal(self, text)
        return found

    def play(self, turn: str | Turn) -> Position:
        """Return the position after a turn, or raise DamierError saying why it is not legal."""
        return self.turn(str(turn)).after

    def children(self) -> set[Position]:
        """Return the distinct positions that one turn can reach."""
        return {turn.after for turn in _turns(self)}

    def perft(self, depth: int) -> int:
        """Return the number of paths of `depth` turns through distinct positions."""
        if index(depth) < 0:
            raise DamierError("depth", text=depth)
        return int(self.rules.loops.perft(*self.words, depth))

    def transformed(self, symmetry: int = 0, swap: bool = False) -> Position:
        """Return the position under a symmetry of the board, and with the colours swapped."""
        from damier.symmetry import transformed

        return transformed(self, symmetry, swap)

    def draw(self, *, colour: bool = False, marked: Iterable[str] = (), ascii: bool = False) -> str:
        """Return the board drawn for a terminal: see `damier.drawing.terminal`."""
        from damier.drawing import terminal

        return terminal(self, colour=colour, marked=marked, ascii=ascii)

    def svg(self, **how: Any) -> str:
        """Return the board drawn as SVG: see `damier.drawing.svg`."""
        from damier.drawing import svg

        return svg(self, **how)

    _repr_svg_ = svg


def _turns(position: Position) -> Iterator[Turn]:
    """Yield every turn of a position."""
    rules, file, loops = position.rules, position.rules.file, position.rules.loops
    if position.over:
        return
    found, count = loops.all_turns(*position.words)
    size, end = loops.TURN_WORDS, loops.TURN_END
    if isinstance(found, list):
        rows = [found[at : at + size] for at in range(0, count * size, size)]
        listed = [(row[1 : 1 + row[0]], row[end:]) for row in rows]
    else:  # an array: only the columns that are in use become Python's integers
        table = found[: count * size].reshape(count, size)
        columns = table[:, 1 : 1 + int(table[:, 0].max())].tolist()
        lengths, ends = table[:, 0].tolist(), table[:, end:].tolist()
        listed = [(c[:n], e) for c, n, e in zip(columns, lengths, ends, strict=True)]
    # Turns come in the order of their steps: what one shares with the last is not done again.
    step_text, play = file.step_text, file.play
    texts, words = [position.begun], [position.words]
    last: list[int] = []
    for steps, after in listed:
        before = steps[:-1]
        if before != last:
            shared = 0
            while shared < min(len(before), len(last)) and before[shared] == last[shared]:
                shared += 1
            del texts[shared + 1 :], words[shared + 1 :]
            for step in before[shared:]:
                texts.append(texts[-1] + step_text(*words[-1], step))
                words.append(play(*words[-1], step))
            last = before
        text = texts[-1] + step_text(*words[-1], steps[-1])
        yield Turn(rules, text, tuple(steps), tuple(after))


def _find(position: Position, text: str) -> Turn | None:
    """Return the turn that a text writes, found step by step without listing all turns."""
    file = position.rules.file
    if not text.startswith(position.begun) or position.over:
        return None
    legal = [0] * file.GROUPS
    open_: list[tuple[str, tuple[int, ...], Words]] = [(position.begun, (), position.words)]
    while open_:
        written, steps, words = open_.pop()
        file.legal(*words, legal)
        for group, cells in enumerate(legal):
            while cells:
                step = 64 * group + (cells & -cells).bit_length() - 1
                cells &= cells - 1
                longer = written + file.step_text(*words, step)
                if not text.startswith(longer) or file.superfluous(words[2], step):
                    continue
                after = file.play(*words, step)
                if after[2] & file.MIDTURN:
                    open_.append((longer, (*steps, step), after))
                elif longer == text:
                    return Turn(position.rules, text, (*steps, step), after)
    return None


def _read(rules: Rules, text: str) -> Words:
    """Return the words of a position's text."""
    file, board = rules.file, rules.board
    if not isinstance(text, str):
        raise DamierError("position-type", type=type(text).__name__)
    parts = text.split(" ")
    if len(parts) != 2 + len(file.FIELDS):
        raise DamierError(
            "position-parts", found=len(parts), expected=2 + len(file.FIELDS),
            parts=" ".join(("rows", "side", *file.FIELDS)),
        )  # fmt: skip
    rows = parts[0].split("/")
    if len(rows) != board.ranks:
        raise DamierError("position-rows", found=len(rows), expected=board.ranks)
    pawns = {"w": 0, "b": 0}
    for k, row in enumerate(rows):
        rank = board.ranks - k
        if len(row) != board.files:
            raise DamierError("position-row", rank=rank, found=len(row), expected=board.files)
        for f, mark in enumerate(row):
            i = (rank - 1) * board.files + f
            if (mark == "#") != (not board.cells >> i & 1) or mark not in "wb.#":
                raise DamierError("position-mark", mark=mark, cell=board.names[i])
            if mark in pawns:
                if (1 << i) & _closed(board):
                    raise DamierError("position-closed", cell=board.names[i])
                pawns[mark] |= 1 << i
    for mark, cells in pawns.items():
        if cells.bit_count() > rules.pawns:
            raise DamierError(
                "position-pawns", side=mark, found=cells.bit_count(), most=rules.pawns
            )
    if parts[1] not in ("w", "b"):
        raise DamierError("position-side", side=parts[1])
    r = rules.word | "wb".index(parts[1])
    w, b = pawns["w"], pawns["b"]
    return w, b, file.read_fields(w, b, r, parts[2:])


def _closed(board: Board) -> int:
    """Return the cells on which no pawn ever stands."""
    return board.places.get("unused", 0)


def _write(position: Position) -> str:
    """Return the text of a position; inside a turn, what has been written of the turn follows."""
    file, board = position.rules.file, position.rules.board
    w, b, r = position.words
    marks = [
        "#" if not board.cells >> i & 1 else ".wb."[(w >> i & 1) + 2 * (b >> i & 1)]
        for i in range(board.size)
    ]
    rows = (
        "".join(marks[rank * board.files : (rank + 1) * board.files])
        for rank in reversed(range(board.ranks))
    )
    parts = ["/".join(rows), position.side, *file.write_fields(w, b, r)]
    if position.unfinished:
        parts.append(f"({position.begun}…)")
    return " ".join(parts)
