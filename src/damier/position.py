"""Rules with options, positions, steps, moves and results: the public Python API.

Nothing here depends on earlier positions; `damier.Game` handles repetition.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import islice
from operator import attrgetter, index
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any
from weakref import WeakValueDictionary

from damier import games, jit, kernels, notation
from damier import symmetry as symmetry_
from damier.deprecation import deprecated_names
from damier.errors import DamierError
from damier.games import GAMES, Folder, RulesModule, Words
from damier.games.board import Board
from damier.games.constants import OWN_REASON, REASONS
from damier.games.steps import NOWHERE, Action, Kind
from damier.i18n import has_text, translate_for_game
from damier.illegal_moves import illegal_move_error

_compiled: set[str] = set()
# Moves in the first batch of a listing, and in the largest.
FIRST_LISTED, MAX_LISTED = 64, 4096
MAX_RULES = 1000  # kept in memory although unused: options have millions of combinations
_rules_in_use: WeakValueDictionary[tuple[str, tuple[str, ...]], Rules] = WeakValueDictionary()


def load_rules(name: str, /, preset: str | None = None, **options: object) -> Rules:
    """Return the rules of a game, by a preset (the default if none is named) and options."""
    try:
        module = GAMES[name].rules
    except KeyError:
        raise DamierError("game", name=name, games=", ".join(GAMES)) from None
    chosen = dict(module.PRESETS[next(iter(module.PRESETS))])
    if preset is not None:
        if preset not in module.PRESETS:
            raise DamierError("preset", name=preset, game=name, presets=", ".join(module.PRESETS))
        chosen = dict(module.PRESETS[preset])
    known = {option.name: option for option in module.OPTIONS}
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


@lru_cache(maxsize=MAX_RULES)
def _rules(name: str, values: tuple[str, ...]) -> Rules:
    """Return the one object for these rules, even if the cache has dropped it meanwhile."""
    return _rules_in_use.setdefault((name, values), Rules(name, values))


def _unpickle_rules(path: Path | None, name: str, values: tuple[str, ...]) -> Rules:
    """Return the rules with a name and option values, after loading the game from its path."""
    if path is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", games.GameWarning)  # the first process has shown them
            games.load(path)
    return _rules(name, values)


@dataclass(frozen=True)
class Rules:
    """Game with its options, made by `damier.load_rules`; equal rules are one object."""

    name: str
    values: tuple[str, ...]

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickle_rules, (self.folder.path, self.name, self.values)

    def __repr__(self) -> str:
        options = "".join(f", {k}={v!r}" for k, v in self.changed.items())
        return f"damier.load_rules({self.name!r}{options})"

    @cached_property
    def folder(self) -> Folder:
        """The game's folder: rules, evaluation, texts and data."""
        return GAMES[self.name]

    @cached_property
    def module(self) -> RulesModule:
        """The Python module with the game's rules."""
        return self.folder.rules

    @cached_property
    def options(self) -> Mapping[str, str]:
        """Every option and its value."""
        names = (option.name for option in self.module.OPTIONS)
        return MappingProxyType(dict(zip(names, self.values, strict=True)))

    @cached_property
    def changed(self) -> Mapping[str, str]:
        """The options that differ from the default rules."""
        defaults = {option.name: option.default for option in self.module.OPTIONS}
        return MappingProxyType({k: v for k, v in self.options.items() if v != defaults[k]})

    @cached_property
    def word(self) -> int:
        """The options as bits of a position's third word."""
        return sum(o.encode(v) for o, v in zip(self.module.OPTIONS, self.values, strict=True))

    @cached_property
    def board(self) -> Board:
        """The board."""
        return self.module.board(self.word)

    @property
    def pawns(self) -> int:
        """How many pawns a side has at most."""
        return self.module.pawns(self.word)

    @property
    def step_range(self) -> int:
        """Every step of this game is a number below this one."""
        return self.module.GROUPS << 6

    @property
    def loops(self) -> Any:
        """The kernels of `damier.kernels` for this game, compiled if `compile` was called."""
        return _loops(self.folder.module, self.compiled)

    @property
    def compiled(self) -> bool:
        """Whether `compile` was called for this game, or need not be."""
        return self.name in _compiled or jit.is_precompiled(self.folder.module)

    def compile(self) -> None:
        """Use compiled kernels for this game from now on in this process.

        Compilation takes some seconds per game the first time on a machine. Results are the same.
        Without a compiler (NUMBA_DISABLE_JIT=1) this does nothing.
        """
        if jit.compiles():
            _compiled.add(self.name)

    def start(self) -> Position:
        """Return the position at the start."""
        return Position(self, *self.module.start(self.word))

    def position(self, text: str) -> Position:
        """Return the position that a text describes; raise DamierError if it is malformed.

        The position need not be reachable in a game.
        """
        return Position(self, *notation.read_position(self.module, self.word, text))


