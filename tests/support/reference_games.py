"""Second implementations of small games, with sets of (file, rank) and without damier.

Each game has a start, the states after a move, and the winner of a state that is over.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple, Protocol

Cell = tuple[int, int]
ORTHOGONAL = ((0, 1), (1, 0), (0, -1), (-1, 0))


class State(NamedTuple):
    """White's cells and Black's, the side to move (0 for White), and the cells of the kings."""

    pawns: tuple[frozenset[Cell], frozenset[Cell]]
    side: int
    kings: frozenset[Cell] = frozenset()

    @property
    def own(self) -> frozenset[Cell]:
        """Cells of the side to move."""
        return self.pawns[self.side]

    @property
    def enemy(self) -> frozenset[Cell]:
        """Cells of the other side."""
        return self.pawns[1 - self.side]

    def next(
        self, own: frozenset[Cell], enemy: frozenset[Cell], kings: frozenset[Cell] = frozenset()
    ) -> "State":
        """Return the state for the other side to move."""
        return State((own, enemy) if self.side == 0 else (enemy, own), 1 - self.side, kings)


class Reference(Protocol):
    """A game. States in which a player cannot move are over."""

    start: State

    def after(self, state: State) -> set[State]:
        """Return the states after one move; none if the game is over."""
        ...

    def winner(self, state: State) -> int:
        """Return the winner of a state that is over."""
        ...


def paths(game: Reference, depth: int) -> int:
    """Return the number of move sequences through distinct states (perft)."""

    @cache
    def count(state: State, left: int) -> int:
        return 1 if left == 0 else sum(count(s, left - 1) for s in game.after(state))

    return count(game.start, depth)


def reachable(game: Reference) -> dict[State, set[State]]:
    """Return every reachable state with the states after it."""
    found: dict[State, set[State]] = {}
    waiting = [game.start]
    while waiting:
        state = waiting.pop()
        if state not in found:
            found[state] = game.after(state)
            waiting += found[state]
    return found


def values(game: Reference) -> dict[State, tuple[str, int | None]]:
    """Return the value of every state for the side to move, and the distance in moves.

    The winner minimises and the loser maximises the distance; endless play is a draw.
    """
    graph = reachable(game)
    before = defaultdict(list)
    for state, after in graph.items():
        for other in after:
            before[other].append(state)
    left = {state: len(after) for state, after in graph.items()}
    found: dict[State, tuple[str, int | None]] = {}
    new = [state for state, after in graph.items() if not after]
    for state in new:
        found[state] = ("win" if game.winner(state) == state.side else "loss", 0)
    moves = 0
    while new:
        moves += 1
        decided: list[State] = []
        for state in new:
            for other in before[state]:
                if other in found:
                    continue
                if found[state][0] == "loss":
                    found[other] = ("win", moves)
                    decided.append(other)
                    continue
                left[other] -= 1
        lost = {s for state in new for s in before[state] if s not in found and not left[s]}
        found |= dict.fromkeys(lost, ("loss", moves))
        new = [*decided, *lost]
    return {state: found.get(state, ("draw", None)) for state in graph}


class Dodgem:
    """Dodgem on a board of n × n: off the far side; who blocks the other player loses."""

    def __init__(self, size: int) -> None:
        self.size = size
        cars = range(1, size)
        self.start = State((frozenset((0, k) for k in cars), frozenset((k, 0) for k in cars)), 0)

    def after(self, state: State) -> set[State]:
        """Return the states after one move."""
        if not state.enemy:
            return set()
        ahead = ((1, 0), (0, 1))[state.side]
        found = set()
        for f, r in state.own:
            for way in ORTHOGONAL:
                if way == (-ahead[0], -ahead[1]):
                    continue
                to = f + way[0], r + way[1]
                rest = state.own - {(f, r)}
                if all(0 <= x < self.size for x in to):
                    if to not in state.own | state.enemy:
                        found.add(state.next(rest | {to}, state.enemy))
                elif way == ahead:
                    found.add(state.next(rest, state.enemy))
        return found

    def winner(self, state: State) -> int:
        """Return the player without cars, or else the blocked one."""
        return 1 - state.side if not state.enemy else state.side


class Konane:
    """Konane on a board of n × n, n even: jump until the other player cannot."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.cells = {(f, r) for f in range(size) for r in range(size)}
        white = frozenset(c for c in self.cells if sum(c) % 2 == 0)
        self.start = State((white, frozenset(self.cells - white)), 0)

    def after(self, state: State) -> set[State]:
        """Return the states after one move."""
        empty = self.cells - state.own - state.enemy
        if not empty:
            middle = self.size // 2
            corners = set(product((0, self.size - 1), repeat=2))
            middles = set(product((middle - 1, middle), repeat=2))
            gone = state.own & (corners | middles)
            return {state.next(state.own - {c}, state.enemy) for c in gone}
        if len(empty) == 1:
            ((f, r),) = empty
            gone = state.own & {(f + x, r + y) for x, y in ORTHOGONAL}
            return {state.next(state.own - {c}, state.enemy) for c in gone}
        return set(self.jumps(state))

    def jumps(self, state: State) -> Iterator[State]:
        """Yield the states after each chain of jumps in one direction."""
        for cell, (x, y) in product(state.own, ORTHOGONAL):
            own, enemy, (f, r) = state.own, state.enemy, cell
            while True:
                over, to = (f + x, r + y), (f + 2 * x, r + 2 * y)
                if over not in enemy or to not in self.cells or to in own | enemy:
                    break
                own, enemy, (f, r) = own - {(f, r)} | {to}, enemy - {over}, to
                yield state.next(own, enemy)

    def winner(self, state: State) -> int:
        """Return the player who jumped last."""
        return 1 - state.side


