"""A plain UCT player: a sparring partner and a second opinion, which knows only the rules.

A template, as the search is: `rules` stands for a game's file and `loops` for its loops. The tree
grows by one position a playout; a playout is random to the end of the game, or to a length at
which it counts as drawn. Repetition is looked at only in the turns to choose from.
"""

from __future__ import annotations

import sys
from functools import cache
from math import log, sqrt
from time import perf_counter
from typing import Any

from damier import jit
from damier import kernels as loops
from damier.errors import DamierError
from damier.games import GAMES
from damier.games.contract import RulesKernels
from damier.games.terms import DRAW, WHITE_WINS, step_of
from damier.history import Game
from damier.jit import Buffer, buffer, kernel, lowest, stand_in
from damier.position import Turn
from damier.search.levels import read_limits
from damier.search.limits import Limits, Looked, Stop
from damier.search.root import MOST_ROOTS

rules: RulesKernels = stand_in()

# A node: the position, its first child and how many it has (0 not known, -1 the game is over),
# its visits, twice White's points, the judgement if the game is over.
NODE = 8
W, B, R, FIRST, CHILDREN, VISITS, POINTS, JUDGEMENT = 0, 1, 2, 3, 4, 5, 6, 7
NODES, SPARE = 1 << 20, 1 << 12  # no position has more steps than SPARE
DEEPEST = 2048
LONGEST_PLAYOUT = 200  # turns
EXPLORATION = 0.7
CHUNK_SECONDS = 0.005


@kernel
def playout(w: int, b: int, r: int, seed: int, legal: Buffer) -> tuple[int, int]:
    """Play at random; return the judgement and the next seed."""
    turns = 0
    while turns < LONGEST_PLAYOUT:
        judgement = rules.legal(w, b, r, legal)
        if judgement:
            return judgement, seed
        seed = loops.next_random(seed)
        w, b, r = rules.play(w, b, r, loops.random_step(legal, loops.random_bits(seed)))
        if not r & rules.MIDTURN:
            turns += 1
    return DRAW, seed


@kernel
def expand(tree: Buffer, at: int, used: int, legal: Buffer) -> int:
    """Give a node its children; return how many nodes are used now."""
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
    """Add playouts to a tree; return how many nodes are used and the next seed."""
    path = buffer(DEEPEST)
    for _ in range(playouts):
        at, depth = 0, 0
        while depth < DEEPEST - 1:
            if tree[at + CHILDREN] == 0 and tree[at + VISITS] and used < NODES - SPARE:
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
def _linked(name: str) -> Any:
    """Return this module for one game."""
    this, file = sys.modules[__name__], GAMES[name].module
    link = jit.link if jit.enabled() else jit.link_plain
    if jit.enabled():
        file = jit.link(file)
    return link(this, rules=file, loops=link(loops, rules=file))


class UctPlayer:
    """Chooses the turn that most playouts went through, within a number of them or a time.

    The nodes that it has `looked` at are playouts; it goes to no one depth.
    """

    def __init__(self, limits: Limits, seed: int | None = None) -> None:
        self.looked = Looked()
        self._limits = limits
        self._seed = 1 if seed is None else seed
        self._tree: Any = None

    def choose(self, game: Game, stop: Stop | None = None) -> Turn:
        """Return one of the game's legal turns."""
        began = perf_counter()
        turns = game.turns(MOST_ROOTS)
        if len(turns) < 2:
            if not turns:
                raise DamierError("over")
            self.looked = Looked()
            return turns[0]
        linked = _linked(game.rules.name)
        if self._tree is None:
            self._tree = linked.buffer(NODE * NODES)
        tree, legal = self._tree, linked.buffer(game.rules.file.GROUPS)
        self._plant(tree, game, turns)
        used, done, chunk = 1 + len(turns), 0, 16
        while not (stop is not None and stop.is_set()):
            before = perf_counter()
            if self._limits.seconds is not None and before - began >= self._limits.seconds:
                break
            if self._limits.nodes is not None:
                chunk = min(chunk, self._limits.nodes - done)
                if chunk <= 0:
                    break
            used, self._seed = linked.grow(tree, used, self._seed, chunk, legal)
            done += chunk
            if perf_counter() - before < CHUNK_SECONDS / 2:
                chunk *= 2
        self.looked = Looked(0, done, perf_counter() - began)
        return max(zip(tree[NODE + VISITS :: NODE], turns, strict=False), key=lambda x: x[0])[1]

    def _plant(self, tree: Any, game: Game, turns: list[Turn]) -> None:
        """Make the root and its children: the legal turns, history included."""
        for k, words in enumerate([game.position.words, *(turn.words for turn in turns)]):
            values = (*words, 0, 0, 0, 0, 0) if k else (*words, 1, len(turns), 1, 1, 0)
            for j, value in enumerate(values):
                tree[NODE * k + j] = value


def uct_player(argument: str, seed: int | None) -> UctPlayer:
    """Return the player that `uct:seconds=0.1` or `uct:nodes=1000` (playouts) names."""
    return UctPlayer(read_limits("uct", argument), seed)