@cache
def _loops(module: ModuleType, compiled: bool) -> ModuleType:
    return jit.link(kernels, compiled=compiled, rules=jit.link(module, compiled=compiled))


@dataclass(frozen=True)
class Result:
    """Result of a game: the winner, "w", "b" or None for a draw, and the reason."""

    winner: str | None
    reason: str
    game: str = field(default="", compare=False, repr=False)  # name of the game, for its own texts

    @classmethod
    def of(cls, module: RulesModule, judgement: int) -> Result | None:
        """Return the result of a judgement of the rules, or None if it is neither win nor draw."""
        if not judgement & 3:
            return None
        reason = judgement >> 2
        names, at = (module.REASONS, OWN_REASON) if reason >= OWN_REASON else (REASONS, 0)
        return cls((None, "w", "b", None)[judgement & 3], names[reason - at], module.NAME)

    @property
    def judgement(self) -> int:
        """Judgement of the rules with this result; 0 if the rules did not end the game."""
        own = GAMES[self.game].rules.REASONS if self.game in GAMES else ()
        if self.reason in REASONS[1:]:
            reason = REASONS.index(self.reason)
        elif self.reason in own:
            reason = OWN_REASON + own.index(self.reason)
        else:
            return 0
        return 4 * reason + {"w": 1, "b": 2, None: 3}[self.winner]

    @property
    def reason_key(self) -> str:
        """The key of the reason's text: `reason.NAME`, or `reason.NAME.draw` if there is one."""
        key = f"reason.{self.reason}"
        drawn = f"{key}.draw"
        return drawn if self.winner is None and has_text(self.game, drawn) else key

    def sentence(self) -> str:
        """Return the result as a sentence in the language in use."""
        reason = translate_for_game(self.game, self.reason_key)
        return translate_for_game(self.game, f"result.{self.winner or 'draw'}", reason=reason)


@dataclass(frozen=True)
class Step:
    """Atomic part of a move: a number below `Rules.step_range`, and what the step does.

    `kind` is what `damier.games.steps.Action` says; `origin` and `target` are names of cells,
    `takes` the cells of the pawns it captures, `puts` other pawns that it sends from cell to cell
    (None: off the board for now), `by` the way to capture where there are several, `text` what it
    adds to the move's text.
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


class Move:
    """A player's complete action: its text, its steps and the position that it leads to.

    Positions have hundreds of moves, so the object is small and `after` is computed on access.
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
        """The move's text."""
        return self._text

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of its steps."""
        return self._steps

    @property
    def described(self) -> tuple[Step, ...]:
        """Its steps as `Step` objects."""
        module, words, found = self._rules.module, self._before, []
        for number in self._steps:
            found.append(Position(self._rules, *words).describe(number))
            words = module.play(*words, number)
        return tuple(found)

    @property
    def ways(self) -> list[tuple[str, str]]:
        """Origin and target of each displaced pawn; for a placed pawn both are the target."""
        found: list[tuple[str, str]] = []
        for step in self.described:
            if step.target is not None:
                found.append((step.origin or step.target, step.target))
            found += [(cell, to) for cell, to in step.puts if to is not None]
        return found

    def transformed(self, symmetry: int, swap: bool = False) -> Move:
        """Return the corresponding move of the position's image under a symmetry."""
        before = Position(self._rules, *self._before)
        steps = symmetry_.transformed_steps(
            self._rules.module, self._before, self._steps, symmetry, swap
        )
        return before.transformed(symmetry, swap).move_from_steps(steps)

    @property
    def words(self) -> Words:
        """The position after the move as three words, the form that the rules use."""
        return self._words

    @property
    def after(self) -> Position:
        """The position after the move."""
        return Position(self._rules, *self.words)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<move {self.text}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Move):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self._rules, self.text, self.words