class Teeko:
    """Teeko: four pawns each in a row or in a square."""

    def __init__(self) -> None:
        self.cells = {(f, r) for f in range(5) for r in range(5)}
        self.start = State((frozenset(), frozenset()), 0)
        ways = ((1, 0), (0, 1), (1, 1), (1, -1))
        shapes = [
            [(f + k * x, r + k * y) for k in range(4)] for f, r in self.cells for x, y in ways
        ]
        shapes += [[(f + x, r + y) for x in (0, 1) for y in (0, 1)] for f, r in self.cells]
        self.shapes = {frozenset(shape) for shape in shapes if self.cells.issuperset(shape)}

    def after(self, state: State) -> set[State]:
        """Return the states after one move."""
        if state.enemy in self.shapes:
            return set()
        empty = self.cells - state.own - state.enemy
        if len(state.own) < 4:
            return {state.next(state.own | {to}, state.enemy) for to in empty}
        return {
            state.next(state.own - {(f, r)} | {to}, state.enemy)
            for f, r in state.own
            for to in empty
            if max(abs(f - to[0]), abs(r - to[1])) == 1
        }

    def winner(self, state: State) -> int:
        """Return the player who moved last."""
        return 1 - state.side


class Reversi:
    """Reversi on n × n; White begins."""

    def __init__(self, size: int) -> None:
        self.cells = set(product(range(size), repeat=2))
        low, high = size // 2 - 1, size // 2
        white, black = {(low, high), (high, low)}, {(low, low), (high, high)}
        self.start = State((frozenset(white), frozenset(black)), 0)

    def after(self, state: State) -> set[State]:
        """Return the states after one move, which may be a pass."""
        placed = set(self.placements(state))
        passed = state.next(state.own, state.enemy)
        return placed or ({passed} if set(self.placements(passed)) else set())

    def placements(self, state: State) -> Iterator[State]:
        """Yield the states after a pawn was placed."""
        for f, r in self.cells - state.own - state.enemy:
            turned = set()
            for x, y in product((-1, 0, 1), repeat=2):
                line, cell = [], (f + x, r + y)
                while cell in state.enemy:
                    line.append(cell)
                    cell = cell[0] + x, cell[1] + y
                turned.update(line if cell in state.own else [])
            if turned:
                yield state.next(state.own | turned | {(f, r)}, state.enemy - turned)

    def winner(self, state: State) -> int:
        """Return the player with more pawns, or 2 for a draw."""
        own, enemy = len(state.own), len(state.enemy)
        return 2 if own == enemy else state.side if own > enemy else 1 - state.side


