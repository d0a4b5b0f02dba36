"""An engine: the search of one game, driven turn by turn at the root and deeper and deeper.

>>> import damier
>>> from damier.search import Engine, Limits
>>> game = damier.Game(damier.game("chefa")).play("b1", "a5", "c1", "a4", "d1", "a2")
>>> thought = Engine(game.rules, compiled=False).think(game, Limits(depth=1))
>>> thought.best.text(game), thought.best.distance
('a1', 1)
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cache
from time import monotonic, perf_counter
from types import ModuleType
from typing import TYPE_CHECKING, Any

from damier import jit, notation
from damier.games import GAMES, Words
from damier.history import Game
from damier.position import Position, Rules, Turn
from damier.search import kernel, no_endings
from damier.search.kernel import EXACT, INFINITE, LOWER, PROVED, WIN
from damier.search.weights import scale_of

if TYPE_CHECKING:
    from damier.solve.tables import Table

# Nodes between two looks at the clock, at first; then as many as take this long.
FIRST_CHUNK, CHUNK_SECONDS = 500, 0.004
NO_STEP = 4095
SALTS = (1 << 62) - 1
# The table of positions: entries of two words, so that a search of n nodes has room.
LEAST_TABLE, MOST_TABLE = 1 << 15, 1 << 22
FASTEST = 3_000_000  # nodes a second
# Who plays for a win takes a repetition for a chance of 20 %: for as many scales less than even.
# Chosen by hand: 200 games against `uct:` did not tell it from none (85.0, 84.8 %).
EAGER = 1.4
# How long the first answer may wait for the compiler before plain Python gives one, and how long
# that takes.
PATIENCE, HASTE = 6.5, 1.5
WATCH = 0.02  # seconds between two looks at whether to stop waiting


class Stop:
    """Tells a search, from any thread, to end: it does so within 50 ms."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """End the search."""
        self._event.set()

    def is_set(self) -> bool:
        """Tell whether the search was told to end."""
        return self._event.is_set()

    def wait(self) -> None:
        """Wait until the search is told to end."""
        self._event.wait()


@dataclass(frozen=True)
class Limits:
    """How long to search: turns deep, positions, seconds; whichever comes first.

    Without `reductions` late steps are looked at as deep as the first ones.
    """

    depth: int = kernel.DEEPEST
    nodes: int | None = None
    seconds: float | None = None
    reductions: bool = True

    @property
    def repeatable(self) -> bool:
        """Whether a search gives the same answer each time, if it forgets what earlier ones found.

        With a limit of time no two searches are alike anyway.
        """
        return self.seconds is None and (self.nodes is not None or self.depth < kernel.DEEPEST)

    @property
    def room(self) -> int:
        """How many positions a search will look at, at most: for the size of its memory."""
        room = MOST_TABLE if self.nodes is None else self.nodes
        if self.depth == 1:
            room = min(room, LEAST_TABLE)
        return room if self.seconds is None else min(room, int(self.seconds * FASTEST))


@dataclass
class Root:
    """A turn at the root: its steps, where it leads, and what has been found out about it."""

    steps: tuple[int, ...]
    after: Words
    value: int = 0
    depth: int = 0

    def text(self, game: Game) -> str:
        """Return the turn's text."""
        return written(game.position, self.steps)

    @property
    def distance(self) -> int | None:
        """The turns to the end of the game, if it is proved who wins."""
        return WIN - abs(self.value) if abs(self.value) > PROVED else None


@dataclass
class Thought:
    """What a search has found: the turns, best first, and how much was looked at."""

    roots: list[Root] = field(default_factory=list)
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0

    @property
    def best(self) -> Root:
        """The best turn."""
        return self.roots[0]


def written(position: Position, steps: tuple[int, ...]) -> str:
    """Return the text of a turn."""
    return notation.turn_text(position.rules.file, position.words, steps, position.begun)


