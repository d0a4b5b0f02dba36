"""Rules with their options, positions, steps, turns and results: what a Python user touches.

Nothing here looks at earlier positions; `damier.Game` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import islice
from operator import attrgetter, index
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from damier import games, jit, kernels, notation
from damier import symmetry as symmetry_
from damier.errors import DamierError
from damier.games import GAMES, Folder, RulesFile, Words
from damier.games.board import Board
from damier.games.steps import NOWHERE, Action, Kind
from damier.games.terms import OWN_REASON, REASONS
from damier.lang import say_of
from damier.refusal import refusal

_compiled: set[str] = set()
# How many turns are listed at first, and then at a time at the most.
FIRST_LISTED, MOST_LISTED = 64, 4096
MOST_RULES = 1000  # that are kept: options can be set in more ways than there is memory


def game(name: str, /, preset: str | None = None, **options: object) -> Rules:
    """Return the rules of a game, by a preset (the default if none is named) and options."""
    try:
        file = GAMES[name].rules
    except KeyError:
        raise DamierError("game", name=name, games=", ".join(GAMES)) from None
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


@lru_cache(maxsize=MOST_RULES)
def _rules(name: str, values: tuple[str, ...]) -> Rules:
    return Rules(name, values)


def _found_again(path: Path | None, name: str, values: tuple[str, ...]) -> Rules:
    """Return rules in another process, which may have to load a game from its path first."""
    if path is not None:
        games.load(path)
    return _rules(name, values)


@dataclass(frozen=True)
class Rules:
    """A game with its options. Made by `damier.game`; equal rules are one object."""

    name: str
    values: tuple[str, ...]

    def __reduce__(self) -> tuple[object, ...]:
        return _found_again, (self.folder.path, self.name, self.values)

    def __repr__(self) -> str:
        options = "".join(f", {k}={v!r}" for k, v in self.changed.items())
        return f"damier.game({self.name!r}{options})"

    @cached_property
    def folder(self) -> Folder:
        """The game's folder: all that is about the game."""
        return GAMES[self.name]

    @cached_property
    def file(self) -> RulesFile:
        """The game's file of rules."""
        return self.folder.rules

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
        return _loops(self.folder.module, self.compiled)

    @property
    def compiled(self) -> bool:
        """Whether `compile` was called for this game, or need not be."""
        return self.name in _compiled or jit.at_hand(self.folder.module)

    def compile(self) -> None:
        """Answer with compiled code from now on, in this process: for many positions.

        The first time on a machine this takes some seconds a game. Answers stay the same. Without
        a compiler (NUMBA_DISABLE_JIT=1) nothing changes.
        """
        if jit.compiles():
            _compiled.add(self.name)

    def start(self) -> Position:
        """Return the position at the start."""
        return Position(self, *self.file.start(self.word))

    def position(self, text: str) -> Position:
        """Return the position that a text describes, or raise DamierError.

        Any well-formed text will do: whether a game can reach the position is not asked.
        """
        return Position(self, *notation.read_position(self.file, self.word, text))


@cache
def _loops(file: ModuleType, compiled: bool) -> ModuleType:
    if compiled:
        return jit.link(kernels, rules=jit.link(file))
    return jit.link_plain(kernels, rules=file)


@dataclass(frozen=True)
class Result:
    """How a game ended: the winner, "w", "b" or None for a draw, and the reason."""

    winner: str | None
    reason: str
    game: str = field(default="", compare=False, repr=False)  # by name, for its own words

    @classmethod
    def of(cls, file: RulesFile, judgement: int) -> Result | None:
        """Return what a judgement of the rules means: None where nobody has won and none drawn."""
        if not judgement & 3:
            return None
        reason = judgement >> 2
        names, at = (file.REASONS, OWN_REASON) if reason >= OWN_REASON else (REASONS, 0)
        return cls((None, "w", "b", None)[judgement & 3], names[reason - at], file.NAME)

    @property
    def judgement(self) -> int:
        """The judgement of the rules that this is; 0 if the rules have not ended the game."""
        own = GAMES[self.game].rules.REASONS if self.game in GAMES else ()
        if self.reason in REASONS[1:]:
            reason = REASONS.index(self.reason)
        elif self.reason in own:
            reason = OWN_REASON + own.index(self.reason)
        else:
            return 0
        return 4 * reason + {"w": 1, "b": 2, None: 3}[self.winner]

    def sentence(self) -> str:
        """Return the result in plain words, in the language in use."""
        reason = say_of(self.game, f"reason.{self.reason}")
        return say_of(self.game, f"result.{self.winner or 'draw'}", reason=reason)


