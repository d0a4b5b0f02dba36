"""A second implementation of Tapatan, with sets and without damier, to check the example against.

Points are numbered as damier numbers cells.
"""

from collections import deque
from functools import cache
from typing import NamedTuple


class State(NamedTuple):
    """White's points and Black's, and the side to move, 0 for White."""

    pawns: tuple[frozenset[int], frozenset[int]]
    side: int


START = State((frozenset(), frozenset()), 0)
_ROWS = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]
_LINES = [(a, b) for row in _ROWS for a, b in zip(sorted(row), sorted(row)[1:], strict=False)]
_NEAR = {i: {a + b - i for a, b in _LINES if i in (a, b)} for i in range(9)}


def winner(state: State) -> int | None:
    """Return the side that has three in a row."""
    return next((s for s in (0, 1) if any(row <= state.pawns[s] for row in _ROWS)), None)


def after(state: State) -> set[State]:
    """Return the states after one move."""
    if winner(state) is not None:
        return set()
    white, black = state.pawns
    own, empty = state.pawns[state.side], set(range(9)) - white - black
    if len(own) < 3:
        reached = [own | {to} for to in empty]
    else:
        reached = [own - {c} | {to} for c in own for to in _NEAR[c] & empty]
    if state.side == 0:
        return {State((new, black), 1) for new in reached}
    return {State((white, new), 0) for new in reached}


@cache
def paths(state: State, depth: int) -> int:
    """Return the number of move sequences of a length (perft)."""
    return 1 if depth == 0 else sum(paths(s, depth - 1) for s in after(state))


def reachable() -> list[State]:
    """Return every reachable state."""
    seen, waiting = {START}, deque([START])
    while waiting:
        new = after(waiting.popleft()) - seen
        seen |= new
        waiting += new
    return list(seen)


def values() -> dict[State, tuple[str, int | None]]:
    """Return the value of every state for the side to move, and the distance in moves.

    The winner minimises and the loser maximises the distance; endless play is a draw.
    """
    states = reachable()
    found: dict[State, tuple[str, int | None]] = {
        state: ("loss", 0) for state in states if winner(state) is not None
    }
    for moves in range(1, len(states)):
        new = {}
        for state in states:
            if state in found:
                continue
            outcomes = [found.get(s, ("", 0))[0] for s in after(state)]
            if "loss" in outcomes:
                new[state] = ("win", moves)
            elif all(outcome == "win" for outcome in outcomes):
                new[state] = ("loss", moves)
        if not new:
            break
        found |= new
    return {state: found.get(state, ("draw", None)) for state in states}
