"""UCT player (Monte Carlo tree search) that knows only the rules.

It is a sparring partner and a second opinion. The module is a template: `rules` is a game's rules
module and `loops` its loops. The tree grows by one position per playout. A playout is random to the
end of the game, or to a length at which it counts as drawn. Repetition is considered only for the
moves to choose from.
"""

from __future__ import annotations

import sys
from functools import cache
from math import log, sqrt
from time import perf_counter
from types import ModuleType
from typing import Any

from damier import jit
from damier import kernels as loops
from damier.deprecation import deprecated_names
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games.constants import DRAW, WHITE_WINS, step_of
from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, kernel, lowest, placeholder
from damier.position import Move
from damier.search.levels import read_limits
from damier.search.limits import Limits, SearchStats, Stop
from damier.search.root import MAX_ROOTS

rules: RulesKernels = placeholder()

# Layout of a node: the position; the first child and the number of children (0: not expanded, -1:
# the game is over); visits; twice White's points; the judgement if the game is over.
NODE = 8
W, B, R, FIRST, CHILDREN, VISITS, POINTS, JUDGEMENT = 0, 1, 2, 3, 4, 5, 6, 7
MAX_NODES, SPARE_NODES = 1 << 20, 1 << 12  # no position has more steps than SPARE_NODES
MAX_DEPTH = 2048
MAX_PLAYOUT = 200  # moves
EXPLORATION = 0.7
CHUNK_SECONDS = 0.005


@kernel
def playout(w: int, b: int, r: int, seed: int, legal: Buffer) -> tuple[int, int]:
    """Play at random; return the judgement and the next seed."""
    moves = 0
    while moves < MAX_PLAYOUT:
        judgement = rules.legal(w, b, r, legal)
        if judgement:
            return judgement, seed
        seed = loops.next_random(seed)
        w, b, r = rules.play(w, b, r, loops.random_step(legal, loops.random_bits(seed)))
        if not r & rules.MIDTURN:
            moves += 1
    return DRAW, seed


@kernel
def expand(tree: Buffer, at: int, used: int, legal: Buffer) -> int:
    """Create the children of a node; return the number of nodes in use."""
    w, b, r = tree[at + W], tree[at + B], tree[at + R]
    judgement = rules.legal(w, b, r, legal)
    if judgement:
        tree[at + CHILDREN], tree[at + JUDGEMENT] = -1, judgement
        return used
    tree[at + FIRST] = used
    for group in range(rules.GROUPS):
        cells = legal[group]
        while cells:
            to = NODE * used
            w2, b2, r2 = rules.play(w, b, r, step_of(group, lowest(cells)))
            cells &= cells - 1
            tree[to + W], tree[to + B], tree[to + R] = w2, b2, r2
            for k in range(FIRST, NODE):
                tree[to + k] = 0
            used += 1
    tree[at + CHILDREN] = used - tree[at + FIRST]
    return used


@kernel
def select(tree: Buffer, at: int) -> int:
    """Return the child with the highest upper confidence bound for the side to move."""
    explore = log(tree[at + VISITS] + 1.0)
    chosen, best = 0, -1.0
    for k in range(tree[at + FIRST], tree[at + FIRST] + tree[at + CHILDREN]):
        to = NODE * k
        visits = tree[to + VISITS]
        if visits == 0:
            return to
        share = tree[to + POINTS] / (2.0 * visits)
        if tree[at + R] & 1:
            share = 1.0 - share
        bound = share + EXPLORATION * sqrt(explore / visits)
        if bound > best:
            chosen, best = to, bound
    return chosen


@kernel
def grow(tree: Buffer, used: int, seed: int, playouts: int, legal: Buffer) -> tuple[int, int]:
    """Add playouts to a tree; return the number of nodes in use and the next seed."""
    path = buffer(MAX_DEPTH)
    for _ in range(playouts):
        at, depth = 0, 0
        while depth < MAX_DEPTH - 1:
            if tree[at + CHILDREN] == 0 and tree[at + VISITS] and used < MAX_NODES - SPARE_NODES:
                used = expand(tree, at, used, legal)
            if tree[at + CHILDREN] <= 0:
                break
            at = select(tree, at)
            depth += 1
            path[depth] = at
        judgement = tree[at + JUDGEMENT]
        if judgement == 0:
            judgement, seed = playout(tree[at + W], tree[at + B], tree[at + R], seed, legal)
        points = 1 if judgement & 3 == DRAW else 2 if judgement & 3 == WHITE_WINS else 0
        for k in range(depth + 1):
            tree[path[k] + VISITS] += 1
            tree[path[k] + POINTS] += points
    return used, seed


@cache
def _link(module: ModuleType) -> Any:
    """Return this module linked with a game's rules."""
    rules = jit.link(module)
    return jit.link(sys.modules[__name__], rules=rules, loops=jit.link(loops, rules=rules))


@deprecated_names(looked="search_stats")
class UctPlayer:
    """Player that chooses the move with most playouts, within a number of them or a time.

    The nodes in `search_stats` are playouts; the depth is 0.
    """

    def __init__(self, limits: Limits, seed: int | None = None) -> None:
        self.search_stats = SearchStats()
        self._limits = limits
        self._seed = 1 if seed is None else seed
        self._tree: Any = None

    def choose(self, game: Game, stop: Stop | None = None) -> Move:
        """Return one of the game's legal moves."""
        began = perf_counter()
        moves = game.legal_moves(MAX_ROOTS)
        if len(moves) < 2:
            if not moves:
                raise DamierError("over")
            self.search_stats = SearchStats()
            return moves[0]
        linked = _link(game.rules.folder.module)
        if self._tree is None:
            self._tree = linked.buffer(NODE * MAX_NODES)
        tree, legal = self._tree, linked.buffer(game.rules.module.GROUPS)
        self._init_tree(tree, game, moves)
        used, playouts, chunk = 1 + len(moves), 0, 16
        while not (stop is not None and stop.is_set()):
            before = perf_counter()
            if self._limits.seconds is not None and before - began >= self._limits.seconds:
                break
            if self._limits.nodes is not None:
                chunk = min(chunk, self._limits.nodes - playouts)
                if chunk <= 0:
                    break
            used, self._seed = linked.grow(tree, used, self._seed, chunk, legal)
            playouts += chunk
            if perf_counter() - before < CHUNK_SECONDS / 2:
                chunk *= 2
        self.search_stats = SearchStats(0, playouts, perf_counter() - began)
        return max(zip(tree[NODE + VISITS :: NODE], moves, strict=False), key=lambda x: x[0])[1]

    def _init_tree(self, tree: Any, game: Game, moves: list[Move]) -> None:
        """Create the root and its children: the moves that are legal with the game's history."""
        for k, words in enumerate([game.position.words, *(move.words for move in moves)]):
            values = (*words, 0, 0, 0, 0, 0) if k else (*words, 1, len(moves), 1, 1, 0)
            for j, value in enumerate(values):
                tree[NODE * k + j] = value


def uct_player(argument: str, seed: int | None) -> UctPlayer:
    """Return the player that `uct:seconds=0.1` or `uct:nodes=1000` (playouts) names."""
    return UctPlayer(read_limits("uct", argument), seed)
