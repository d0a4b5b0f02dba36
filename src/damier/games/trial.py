"""A short trial of a game from outside: some random games, in which every answer is looked at.

What an inventor's first draft gets wrong is told here, at once and by its name, instead of showing
as nonsense on a board or in a search hours later. Games of the package have tests for this.
"""

from __future__ import annotations

import random
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from damier.errors import DamierError
from damier.games.board import Board, moved
from damier.games.checks import KERNELS, annotation, is_int, option_bits, raised, wrong
from damier.games.contract import RulesFile, Words
from damier.games.steps import NOWHERE, Action, Note
from damier.games.terms import OWN_REASON, REASONS, WHITE, step_of

_GAMES, _STEPS = 5, 30
PATIENCE = 30.0  # seconds for all of it, which takes a part of one
_LONGEST = 32  # steps of a turn: see damier.kernels
_TOP = 1 << 63
_MOST_PLACES, _MOST_FILES = 63, 21
# Per kind: whether it names an origin, and a target.
_CELLS = {
    "place": (False, True), "move": (True, True), "swap": (True, True), "put": (True, True),
    "drop": (False, True), "take": (False, True), "stop": (False, False), "pass": (False, False),
}  # fmt: skip


def _optional(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


def _is_words(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 3 and all(is_int(x) for x in value)


# What each function answers; where the contract says bool, the kernels only ask if it is 0.
_ANSWERS: dict[str, Callable[[Any], bool]] = {
    "board": lambda value: isinstance(value, Board),
    "start": _is_words,
    "play": _is_words,
    "legal": is_int,
    "describe": lambda value: isinstance(value, Action),
    "pawns": is_int,
    "hands": _optional(
        lambda value: isinstance(value, tuple) and len(value) == 2 and all(map(is_int, value))
    ),
    "superfluous": lambda value: isinstance(value, int),
    "repeatable": lambda value: isinstance(value, int),
    "repeated": is_int,
    "superko": lambda value: isinstance(value, int),
    "shut_in": is_int,
    "write_fields": lambda value: isinstance(value, list) and all(
        isinstance(x, str) and x and " " not in x for x in value
    ),
    "read_fields": is_int,
    "transformed": is_int,
    "must": lambda value: isinstance(value, str),
    "shown": is_int,
    "resting": is_int,
    "barred": lambda value: isinstance(value, tuple),
    "notes": lambda value: isinstance(value, list) and all(isinstance(x, Note) for x in value),
    "reminder": _optional(lambda value: isinstance(value, Note)),
    "why": _optional(lambda value: isinstance(value, Note)),
}  # fmt: skip


class Trial:
    """Asks rules questions and looks at the answers; the first that cannot be is raised."""

    def __init__(self, rules: ModuleType) -> None:
        self.rules = rules
        self.file = cast(RulesFile, rules)
        self.folder = Path(str(rules.__file__)).resolve().parent
        self.options = sum(option_bits(option) for option in self.file.OPTIONS)
        self.seen: list[tuple[Words, int]] = []  # positions and steps played in them
        self.asked = "start"  # what was asked last

    def wrong(self, name: str, key: str, **details: object) -> DamierError:
        """Return the error that a function of the rules answers nonsense."""
        return wrong(self.rules, name, key, **details)

    def ask(self, name: str, *question: Any) -> Any:
        """Return what a function answers, or raise DamierError."""
        self.asked = name
        try:
            answer = getattr(self.rules, name)(*question)
        except (Exception, SystemExit) as error:
            unknown = self.wrong(name, "raised").details["where"]
            where, said = raised(error, self.folder, str(unknown))
            asked = ", ".join(str(x) for x in question if not isinstance(x, list))
            raise DamierError(
                "game-raised", where=where, name=name, asked=asked, problem=said
            ) from error
        if not _ANSWERS[name](answer):
            raise self.wrong(name, "answer", value=repr(answer)[:60], kind=annotation(name))
        return answer

    def run(self) -> None:
        """Play some random games of each preset; what never answers is refused as well."""
        try:
            with _within(PATIENCE):
                self._run()
        except _Endless as error:
            otherwise = str(self.wrong(self.asked, "endless").details["where"])
            where, _ = raised(error, self.folder, otherwise)
            raise DamierError(
                "game-endless", where=where, name=self.asked, seconds=round(PATIENCE)
            ) from None

    def _run(self) -> None:
        for preset in self.file.PRESETS.values():
            word = sum(
                option.encode(preset.get(option.name, option.default))
                for option in self.file.OPTIONS
            )
            board = self.ask("board", word)
            if not 0 < board.size <= _MOST_PLACES or board.files > _MOST_FILES:
                raise self.wrong("board", "board", most=_MOST_PLACES, files=_MOST_FILES)
            start = self.ask("start", word)
            self.look_at("start", board, word, start)
            if start[2] & self.file.MIDTURN:
                raise self.wrong("start", "start-midturn")
            for seed in range(_GAMES):
                self.play(board, word, start, seed)

    def play(self, board: Board, word: int, words: Words, seed: int) -> None:
        """Play one game of random steps; in the first, symmetries are looked at."""
        chance, first, length = random.Random(seed), seed == 0, 0
        for _ in range(_STEPS):
            steps = list(self.steps(board, words))
            if not steps:
                return
            self.answers(words)
            self.descriptions(board, words, steps)
            if first and not words[2] & self.file.MIDTURN:
                self.images(board, words, steps)
            step = chance.choice(steps)
            self.seen.append((words, step))
            after = self.ask("play", *words, step)
            self.look_at("play", board, word, after)
            length = length + 1 if after[2] & self.file.MIDTURN else 0
            if length and self.file.FINAL >> (step >> 6) & 1:
                raise self.wrong("FINAL", "final", step=step, words=words)
            if length >= _LONGEST:
                raise self.wrong("play", "long", most=_LONGEST, words=after)
            words = after

    def look_at(self, name: str, board: Board, word: int, words: Words) -> None:
        """See that a position is one."""
        w, b, r = words
        if not all(0 <= x < _TOP for x in words):
            raise self.wrong(name, "words", words=words)
        if (w | b) & ~board.cells:
            raise self.wrong(name, "off-board", words=words)
        if r & self.options != word:
            raise self.wrong(name, "options-changed", words=words)
        if r & self.file.MIDTURN:
            return
        if w & b:
            raise self.wrong(name, "two-pawns", words=words)
        most = self.ask("pawns", r)
        if max(w.bit_count(), b.bit_count()) > most:
            raise self.wrong("pawns", "pawns", count=most, words=words)
        fields = self.ask("write_fields", w, b, r)
        if len(fields) != len(self.file.FIELDS):
            raise self.wrong("write_fields", "field-count", count=len(fields))
        again = self.ask("read_fields", w, b, word | r & 1, fields)
        if again != r:
            raise self.wrong("read_fields", "fields", words=words, found=again)

    def steps(self, board: Board, words: Words) -> Iterator[int]:
        """Yield the legal steps of a position; none if it is over."""
        file = self.file
        out = [-1] * file.GROUPS  # not 0: what was there before must not be taken for legal
        judgement = self.ask("legal", *words, out)
        if judgement:
            self.judged(words, judgement)
            return
        some = False
        for group, cells in enumerate(out):
            if not is_int(cells) or not 0 <= cells < _TOP:
                raise self.wrong("legal", "out", group=group, words=words)
            for cell in range(cells.bit_length()):
                if cells >> cell & 1:
                    some = True
                    if not board.cells >> cell & 1:
                        raise self.wrong("legal", "cell", group=group, cell=cell, words=words)
                    yield step_of(group, cell)
        if not some:
            raise self.wrong("legal", "no-step", words=words)

    def judged(self, words: Words, judgement: int) -> None:
        """See that the end of a game is one."""
        reason, outcome = judgement >> 2, judgement & 3
        known = 0 < reason < len(REASONS) or 0 <= reason - OWN_REASON < len(self.file.REASONS)
        if judgement < 0 or not outcome or not known:
            raise self.wrong("legal", "judgement", value=judgement, words=words)
        if words[2] & self.file.MIDTURN:
            raise self.wrong("legal", "judged-midturn", words=words)
        self.ask("shown", *words, judgement)

    def answers(self, words: Words) -> None:
        """Ask what else there is to ask about a position."""
        for name in ("repeatable", "repeated", "shut_in", "hands", "resting", "barred", "notes"):
            self.ask(name, *words)
        for name in ("must", "reminder"):
            self.ask(name, *words)
        self.ask("superko", words[2])

    def descriptions(self, board: Board, words: Words, steps: list[int]) -> None:
        """See that every legal step is described, and no two alike."""
        described: dict[Action, int] = {}
        midturn = words[2] & self.file.MIDTURN != 0
        for step in steps:
            action = self.ask("describe", *words, step)
            self.described(board, words, step, action)
            if self.ask("superfluous", words[2], step):
                continue
            # The text of a turn that goes on does not say where its pawn stands.
            if midturn and action.kind == "move":
                action = action._replace(origin=NOWHERE)
            other = described.setdefault(action, step)
            if other != step:
                raise self.wrong("describe", "twice", one=other, other=step, words=words)

    def described(self, board: Board, words: Words, step: int, action: Action) -> None:
        """See that a step's description fits the board."""
        w, b, r = words
        cells = _CELLS.get(action.kind)
        if cells is None:
            raise self.wrong("describe", "action-kind", kind=action.kind, kinds=", ".join(_CELLS))
        for named, cell in zip(cells, (action.origin, action.target), strict=True):
            if not is_int(cell) or (board.cells >> cell & 1 if cell >= 0 else 0) != named:
                raise self.wrong("describe", "action-cells", step=step, action=action, words=words)
        own = w if r & 1 == WHITE else b
        holders = own if action.kind in ("move", "swap") else None
        if holders is not None and not holders >> action.origin & 1:
            raise self.wrong("describe", "action-pawn", step=step, action=action, words=words)
        if not is_int(action.takes) or action.takes & ~(w | b):
            raise self.wrong("describe", "action-takes", step=step, action=action, words=words)
        if action.by and not re.fullmatch("[A-Z]", action.by):
            raise self.wrong("describe", "action-by", step=step, action=action)

    def images(self, board: Board, words: Words, steps: list[int]) -> None:
        """See that the rules are the same on a board turned or mirrored, and for both colours."""
        actions = [self.file.describe(*words, step) for step in steps]
        for to in board.symmetries:
            for swap in (False, True) if self.file.COLOUR_SWAP else (False,):
                w, b = (moved(pawns, to) for pawns in words[:2])
                r = self.ask("transformed", words[2], to, swap)
                image = (b, w, r ^ 1) if swap else (w, b, r)
                found = {self.file.describe(*image, step) for step in self.steps(board, image)}
                if found != {action.turned(to) for action in actions}:
                    name, key = ("COLOUR_SWAP", "swap") if swap else ("board", "symmetry")
                    raise self.wrong(name, key, words=words, image=image)

    def compare(self, twin: ModuleType) -> None:
        """See that compiled rules can be compiled and answer as they do uncompiled."""
        import numpy as np

        for words, step in self.seen[:: max(1, len(self.seen) // 20)]:
            plain = [-1] * self.file.GROUPS
            fast = np.full(self.file.GROUPS, -1, np.int64)
            judgement = self.file.legal(*words, plain)
            found = self.compiled(twin, "legal", *words, fast)
            if found != judgement or (not judgement and fast.tolist() != plain):
                raise self.wrong("legal", "speeds", words=words, step="")
            if tuple(self.compiled(twin, "play", *words, step)) != self.file.play(*words, step):
                raise self.wrong("play", "speeds", words=words, step=step)
            for name in KERNELS - {"legal", "play"}:
                asked = {"superfluous": (words[2], step), "superko": words[2:]}.get(name, words)
                if self.compiled(twin, name, *asked) != getattr(self.file, name)(*asked):
                    raise self.wrong(name, "speeds", words=words, step=step)

    def compiled(self, twin: ModuleType, name: str, *question: Any) -> Any:
        """Return what a compiled function answers, or raise DamierError if it cannot be made."""
        from numba.core.errors import NumbaError

        try:
            return getattr(twin, name)(*question)
        except NumbaError as error:
            where = blamed(error, self.folder) or self.wrong(name, "kernel").details["where"]
            raise uncompiled(error, str(where), name) from error


class _Endless(BaseException):
    """Rules have not answered in their time; not an Exception, which they might catch."""


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise _Endless in this thread, wherever it is then, if its work does not end in time."""
    if sys.platform == "emscripten":  # a browser has one thread; there rules were tried before
        yield
        return
    import ctypes

    here, ended = ctypes.c_ulong(threading.get_ident()), threading.Event()

    def watch() -> None:
        if not ended.wait(seconds):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(here, ctypes.py_object(_Endless))

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def blamed(error: Exception, folder: Path) -> str | None:
    """Return the file of a folder, and the line, that the compiler's message is about, if any."""
    found = re.findall(r'File "([^"]+)", line (\d+)', str(error))
    inside = [(path, line) for path, line in found if Path(path).resolve().is_relative_to(folder)]
    return f"{Path(inside[-1][0]).resolve()}:{inside[-1][1]}" if inside else None


def uncompiled(error: Exception, where: str, name: str) -> DamierError:
    """Return the error that something of a game cannot be compiled, in one sentence."""
    return DamierError("game-kernel", where=where, name=name, problem=_reason(str(error)))


def _reason(text: str) -> str:
    """Return the sentence of a compiler's message that says what it did not take."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", text)
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("Failed in", "File ", "During:"))]
    return (told or lines or [""])[0]


def tried(rules: ModuleType) -> ModuleType:
    """Return rules that stood their trial, or raise DamierError.

    When they are compiled, the first of it is compared with what they answer as they stand.
    """
    trial = Trial(rules)
    trial.run()
    rules.__linked__ = trial.compare  # type: ignore[attr-defined]
    return rules
