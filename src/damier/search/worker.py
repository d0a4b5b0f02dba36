"""The alpha-beta of one game with its memory, at one speed."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from damier import jit
from damier.games import Folder, Words
from damier.games import evaluation as default
from damier.games.contract import Evaluation
from damier.history import Game
from damier.position import Rules
from damier.search import alphabeta, no_endings
from damier.search.alphabeta import EXACT, INFINITE, LOWER, MAX_STEPS, NO_STEP
from damier.search.limits import MAX_TT, MIN_TT

if TYPE_CHECKING:
    from damier.solve.tables import Table

SALTS = (1 << 62) - 1
FIRST_CHUNK = 500  # nodes, while it is not known how fast this machine is


def _link(compiled: bool) -> Any:
    return jit.link if compiled else jit.link_plain


@cache
def evaluation_of(folder: Folder, compiled: bool = False) -> ModuleType:
    """Return what the search knows of a game, linked with its rules.

    What its evaluation leaves out is taken from the default.
    """
    link = _link(compiled)
    rules = link(folder.module)
    module: ModuleType = link(folder.evaluation, rules=rules)
    usual = link(default, rules=rules)
    for part in (*Evaluation.__annotations__, *vars(Evaluation), "tables"):
        if not part.startswith("_") and not hasattr(module, part):
            setattr(module, part, getattr(usual, part))
    return module


@cache
def alphabeta_of(folder: Folder, compiled: bool, endings: ModuleType = no_endings) -> ModuleType:
    """Return the search of a game, with the numbering of its endings if it is to probe them."""
    link = _link(compiled)
    if endings is no_endings:
        endings = link(no_endings)
    module: ModuleType = link(
        alphabeta,
        rules=link(folder.module),
        evaluation=evaluation_of(folder, compiled),
        endings=endings,
    )
    return module


@cache
def _in_force(folder: Folder, compiled: bool) -> Any:
    """Return the weights of a game, and what the evaluation looks up behind them."""
    weights = *folder.weights.weights.values(), *evaluation_of(folder).tables()
    return jit.home_of(evaluation_of(folder, compiled)).array(weights)


class Worker:
    """The buffers of a search and the kernels that work in them: one position at a time.

    `room` is how many nodes it will look at, to choose the size of the transposition table.
    `weights` are other ones than those in force, with what the evaluation looks up behind them.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        compiled: bool,
        room: int = MAX_TT,
        weights: tuple[int, ...] | None = None,
        endings: Table | None = None,
    ) -> None:
        self.rules = rules
        self.compiled = compiled
        home = jit.home_of(evaluation_of(rules.folder, compiled))
        self._buffer = home.zeros
        self.memory = self._buffer(alphabeta.MEMORY)
        entries = MIN_TT
        while entries < 2 * room and entries < MAX_TT:
            entries *= 2
        self._tt = self._buffer(2 * entries)
        self._legal = self._buffer(rules.file.GROUPS)
        if weights is None:
            self.weights = _in_force(rules.folder, compiled)
        else:
            self.weights = home.array(weights)
        module, self._values, self._numbering = no_endings, self._buffer(1), self._buffer(1)
        if endings is not None:
            module, self._values, self._numbering = (
                endings.kernel() if compiled else endings.plain()
            )
            pawns = alphabeta.MAX_PAWNS if endings.pawns is None else endings.pawns
            self.memory[alphabeta.TABLEBASE_PAWNS] = pawns
            self.memory[alphabeta.TABLEBASE_TO_END] = int(endings.metric == "end")
        self.kernels: Any = alphabeta_of(rules.folder, compiled, module)
        self.chunk = FIRST_CHUNK  # nodes between two looks at the clock: the root sees to it
        self._generation = 0
        self._salt = 0

    def prepare(self, fresh: bool, contempt: int = 0, reductions: bool = True) -> None:
        """Begin a new search: `fresh` forgets what earlier ones found, and so does other contempt.

        `contempt` is what a draw by repetition costs White, less than 0 if Black.
        """
        memory = self.memory
        fresh = fresh or contempt != memory[alphabeta.CONTEMPT]
        self._generation = (self._generation + 1) & 255
        if not self._generation:  # else entries of long ago would pass for new ones
            self._tt = self._buffer(len(self._tt))
        if fresh:
            self._salt = (self._salt + 0x3C6EF372FE94F82B) & SALTS
        self.kernels.clear(memory, fresh)
        memory[alphabeta.GENERATION], memory[alphabeta.SALT] = self._generation, self._salt
        memory[alphabeta.CONTEMPT] = contempt
        late = self.kernels.evaluation.LMR_AFTER if reductions else MAX_STEPS
        memory[alphabeta.LMR_AFTER] = late

    def push_game(self, game: Game) -> None:
        """Push a game's positions on the repetition stack: the last ones, if there are many."""
        file = self.rules.file
        words = [p.words for p in game.positions if file.repeatable(*p.words)]
        for position in words[-(alphabeta.MAX_REPETITIONS - 200) :]:
            self.kernels.push_repetition(self.memory, *position)

    def begin(self, words: Words, depth: int, window: tuple[int, int]) -> None:
        """Begin to search a position, one turn from the root."""
        self.kernels.begin(self.memory, *words, depth, *window)

    def search(self, nodes: int) -> bool:
        """Go on with the search begun for a number of nodes; return whether it is done."""
        buffers = self.memory, self._tt, self._legal, self.weights
        return bool(self.kernels.search(*buffers, self._values, self._numbering, nodes))

    @property
    def value(self) -> int:
        """The value of the position searched, for its side to move."""
        return int(self.memory[alphabeta.VALUE])

    @property
    def nodes(self) -> int:
        """The nodes looked at in this search."""
        return int(self.memory[alphabeta.NODES])

    def evaluate(self, words: Words) -> int:
        """Return the static evaluation of a position one turn from the root, for its mover."""
        judgement = self.kernels.rules.legal(*words, self._legal)
        if judgement:
            return alphabeta.terminal_value(judgement, words[2], 1)
        return int(self.kernels.evaluation.evaluate(*words, self.weights))

    def best_step(self, words: Words) -> int:
        """Return the best step of a position by the transposition table, or NO_STEP."""
        key = alphabeta_of(self.rules.folder, False).key_of(*words, self._salt)
        entry = int(alphabeta.tt_probe(self._tt, key))
        known = entry and (entry >> 12) & 3 in (EXACT, LOWER)
        return entry & (MAX_STEPS - 1) if known else NO_STEP

    def quiet_leaf(self, words: Words) -> Words | None:
        """Return the position where quiescence ends from one; None if that is the game's end."""
        self.prepare(fresh=True)
        self.begin(words, 0, (-INFINITE, INFINITE))
        self.search(1 << 40)
        if abs(self.value) > alphabeta.PROVED:
            return None
        file, legal = self.rules.file, [0] * self.rules.file.GROUPS
        for _ in range(alphabeta.MAX_PLY):
            if file.legal(*words, legal):
                return None
            step = self.best_step(words)
            if step == NO_STEP:
                return words if not words[2] & file.MIDTURN else None
            words = file.play(*words, step)
        return None