def turn_of(position: Position, steps: tuple[int, ...], after: Words) -> Turn:
    """Return a turn, known to be legal, as the rules would."""
    return Turn(position, written(position, steps), steps, after)


@cache
def sense_of(name: str) -> ModuleType:
    """Return the file that says what is good and bad in a game."""
    return GAMES[name].evaluation


def filled(weights: tuple[int, ...], compiled: bool) -> Any:
    """Return weights, and what the estimate looks up behind them, as a search reads them."""
    if not compiled:
        return weights
    import numpy as np

    return np.array(weights, np.int64)


@cache
def in_force(name: str, compiled: bool) -> Any:
    """Return the weights of a game, and what the estimate looks up behind them."""
    return filled(tuple(GAMES[name].weights.weights.values()) + sense_of(name).tables(), compiled)


@cache
def loops_of(name: str, compiled: bool, endings: ModuleType = no_endings) -> ModuleType:
    """Return the search of a game, with the numbering of its endings if it is to look them up."""
    link = jit.link if compiled else jit.link_plain
    rules = link(GAMES[name].module)
    if endings is no_endings:
        endings = link(no_endings)
    return link(kernel, rules=rules, sense=link(sense_of(name), rules=rules), endings=endings)


SHORT = Limits(depth=1, nodes=50)  # enough to need all that is compiled
_ready: set[str] = set()
_ready_for_endings: set[str] = set()
_warming: dict[tuple[str, bool], threading.Thread] = {}
_begun: dict[str, float] = {}
_lock = threading.Lock()


def ready(rules: Rules) -> bool:
    """Tell whether the search of a game is compiled in this process."""
    return rules.name in _ready


def warm(rules: Rules) -> None:
    """Compile, or load from the cache, everything that playing a game needs."""
    from damier.search.known import endings_of

    if not jit.enabled():
        return
    _warming_thread(rules).join()
    endings = endings_of(rules)
    if endings is not None:
        _warming_thread(rules, endings).join()


def begin_warming(rules: Rules) -> None:
    """Begin, in a thread, to compile what a search will need, so that it need not wait."""
    if jit.enabled():
        _warming_thread(rules)


def _warming_thread(rules: Rules, endings: Table | None = None) -> threading.Thread:
    """Return the thread that compiles the search of a game, or the one that looks into endings."""
    with _lock:
        kind = rules.name, endings is not None
        if kind not in _warming:
            job: Callable[..., None] = _warm if endings is None else _warm_endings
            _warming[kind] = threading.Thread(target=job, args=(rules, endings), daemon=True)
            _begun[rules.name] = monotonic()
            _warming[kind].start()
        return _warming[kind]


def _wait_for_compiler(rules: Rules, patience: float, stop: Stop | None) -> bool:
    """Wait until the search is compiled, patience is at an end or `stop` is set."""
    thread = _warming_thread(rules)
    until = _begun[rules.name] + patience
    while thread.is_alive() and not ready(rules) and monotonic() < until:
        if stop is not None and stop.is_set():
            break
        thread.join(WATCH)
    return ready(rules)


def _warm(rules: Rules, _: None) -> None:
    from damier.search.known import table_of

    game = Game(rules)
    engine = Engine(rules, room=0, compiled=True)
    engine.think(game, SHORT)
    _ready.add(rules.name)
    rules.compile()
    engine.think(game, SHORT)  # lists the turns: compiles that too
    table = table_of(rules)
    if table is not None:
        table.probe(game.position)


def _warm_endings(rules: Rules, endings: Table) -> None:
    Engine(rules, room=0, compiled=True, endings=endings).think(Game(rules), SHORT)
    _ready_for_endings.add(rules.name)


