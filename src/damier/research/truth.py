"""Exact labels: value, distance and best steps of many positions, and the regret of a policy.

    import damier
    from damier.truth import Truth

    truth = Truth(damier.load_rules("…"))
    labels = truth.label(batch.positions)
    labels.outcome, labels.distance, labels.best

Labels come from the game's table and depend on the position alone. Where a game forbids repetition,
they are those of the game without this ban, and `Truth.bound` is True, as in `damier.solve.Value`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from damier import jit
from damier.errors import DamierError
from damier.position import Rules
from damier.research import truth_kernels
from damier.research.batch import NO_STEP, Batch
from damier.research.positions import Positions, check_positions
from damier.solve.link import link_loops
from damier.solve.numbering import enumerated, numbering_of
from damier.solve.tables import find
from damier.solve.tables.table import Table
from damier.symmetry import transformed

LOSS, DRAW, WIN, UNKNOWN = (
    truth_kernels.LOSS,
    truth_kernels.DRAW,
    truth_kernels.WIN,
    truth_kernels.UNKNOWN,
)
CHUNK = 1 << 14  # positions of a piece of work
SAMPLE_GAMES, SAMPLE_MOVES = 256, 400  # of the random games from which endings are sampled

Policy = Callable[[Batch], npt.NDArray[np.int64]]


@dataclass(frozen=True)
class Labels:
    """Exact labels of positions, for the side to move.

    `outcome` is 1, 0 or -1, or -2 if unknown; `distance` the moves to the end, or to the next
    capture where the table counts those, and -1 for a draw; `best` the steps that begin or continue
    a best move, in the layout of `Batch.legal`.
    """

    outcome: npt.NDArray[np.int8]
    distance: npt.NDArray[np.int16]
    best: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Regret:
    """Error of a policy: what it loses in points, where a win counts 1 and a draw 1/2.

    `mean` is the mean over the positions, `correct` the share of positions in which it keeps the
    value; both count a position as often as its weight.
    """

    sample: str
    positions: int
    mean: float
    correct: float


class Truth:
    """Exact labels of the positions of a solved game or of its endings."""

    def __init__(self, rules: Rules, *, threads: int | None = None, compiled: bool = True) -> None:
        table = find(rules)
        if table is None:
            raise DamierError("truth-no-table", game=rules.name)
        self.rules, self.table = rules, table
        self._compiled = compiled and jit.compiles()
        self._threads = (threads or os.cpu_count() or 1) if self._compiled else 1
        self._kernels: Any = link_loops(truth_kernels, rules, self._compiled)
        _, self._store, self._lookup = _store_of(table, self._compiled)

    @property
    def checksum(self) -> str:
        """The checksum of the table, which is the version of all labels."""
        return str(self.table.header["sha256"])

    @property
    def bound(self) -> bool:
        """Whether the rules forbid repetition (superko), which tables ignore.

        Then the outcomes are values without this ban, and not proofs of a game's result.
        """
        return self.rules.module.superko(self.rules.word)

    def label(self, positions: npt.ArrayLike, best: bool = True) -> Labels:
        """Return the labels of positions, given as rows of three words.

        Positions may be inside a move. Without `best` the array of best steps is empty, which takes
        a fifth of the time.
        """
        return self._label(check_positions(self.rules, positions, self._compiled), best)

    def _label(self, rows: Positions, best: bool = True) -> Labels:
        """Return the labels of positions that have been checked."""
        rows = np.ascontiguousarray(rows)
        count, groups = len(rows), self.rules.module.GROUPS
        found = Labels(
            np.zeros(count, np.int8),
            np.zeros(count, np.int16),
            np.zeros((count if best else 0, groups), np.int64),
        )
        arrays = [self._flat(a) for a in (rows, found.outcome, found.distance, found.best)]
        captures = int(self.table.metric == "capture")
        runtime = jit.runtime_of(self._kernels)

        def run(low: int) -> None:
            rooms = runtime.zeros(groups), self._kernels.move_kernels.new_iterator()
            high = min(low + CHUNK, count)
            labels = tuple(arrays[1:])
            store, lookup = self._store, self._lookup
            self._kernels.label(low, high, arrays[0], labels, store, lookup, rooms, captures)

        self._run(run, range(0, count, CHUNK))
        return found

    def _run(self, run: Callable[[int], None], lows: range) -> None:
        """Run the pieces of work in threads."""
        if self._threads == 1 or len(lows) < 2:
            for low in lows:
                run(low)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(run, lows))

    def _flat(self, array: npt.NDArray[Any]) -> Any:
        flat = array.reshape(-1)
        return flat if self._compiled else memoryview(flat)  # type: ignore[arg-type]

    def positions(self, chunk: int = 1 << 18) -> Iterator[tuple[Positions, npt.NDArray[np.int64]]]:
        """Yield all positions in which a move can be played, with their weights, in chunks.

        One position stands for all its images under symmetries; the weight is their number. The
        table must be of a whole game.
        """
        size = len(next(iter(self.table.arrays.values())))
        for low in range(0, size, chunk):
            yield self.positions_of(np.arange(low, min(low + chunk, size)))

    def positions_of(
        self, numbers: npt.NDArray[np.int64]
    ) -> tuple[Positions, npt.NDArray[np.int64]]:
        """Return the unfinished positions with some numbers, and their weights."""
        rows = np.zeros((len(numbers), 3), np.int64)
        weights = np.ones(len(numbers), np.int64)
        if numbering_of(self.rules) is enumerated:
            at, keys = self._kernels.space.position_at, self._store[1]
            found = [at(number, keys, self._lookup) for number in numbers.tolist()]
            rows = np.array(found, np.int64).reshape(-1, 3)
            weights = np.array([self._images(words) for words in rows.tolist()], np.int64)
        elif not hasattr(self._kernels.space, "position_of"):
            raise DamierError("truth-endings", game=self.rules.name)
        else:
            self._kernels.put_positions(
                0,
                len(numbers),
                self._flat(np.ascontiguousarray(numbers, np.int64)),
                self.rules.word,
                self._flat(rows),
                self._flat(weights),
                self._lookup,
            )
        rows, weights = rows[weights > 0], weights[weights > 0]
        labels = self._label(rows)
        playable = (labels.best != 0).any(1)
        return rows[playable], weights[playable]

    def _images(self, words: list[int]) -> int:
        """Return how many positions a position stands for in an enumerated table."""
        module, board = self.rules.module, self.rules.board
        w, b, r = words
        images = {transformed(module, (w, b, r), k) for k in range(len(board.symmetries))}
        return len(images) * (2 if module.COLOUR_SWAP else 1)

    def sample(self, count: int) -> tuple[str, Positions]:
        """Return a fixed sample of positions in which a move can be played, and its name.

        The name contains the game, the beginning of the table's checksum, which determines the
        random numbers, and the count. Of a whole game, numbers of the table are drawn uniformly;
        of endings, positions of games of random steps.
        """
        if index(count) < 1:
            raise DamierError("truth-count", number=count)
        name = f"{self.rules.name}-{self.checksum[:12]}-{count}"
        rng = np.random.Generator(np.random.PCG64(int(self.checksum[:16], 16)))
        draw = self._draw_from_table if self._is_whole() else self._sample_from_games
        found: Positions = np.zeros((0, 3), np.int64)
        for _ in range(1000):
            if len(found) >= count:
                return name, found[:count]
            more = np.concatenate((found, draw(rng, 2 * count)))
            _, first = np.unique(more, axis=0, return_index=True)
            found = more[np.sort(first)]
        raise DamierError("truth-sample", number=count, most=len(found))

    def _is_whole(self) -> bool:
        return numbering_of(self.rules) is enumerated or hasattr(self._kernels.space, "position_of")

    def _draw_from_table(self, rng: np.random.Generator, count: int) -> Positions:
        size = len(next(iter(self.table.arrays.values())))
        return self.positions_of(rng.integers(0, size, count))[0]

    def _sample_from_games(self, rng: np.random.Generator, count: int) -> Positions:
        """Return known positions between moves of games of random steps."""
        seed = int(rng.integers(1 << 62))
        batch = Batch(self.rules, SAMPLE_GAMES, seed, threads=1, compiled=self._compiled)
        found = []
        for _ in range(SAMPLE_MOVES):
            batch.step(batch.sample())
            rows = batch.positions[batch.positions[:, 2] & self.rules.module.MIDTURN == 0]
            labels = self._label(rows)
            found.append(rows[(labels.outcome != UNKNOWN) & (labels.best != 0).any(1)])
        return np.concatenate(found)

    def regret(self, policy: Policy, sample: int | None = None, *, planes: bool = False) -> Regret:
        """Return the regret of a policy over all positions, or over the fixed sample of a size.

        The policy takes a `Batch` and returns an action for each game. It is asked for steps until
        every move is complete; the games have no history.
        """
        if sample is None:
            name = f"{self.rules.name}-{self.checksum[:12]}-all"
            chunks: Any = self.positions()
        else:
            name, rows = self.sample(sample)
            chunks = [(rows, np.ones(len(rows), np.int64))]
        lost = kept = total = 0.0
        positions = 0
        for rows, weights in chunks:
            if not len(rows):
                continue
            before = self._label(rows, best=False).outcome.astype(np.int64)
            loss = before - self.outcome_of_moves(policy, rows, planes=planes)
            lost += float((loss * weights).sum()) / 2
            kept += float(weights[loss == 0].sum())
            total += float(weights.sum())
            positions += len(rows)
        return Regret(name, positions, lost / total, kept / total)

    def outcome_of_moves(
        self, policy: Policy, positions: Positions, *, planes: bool = False
    ) -> npt.NDArray[np.int64]:
        """Return the outcome after the policy's move in each position, for the side that plays."""
        batch = Batch(
            self.rules,
            len(positions),
            planes=planes,
            auto_reset=False,
            compiled=self._compiled,
            threads=self._threads,
        )
        batch.load(positions)
        mover = positions[:, 2] & 1
        waiting = np.ones(len(positions), np.bool_)
        result = np.zeros(len(positions), np.int64)
        while waiting.any():
            actions = np.where(waiting, policy(batch), NO_STEP)
            if (idle := waiting & (actions == NO_STEP)).any():
                raise DamierError("batch-action", action=NO_STEP, number=int(idle.argmax()))
            batch.step(actions)
            rewards = np.take_along_axis(batch.rewards, mover[:, None], 1)[:, 0]
            ended = waiting & batch.terminated
            result[ended] = rewards[ended].astype(np.int64)
            complete = batch.positions[:, 2] & self.rules.module.MIDTURN == 0
            reached = waiting & complete & ~ended
            if reached.any():
                after = batch.positions[reached]
                outcome = self._label(after, best=False).outcome.astype(np.int64)
                if (outcome == UNKNOWN).any():
                    raise DamierError("truth-unknown", game=self.rules.name)
                same = (after[:, 2] & 1) == mover[reached]
                result[reached] = np.where(same, outcome, -outcome)
            waiting &= ~(ended | reached)
        batch.close()
        return result


def _store_of(table: Table, compiled: bool) -> tuple[Any, Any, Any]:
    return table.kernel() if compiled else table.plain()
