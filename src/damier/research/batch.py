"""Batches: many games of the same rules, played step by step in arrays.

    import damier
    from damier.batch import Batch

    batch = Batch(damier.load_rules("…"), 4096, seed=1, planes=True)
    while training:
        batch.step(choose(batch.planes, batch.legal))
        learn(batch.rewards, batch.terminated)

An action is a step, a number below `Rules.step_range`: 64 times a group plus a cell.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, combinations, pairwise
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from damier import jit, kernels
from damier.errors import DamierError
from damier.games import repetition as default_repetition
from damier.position import Position, Rules
from damier.research import batch_kernels, batch_layout, history_kernels
from damier.research.positions import start_positions
from damier.solve import move_kernels

NO_STEP = batch_kernels.NO_STEP
MIN_SLICE = 256  # games of a thread, at least: starting it takes as long as a few hundred steps
# Attributes that are not copied or pickled.
_LINKED = ("_kernels", "_pool", "_settings", "_scratch", "_temporary", "_outputs", "_games")

NUMBERED_BITS = 30  # of the numbers of positions: with 1 added they fit in 32 bits with a sign

Layout = dict[str, tuple[tuple[int, ...], npt.DTypeLike]]


def layout(rules: Rules, n: int, *, planes: bool = False, masks: bool = False) -> Layout:
    """Return shape and type of each array of a batch, for callers who allocate them.

    - `positions`: three words for each game, as in `Position.words`;
    - `legal`: the legal steps; bit c of word g stands for the step 64 * g + c;
    - `masks`, if wanted: the same as truth values, one for each action;
    - `planes`, if wanted: observation planes from the side to move, 0 or 1; see `plane_names`;
    - `rewards`: of White and Black after the last step, 1, 0 or -1;
    - `player`: the player to act, 0 for White and 1 for Black;
    - `terminated`, `truncated`: whether the last step ended the game by its rules, or by the limit
      of moves.
    """
    board, groups = rules.board, rules.module.GROUPS
    found: Layout = {
        "positions": ((n, 3), np.int64),
        "legal": ((n, groups), np.int64),
        "rewards": ((n, 2), np.float32),
        "player": ((n,), np.int8),
        "terminated": ((n,), np.bool_),
        "truncated": ((n,), np.bool_),
    }
    if masks:
        found["masks"] = (n, 64 * groups), np.bool_
    if planes:
        found["planes"] = (n, len(plane_names(rules)), board.ranks, board.files), np.uint8
    return found


def plane_names(rules: Rules) -> tuple[str, ...]:
    """Return the names of the observation planes: those of the game and, last, the shared one."""
    return (*rules.folder.planes.NAMES, "the position occurred before")


def symmetries(rules: Rules) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Return each symmetry of planes and actions, as two arrays of images; the identity is first.

    The image of cell i of every plane is the cell `cells[i]`, and of action a the action
    `actions[a]`: `image[..., cells] = planes.reshape(..., -1)` and `image[..., actions] = masks`.
    A game whose `planes.py` does not name the directions of its steps has only the identity.
    """
    module, board = rules.folder.planes, rules.board
    images = board.symmetries if module.DIRECTIONS else (tuple(range(board.size)),)
    found = []
    for to in images:
        actions = np.arange(rules.step_range)
        for group, direction in enumerate(module.DIRECTIONS):
            image = _image_of_group(rules, group, direction, to)
            for cell in range(board.size):
                single = module.SINGLE >> group & 1
                actions[64 * group + cell] = 64 * image + (cell if single else to[cell])
        found.append((np.array(to, np.int64), actions))
    return found


def _image_of_group(
    rules: Rules, group: int, direction: tuple[int, int] | None, to: tuple[int, ...]
) -> int:
    """Return the group of the images of a group's steps under a symmetry."""
    if direction is None:
        return group
    files, directions = rules.board.files, rules.folder.planes.DIRECTIONS

    def place(cell: int) -> tuple[int, int]:
        return to[cell] % files, to[cell] // files

    (x, y), (right, _), (up, _) = place(0), place(1), place(files)
    # The images of the two axes, from the images of three cells.
    across, along = (right - x, place(1)[1] - y), (up - x, place(files)[1] - y)
    image = tuple(direction[0] * a + direction[1] * b for a, b in zip(across, along, strict=True))
    # Groups of one kind are consecutive, so the image is the nearest group with that direction.
    same: list[int] = [g for g, other in enumerate(directions) if other == image]
    kind: int = directions[:group].count(direction)
    return same[kind]