@dataclass(frozen=True)
class Step:
    """One atomic choice inside a turn: a number below `Rules.step_range`, and what it does.

    `kind` is what `damier.games.steps.Action` says; `origin` and `target` are names of cells,
    `takes` the cells of the pawns it captures, `puts` other pawns that it sends from cell to cell
    (None: off the board for now), `by` the way to capture where there are several, `text` what it
    adds to the turn's text.
    """

    number: int
    text: str
    kind: Kind
    origin: str | None = None
    target: str | None = None
    by: str = ""
    takes: tuple[str, ...] = ()
    puts: tuple[tuple[str, str | None], ...] = ()

    @classmethod
    def of(cls, board: Board, number: int, action: Action, text: str) -> Step:
        """Return a step with its cells by name."""

        def name(cell: int) -> str | None:
            return None if cell == NOWHERE else board.names[cell]

        return cls(
            number,
            text,
            action.kind,
            name(action.origin),
            name(action.target),
            action.by,
            tuple(board.sorted_names(action.takes)),
            tuple((board.names[cell], name(to)) for cell, to in action.puts),
        )

    def __str__(self) -> str:
        return self.text


class Turn:
    """Everything a player does before the other acts: its text, its steps, where it leads.

    Turns are made by the hundred, so this class is light: the position after the turn is made
    when it is asked for.
    """

    __slots__ = ("_before", "_rules", "_steps", "_text", "_words")

    def __init__(self, before: Position, text: str, steps: tuple[int, ...], words: Words) -> None:
        self._rules = before.rules
        self._before = before.words
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
    def described(self) -> tuple[Step, ...]:
        """Its steps with what each of them does."""
        file, words, found = self._rules.file, self._before, []
        for number in self._steps:
            found.append(Position(self._rules, *words).describe(number))
            words = file.play(*words, number)
        return tuple(found)

    @property
    def ways(self) -> list[tuple[str, str]]:
        """From where to where pawns go; a pawn that is placed comes from where it goes."""
        found: list[tuple[str, str]] = []
        for step in self.described:
            if step.target is not None:
                found.append((step.origin or step.target, step.target))
            found += [(cell, to) for cell, to in step.puts if to is not None]
        return found

    def transformed(self, symmetry: int, swap: bool = False) -> Turn:
        """Return the turn as one of the position's image, turned and perhaps with other colours."""
        before = Position(self._rules, *self._before)
        steps = symmetry_.transformed_steps(
            self._rules.file, self._before, self._steps, symmetry, swap
        )
        return before.transformed(symmetry, swap).turn_of(steps)

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
        return notation.write_position(self.rules.file, self.words, self.begun)

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
        file = self.rules.file
        return Result.of(file, file.legal(*self.words, [0] * file.GROUPS))

    def steps(self) -> list[Step]:
        """Return the legal steps, with which a turn begins or goes on."""
        return [self.describe(number) for number in notation.legal_steps(*self._known)]

    def describe(self, number: int) -> Step:
        """Return what a legal step does."""
        file, board = self.rules.file, self.rules.board
        action = file.describe(*self.words, number)
        text = notation.action_text(board, action, self.unfinished)
        return Step.of(board, number, action, text)

    def step(self, number: int) -> Position:
        """Return the position after a legal step."""
        file = self.rules.file
        number = index(number)  # an agent's number may be NumPy's
        if number not in notation.legal_steps(file, self.words):
            raise DamierError("step", number=number)
        words = file.play(*self.words, number)
        text = self.begun + notation.step_text(file, self.words, number)
        return Position(self.rules, *words, text if words[2] & file.MIDTURN else "")

    @property
    def _known(self) -> tuple[RulesFile, Words]:
        """Rules and words, as the notation takes them."""
        return self.rules.file, self.words

    def turns(self, most: int | None = None) -> list[Turn]:
        """Return the legal turns sorted by text; inside a turn, the ways to go on with it.

        With `most` a position that has more of them is refused: some have hundreds of thousands.
        """
        found = list(islice(_turns(self), None if most is None else most + 1))
        if most is not None and len(found) > most:
            raise DamierError("too-many-turns", most=most)
        return sorted(found, key=attrgetter("_text"))

    def iter_turns(self) -> Iterator[Turn]:
        """Yield the legal turns in no particular order, each when it is asked for."""
        return _turns(self)

    def ends(self) -> Iterator[tuple[tuple[int, ...], Words]]:
        """Yield the steps of each legal turn and where they lead, as the rules know it."""
        return _listed(self)

    def turn(self, text: str) -> Turn:
        """Return the legal turn that a text writes, or raise DamierError saying why not."""
        text = str(text)
        here = notation.Reading(self.begun, (), self.words)
        found, _ = notation.read_turn(self.rules.file, here, text)
        if found is None:
            raise refusal(self.rules.file, here, text)
        return Turn(self, text, found.steps, found.words)

    def turn_of(self, steps: Iterable[int]) -> Turn:
        """Return the turn that legal steps make, in whatever order it is written."""
        file = self.rules.file
        written = notation.as_written(file, self.words, tuple(steps))
        words = self.words
        for step in written:
            words = file.play(*words, step)
        return Turn(self, notation.turn_text(*self._known, written, self.begun), written, words)

    def turns_to(self, after: Position) -> list[Turn]:
        """Return the legal turns that reach a position, sorted by text."""
        return [turn for turn in self.turns() if turn.words == after.words]

    def play(self, turn: str | Turn) -> Position:
        """Return the position after a turn, or raise DamierError saying why it is not legal."""
        return self.turn(str(turn)).after

    def children(self) -> set[Position]:
        """Return the distinct positions that one turn can reach."""
        return {Position(self.rules, *words) for _, words in _listed(self)}

    def perft(self, depth: int) -> int:
        """Return the number of paths of `depth` turns through distinct positions."""
        if index(depth) < 0:
            raise DamierError("depth", text=depth)
        paths = int(self.rules.loops.perft(*self.words, depth))
        if paths < 0:
            raise DamierError("turn-too-long", most=self.rules.loops.LONGEST)
        return paths

    def transformed(self, symmetry: int = 0, swap: bool = False) -> Position:
        """Return the position under a symmetry of the board, and with the colours swapped."""
        return Position(self.rules, *symmetry_.transformed(*self._known, symmetry, swap))

    def draw(self, *, colour: bool = False, marked: Iterable[str] = (), ascii: bool = False) -> str:
        """Return the board drawn for a terminal: see `damier.drawing.terminal`."""
        from damier import drawing  # as slow to import as all else together

        return drawing.terminal(self, colour=colour, marked=marked, ascii=ascii)

    def svg(self, **how: Any) -> str:
        """Return the board drawn as SVG: see `damier.drawing.svg`."""
        from damier import drawing

        return drawing.svg(self, **how)

    _repr_svg_ = svg