@deprecated_names(
    turns="legal_moves",
    iter_turns="iter_legal_moves",
    turn="parse_move",
    turn_of="move_from_steps",
    turns_to="moves_to",
)
@dataclass(frozen=True, repr=False)
class Position:
    """Immutable position: all that decides which moves are legal, except repetition.

    Inside a move, `begun` is the text of the steps played so far.
    """

    rules: Rules
    white: int
    black: int
    rest: int
    begun: str = field(default="", compare=False)

    @property
    def words(self) -> Words:
        """The position as three words, the form that the rules use."""
        return self.white, self.black, self.rest

    @property
    def side(self) -> str:
        """The side to move, "w" or "b"."""
        return "wb"[self.rest & 1]

    @property
    def unfinished(self) -> bool:
        """Whether the position is inside a move."""
        return self.rest & self.rules.module.MIDTURN != 0

    @property
    def over(self) -> bool:
        """Whether no move can be played: there is a result, or the position is unreachable."""
        return self.rules.module.legal(*self.words, [0] * self.rules.module.GROUPS) != 0

    def __str__(self) -> str:
        return notation.write_position(self.rules.module, self.words, self.begun)

    def __repr__(self) -> str:
        return f"<{self.rules.name} {self}>"

    def cell(self, name: str) -> str:
        """Return what stands on a cell: "w", "b" or "."."""
        i = self.rules.board.indices.get(name)
        if i is None:
            raise DamierError("cell", name=name)
        return ".wb."[(self.white >> i & 1) + 2 * (self.black >> i & 1)]

    def result(self) -> Result | None:
        """Return the result, or None while the game is in progress. Repetition is ignored."""
        return self._result

    @cached_property
    def _result(self) -> Result | None:
        """Cached result: it is needed several times while a move is parsed and played."""
        if self.unfinished:
            return None
        module = self.rules.module
        return Result.of(module, module.legal(*self.words, [0] * module.GROUPS))

    def steps(self) -> list[Step]:
        """Return the legal steps that begin or continue a move."""
        return [self.describe(number) for number in notation.legal_steps(*self._module_and_words)]

    def describe(self, number: int) -> Step:
        """Return what a legal step does."""
        module, board = self.rules.module, self.rules.board
        action = module.describe(*self.words, number)
        text = notation.action_text(board, action, self.unfinished)
        return Step.of(board, number, action, text)

    def step(self, number: int) -> Position:
        """Return the position after a legal step."""
        module = self.rules.module
        number = index(number)  # accepts NumPy integers
        if number not in notation.legal_steps(module, self.words):
            raise DamierError("step", number=number)
        words = module.play(*self.words, number)
        text = self.begun + notation.step_text(module, self.words, number)
        return Position(self.rules, *words, text if words[2] & module.MIDTURN else "")

    @property
    def _module_and_words(self) -> tuple[RulesModule, Words]:
        """Rules module and words, the arguments of functions of `notation`."""
        return self.rules.module, self.words

    def legal_moves(self, limit: int | None = None) -> list[Move]:
        """Return the legal moves sorted by text; inside a move, its continuations.

        Raise DamierError if there are more than `limit`: some positions have hundreds of thousands.
        """
        found = list(islice(_moves(self), None if limit is None else limit + 1))
        if limit is not None and len(found) > limit:
            raise DamierError("too-many-turns", most=limit)
        return sorted(found, key=attrgetter("_text"))

    def iter_legal_moves(self) -> Iterator[Move]:
        """Yield the legal moves lazily, in no particular order."""
        return _moves(self)

    def ends(self) -> Iterator[tuple[tuple[int, ...], Words]]:
        """Yield the steps of each legal move and the words of the position after it."""
        return _list_moves(self)

    def parse_move(self, text: str) -> Move:
        """Return the legal move with a text; raise DamierError with the reason if there is none."""
        text = str(text)
        here = notation.Reading(self.begun, (), self.words)
        found, _ = notation.read_move(self.rules.module, here, text)
        if found is None:
            raise illegal_move_error(self.rules.module, here, text)
        return Move(self, text, found.steps, found.words)

    def move_from_steps(self, steps: Iterable[int]) -> Move:
        """Return the move that consists of legal steps, in any order."""
        module = self.rules.module
        written = notation.canonical_order(module, self.words, tuple(steps))
        words = self.words
        for step in written:
            words = module.play(*words, step)
        return Move(
            self, notation.move_text(*self._module_and_words, written, self.begun), written, words
        )

    def moves_to(self, after: Position) -> list[Move]:
        """Return the legal moves that reach a position, sorted by text."""
        return [move for move in self.legal_moves() if move.words == after.words]

    def play(self, move: str | Move) -> Position:
        """Return the position after a move; raise DamierError if it is not legal."""
        return self.parse_move(str(move)).after

    def children(self) -> set[Position]:
        """Return the distinct positions that one move can reach."""
        return {Position(self.rules, *words) for _, words in _list_moves(self)}

    def perft(self, depth: int) -> int:
        """Return the number of paths of `depth` moves through distinct positions."""
        if index(depth) < 0:
            raise DamierError("depth", text=depth)
        paths = int(self.rules.loops.perft(*self.words, depth))
        if paths < 0:
            raise DamierError("turn-too-long", most=self.rules.loops.MAX_MOVE_STEPS)
        return paths

    def transformed(self, symmetry: int = 0, swap: bool = False) -> Position:
        """Return the position under a symmetry of the board, and with the colours swapped."""
        return Position(self.rules, *symmetry_.transformed(*self._module_and_words, symmetry, swap))

    def draw(self, *, colour: bool = False, marked: Iterable[str] = (), ascii: bool = False) -> str:
        """Return the board drawn for a terminal: see `damier.drawing.terminal`."""
        from damier import drawing  # imported when needed: it is slow to import

        return drawing.terminal(self, colour=colour, marked=marked, ascii=ascii)

    def svg(self, **how: Any) -> str:
        """Return the board drawn as SVG: see `damier.drawing.svg`."""
        from damier import drawing

        return drawing.svg(self, **how)

    _repr_svg_ = svg