class Draughts:
    """Draughts with kings on the dark cells of a board of n × n, with so many ranks of pawns."""

    def __init__(self, size: int, ranks: int) -> None:
        self.size = size
        dark = product(range(size), repeat=2)
        self.cells = {(f, r) for f, r in dark if (f + r) % 2 == 0}
        white = frozenset(c for c in self.cells if c[1] < ranks)
        black = frozenset(c for c in self.cells if c[1] >= size - ranks)
        self.start = State((white, black), 0)

    def ways(self, state: State, cell: Cell) -> list[Cell]:
        """Return the directions in which a pawn or a king goes."""
        ahead = (1, -1)[state.side]
        return [(x, y) for x in (-1, 1) for y in (-1, 1) if y == ahead or cell in state.kings]

    def after(self, state: State) -> set[State]:
        """Return the states after one move."""
        jumped = {s for cell in state.own for s in self.jumps(state, cell) or ()}
        if jumped:
            return jumped
        found = set()
        for f, r in state.own:
            for x, y in self.ways(state, (f, r)):
                to = f + x, r + y
                if to in self.cells - state.own - state.enemy:
                    kings, _ = self.crowned(state, (f, r), to)
                    found.add(state.next(state.own - {(f, r)} | {to}, state.enemy, kings))
        return found

    def crowned(self, state: State, cell: Cell, to: Cell) -> tuple[frozenset[Cell], bool]:
        """Return the kings after a step, and whether it crowned one."""
        if cell in state.kings:
            return state.kings - {cell} | {to}, False
        far = to[1] == (self.size - 1, 0)[state.side]
        return (state.kings | {to} if far else state.kings), far

    def jumps(self, state: State, cell: Cell) -> set[State] | None:
        """Return the states after all jumps of a pawn, or None if it cannot jump."""
        found: set[State] | None = None
        for x, y in self.ways(state, cell):
            over, to = (cell[0] + x, cell[1] + y), (cell[0] + 2 * x, cell[1] + 2 * y)
            if over not in state.enemy or to not in self.cells - state.own - state.enemy:
                continue
            kings, crowned = self.crowned(state, cell, to)
            done = state.next(state.own - {cell} | {to}, state.enemy - {over}, kings - {over})
            same = done._replace(side=state.side)
            more = None if crowned else self.jumps(same, to)
            found = (found or set()) | ({done} if more is None else more)
        return found

    def winner(self, state: State) -> int:
        """Return the player who can still move."""
        return 1 - state.side


class Hex:
    """Hex on a rhombus of n × n: White joins the first rank with the last, Black the files."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.cells = {(f, r) for f in range(size) for r in range(size)}
        self.start = State((frozenset(), frozenset()), 0)

    def is_joined(self, pawns: frozenset[Cell], axis: int) -> bool:
        """Return whether pawns join the two sides across an axis: 1 for ranks, 0 for files."""
        waiting = [c for c in pawns if c[axis] == 0]
        seen = set(waiting)
        while waiting:
            f, r = waiting.pop()
            near = {(f + 1, r), (f - 1, r), (f, r + 1), (f, r - 1), (f + 1, r + 1), (f - 1, r - 1)}
            new = near & pawns - seen
            seen |= new
            waiting += new
        return any(c[axis] == self.size - 1 for c in seen)

    def after(self, state: State) -> set[State]:
        """Return the states after one move."""
        if self.is_joined(state.enemy, state.side):
            return set()
        empty = self.cells - state.own - state.enemy
        return {state.next(state.own | {to}, state.enemy) for to in empty}

    def winner(self, state: State) -> int:
        """Return the player who moved last."""
        return 1 - state.side
