"""The search at the root: turn by turn, by iterative deepening, within limits."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from time import perf_counter

from damier import notation
from damier.errors import DamierError
from damier.games import Words
from damier.history import THIRD, Game, Policy
from damier.position import Turn
from damier.search.alphabeta import INFINITE, NO_STEP, PROVED, WIN
from damier.search.limits import Limits, Looked, Stop
from damier.search.worker import Worker

# Between two looks at the clock as many nodes are searched as take this long.
CHUNK_SECONDS, MIN_CHUNK, MAX_CHUNK = 0.004, 20, 50_000
# The aspiration window: half its width at first, from which depth on, by which factor it grows, and
# up to which half a width.
ASPIRATION, ASPIRATION_DEPTH, ASPIRATION_GROWTH, ASPIRATION_MAX = 40, 4, 4, 1000
# Few positions have more turns than some hundred, some have hundreds of thousands: how many are
# listed between two looks at the clock, how many may be analysed and how many searched.
LISTED, MOST_ANALYSED, MOST_ROOTS = 1000, 20_000, 200_000
LISTING = 0.25  # the part of a search's time in which turns are listed
# Who plays for a win takes a repetition for a chance of 20 %: for as many scales less than even.
# Chosen by hand: 200 games against `uct:` did not tell it from none (85.0, 84.8 %).
CONTEMPT = 1.4


@dataclass
class RootTurn:
    """A turn at the root: its steps, where it leads, and what has been found out about it."""

    steps: tuple[int, ...]
    after: Words
    value: int = 0
    depth: int = 0

    def text(self, game: Game) -> str:
        """Return the turn's text."""
        position = game.position
        return notation.turn_text(position.rules.file, position.words, self.steps, position.begun)

    def turn(self, game: Game) -> Turn:
        """Return the turn, which is legal in the game it was found in."""
        return Turn(game.position, self.text(game), self.steps, self.after)

    @property
    def distance(self) -> int | None:
        """The turns to the end of the game, if it is proved who wins."""
        return WIN - abs(self.value) if abs(self.value) > PROVED else None


@dataclass
class SearchResult:
    """What a search has found: the turns, best first, and how much was looked at."""

    turns: list[RootTurn] = field(default_factory=list)
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    hasty: bool = False  # whether it was made before all was compiled, and so with less

    @property
    def best(self) -> RootTurn:
        """The best turn."""
        return self.turns[0]

    @property
    def looked(self) -> Looked:
        """How deep the search went, and how much it looked at."""
        return Looked(self.depth, self.nodes, self.seconds, self.hasty)


def root_turns(game: Game, late: Callable[[], bool] | None = None) -> list[RootTurn]:
    """Return the legal turns of a game, one for each position that they reach.

    Where there are very many, those found until `late` says that it is: a search by the clock does
    with what it has. Without it, more than can be searched are refused.
    """
    reached: dict[Words, RootTurn] = {}
    superko = game.superko
    for count, (steps, after) in enumerate(game.position.ends(), 1):
        if after not in reached and not (superko and game.bars(after)):
            if len(reached) == MOST_ROOTS:
                if late is None:
                    raise DamierError("too-many-turns", most=MOST_ROOTS)
                break
            reached[after] = RootTurn(steps, after)
        if not count % LISTED and late is not None and reached and late():
            break
    return list(reached.values())


def principal_variation(
    worker: Worker, root: RootTurn, game: Game, most: int = 12
) -> tuple[str, ...]:
    """Return the best line known that begins with a turn, as texts: legal in this game.

    It ends before it would bring back a position, where that is forbidden; elsewhere with it.
    """
    file, policy = game.rules.file, Policy(game.rules.file)
    words, begun, line = root.after, root.after, [root.text(game)]
    steps: tuple[int, ...] = ()
    legal = [0] * file.GROUPS
    seen, keys = {words}, {policy.key(words)}
    while len(line) < most and not file.legal(*words, legal):
        step = worker.best_step(words)
        if step == NO_STEP or not legal[step >> 6] >> (step & 63) & 1:
            break
        words, steps = file.play(*words, step), (*steps, step)
        if not words[2] & file.MIDTURN:
            key = policy.key(words)
            if game.bars(words) or (game.superko and key is not None and key in keys):
                break
            written = notation.as_written(file, begun, steps)
            line.append(notation.turn_text(file, begun, written))
            begun, steps = words, ()
            if words in seen or game.times(words) >= THIRD - 1:
                break
            seen.add(words)
            keys.add(key)
    return tuple(line)