def _list_moves(position: Position) -> Iterator[tuple[tuple[int, ...], Words]]:
    """Yield the steps of every move of a position, and the words of the position after it."""
    if position.over:
        return
    loops = position.rules.loops
    size, end = loops.MOVE_WORDS, loops.MOVE_END
    room, moves = loops.begin_moves(*position.words), FIRST_LISTED
    while True:
        found = loops.buffer(moves * size)
        count = loops.next_moves(room, found)
        if count < 0:
            raise DamierError("turn-too-long", most=loops.MAX_MOVE_STEPS)
        words = found[: count * size]
        if not isinstance(words, list):  # Python integers are faster than NumPy's in what follows
            words = words.tolist()
        for at in range(0, count * size, size):
            steps = words[at + 1 : at + 1 + words[at]]
            yield tuple(steps), (words[at + end], words[at + end + 1], words[at + end + 2])
        if count < moves:
            return
        moves = min(4 * moves, MAX_LISTED)


def _moves(position: Position) -> Iterator[Move]:
    """Yield every move of a position."""
    # Moves come in the order of their steps: the common prefix with the last move is reused.
    module, step_text = position.rules.module, notation.step_text
    texts, words = [position.begun], [position.words]
    last: tuple[int, ...] = ()
    for steps, after in _list_moves(position):
        before = steps[:-1]
        if before != last:
            shared = 0
            while shared < min(len(before), len(last)) and before[shared] == last[shared]:
                shared += 1
            del texts[shared + 1 :], words[shared + 1 :]
            for step in before[shared:]:
                texts.append(texts[-1] + step_text(module, words[-1], step))
                words.append(module.play(*words[-1], step))
            last = before
        text = texts[-1] + step_text(module, words[-1], steps[-1])
        yield Move(position, text, steps, after)
