"""Single games for environments: steps as actions, planes and masks as in batches.

An `Episode` is light enough to be copied by a tree search. `damier.Game` is the interface for
people: it has texts, takes moves back and lists whole moves.
"""

from __future__ import annotations

from functools import cache
from operator import index
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from damier import jit
from damier.errors import DamierError
from damier.gameplay import Game, HistoryPolicy, Key
from damier.games import RulesModule, Words
from damier.games.constants import step_of
from damier.jit import lowest
from damier.position import Move, Position, Result, Rules
from damier.research.batch import plane_names


@cache
def _planes_module(module: ModuleType, rules: ModuleType) -> ModuleType:
    return jit.link(module, compiled=False, rules=rules)


class Episode:
    """Game played by steps, with the rules on repetition.

    `max_moves` ends it without a result after so many moves; 0 means never.
    """

    def __init__(self, rules: Rules, max_moves: int = 0, start: Position | None = None) -> None:
        if index(max_moves) < 0:
            raise DamierError("max-moves", number=max_moves)
        self.rules, self.max_moves = rules, max_moves
        self.start = rules.start() if start is None else start
        if self.start.unfinished:
            raise DamierError("game-unfinished")
        self.words: Words = self.start.words
        self.steps: list[int] = []  # of the whole game
        self.moves: list[tuple[int, ...]] = []  # completed
        self.begun: tuple[int, ...] = ()  # steps of the unfinished move
        self.truncated = False
        self.over = False
        self.result: Result | None = None
        self.legal: tuple[int, ...] = ()  # steps, sorted
        self._occurrences: dict[Key, int] = {}
        self._policy = HistoryPolicy(rules.module)
        self._arrive()

    @property
    def module(self) -> RulesModule:
        """The rules module."""
        return self.rules.module

    @property
    def player(self) -> int:
        """The player to act: 0 for White, 1 for Black."""
        return self.words[2] & 1

    @property
    def earlier(self) -> bool:
        """Whether the current position occurred before."""
        key = None if self.begun else self._policy.key(self.words)
        return key is not None and self._occurrences.get(key, 0) > 1

    @property
    def rewards(self) -> tuple[float, float]:
        """The points of White and Black: 1, 0 or -1."""
        if self.result is None or self.result.winner is None:
            return 0.0, 0.0
        return (1.0, -1.0) if self.result.winner == "w" else (-1.0, 1.0)

    def copy(self) -> Episode:
        """Return an independent copy."""
        other = Episode.__new__(Episode)
        other.__dict__.update(self.__dict__)
        other.steps, other.moves = self.steps.copy(), self.moves.copy()
        other._occurrences = self._occurrences.copy()
        return other

    def __deepcopy__(self, memo: dict[int, object]) -> Episode:
        """Return a copy; rules and positions are immutable."""
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickle_episode, (self.rules, self.max_moves, self.start, self.steps)

    def step(self, step: int) -> None:
        """Play a step; raise DamierError if it is not legal, TypeError if it is not an integer."""
        if isinstance(step, bool):
            raise TypeError("an action is an integer, not a truth value")
        step = index(step)
        if step not in self.legal:
            raise DamierError("over") if self.over else DamierError("step", number=step)
        self.words = self.module.play(*self.words, step)
        self.steps.append(step)
        self.begun = (*self.begun, step)
        if not self.words[2] & self.module.MIDTURN:
            self.moves.append(self.begun)
            self.begun = ()
        self._arrive()

    def play(self, move: Move) -> None:
        """Play all steps of a move."""
        for step in move.steps:
            self.step(step)

    def game(self) -> Game:
        """Return the completed moves as a `damier.Game`."""
        game = Game(self.start)
        for steps in self.moves:
            game = game.play(game.position.move_from_steps(steps))
        return game

    def position(self) -> Position:
        """Return the current position."""
        return Position(self.rules, *self.words)

    def mask(self) -> npt.NDArray[np.int8]:
        """Return 1 for each legal action, else 0."""
        mask = np.zeros(self.rules.step_range, np.int8)
        mask[list(self.legal)] = 1
        return mask

    def planes(self) -> npt.NDArray[np.uint8]:
        """Return the observation planes of the current position, as in batches."""
        board, count = self.rules.board, len(plane_names(self.rules))
        words = [0] * count
        module: Any = _planes_module(self.rules.folder.planes, self.rules.folder.module)
        module.put_planes(*self.words, words)
        words[-1] = jit.MASK63 if self.earlier else 0
        bits = np.array(words, np.int64)[:, None] >> np.arange(board.size) & 1
        return bits.astype(np.uint8).reshape(count, board.ranks, board.files)

    def _arrive(self) -> None:
        """Find the legal steps of a position just reached, or the result."""
        groups = [0] * self.module.GROUPS
        judgement = self.module.legal(*self.words, groups)
        if judgement:
            self._end(Result.of(self.module, judgement))
            return
        if not self.begun:
            key = self._policy.key(self.words)
            if key is not None:
                times = self._occurrences.get(key, 0) + 1
                self._occurrences[key] = times
                result = self._policy.verdict(self.words, times)
                if result is not None:
                    self._end(result)
                    return
        steps = [step_of(g, cell) for g, cells in enumerate(groups) for cell in _bits(cells)]
        if self._policy.superko(self.words[2]):
            steps = [s for s in steps if self._leads_to_new(self.module.play(*self.words, s))]
            if not steps:
                self._end(self._policy.shut_in(self.words))
                return
        self.legal = tuple(steps)
        if not self.begun and self.max_moves and len(self.moves) >= self.max_moves:
            self.truncated = True
            self._end(None)

    def _end(self, result: Result | None) -> None:
        self.result, self.over, self.legal = result, True, ()

    def _leads_to_new(self, words: Words) -> bool:
        """Return whether a position, or an end of the unfinished move, is not an earlier one."""
        if not words[2] & self.module.MIDTURN:
            key = self._policy.key(words)
            return key is None or key not in self._occurrences
        groups = [0] * self.module.GROUPS
        self.module.legal(*words, groups)
        steps = (step_of(g, cell) for g, cells in enumerate(groups) for cell in _bits(cells))
        return any(self._leads_to_new(self.module.play(*words, step)) for step in steps)


def _unpickle_episode(rules: Rules, max_moves: int, start: Position, steps: list[int]) -> Episode:
    episode = Episode(rules, max_moves, start)
    for step in steps:
        episode.step(step)
    return episode


def _bits(cells: int) -> list[int]:
    """Return the cells in a set of bits."""
    found = []
    while cells:
        found.append(lowest(cells))
        cells &= cells - 1
    return found
