"""Alpha-beta search of one game with its memory, compiled or in plain Python."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from damier import jit
from damier.gameplay import Game
from damier.games import Folder, Words
from damier.games import evaluation as default
from damier.games.contract import Evaluation
from damier.position import Rules
from damier.search import alphabeta
from damier.search.alphabeta import EXACT, INFINITE, LOWER, MAX_STEPS, NO_STEP
from damier.search.limits import MAX_TT, MIN_TT
from damier.solve import null_numbering

if TYPE_CHECKING:
    from damier.solve.tables import Table

SALTS = (1 << 62) - 1  # bit mask of a salt
FIRST_CHUNK = 500  # nodes, before the speed of this machine is known


@cache
def evaluation_of(folder: Folder, compiled: bool = False) -> ModuleType:
    """Return the evaluation module of a game, linked with its rules.

    Functions that it does not define are taken from the default evaluation.
    """
    rules = jit.link(folder.module, compiled=compiled)
    module = jit.link(folder.evaluation, compiled=compiled, rules=rules)
    fallback = jit.link(default, compiled=compiled, rules=rules)
    for part in (*Evaluation.__annotations__, *vars(Evaluation), "tables"):
        if not part.startswith("_") and not hasattr(module, part):
            setattr(module, part, getattr(fallback, part))
    return module


@cache
def alphabeta_of(
    folder: Folder, compiled: bool, endings: ModuleType = null_numbering
) -> ModuleType:
    """Return the search kernels of a game; `endings` is the numbering of a table to probe."""
    if endings is null_numbering:
        endings = jit.link(null_numbering, compiled=compiled)
    return jit.link(
        alphabeta,
        compiled=compiled,
        rules=jit.link(folder.module, compiled=compiled),
        evaluation=evaluation_of(folder, compiled),
        endings=endings,
    )


@cache
def _default_weights(folder: Folder, compiled: bool) -> Any:
    """Return the weights of a game, followed by the tables of its evaluation."""
    weights = *folder.weights.weights.values(), *evaluation_of(folder).tables()
    return jit.runtime_of(evaluation_of(folder, compiled)).array(weights)


class Searcher:
    """Kernels and buffers of an alpha-beta search of one position at a time.

    `expected_nodes` is the number of nodes that it will visit, which sets the size of the
    transposition table. `weights` replace the game's weights, with the evaluation's tables after
    them.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        compiled: bool,
        expected_nodes: int = MAX_TT,
        weights: tuple[int, ...] | None = None,
        endings: Table | None = None,
    ) -> None:
        self.rules = rules
        self.compiled = compiled
        runtime = jit.runtime_of(evaluation_of(rules.folder, compiled))
        self._buffer = runtime.zeros
        self.memory = self._buffer(alphabeta.MEMORY)
        entries = MIN_TT
        while entries < 2 * expected_nodes and entries < MAX_TT:
            entries *= 2
        self._tt = self._buffer(2 * entries)
        self._legal = self._buffer(rules.module.GROUPS)
        if weights is None:
            self.weights = _default_weights(rules.folder, compiled)
        else:
            self.weights = runtime.array(weights)
        module, self._values, self._numbering = null_numbering, self._buffer(1), self._buffer(1)
        if endings is not None:
            module, self._values, self._numbering = (
                endings.kernel() if compiled else endings.plain()
            )
            pawns = alphabeta.MAX_PAWNS if endings.pawns is None else endings.pawns
            self.memory[alphabeta.TABLEBASE_PAWNS] = pawns
            self.memory[alphabeta.TABLEBASE_TO_END] = int(endings.metric == "end")
        self.kernels: Any = alphabeta_of(rules.folder, compiled, module)
        self.chunk = FIRST_CHUNK  # nodes between two checks of the time; `RootSearch` adapts it
        self._generation = 0
        self._salt = 0

    def prepare(self, fresh: bool, contempt: int = 0, reductions: bool = True) -> None:
        """Begin a new search.

        `fresh` clears the results of earlier searches, and so does a change of contempt. `contempt`
        is the cost of a draw by repetition for White, negative for Black.
        """
        memory = self.memory
        fresh = fresh or contempt != memory[alphabeta.CONTEMPT]
        self._generation = (self._generation + 1) & 255
        if not self._generation:  # after an overflow old entries would look new
            self._tt = self._buffer(len(self._tt))
        if fresh:
            self._salt = (self._salt + 0x3C6EF372FE94F82B) & SALTS
        self.kernels.clear(memory, fresh)
        memory[alphabeta.GENERATION], memory[alphabeta.SALT] = self._generation, self._salt
        memory[alphabeta.CONTEMPT] = contempt
        late = self.kernels.evaluation.LMR_AFTER if reductions else MAX_STEPS
        memory[alphabeta.LMR_AFTER] = late

    def push_game(self, game: Game) -> None:
        """Push the last positions of a game on the repetition stack."""
        module = self.rules.module
        repeatable = [p.words for p in game.positions if module.repeatable(*p.words)]
        for position in repeatable[-(alphabeta.MAX_REPETITIONS - 200) :]:
            self.kernels.push_repetition(self.memory, *position)

    def begin(self, words: Words, depth: int, window: tuple[int, int]) -> None:
        """Begin the search of a position one move from the root."""
        self.kernels.begin(self.memory, *words, depth, *window)

    def search(self, nodes: int) -> bool:
        """Continue the search for a number of nodes; return whether it is complete."""
        buffers = self.memory, self._tt, self._legal, self.weights
        return bool(self.kernels.search(*buffers, self._values, self._numbering, nodes))

    @property
    def value(self) -> int:
        """The value of the position searched, for its side to move."""
        return int(self.memory[alphabeta.VALUE])

    @property
    def nodes(self) -> int:
        """The nodes visited in this search."""
        return int(self.memory[alphabeta.NODES])

    def evaluate(self, words: Words) -> int:
        """Return the static evaluation of a position one move from the root, for its mover."""
        judgement = self.kernels.rules.legal(*words, self._legal)
        if judgement:
            return alphabeta.terminal_value(judgement, words[2], 1)
        return int(self.kernels.evaluation.evaluate(*words, self.weights))

    def best_step(self, words: Words) -> int:
        """Return the best step of a position in the transposition table, or NO_STEP."""
        key = alphabeta_of(self.rules.folder, False).key_of(*words, self._salt)
        entry = int(alphabeta.tt_probe(self._tt, key))
        has_step = entry and (entry >> 12) & 3 in (EXACT, LOWER)
        return entry & (MAX_STEPS - 1) if has_step else NO_STEP

    def quiet_leaf(self, words: Words) -> Words | None:
        """Return the position where quiescence search ends, or None if the game ends there."""
        self.prepare(fresh=True)
        self.begin(words, 0, (-INFINITE, INFINITE))
        self.search(1 << 40)
        if abs(self.value) > alphabeta.PROVED:
            return None
        module, legal = self.rules.module, [0] * self.rules.module.GROUPS
        for _ in range(alphabeta.MAX_PLY):
            if module.legal(*words, legal):
                return None
            step = self.best_step(words)
            if step == NO_STEP:
                return words if not words[2] & module.MIDTURN else None
            words = module.play(*words, step)
        return None
