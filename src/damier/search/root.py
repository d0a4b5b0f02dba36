"""Search at the root: move by move, by iterative deepening, within limits."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from time import perf_counter

from damier import notation
from damier.deprecation import deprecated_names
from damier.errors import DamierError
from damier.gameplay import MAX_OCCURRENCES, Game, HistoryPolicy
from damier.games import Words
from damier.position import Move
from damier.search.alphabeta import INFINITE, NO_STEP, PROVED, WIN
from damier.search.limits import Limits, SearchStats, Stop
from damier.search.searcher import Searcher

# The nodes between two checks of the time are adapted so that they take this long.
CHUNK_SECONDS, MIN_CHUNK, MAX_CHUNK = 0.004, 20, 50_000
# Aspiration window: half its first width, the least depth, the factor by which it grows, and the
# greatest half width before it is opened completely.
ASPIRATION, ASPIRATION_DEPTH, ASPIRATION_GROWTH, ASPIRATION_MAX = 40, 4, 4, 1000
# Most positions have at most a few hundred moves, some have hundreds of thousands. Number of moves
# generated between two checks of the time, analysed at most, searched at most.
GENERATION_CHUNK, MAX_ANALYSED, MAX_ROOTS = 1000, 20_000, 200_000
GENERATION_SHARE = 0.25  # maximum share of a search's time for the generation of moves
# With contempt a repetition counts as a winning chance of 20 %: 1.4 scales below even. Chosen by
# hand: in 200 games against `uct:` it made no measurable difference (85.0 and 84.8 %).
CONTEMPT = 1.4


@dataclass
class RootMove:
    """Move at the root: its steps, the position after it, and its value at a depth."""

    steps: tuple[int, ...]
    after: Words
    value: int = 0
    depth: int = 0

    def text(self, game: Game) -> str:
        """Return the move's text."""
        position = game.position
        return notation.move_text(position.rules.module, position.words, self.steps, position.begun)

    def move(self, game: Game) -> Move:
        """Return the move of the game that was searched."""
        return Move(game.position, self.text(game), self.steps, self.after)

    @property
    def distance(self) -> int | None:
        """The number of moves to the end of the game, if the winner is proved."""
        return WIN - abs(self.value) if abs(self.value) > PROVED else None


@deprecated_names(looked="search_stats")
@dataclass
class SearchResult:
    """Result of a search: the moves, best first, and its statistics."""

    moves: list[RootMove] = field(default_factory=list)
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    hasty: bool = False  # whether it ran before all kernels were compiled

    @property
    def best(self) -> RootMove:
        """The best move."""
        return self.moves[0]

    @property
    def search_stats(self) -> SearchStats:
        """The statistics of the search."""
        return SearchStats(self.depth, self.nodes, self.seconds, self.hasty)


def root_moves(game: Game, late: Callable[[], bool] | None = None) -> list[RootMove]:
    """Return the legal moves of a game, one for each position that they reach.

    If `late` is given, generation ends early when it returns True: a search with a time limit uses
    the moves found so far. Without it, more than MAX_ROOTS moves raise DamierError.
    """
    reached: dict[Words, RootMove] = {}
    superko = game.superko
    for count, (steps, after) in enumerate(game.position.ends(), 1):
        if after not in reached and not (superko and game.forbids(after)):
            if len(reached) == MAX_ROOTS:
                if late is None:
                    raise DamierError("too-many-turns", most=MAX_ROOTS)
                break
            reached[after] = RootMove(steps, after)
        if not count % GENERATION_CHUNK and late is not None and reached and late():
            break
    return list(reached.values())


def principal_variation(
    searcher: Searcher, root: RootMove, game: Game, max_moves: int = 12
) -> tuple[str, ...]:
    """Return the best known line that begins with a move, as texts of legal moves.

    It ends with the first repeated position, or before it where superko forbids repetition.
    """
    module, policy = game.rules.module, HistoryPolicy(game.rules.module)
    words, begun, line = root.after, root.after, [root.text(game)]
    steps: tuple[int, ...] = ()
    legal = [0] * module.GROUPS
    seen, keys = {words}, {policy.key(words)}
    while len(line) < max_moves and not module.legal(*words, legal):
        step = searcher.best_step(words)
        if step == NO_STEP or not legal[step >> 6] >> (step & 63) & 1:
            break
        words, steps = module.play(*words, step), (*steps, step)
        if not words[2] & module.MIDTURN:
            key = policy.key(words)
            if game.forbids(words) or (game.superko and key is not None and key in keys):
                break
            written = notation.canonical_order(module, begun, steps)
            line.append(notation.move_text(module, begun, written))
            begun, steps = words, ()
            if words in seen or game.times(words) >= MAX_OCCURRENCES - 1:
                break
            seen.add(words)
            keys.add(key)
    return tuple(line)