class Engine:
    """A search with its memory. One engine thinks about one position at a time."""

    def __init__(
        self,
        rules: Rules,
        *,
        room: int = MOST_TABLE,
        compiled: bool | None = None,
        weights: tuple[int, ...] | None = None,
        endings: Table | None = None,
        patience: float = PATIENCE,
        stop: Stop | None = None,
    ) -> None:
        """Make an engine; `room` is how many positions it will look at, to choose its size.

        `endings` is a table to look into. `compiled=None` takes compiled code, but will not keep
        the first caller waiting for it longer than `patience`, in seconds, and does without the
        endings until the code for them is there. `weights` are other ones than those in force,
        with what the estimate looks up behind them.
        """
        self.rules = rules
        self.room = room
        self.endings = endings
        self.hasty = False
        if compiled is None:
            compiled = jit.enabled()
            if compiled and not ready(rules):
                compiled = _wait_for_compiler(rules, patience, stop)
                self.hasty = not compiled
            if compiled and endings is not None and rules.name not in _ready_for_endings:
                _warming_thread(rules, endings)
                endings = None
        # Whether a new engine would be no better: compiled, and with its endings.
        self.complete = not self.hasty and endings is self.endings
        self.compiled = compiled
        self._look_into(endings)
        entries = LEAST_TABLE
        while entries < 2 * room and entries < MOST_TABLE:
            entries *= 2
        self._memory = self._buffer(kernel.MEMORY)
        self._table = self._buffer(2 * entries)
        self._legal = self._buffer(rules.file.GROUPS)
        self._weights = (
            in_force(rules.name, compiled) if weights is None else filled(weights, compiled)
        )
        self._generation = 0
        self._salt = 0
        self._chunk = FIRST_CHUNK

    def _look_into(self, endings: Table | None) -> None:
        """Choose the search with or without a table of endings."""
        module, self._values, self._numbering = no_endings, self._buffer(1), self._buffer(1)
        self._ending_pawns, self._to_the_end = 0, False
        if endings is not None:
            found = endings.kernel() if self.compiled else endings.plain()
            module, self._values, self._numbering = found
            self._ending_pawns = kernel.PAWNS if endings.pawns is None else endings.pawns
            self._to_the_end = endings.metric == "end"
        self._loops: Any = loops_of(self.rules.name, self.compiled, module)

    def _buffer(self, size: int) -> Any:
        if not self.compiled:
            return [0] * size
        import numpy as np

        return np.zeros(size, np.int64)

    def think(
        self,
        game: Game,
        limits: Limits,
        *,
        every: bool = False,
        fresh: bool = True,
        eager: bool = False,
        only: Collection[Words] | None = None,
        stop: Stop | None = None,
        report: Callable[[Thought], None] | None = None,
    ) -> Thought:
        """Search a game that is not over.

        `every`: find the value of every turn, not only of the best. `fresh`: forget what earlier
        searches found, so that the same game and limits give the same answer. `eager`: play for a
        win, shun repetition and, unless ahead, what is mostly drawn. `only`: choose among the
        turns that lead there. `report` is called after each depth.
        """
        if self.hasty:
            limits = replace(limits, seconds=min(limits.seconds or HASTE, HASTE))
        run = _Run(self, game, limits, every, stop)
        if only is not None:
            run.thought.roots = [root for root in run.thought.roots if root.after in only]
        price = round(EAGER * scale_of(self.rules.name)) if eager else 0
        self._prepare(game, limits, fresh, -price if game.position.rest & 1 else price)
        run.deepen(report)
        return run.thought

    def _prepare(self, game: Game, limits: Limits, fresh: bool, price: int) -> None:
        """Set the memory up for a search from a game's position."""
        memory, loops = self._memory, self._loops
        fresh = fresh or price != memory[kernel.PRICE]  # what was found holds for that price only
        self._generation = (self._generation + 1) & 255
        if fresh:
            self._salt = (self._salt + 0x3C6EF372FE94F82B) & SALTS
        loops.renew(memory, fresh)
        memory[kernel.GENERATION], memory[kernel.SALT] = self._generation, self._salt
        memory[kernel.PRICE] = price
        memory[kernel.ENDING_PAWNS] = self._ending_pawns
        memory[kernel.TO_THE_END] = int(self._to_the_end)
        late = sense_of(self.rules.name).LATE if limits.reductions else kernel.MOST_STEPS
        memory[kernel.REDUCE_AFTER] = late
        file = self.rules.file
        met = [p.words for p in game.positions if file.repeatable(*p.words)]
        for words in met[-(kernel.MET_MOST - 200) :]:
            loops.meet(memory, *words)

    def roots(self, game: Game) -> list[Root]:
        """Return the legal turns of a game, one for each position that they reach."""
        reached: dict[Words, Root] = {}
        for steps, after in game.position.ends():
            if after not in reached and not game.bars(after):
                reached[after] = Root(steps, after)
        return list(reached.values())

    def line(self, root: Root, game: Game, most: int = 12) -> tuple[str, ...]:
        """Return the best line known that begins with a turn, as texts: legal in this game."""
        file = self.rules.file
        words, begun, line = root.after, root.after, [root.text(game)]
        steps: tuple[int, ...] = ()
        legal = [0] * file.GROUPS
        seen = {words}
        while len(line) < most and not file.legal(*words, legal):
            step = self._best_step(words)
            if step == NO_STEP or not legal[step >> 6] >> (step & 63) & 1:
                break
            words, steps = file.play(*words, step), (*steps, step)
            if not words[2] & file.MIDTURN:
                before = game.times(words)
                if before and file.superko(words[2]):
                    break
                written = notation.as_written(file, begun, steps)
                line.append(notation.turn_text(file, begun, written))
                begun, steps = words, ()
                if words in seen or before >= 2:
                    break
                seen.add(words)
        return tuple(line)

    def _best_step(self, words: Words) -> int:
        fingerprint = sense_of(self.rules.name).fingerprint(*words)
        key = kernel.hash_of(words[0], words[1], fingerprint) ^ self._salt
        known = int(kernel.look_up(self._table, key))
        return known & 4095 if known and (known >> 12) & 3 in (EXACT, LOWER) else NO_STEP

    def value(
        self, root: Root, side: int, depth: int, window: tuple[int, int], run: _Run
    ) -> int | None:
        """Search the position after a root turn; return its value, None if interrupted."""
        same = root.after[2] & 1 == side
        low, high = window if same else (-window[1], -window[0])
        loops, memory = self._loops, self._memory
        loops.begin(memory, *root.after, depth, low, high)
        while True:
            before = perf_counter()
            nodes = run.allowed(self._chunk, int(memory[kernel.NODES]), before)
            if nodes <= 0:
                return None
            if self.advance(nodes):
                value = int(memory[kernel.VALUE])
                return value if same else -value
            spent = perf_counter() - before
            if spent < CHUNK_SECONDS / 2:
                self._chunk = min(2 * self._chunk, 50_000)
            elif spent > 2 * CHUNK_SECONDS:
                self._chunk = max(self._chunk // 2, 20)

    def advance(self, nodes: int) -> bool:
        """Go on with the search under way for a number of nodes; return whether it is done."""
        known = self._values, self._numbering
        buffers = self._memory, self._table, self._legal, self._weights
        return bool(self._loops.run(*buffers, *known, nodes))

    @property
    def nodes(self) -> int:
        """The positions looked at in this search."""
        return int(self._memory[kernel.NODES])

    def estimate(self, root: Root, side: int) -> int:
        """Return the value of the position after a root turn as it stands."""
        judgement = self._loops.rules.legal(*root.after, self._legal)
        if judgement:
            value = kernel.judged(judgement, root.after[2], 1)
        else:
            value = int(self._loops.sense.evaluate(*root.after, self._weights))
        return value if root.after[2] & 1 == side else -value


def fitting(
    engine: Engine | None,
    rules: Rules,
    limits: Limits,
    endings: Table | None,
    stop: Stop | None,
    patience: float = PATIENCE,
) -> Engine:
    """Return an engine for a search: the one that there is, unless a better one can be had."""
    if (
        engine is not None
        and engine.complete
        and (engine.rules, engine.room, engine.endings) == (rules, limits.room, endings)
    ):
        return engine
    return Engine(rules, room=limits.room, endings=endings, patience=patience, stop=stop)


class _Run:
    """One search from the root: deeper and deeper, until a limit or a proof."""

    def __init__(
        self, engine: Engine, game: Game, limits: Limits, every: bool, stop: Stop | None
    ) -> None:
        self._began = perf_counter()
        self._engine = engine
        self._limits = limits
        self._every = every
        self._stop = stop
        self._side = game.position.rest & 1
        self.thought = Thought(engine.roots(game))

    def allowed(self, chunk: int, nodes: int, now: float) -> int:
        """Return how many nodes may be searched before the next look at the clock."""
        if self._stop is not None and self._stop.is_set():
            return 0
        if self._limits.seconds is not None and now - self._began >= self._limits.seconds:
            return 0
        if self._limits.nodes is not None:
            return min(chunk, self._limits.nodes - nodes)
        return chunk

    def deepen(self, report: Callable[[Thought], None] | None) -> None:
        """Search depth after depth."""
        thought = self.thought
        for root in thought.roots:
            root.value = self._engine.estimate(root, self._side)
        thought.roots.sort(key=lambda root: -root.value)
        if len(thought.roots) == 1 and not self._every:
            return
        for depth in range(1, self._limits.depth + 1):
            done = self._all_exact(depth) if self._every else self._best_exact(depth)
            thought.nodes = self._engine.nodes
            thought.seconds = perf_counter() - self._began
            if not done:
                break
            thought.depth = depth
            if report is not None:
                report(thought)
            if self._settled(depth):
                break

    def _settled(self, depth: int) -> bool:
        """Tell whether more depth cannot change what matters."""
        roots = self.thought.roots if self._every else self.thought.roots[:1]
        return all(root.distance is not None and root.distance <= depth for root in roots)

    def _all_exact(self, depth: int) -> bool:
        """Search every turn with a full window; return whether all were searched."""
        found: list[int] = []
        for root in self.thought.roots:
            value = self._engine.value(root, self._side, depth - 1, (-INFINITE, INFINITE), self)
            if value is None:
                break
            found.append(value)
        done = len(found) == len(self.thought.roots)
        for root, value in zip(self.thought.roots, found, strict=False):
            if done or abs(value) > PROVED:
                root.value, root.depth = value, depth
        self.thought.roots.sort(key=lambda root: -root.value)
        return done

    def _best_exact(self, depth: int) -> bool:
        """Search for the best turn; return whether all were searched."""
        roots = self.thought.roots
        best = -INFINITE
        for k, root in enumerate(list(roots)):
            if k == 0:
                value = self._aspire(root, depth)
            else:
                window = best, best + 1
                value = self._engine.value(root, self._side, depth - 1, window, self)
                if value is not None and value > best:
                    window, bound = (best, INFINITE), value
                    value = self._engine.value(root, self._side, depth - 1, window, self)
                    if value is None:  # better all the same, though not known by how much
                        self._put_first(root, bound, depth)
            if value is None:
                return False
            if value > best:
                best = value
                self._put_first(root, value, depth)
            else:
                root.value = min(root.value, value)
            if best >= WIN - 1:
                break
        return True

    def _put_first(self, root: Root, value: int, depth: int) -> None:
        """Note the best turn so far; the others stay in the order in which they were."""
        root.value, root.depth = value, depth
        roots = self.thought.roots
        roots.remove(root)
        roots.insert(0, root)

    def _aspire(self, root: Root, depth: int) -> int | None:
        """Search the first turn with a window around its last value, wider where it fails."""
        width = 40 if depth > 3 and abs(root.value) < PROVED else INFINITE
        while True:
            low, high = max(-INFINITE, root.value - width), min(INFINITE, root.value + width)
            value = self._engine.value(root, self._side, depth - 1, (low, high), self)
            if value is None or low < value < high or width >= INFINITE:
                return value
            width = 4 * width if width < 1000 else INFINITE