class Batch:
    """Games that are played together; see `layout` for its arrays, which are attributes.

    A game that ends starts again in the same call: its rewards and flags are those of the end, the
    other arrays those of the new game. With `auto_reset=False` it has no legal steps until `reset`.
    `arrays` are arrays of the caller to use instead of new ones. Masks and planes are written only
    where they change, so nobody else may write to them. New games begin with the start of
    the rules, or with one of `starts`, rows of three words, at random. `seed` determines all random
    numbers, whatever the number of `threads`.
    """

    positions: npt.NDArray[np.int64]
    legal: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float32]
    player: npt.NDArray[np.int8]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    masks: npt.NDArray[np.bool_]  # empty unless wanted
    planes: npt.NDArray[np.uint8]

    def __init__(  # noqa: PLR0913  settings by name
        self,
        rules: Rules,
        n: int,
        seed: int = 0,
        *,
        planes: bool = False,
        masks: bool = False,
        auto_reset: bool = True,
        max_moves: int = 0,
        starts: npt.ArrayLike | None = None,
        arrays: Mapping[str, npt.NDArray[Any]] | None = None,
        threads: int | None = None,
        compiled: bool = True,
    ) -> None:
        n, max_moves, seed = index(n), index(max_moves), index(seed)
        count = index(os.cpu_count() or 1 if threads is None else threads)
        if min(n, count) < 1 or max_moves < 0:
            raise DamierError("batch-size", number=min(n, count, max_moves))
        self.rules, self.n = rules, n
        self.auto_reset, self.max_moves = auto_reset, max_moves
        self.masks, self.planes = np.zeros((n, 0), np.bool_), np.zeros((n, 0), np.uint8)
        shapes = layout(rules, n, planes=planes, masks=masks)
        owned = dict(arrays or {})
        _check_names(owned, layout(rules, n, planes=True, masks=True))
        for name, (shape, kind) in shapes.items():
            array = owned[name] if name in owned else np.zeros(shape, kind)
            _check_array(name, array, shape, np.dtype(kind))
            setattr(self, name, array)
        # The words that masks and planes show, which are compared with the new ones.
        shown_masks, shown_planes = rules.module.GROUPS * masks, len(plane_names(rules)) * planes
        self._shown: list[npt.NDArray[np.int64]] = [
            np.zeros(n * words, np.int64) for words in (shown_masks, shown_planes)
        ]
        self.masks.fill(False)
        self.planes.fill(0)
        self._actions = np.zeros(n, np.int64)
        self._state = np.zeros(n * batch_layout.STATE, np.int64)
        self._compiled = compiled and jit.compiles()
        self._starts = start_positions(rules, starts, self._compiled)
        count = min(count, math.ceil(n / MIN_SLICE)) if self._compiled else 1
        bounds = [n * k // count for k in range(count + 1)]
        self._slices = list(pairwise(bounds))
        self._number_bits, self._subsets = number_sets(rules)
        kind = np.int32 if self._number_bits else np.int64
        self._arenas: list[npt.NDArray[Any]] = []
        for _ in self._slices:
            arena = np.zeros(batch_layout.ARENA_HEADER, kind)
            arena[[batch_layout.FREE, batch_layout.UNUSED]] = batch_layout.ARENA_HEADER
            self._arenas.append(arena)
        self._link()
        self.reset(seed)

    def _link(self) -> None:
        """Link the kernels and start the threads."""
        self._kernels = _link(self.rules, self._compiled)
        self._closed = False
        others = len(self._slices) - 1  # the caller's thread has a slice too
        self._pool = ThreadPoolExecutor(others) if others else None
        runtime = jit.runtime_of(self._kernels)
        settings = [0] * batch_layout.FIRST_START
        settings[batch_layout.AUTO_RESET] = int(self.auto_reset)
        settings[batch_layout.MAX_MOVES] = self.max_moves
        settings[batch_layout.CELLS] = self.rules.board.size
        settings[batch_layout.PLANES] = len(self.rules.folder.planes.NAMES)
        settings[batch_layout.WIDTH] = _entry_width(self.rules)
        settings[batch_layout.NUMBER_BITS] = self._number_bits
        settings[batch_layout.FILTER] = int(self._number_bits > 0 and _has_filter(self.rules))
        settings[batch_layout.STARTS] = len(self._starts)
        self._settings = runtime.array(settings + self._starts.reshape(-1).tolist())
        room = max(self.rules.module.GROUPS, len(plane_names(self.rules)))
        self._scratch = [
            (runtime.zeros(room), self._kernels.history.move_kernels.new_iterator())
            for _ in self._slices
        ]
        temporary = batch_layout.SCRATCH * batch_layout.TOGETHER
        self._temporary = [runtime.zeros(temporary) for _ in self._slices]
        outputs: list[npt.NDArray[Any]] = [
            self.rewards,
            self.terminated.view(np.uint8),
            self.truncated.view(np.uint8),
            self.player,
            self.masks.reshape(-1).view(np.int64),
            self.planes,
            *self._shown,
        ]
        self._outputs = tuple(map(self._flat, outputs))
        self._games = [self._arrays_of(k) for k in range(len(self._slices))]

    def _flat(self, array: npt.NDArray[Any]) -> Any:
        """Return an array as kernels take it: without dimensions, and of Python's integers."""
        flat = array.reshape(-1)
        return flat if self._compiled else memoryview(flat)  # type: ignore[arg-type]

    def __getstate__(self) -> dict[str, Any]:
        """Return the content without threads and kernels: batches can be copied and pickled."""
        kept = self.__dict__.copy()
        for name in _LINKED:
            kept.pop(name, None)
        ends = [max(int(a[batch_layout.LIMIT]), batch_layout.ARENA_HEADER) for a in self._arenas]
        kept["_arenas"] = [a[:end].copy() for a, end in zip(self._arenas, ends, strict=True)]
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        closed = kept["_closed"]
        self.__dict__.update(kept)
        self._link()
        if closed:
            self.close()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the threads; the batch cannot be used any more."""
        self._closed = True
        if self._pool is not None:
            self._pool.shutdown()

    @property
    def actions(self) -> int:
        """The number of actions."""
        return self.rules.step_range

    @property
    def moves(self) -> npt.NDArray[np.int64]:
        """The number of moves played in each game."""
        return self._of_state(batch_layout.MOVES)

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Whether each game is over; never with `auto_reset`."""
        over: npt.NDArray[np.bool_] = self._of_state(batch_layout.OVER) != 0
        return over

    @property
    def remembered(self) -> npt.NDArray[np.int64]:
        """The number of positions in the history of each game."""
        return self._of_state(batch_layout.ENTRIES)

    def _of_state(self, k: int) -> npt.NDArray[np.int64]:
        return self._state.reshape(self.n, -1)[:, k].copy()

    @property
    def nbytes(self) -> int:
        """The bytes in use: arrays, states and the histories of the games in progress."""
        owned: int = sum(
            array.nbytes
            for array in (self.masks, self.planes, *self._shown, self._actions, self._state)
        )
        owned += sum(getattr(self, name).nbytes for name in layout(self.rules, self.n))
        return owned + self.history_nbytes

    @property
    def history_nbytes(self) -> int:
        """The bytes of memory that histories have used so far, also those that are free again."""
        return sum(int(arena[batch_layout.UNUSED]) * arena.itemsize for arena in self._arenas)

    @property
    def game_nbytes(self) -> npt.NDArray[np.int64]:
        """The bytes of each game: its share of arrays and states, and the blocks of its history."""
        sizes: Any = self._of_state(batch_layout.SIZE)
        items = history_kernels.items_of(sizes, self._settings) * (sizes > 0)
        if self._settings[batch_layout.FILTER]:
            filters = history_kernels.filter_class(np.maximum(sizes, batch_layout.SMALLEST))
            items = items + history_kernels.items_of(filters, self._settings) * (sizes > 0)
        fixed = (self.nbytes - self.history_nbytes) // self.n
        found: npt.NDArray[np.int64] = fixed + items * self._arenas[0].itemsize
        return found

    def position(self, game: int) -> Position:
        """Return the position of a game."""
        white, black, rest = self.positions[game].tolist()
        return Position(self.rules, white, black, rest)

    def reset(self, seed: int | None = None, where: npt.NDArray[np.bool_] | None = None) -> None:
        """Start every game again, or those `where` is true; a seed also sets the random numbers."""
        self._check_open()
        chosen = np.ones(self.n, np.bool_) if where is None else where
        _check_array("where", chosen, (self.n,), np.dtype(np.bool_))
        if seed is not None:
            mixed = index(seed) & jit.MASK63
            self._kernels.seed_games(0, self.n, mixed, self._flat(self._state))
        given = np.zeros(0, np.int64)
        self._run_all(
            self._kernels.start_games, self._flat(chosen.view(np.uint8)), self._flat(given)
        )

    def load(self, positions: npt.ArrayLike) -> None:
        """Start each game from a position of its own, a row of three words, without history."""
        self._check_open()
        rows = start_positions(self.rules, positions, self._compiled)
        if len(rows) != self.n:
            raise DamierError("batch-shape", name="positions", found=rows.shape, shape=(self.n, 3))
        chosen = np.ones(self.n, np.uint8)
        self._run_all(self._kernels.start_games, self._flat(chosen), self._flat(rows))

    def step(self, actions: npt.ArrayLike) -> None:
        """Play one step in each game; NO_STEP (-1) leaves a game as it is.

        If an action is not legal, an error names the first one and nothing has changed.
        """
        self._check_open()
        found = np.asarray(actions)
        if found.dtype.kind not in "iu":
            raise TypeError(f"actions must be integers, not {found.dtype}")
        if found.shape != (self.n,):
            raise DamierError("batch-shape", name="actions", found=found.shape, shape=(self.n,))
        if found is not self._actions:
            if found.dtype == np.uint64:  # the largest numbers would become NO_STEP
                found = np.minimum(found, np.uint64(self.actions))
            np.copyto(self._actions, found, casting="unsafe")
        bad = self._kernels.first_illegal(
            0, self.n, self._flat(self._actions), self._flat(self.legal)
        )
        if bad < self.n:
            raise DamierError("batch-action", action=int(found[bad]), number=int(bad))
        self._run_all(self._kernels.step_games, self._flat(self._actions))

    def sample(self, out: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """Return a random legal action of each game, from its own random numbers."""
        self._check_open()
        actions = np.zeros(self.n, np.int64) if out is None else out
        _check_array("out", actions, (self.n,), np.dtype(np.int64))
        state, legal = self._flat(self._state), self._flat(self.legal)
        room = self._scratch[0][0]
        self._kernels.sample_steps(0, self.n, self._flat(actions), legal, state, room)
        return actions

    def _check_open(self) -> None:
        if self._closed:
            raise DamierError("batch-closed")

    def _arrays_of(self, k: int) -> Any:
        """Return the arrays of the games, with the arena and the scratch memory of a slice."""
        return (
            self._flat(self.positions),
            self._flat(self.legal),
            self._flat(self._state),
            self._flat(self._arenas[k]),
            self._settings,
            *self._scratch[k],
            self._flat(self._subsets),
            self._temporary[k],
        )

    def _make_room(self, k: int, begin: int) -> None:
        """Let the games from `begin` on use more of their arena; collect free blocks before.

        The arena grows by a sixteenth of what is in use, and free blocks are at most an eighth.
        """
        low, high = self._slices[k]
        history, games, arena = self._kernels.history, self._games[k], self._arenas[k]
        live = int(arena[batch_layout.LIVE])
        if arena[batch_layout.FREE] - batch_layout.ARENA_HEADER - live > live // 8:
            blocks_of = np.array([batch_layout.BLOCK, batch_layout.FILTER_BLOCK])
            places = (batch_layout.STATE * np.arange(low, high)[:, None] + blocks_of).reshape(-1)
            blocks = self._state[places]
            order = places[np.argsort(blocks)][np.count_nonzero(blocks == 0) :]
            history.compact(self._flat(order), games)
        needed = history.items_needed(begin, min(begin + batch_layout.TOGETHER, high), games)
        limit = int(arena[batch_layout.FREE]) + live // 16 + needed
        if limit > len(arena):
            if limit > np.iinfo(arena.dtype).max:
                raise MemoryError
            used = int(arena[batch_layout.FREE])
            self._arenas[k] = np.zeros(2 * limit, arena.dtype)
            self._arenas[k][:used] = arena[:used]
            self._games[k] = self._arrays_of(k)
        self._arenas[k][batch_layout.LIMIT] = limit

    def _run_all(self, kernel: Callable[..., int], *more: Any) -> None:
        """Run a kernel on every slice, in parallel; enlarge arenas as necessary."""

        def run(k: int) -> None:
            low, high = self._slices[k]
            while low < high:
                low = kernel(low, high, *more, self._games[k], self._outputs)
                if low < high:
                    self._make_room(k, low)

        others = (
            [self._pool.submit(run, k) for k in range(1, len(self._slices))] if self._pool else []
        )
        run(0)
        for other in others:
            other.result()


def _check_names(arrays: Mapping[str, npt.NDArray[Any]], shapes: Layout) -> None:
    """Raise an error if arrays of the caller have unknown names or share memory."""
    for name in arrays.keys() - shapes.keys():
        raise DamierError("batch-array", name=name, names=", ".join(shapes))
    for (one, first), (two, second) in combinations(arrays.items(), 2):
        if np.may_share_memory(first, second):
            raise DamierError("batch-shared", one=one, two=two)


def _check_array(
    name: str, array: npt.NDArray[Any], shape: tuple[int, ...], kind: np.dtype[Any]
) -> None:
    """Raise an error if an array of the caller cannot be used as it is."""
    if not isinstance(array, np.ndarray) or array.dtype != kind:
        found = getattr(array, "dtype", type(array).__name__)
        raise TypeError(f"{name} must be an array of {kind}, not {found}")
    if array.shape != shape or not array.flags.c_contiguous or not array.flags.writeable:
        raise DamierError("batch-shape", name=name, found=array.shape, shape=shape)


def _link(rules: Rules, compiled: bool) -> Any:
    """Return the kernels of batches for a game."""
    module = jit.link(rules.folder.module, compiled=compiled)
    loops = jit.link(kernels, compiled=compiled, rules=module)
    repetition = jit.link(rules.folder.repetition, compiled=compiled, rules=module)
    history = jit.link(
        history_kernels,
        compiled=compiled,
        rules=module,
        loops=loops,
        move_kernels=jit.link(move_kernels, compiled=compiled, rules=module),
        repetition=repetition,
    )
    return jit.link(
        batch_kernels,
        compiled=compiled,
        rules=module,
        loops=loops,
        history=history,
        repetition=repetition,
        planes=jit.link(rules.folder.planes, compiled=compiled, rules=module),
    )


def _has_filter(rules: Rules) -> bool:
    """Return whether the game knows steps that cannot break its ban on repetition."""
    known = rules.folder.repetition.may_repeat is not default_repetition.may_repeat
    return known and bool(rules.module.superko(rules.word))


def _entry_width(rules: Rules) -> int:
    """Return the logarithm of the items of a position in a history."""
    if rules.module.REPETITION_BITS:
        return 2
    return int(rules.board.size > batch_layout.MAX_WORD_CELLS)


def number_sets(rules: Rules) -> tuple[int, npt.NDArray[np.int32]]:
    """Return the bits of the number of a set of pawns and the tables of `number_of_set`.

    The bits are 0 if a position cannot be numbered in 30 bits by the sets of both sides.
    """
    board = rules.board
    cells = [cell for cell in range(board.size) if board.cells >> cell & 1]
    most = min(rules.module.pawns(rules.word), len(cells))
    sizes = [math.comb(len(cells), count) for count in range(most + 1)]
    bits = (sum(sizes) - 1).bit_length()
    fits = board.size <= batch_layout.MAX_NUMBERED_CELLS and 2 * bits < NUMBERED_BITS
    if _entry_width(rules) or not fits:
        return 0, np.zeros(0, np.int32)
    rank = {cell: k for k, cell in enumerate(cells)}
    offsets = [0, *accumulate(sizes)]

    def number(chosen: Sequence[int], before: int) -> int:
        return sum(math.comb(rank[cell], before + k + 1) for k, cell in enumerate(chosen))

    found = np.zeros(batch_layout.SETS + (1 << bits), np.int32)
    parts, width = batch_layout.PARTS, batch_layout.PART_BITS
    for part in range(parts):
        own = [cell for cell in cells if cell // width == part]
        for count in range(most + 1):
            for more in range(most + 1 - count):
                for chosen in combinations(own, more):
                    at = (count * parts + part) << width
                    at += sum(1 << cell % width for cell in chosen)
                    found[at] = number(chosen, count)
                    if part == parts - 1:
                        found[at] += offsets[count + more]
    if _has_filter(rules):
        for count in range(most + 1):
            for chosen in combinations(cells, count):
                at = batch_layout.SETS + offsets[count] + number(chosen, 0)
                found[at] = sum(1 << cell for cell in chosen)
    return bits, found
