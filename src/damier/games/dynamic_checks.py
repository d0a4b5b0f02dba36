"""Dynamic checks of custom games: random games in which every return value is checked.

Errors of an inventor's draft are reported here with the name of the function, instead of appearing
later as wrong boards or searches. Games of the package have tests instead.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import Any, NamedTuple, cast

from damier.errors import DamierError
from damier.games import time_limits
from damier.games.board import Board, map_cells
from damier.games.constants import CELL_BITS, OWN_REASON, REASONS, WHITE, step_of
from damier.games.contract import RulesModule, Words
from damier.games.effect_checks import differing_cells
from damier.games.kernel_checks import (
    check_package,
    compilation_error,
    compiler_location,
    is_compiler_error,
)
from damier.games.return_checks import (
    RETURN_CHECKS,
    STEP_CELLS,
    action_text,
    has_its_cells,
    is_words,
    type_text,
)
from damier.games.static_checks import (
    KERNELS,
    contract_error,
    is_defined,
    is_int,
    locate_error,
    option_bits,
)
from damier.games.steps import NOWHERE, Action, Note
from damier.i18n import Translated

_GAMES, _STEPS = 5, 30
_MAX_STEPS = 32  # of a move: see damier.kernels
_MAX_MOVES, _LONG_GAMES = 1000, 3  # a game is reported if so many random games last longer
_ENDING_S = 2.0  # time for the search for endless games, which slow rules may exceed unreported
_TOP = 1 << 63
_MAX_OCCURRENCES = 3  # see damier.gameplay
_MAX_CONTINUED_MOVES = 500  # unfinished moves that the check of ONE_STEP_UNIQUE continues
_MAX_TRIED_PAWNS = 3  # pawns with which illegal steps to each cell are tried


class Violation(NamedTuple):
    """A position and its image under a symmetry, where the rules allow other steps or fail."""

    words: Words
    image: Words
    error: DamierError | None


class DynamicChecker:
    """Calls functions of rules and checks their return values; raises the first error."""

    def __init__(
        self, rules: ModuleType, *, try_swap: bool = False, games: int = _GAMES, steps: int = _STEPS
    ) -> None:
        self.rules = rules
        self.games, self.max_steps = games, steps  # random games of each preset
        self.module = cast(RulesModule, rules)
        self.folder = Path(str(rules.__file__)).resolve().parent
        self.options = sum(option_bits(option) for option in self.module.OPTIONS)
        self.seen: list[tuple[Words, int]] = []  # positions and steps played in them
        self.noted: dict[str, Note] = {}  # by the key of its text, a note that the rules gave
        self.called = "start"  # name of the last function called
        self.board: Board | None = None  # of the preset being checked
        # By symmetry that the rules violate.
        self.violated: dict[tuple[int, ...], Violation] = {}
        # Whether to swap the colours even if the rules do not declare that they may be.
        self.swaps = try_swap or self.module.COLOUR_SWAP
        self.kinds: set[str] = set()  # kinds of the steps described, and whether any captures
        self.captures = False
        self.moves = self.flips = 0  # moves played, and those that changed the side to move
        self.warnings: list[DamierError] = []
        self.swapped: Violation | None = None  # the same for swapped colours

    def contract_error(self, name: str, key: str, **details: object) -> DamierError:
        """Return the error about a name of the rules, with positions drawn."""
        for word in ("words", "image"):
            if word in details:
                details[word] = self.draw(details[word])
        for word in ("step", "one", "other"):
            if is_int(details.get(word)):
                details[word] = self.step_text(cast(int, details[word]))
        if isinstance(details.get("action"), Action):
            details["action"] = action_text(cast(Action, details["action"]))
        return contract_error(self.rules, name, key, **details)

    def step_text(self, step: int) -> str:
        """Return a step as it appears in messages: its number, its group and its cell."""
        group, cell = step >> CELL_BITS, step & ((1 << CELL_BITS) - 1)
        names = self.board.names if self.board is not None else ()
        name = f" = {names[cell]}" if cell < len(names) else ""
        return f"{step} ({Translated('game-step', group=group, cell=f'{cell}{name}')})"

    def draw(self, words: Any) -> str:
        """Return a position as it appears in messages: its three integers, and its board."""
        if not is_words(words) or min(words) < 0 or self.board is None:
            return str(words)
        white, black, r = words
        if (white | black) >> self.board.size:
            return str(words)
        signs = [".wbx"[(white >> i & 1) + 2 * (black >> i & 1)] for i in range(self.board.size)]
        for i, sign in enumerate(signs):
            if sign == "." and not self.board.cells >> i & 1:
                signs[i] = "#"
        files = self.board.files
        ranks = ["".join(signs[i : i + files]) for i in range(0, len(signs), files)]
        return f"({white}, {black}, {r}) = {'/'.join(reversed(ranks))} {'wb'[r & 1]}"

    def call(self, name: str, *arguments: Any) -> Any:
        """Return the value of a function; raise DamierError if it fails or has the wrong type."""
        self.called = name
        try:
            answer = getattr(self.rules, name)(*arguments)
        except (Exception, SystemExit) as error:
            unknown = self.contract_error(name, "raised").details["where"]
            where, message = locate_error(error, self.folder, str(unknown))
            shown = ", ".join(
                action_text(x) if isinstance(x, Action) else str(x)
                for x in arguments
                if not isinstance(x, list)
            )
            raise DamierError(
                "game-raised", where=where, name=name, asked=shown, problem=message
            ) from error
        if not RETURN_CHECKS[name](answer):
            raise self.contract_error(name, "answer", value=repr(answer)[:60], kind=type_text(name))
        return answer

    def call_twice(self, name: str, *arguments: Any) -> Any:
        """Return the value of a function; raise DamierError if a second call returns another."""
        answer = self.call(name, *arguments)
        if self.call(name, *arguments) != answer:
            raise self.contract_error(name, "changing", words=arguments)
        return answer

    def any_game_ends(self, board: Board, word: int, words: Words) -> bool:
        """Tell whether one of some random games ends within the most moves, or the time is over."""
        until = monotonic() + _ENDING_S
        return any(self.ends(board, word, words, seed, until) for seed in range(_LONG_GAMES))

    def ends(self, board: Board, word: int, words: Words, seed: int, until: float) -> bool:
        """Tell whether a random game ends within the most moves, or the time is over."""
        module, rng = self.module, random.Random(seed)
        seen: dict[Words, int] = {}
        moves = 0
        while moves < _MAX_MOVES and monotonic() < until:
            steps = list(self.steps(board, words))
            if not steps:
                return True
            words = self.call("play", *words, rng.choice(steps))
            self.check_position("play", board, word, words)
            if words[2] & module.MIDTURN:
                continue
            moves += 1
            if module.repeatable(*words) and not module.superko(words[2]):
                key = (words[0], words[1], words[2] & (1 | module.REPETITION_BITS))
                seen[key] = seen.get(key, 0) + 1
                if seen[key] == _MAX_OCCURRENCES and module.repeated(*words):
                    return True
        return moves < _MAX_MOVES

    def run(self) -> None:
        """Play random games of each preset; raise DamierError on errors and endless functions."""
        try:
            with time_limits.time_limit(time_limits.TIMEOUT_S):
                self._run()
        except time_limits.TimedOut as error:
            otherwise = str(self.contract_error(self.called, "endless").details["where"])
            where, _ = locate_error(error, self.folder, otherwise)
            raise DamierError(
                "game-endless", where=where, name=self.called, seconds=round(time_limits.TIMEOUT_S)
            ) from None

    def _run(self) -> None:
        for preset in self.module.PRESETS.values():
            word = sum(
                option.encode(preset.get(option.name, option.default))
                for option in self.module.OPTIONS
            )
            board = self.board = self.call("board", word)
            self.check_board(board, word)
            start = self.call_twice("start", word)
            self.check_position("start", board, word, start)
            if start[2] & self.module.MIDTURN:
                raise self.contract_error("start", "start-midturn")
            for seed in range(self.games):
                self.play(board, word, start, seed)
            self.report_violations(board)
            if self.moves and not self.flips:
                raise self.contract_error("play", "side", count=self.games)
            if not self.warnings and not self.any_game_ends(board, word, start):
                self.warnings.append(self.contract_error("legal", "unending", count=_MAX_MOVES))

    def check_board(self, board: Board, word: int) -> None:
        """Check that the board depends on nothing but the options."""
        for r in (word, word | 1):
            again = self.call("board", r)
            if again != board and again.description != board.description:
                raise self.contract_error("board", "board-changes", third=r)

    def play(self, board: Board, word: int, words: Words, seed: int) -> None:
        """Play one game of random steps; in the first game, check symmetries too."""
        rng, first, length = random.Random(seed), seed == 0, 0
        for _ in range(self.max_steps):
            steps = list(self.steps(board, words))
            self.check_descriptions(board, words, steps)
            if (first or self.violated or self.swaps) and not words[2] & self.module.MIDTURN:
                self.check_symmetries(board, words, steps)
            if not steps:
                return
            self.check_other_functions(board, words)
            if first and self.module.ONE_STEP_UNIQUE:
                self.check_one_step_unique(board, words, steps)
            if first:
                self.check_reasons(board, words, steps)
            step = rng.choice(steps)
            self.seen.append((words, step))
            after = self.call_twice("play", *words, step)
            self.check_position("play", board, word, after)
            changed = (after[2] ^ words[2]) & 1
            if changed and after[2] & self.module.MIDTURN:
                raise self.contract_error("play", "side-inside", step=step, words=words)
            self.flips += changed
            length = length + 1 if after[2] & self.module.MIDTURN else 0
            self.moves += not length
            if length and self.module.FINAL >> (step >> 6) & 1:
                raise self.contract_error("FINAL", "final", step=step, words=words)
            if length >= _MAX_STEPS:
                raise self.contract_error("play", "long", most=_MAX_STEPS, words=after)
            words = after

    def check_position(self, name: str, board: Board, word: int, words: Words) -> None:
        """Check that words are a valid position."""
        w, b, r = words
        if not all(0 <= x < _TOP for x in words):
            raise self.contract_error(name, "words", words=words)
        if (w | b) & ~board.cells:
            raise self.contract_error(name, "off-board", words=words)
        if r & self.options != word:
            raise self.contract_error(name, "options-changed", words=words)
        if r & self.module.MIDTURN:
            return
        if w & b:
            raise self.contract_error(name, "two-pawns", words=words)
        most = self.call("pawns", r)
        if max(w.bit_count(), b.bit_count()) > most:
            raise self.contract_error("pawns", "pawns", count=most, words=words)
        fields = self.call("write_fields", w, b, r)
        if len(fields) != len(self.module.FIELDS):
            raise self.contract_error("write_fields", "field-count", count=len(fields))
        again = self.call("read_fields", w, b, word | r & 1, fields)
        if again != r:
            raise self.contract_error("read_fields", "fields", words=words, found=again)

    def steps(self, board: Board, words: Words) -> Iterator[int]:
        """Yield the legal steps of a position; none if it is over."""
        module = self.module
        out = [-1] * module.GROUPS  # not 0, to detect groups that are not set
        judgement = self.call("legal", *words, out)
        again = [-1] * module.GROUPS
        if self.call("legal", *words, again) != judgement or (not judgement and again != out):
            raise self.contract_error("legal", "changing", words=words)
        if judgement:
            self.check_judgement(words, judgement)
            return
        some = False
        for group, cells in enumerate(out):
            if not is_int(cells) or not 0 <= cells < _TOP:
                raise self.contract_error("legal", "out", group=group, words=words)
            for cell in range(cells.bit_length()):
                if cells >> cell & 1:
                    some = True
                    if not board.cells >> cell & 1:
                        raise self.contract_error(
                            "legal", "cell", group=group, cell=cell, words=words
                        )
                    yield step_of(group, cell)
        if not some:
            raise self.contract_error("legal", "no-step", words=words)

    def check_judgement(self, words: Words, judgement: int) -> None:
        """Check the judgement on a finished game."""
        self.check_result("legal", words, judgement)
        if words[2] & self.module.MIDTURN:
            raise self.contract_error("legal", "judged-midturn", words=words)
        self.check_cells("shown", words, self.call("shown", *words, judgement))

    def check_result(self, name: str, words: Words, judgement: int) -> None:
        """Check that a function returned a result that exists."""
        reason, outcome = judgement >> 2, judgement & 3
        known = 0 < reason < len(REASONS) or 0 <= reason - OWN_REASON < len(self.module.REASONS)
        if judgement < 0 or not outcome or not known:
            raise self.contract_error(name, "judgement", value=judgement, words=words)

    def check_cells(self, name: str, words: Words, cells: int, among: int | None = None) -> None:
        """Check that a function returned cells of the board, or of some cells of it, as bits."""
        assert self.board is not None
        allowed = self.board.cells if among is None else among
        if cells < 0 or cells & ~allowed:
            key = "cells" if among is None else "cells-pawns"
            raise self.contract_error(name, key, value=cells, words=words)

    def check_other_functions(self, board: Board, words: Words) -> None:
        """Check what the remaining functions return."""
        w, b, r = words
        self.call("repeatable", *words)
        self.call("superko", r)
        if not r & self.module.MIDTURN:
            if judgement := self.call("repeated", *words):
                self.check_result("repeated", words, judgement)
            if judgement := self.call("shut_in", *words):
                self.check_result("shut_in", words, judgement)
        hands = self.call("hands", *words)
        if hands is not None and min(hands) < 0:
            raise self.contract_error("hands", "hands", value=hands, words=words)
        for name in ("promoted", "resting"):
            self.check_cells(name, words, self.call(name, *words), w | b)
        for pair in self.call("barred", *words):
            if any(not 0 <= cell < board.size or not board.cells >> cell & 1 for cell in pair):
                raise self.contract_error("barred", "pair", value=pair, words=words)
        for note in self.call("notes", *words):
            self.check_note("notes", f"note.{note.key}", note, words)
        reminder = self.call("reminder", *words)
        if reminder is not None:
            self.check_note("reminder", f"reminder.{reminder.key}", reminder, words)
        if must := self.call("must", *words):
            self.check_note("must", f"why.must-{must}", Note(must), words)

    def check_reasons(self, board: Board, words: Words, steps: list[int]) -> None:
        """Call `why` about some steps that are not legal."""
        if not is_defined(self.rules, "why"):
            return
        own = words[0] if words[2] & 1 == WHITE else words[1]
        legal = [self.module.describe(*words, step) for step in steps]
        kinds = {action.kind for action in legal} & {"place", "move", "swap"}
        cells = list(board.indices.values())
        for kind, target in product(sorted(kinds), cells):
            origins = [c for c in cells if own >> c & 1] if kind != "place" else [NOWHERE]
            for origin in origins[:_MAX_TRIED_PAWNS]:
                tried = Action(kind, origin, target)
                if origin == target or tried in [action._replace(takes=0) for action in legal]:
                    continue
                note = self.call("why", *words, tried)
                if note is not None:
                    self.check_note("why", f"why.{note.key}", note, words)

    def check_one_step_unique(self, board: Board, words: Words, steps: list[int]) -> None:
        """Check that no other move reaches a position that a move of one step reaches."""
        if words[2] & self.module.MIDTURN:
            return
        after = [self.call("play", *words, step) for step in steps]
        unfinished = [x for x in after if x[2] & self.module.MIDTURN]
        ends = [x for x in after if not x[2] & self.module.MIDTURN]
        once = set(ends)
        for _ in range(_MAX_CONTINUED_MOVES):
            if not unfinished:
                break
            begun = unfinished.pop()
            for step in self.steps(board, begun):
                reached = self.call("play", *begun, step)
                if reached[2] & self.module.MIDTURN:
                    unfinished.append(reached)
                elif reached in once:
                    ends.append(reached)
        if len(ends) > len(once):
            raise self.contract_error("ONE_STEP_UNIQUE", "one-step", words=words)

    def check_note(self, name: str, key: str, note: Note, words: Words) -> None:
        """Check the cells that a note names, and keep it for the check of the texts."""
        assert self.board is not None
        for detail, value in note.details.items():
            if not isinstance(value, int):
                continue
            if detail.endswith("cells"):
                self.check_cells(name, words, value)
            elif detail.endswith("cell") and value != NOWHERE:
                self.check_cells(name, words, 1 << value if 0 <= value < 63 else -1)
        self.noted.setdefault(key, note)

    def check_descriptions(self, board: Board, words: Words, steps: list[int]) -> None:
        """Check that every legal step has a valid and unique description."""
        described: dict[Action, int] = {}
        midturn = words[2] & self.module.MIDTURN != 0
        skipped = 0
        for step in steps:
            action = self.call_twice("describe", *words, step)
            self.check_description(board, words, step, action)
            self.kinds.add(action.kind)
            self.captures |= action.takes != 0
            if self.call("superfluous", words[2], step):
                skipped += 1
                continue
            # The text of a continuation does not contain the origin of its pawn.
            hidden = midturn and action.kind == "move"
            written = action._replace(origin=NOWHERE) if hidden else action
            other = described.setdefault(written, step)
            if other != step:
                raise self.contract_error("describe", "twice", one=other, other=step, words=words)
            cells = differing_cells(words, self.call("play", *words, step), action) & board.cells
            if cells:
                raise self.contract_error(
                    "describe", "effect", step=step, action=action, words=words,
                    cells=", ".join(board.sorted_names(cells)),
                )  # fmt: skip  # compact list
        if steps and skipped == len(steps) and not midturn:
            raise self.contract_error("superfluous", "superfluous", words=words)

    def check_description(self, board: Board, words: Words, step: int, action: Action) -> None:
        """Check that a step's description fits the position."""
        w, b, r = words
        if action.kind not in STEP_CELLS:
            raise self.contract_error(
                "describe", "action-kind", kind=action.kind, kinds=", ".join(STEP_CELLS)
            )
        if not has_its_cells(board, action):
            raise self.contract_error(
                "describe", "action-cells", step=step, action=action, words=words
            )
        own, enemy = (w, b) if r & 1 == WHITE else (b, w)
        holders = own if action.kind in ("move", "swap", "remove") else None
        if holders is not None and not holders >> action.origin & 1:
            raise self.contract_error(
                "describe", "action-pawn", step=step, action=action, words=words
            )
        if not is_int(action.takes) or action.takes & ~(w | b):
            raise self.contract_error(
                "describe", "action-takes", step=step, action=action, words=words
            )
        if not is_int(action.flips) or action.flips & ~enemy:
            raise self.contract_error(
                "describe", "action-flips", step=step, action=action, words=words
            )
        if action.by != "" and not re.fullmatch("[A-Z]", str(action.by)):
            raise self.contract_error("describe", "action-by", step=step, action=action)

    def check_symmetries(self, board: Board, words: Words, steps: list[int]) -> None:
        """Compare the legal steps with those under symmetries and swapped colours.

        Violations are reported after all games, with the symmetries that the games preserve.
        """
        actions = [self.module.describe(*words, step) for step in steps]
        for to in board.symmetries:
            if to in self.violated:
                continue
            for swap in (False, True) if self.swaps else (False,):
                w, b = (map_cells(pawns, to) for pawns in words[:2])
                r = self.call("transformed", words[2], to, swap)
                image = (b, w, r ^ 1) if swap else (w, b, r)
                expected = {action.transformed(to) for action in actions}
                error = None
                try:
                    if self.is_preserved(board, image, expected):
                        continue
                except DamierError as failure:
                    error = failure
                if swap:
                    self.swapped = Violation(words, image, error)
                else:
                    self.violated[to] = Violation(words, image, error)
                break

    def is_preserved(self, board: Board, image: Words, expected: set[Action]) -> bool:
        """Tell whether the image of a position has the expected steps.

        Where the rules do not preserve the symmetry, they may not know the image and fail.
        """
        return {self.module.describe(*image, s) for s in self.steps(board, image)} == expected

    def report_violations(self, board: Board) -> None:
        """Raise DamierError if the games violated a symmetry, with the declaration that fits."""
        if self.swapped and self.module.COLOUR_SWAP and not self.violated:
            raise self.violation_error("COLOUR_SWAP", "swap", self.swapped)
        if not self.violated:
            return
        names = board.symmetry_names(to for to in board.symmetries if to not in self.violated)
        advice = str(names).replace("'", '"') if names else '"none"'
        violation = next(iter(self.violated.values()))
        # Bits of the third word that may name cells, which nothing transforms.
        rest = violation.words[2] & ~(self.options | 1)
        plain = not is_defined(self.rules, "transformed")
        key = "symmetry-word" if rest and plain else "symmetry"
        raise self.violation_error("board", key, violation, advice=advice)

    def violation_error(
        self, name: str, key: str, violation: Violation, **details: object
    ) -> DamierError:
        """Return the error about a symmetry or a swap of colours that the rules violate."""
        words, image, error = violation
        there = Translated("game-image-steps")
        if error is not None:
            there = Translated("game-image-fails", problem=error)
        return self.contract_error(name, key, words=words, image=image, there=there, **details)

    def compare(self, twin: ModuleType) -> None:
        """Check that the rules compile, and that compiled functions return the same values."""
        import numpy as np

        for words, step in self.seen[:: max(1, len(self.seen) // 20)]:
            plain = [-1] * self.module.GROUPS
            fast = np.full(self.module.GROUPS, -1, np.int64)
            judgement = self.module.legal(*words, plain)
            found = self.call_compiled(twin, "legal", *words, fast)
            if found != judgement or (not judgement and fast.tolist() != plain):
                raise self.contract_error("legal", "speeds", words=words, step="")
            if tuple(self.call_compiled(twin, "play", *words, step)) != self.module.play(
                *words, step
            ):
                raise self.contract_error("play", "speeds", words=words, step=step)
            for name in KERNELS - {"legal", "play"}:
                arguments = {"superfluous": (words[2], step), "superko": words[2:]}.get(name, words)
                if self.call_compiled(twin, name, *arguments) != getattr(self.module, name)(
                    *arguments
                ):
                    raise self.contract_error(name, "speeds", words=words, step=step)

    def call_compiled(self, twin: ModuleType, name: str, *arguments: Any) -> Any:
        """Return the value of a compiled function; raise DamierError if it does not compile."""
        try:
            return getattr(twin, name)(*arguments)
        except Exception as error:
            if not is_compiler_error(error):
                raise
            where = (
                compiler_location(error, self.folder)
                or self.contract_error(name, "kernel").details["where"]
            )
            raise compilation_error(error, str(where), name) from error


def run_dynamic_checks(rules: ModuleType) -> DynamicChecker:
    """Check rules; raise DamierError if a check fails, return the checker with what it saw.

    When the rules are compiled later, the compiled functions are compared with the plain ones.
    """
    if sys.platform != "emscripten":  # the site build has checked what a browser loads
        check_package(rules)
    checker = DynamicChecker(rules)
    checker.run()
    rules.__linked__ = checker.compare  # type: ignore[attr-defined]  # read by jit
    return checker
