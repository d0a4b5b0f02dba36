"""Exact values of positions, from tables or by exhaustive search.

Both compute the distance to a forced win, in moves of both sides. A table knows every distance, and
a position that neither side wins is a draw. A search is exact up to a number of moves. Repetition
cannot affect it, because a position needs eight moves to occur three times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal, Protocol

from damier import jit
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games import Words
from damier.position import Position, Rules, load_rules
from damier.search import Engine, Limits
from damier.search.analysis import chance_of
from damier.solve import Table, find, move_kernels, null_numbering
from damier.solve.tables import proof_kernels
from damier.solve.value_codes import distance_of, win_of

Progress = Callable[[str, float], None]
FOREVER = 1 << 20  # moves: more than any distance
MAX_MOVES = 7  # maximum depth of a search, too short for a threefold repetition
NODES = 400_000  # maximum of one search
ENDINGS = 2_000_000  # maximum positions of a computed table of endings, to limit the time
CACHED = 1 << 18  # entries of the cache of a search
# The search for a loss after a move that should avoid it, and the chance that it may leave the
# opponent; a proved win has the chance 1.
LOSS_LIMITS, MAX_OPPONENT_CHANCE = Limits(nodes=1 << 20), 0.8


class ProofNotFound(Exception):
    """A search exceeded its limit, or the table does not contain a position."""


class Prover(Protocol):
    """Source of exact distances to a win."""

    proof: Literal["table", "search"]
    whole: bool  # whether it knows all values, including draws
    to_end: bool  # whether distances are to the end of the game, not to a capture

    def distance(self, words: Words, side: int, limit: int) -> int | None:
        """Return the distance to a side's forced win, or None if it is more than `limit`."""
        ...


class TableProver:
    """Prover that uses a table of a whole game or of its endings.

    Distances count moves to the next capture if the table's metric does.
    """

    proof: Literal["table", "search"] = "table"
    whole = True

    def __init__(self, table: Table) -> None:
        self._table = table
        self.to_end = table.metric == "end"

    def holds(self, position: Position) -> bool:
        """Return whether the table contains a position, and so all positions after it."""
        return self._table.code(position) >= 0

    def distance(self, words: Words, side: int, limit: int) -> int | None:
        """Return the distance to a side's forced win, or None if it is more than `limit`."""
        code = self._table.code(Position(self._table.rules, *words))
        if code < 0:
            raise ProofNotFound
        if code == 0 or (win_of(code) == 1) != (words[2] & 1 == side):
            return None
        distance = distance_of(code)
        return distance if distance <= limit else None


class SearchProver:
    """Prover that searches all moves of both sides."""

    proof: Literal["table", "search"] = "search"
    whole = False
    to_end = True

    def __init__(self, rules: Rules, nodes: int = NODES) -> None:
        self._nodes = nodes
        compiled = rules.compiled
        module = jit.link(rules.folder.module, compiled=compiled)
        self._loops: Any = jit.link(
            proof_kernels,
            compiled=compiled,
            rules=module,
            space=jit.link(null_numbering, compiled=compiled),
            move_kernels=jit.link(move_kernels, compiled=compiled, rules=module),
        )
        self._empty = self._loops.buffer(1)
        self.forget()

    def forget(self) -> None:
        """Empty the cache: where a search reaches its limit, the answer depends on it."""
        self._found = [self._loops.buffer(proof_kernels.ENTRY * CACHED) for _ in range(2)]

    def distance(self, words: Words, side: int, limit: int) -> int | None:
        """Return the distance to a side's forced win, or None if it is more than `limit`."""
        if limit > MAX_MOVES:
            raise ProofNotFound
        for moves in range(limit + 1):
            buffers = (self._empty, self._empty, self._found[side])
            answer, _ = self._loops.wins(*words, (side, False), moves, self._nodes, buffers)
            if answer == proof_kernels.UNKNOWN:
                raise ProofNotFound
            if answer == proof_kernels.YES:
                return moves
        return None


class LossSearch:
    """Search for a forced loss, deeper than a proof by exhaustive search.

    It proves losses; where it finds none, its estimate must not be a bad one either.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._engine = Engine(rules, expected_nodes=LOSS_LIMITS.expected_nodes)

    def holds(self, words: Words) -> bool:
        """Return whether the opponent, who is to move, has no forced win and no great advantage."""
        game = Game(Position(self._rules, *words))
        best = self._engine.think(game, LOSS_LIMITS).best
        return chance_of(self._rules, best.value) <= MAX_OPPONENT_CHANCE


class Provers:
    """Provers of a game: a table for the positions that it contains, else a search.

    A missing table is computed; for a big game, only a table of its endings. It can take minutes.
    """

    def __init__(self, rules: Rules, progress: Progress | None = None) -> None:
        if rules.module.superko(rules.start().rest):
            # Under superko the value depends on the history, which provers ignore.
            raise DamierError("puzzle-ban", game=rules.name)
        rules.compile()
        self._rules, self._progress = rules, progress

    @cached_property
    def _table(self) -> TableProver | None:
        """Prover with a table, found or computed on first use; None if the table is too big."""
        table = find(self._rules) or _solve(self._rules, self._progress)
        return None if table is None else TableProver(table)

    @cached_property
    def _search(self) -> SearchProver:
        """Prover by search."""
        return SearchProver(self._rules)

    def forget(self) -> None:
        """Empty the caches of searches, so that answers do not depend on earlier ones."""
        self._search.forget()

    @cached_property
    def losses(self) -> LossSearch:
        """Search for forced losses."""
        return LossSearch(self._rules)

    def of(self, position: Position) -> Prover:
        """Return the prover for a position and all positions after it."""
        if self._table is not None and self._table.holds(position):
            return self._table
        return self._search

    def by(self, proof: str) -> Prover:
        """Return the prover by its method, "table" or "search"."""
        if proof == "table" and self._table is not None:
            return self._table
        return self._search


def _solve(rules: Rules, progress: Progress | None) -> Table | None:
    """Return a table of a game or of its endings, or None where that would be too big."""
    from damier.solve import retrograde

    try:
        solution = retrograde.solve(rules, _pawns(rules), progress=progress)
    except DamierError:
        return None
    return Table(rules, solution.header, solution.arrays)


def _pawns(rules: Rules) -> int | None:
    """Return the number of pawns of the endings to solve; None for the whole game."""
    from damier.solve.retrograde import solver_for

    analysis = solver_for(rules)
    pawns = analysis.endings(rules, None)
    while pawns is not None and pawns > 2:
        size = analysis.size(rules, pawns)
        if size is None or size[0] <= ENDINGS:
            break
        pawns -= 1
    return pawns


def without_superko(rules: Rules) -> Rules:
    """Return rules without superko: these rules, or with one option changed."""
    if not rules.module.superko(rules.start().rest):
        return rules
    for option in rules.module.OPTIONS:
        for value in option.values:
            other = load_rules(rules.name, **{**rules.options, option.name: value})
            if not other.module.superko(other.start().rest):
                return other
    return rules


def iter_distinct_successors(position: Position) -> Iterator[tuple[tuple[int, ...], Words]]:
    """Yield each position that one move can reach, with the steps of one such move."""
    seen: set[Words] = set()
    for count, (steps, words) in enumerate(position.ends()):
        if count > proof_kernels.MAX_CHILDREN:
            raise DamierError("too-many-turns", most=proof_kernels.MAX_CHILDREN)
        if words not in seen:
            seen.add(words)
            yield steps, words