class RootSearch:
    """One search from the root: deeper and deeper, until a limit or a proof."""

    def __init__(
        self,
        worker: Worker,
        game: Game,
        limits: Limits,
        *,
        multipv: bool = False,
        only: Collection[Words] | None = None,
        stop: Stop | None = None,
    ) -> None:
        self._began = perf_counter()
        self._worker = worker
        self._limits = limits
        self._multipv = multipv
        self._stop = stop
        self._side = game.position.rest & 1
        # The value of every turn is wanted of all turns, as long as there are not too many.
        self._least = MOST_ANALYSED if multipv else LISTED
        self._listed = 0
        whole = limits.repeatable or only is not None
        turns = root_turns(game, None if whole else self._late)
        if only is not None:
            turns = [root for root in turns if root.after in only]
        self.result = SearchResult(turns)

    def deepen(self, report: Callable[[SearchResult], None] | None = None) -> SearchResult:
        """Search depth after depth; the worker is prepared."""
        result = self.result
        for count, root in enumerate(result.turns, 1):
            value = self._worker.evaluate(root.after)
            root.value = value if self._same_side(root) else -value
            late = not count % LISTED and count >= self._least and not self._limits.repeatable
            if late and self._over(perf_counter()):
                del result.turns[count:]
                break
        result.turns.sort(key=lambda root: -root.value)
        if len(result.turns) == 1 and not self._multipv:
            return result
        for depth in range(1, self._limits.depth + 1):
            done = self._all_exact(depth) if self._multipv else self._best_exact(depth)
            result.nodes = self._worker.nodes
            result.seconds = perf_counter() - self._began
            if not done:
                break
            result.depth = depth
            if report is not None:
                report(result)
            if self._settled(depth):
                break
        return result

    def _late(self) -> bool:
        """Tell, while turns are listed, whether no more of them should be."""
        self._listed += LISTED
        spent = perf_counter() - self._began
        return self._listed >= self._least and self._over(self._began + spent / LISTING)

    def _over(self, now: float) -> bool:
        """Tell whether the time is up, or the search was told to end."""
        if self._stop is not None and self._stop.is_set():
            return True
        seconds = self._limits.seconds
        return seconds is not None and now - self._began >= seconds

    def _same_side(self, root: RootTurn) -> bool:
        """Tell whether the side that plays a turn is to move after it."""
        return root.after[2] & 1 == self._side

    def _settled(self, depth: int) -> bool:
        """Tell whether more depth cannot change what matters."""
        turns = self.result.turns if self._multipv else self.result.turns[:1]
        return all(root.distance is not None and root.distance <= depth for root in turns)

    def _all_exact(self, depth: int) -> bool:
        """Search every turn with a full window; return whether all were searched."""
        found: list[int] = []
        for root in self.result.turns:
            value = self._value(root, depth, (-INFINITE, INFINITE))
            if value is None:
                break
            found.append(value)
        done = len(found) == len(self.result.turns)
        for root, value in zip(self.result.turns, found, strict=False):
            if done or abs(value) > PROVED:
                root.value, root.depth = value, depth
        self.result.turns.sort(key=lambda root: -root.value)
        return done

    def _best_exact(self, depth: int) -> bool:
        """Search for the best turn, with null windows; return whether all were searched."""
        best = -INFINITE
        for k, root in enumerate(list(self.result.turns)):
            if k == 0:
                value = self._aspire(root, depth)
            else:
                value = self._value(root, depth, (best, best + 1))
                if value is not None and value > best:
                    bound = value
                    value = self._value(root, depth, (best, INFINITE))
                    if value is None:  # better all the same, though not known by how much
                        self._put_first(k, bound, depth)
            if value is None:
                return False
            if value > best:
                best = value
                self._put_first(k, value, depth)
            else:
                root.value = min(root.value, value)
            if best >= WIN - 1:
                break
        return True

    def _put_first(self, at: int, value: int, depth: int) -> None:
        """Note the best turn so far; the others stay in the order in which they were."""
        root = self.result.turns.pop(at)
        root.value, root.depth = value, depth
        self.result.turns.insert(0, root)

    def _aspire(self, root: RootTurn, depth: int) -> int | None:
        """Search the first turn with an aspiration window, wider where it fails."""
        narrow = depth >= ASPIRATION_DEPTH and abs(root.value) < PROVED
        width = ASPIRATION if narrow else INFINITE
        while True:
            low, high = max(-INFINITE, root.value - width), min(INFINITE, root.value + width)
            value = self._value(root, depth, (low, high))
            if value is None or low < value < high or width >= INFINITE:
                return value
            width = ASPIRATION_GROWTH * width if width < ASPIRATION_MAX else INFINITE

    def _value(self, root: RootTurn, depth: int, window: tuple[int, int]) -> int | None:
        """Search the position after a root turn; return its value, None if interrupted."""
        same, worker = self._same_side(root), self._worker
        worker.begin(root.after, depth - 1, window if same else (-window[1], -window[0]))
        while True:
            before = perf_counter()
            nodes = self._allowed(before)
            if nodes <= 0:
                return None
            if worker.search(nodes):
                return worker.value if same else -worker.value
            spent = perf_counter() - before
            if spent < CHUNK_SECONDS / 2:
                worker.chunk = min(2 * worker.chunk, MAX_CHUNK)
            elif spent > 2 * CHUNK_SECONDS:
                worker.chunk = max(worker.chunk // 2, MIN_CHUNK)

    def _allowed(self, now: float) -> int:
        """Return how many nodes may be searched before the next look at the clock."""
        limits = self._limits
        if self._over(now):
            return 0
        if limits.nodes is not None:
            return min(self._worker.chunk, limits.nodes - self._worker.nodes)
        return self._worker.chunk