def _listed(position: Position) -> Iterator[tuple[tuple[int, ...], Words]]:
    """Yield the steps of every turn of a position, and where they lead."""
    if position.over:
        return
    loops = position.rules.loops
    size, end = loops.TURN_WORDS, loops.TURN_END
    room, turns = loops.begin_turns(*position.words), FIRST_LISTED
    while True:
        found = loops.buffer(turns * size)
        count = loops.next_turns(room, found)
        if count < 0:
            raise DamierError("turn-too-long", most=loops.LONGEST)
        words = found[: count * size]
        if not isinstance(words, list):  # NumPy's integers would slow down all that follows
            words = words.tolist()
        for at in range(0, count * size, size):
            steps = words[at + 1 : at + 1 + words[at]]
            yield tuple(steps), (words[at + end], words[at + end + 1], words[at + end + 2])
        if count < turns:
            return
        turns = min(4 * turns, MOST_LISTED)


def _turns(position: Position) -> Iterator[Turn]:
    """Yield every turn of a position."""
    # Turns come in the order of their steps: what one shares with the last is not done again.
    file, step_text = position.rules.file, notation.step_text
    texts, words = [position.begun], [position.words]
    last: tuple[int, ...] = ()
    for steps, after in _listed(position):
        before = steps[:-1]
        if before != last:
            shared = 0
            while shared < min(len(before), len(last)) and before[shared] == last[shared]:
                shared += 1
            del texts[shared + 1 :], words[shared + 1 :]
            for step in before[shared:]:
                texts.append(texts[-1] + step_text(file, words[-1], step))
                words.append(file.play(*words[-1], step))
            last = before
        text = texts[-1] + step_text(file, words[-1], steps[-1])
        yield Turn(position, text, steps, after)