class RootSearch:
    """One search from the root by iterative deepening, until a limit or a proof."""

    def __init__(
        self,
        searcher: Searcher,
        game: Game,
        limits: Limits,
        *,
        multipv: bool = False,
        only: Collection[Words] | None = None,
        stop: Stop | None = None,
    ) -> None:
        self._began = perf_counter()
        self._searcher = searcher
        self._limits = limits
        self._multipv = multipv
        self._stop = stop
        self._side = game.position.rest & 1
        # With `multipv` every move is needed, up to MAX_ANALYSED.
        self._min_moves = MAX_ANALYSED if multipv else GENERATION_CHUNK
        self._generated = 0
        whole = limits.repeatable or only is not None
        moves = root_moves(game, None if whole else self._late)
        if only is not None:
            moves = [root for root in moves if root.after in only]
        self.result = SearchResult(moves)

    def deepen(self, report: Callable[[SearchResult], None] | None = None) -> SearchResult:
        """Search depth after depth with the prepared searcher; return the result."""
        result = self.result
        for count, root in enumerate(result.moves, 1):
            value = self._searcher.evaluate(root.after)
            root.value = value if self._same_side(root) else -value
            late = (
                not count % GENERATION_CHUNK
                and count >= self._min_moves
                and not self._limits.repeatable
            )
            if late and self._over(perf_counter()):
                del result.moves[count:]
                break
        result.moves.sort(key=lambda root: -root.value)
        if len(result.moves) == 1 and not self._multipv:
            return result
        for depth in range(1, self._limits.depth + 1):
            done = self._all_exact(depth) if self._multipv else self._best_exact(depth)
            result.nodes = self._searcher.nodes
            result.seconds = perf_counter() - self._began
            if not done:
                break
            result.depth = depth
            if report is not None:
                report(result)
            if self._is_settled(depth):
                break
        return result

    def _late(self) -> bool:
        """Return whether the generation of moves should end."""
        self._generated += GENERATION_CHUNK
        spent = perf_counter() - self._began
        return self._generated >= self._min_moves and self._over(
            self._began + spent / GENERATION_SHARE
        )

    def _over(self, now: float) -> bool:
        """Return whether the time is over or the stop signal is set."""
        if self._stop is not None and self._stop.is_set():
            return True
        seconds = self._limits.seconds
        return seconds is not None and now - self._began >= seconds

    def _same_side(self, root: RootMove) -> bool:
        """Return whether the same side is to move after a move."""
        return root.after[2] & 1 == self._side

    def _is_settled(self, depth: int) -> bool:
        """Return whether a greater depth cannot change the result."""
        moves = self.result.moves if self._multipv else self.result.moves[:1]
        return all(root.distance is not None and root.distance <= depth for root in moves)

    def _all_exact(self, depth: int) -> bool:
        """Search every move with a full window; return whether all were searched."""
        values: list[int] = []
        for root in self.result.moves:
            value = self._value(root, depth, (-INFINITE, INFINITE))
            if value is None:
                break
            values.append(value)
        done = len(values) == len(self.result.moves)
        for root, value in zip(self.result.moves, values, strict=False):
            if done or abs(value) > PROVED:
                root.value, root.depth = value, depth
        self.result.moves.sort(key=lambda root: -root.value)
        return done

    def _best_exact(self, depth: int) -> bool:
        """Search for the best move, with null windows; return whether all were searched."""
        best = -INFINITE
        for k, root in enumerate(list(self.result.moves)):
            if k == 0:
                value = self._search_with_aspiration(root, depth)
            else:
                value = self._value(root, depth, (best, best + 1))
                if value is not None and value > best:
                    bound = value
                    value = self._value(root, depth, (best, INFINITE))
                    if value is None:  # better, although the exact value is unknown
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
        """Move the best move to the front; the order of the others does not change."""
        root = self.result.moves.pop(at)
        root.value, root.depth = value, depth
        self.result.moves.insert(0, root)

    def _search_with_aspiration(self, root: RootMove, depth: int) -> int | None:
        """Search the first move with an aspiration window, wider after each failure."""
        narrow = depth >= ASPIRATION_DEPTH and abs(root.value) < PROVED
        width = ASPIRATION if narrow else INFINITE
        while True:
            low, high = max(-INFINITE, root.value - width), min(INFINITE, root.value + width)
            value = self._value(root, depth, (low, high))
            if value is None or low < value < high or width >= INFINITE:
                return value
            width = ASPIRATION_GROWTH * width if width < ASPIRATION_MAX else INFINITE

    def _value(self, root: RootMove, depth: int, window: tuple[int, int]) -> int | None:
        """Search the position after a root move; return its value, None if interrupted."""
        same, searcher = self._same_side(root), self._searcher
        searcher.begin(root.after, depth - 1, window if same else (-window[1], -window[0]))
        while True:
            before = perf_counter()
            nodes = self._next_chunk(before)
            if nodes <= 0:
                return None
            if searcher.search(nodes):
                return searcher.value if same else -searcher.value
            spent = perf_counter() - before
            if spent < CHUNK_SECONDS / 2:
                searcher.chunk = min(2 * searcher.chunk, MAX_CHUNK)
            elif spent > 2 * CHUNK_SECONDS:
                searcher.chunk = max(searcher.chunk // 2, MIN_CHUNK)

    def _next_chunk(self, now: float) -> int:
        """Return how many nodes may be searched before the next check of the time."""
        limits = self._limits
        if self._over(now):
            return 0
        if limits.nodes is not None:
            return min(self._searcher.chunk, limits.nodes - self._searcher.nodes)
        return self._searcher.chunk
