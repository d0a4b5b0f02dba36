"""Puzzles: positions in which exactly one move achieves a goal, with a proof.

    >>> import damier
    >>> from damier.learning.puzzles import puzzles
    >>> puzzle = puzzles(next(iter(damier.GAMES)))[0]
    >>> puzzle.attempt([puzzle.line[0]]).right
    True

A game's puzzles are the lines of `puzzles.jsonl` in its folder. `collection` reads them,
`attempts` judges a solver's moves. The other modules make puzzles: `proofs` proves the values,
`goals` finds goals and solutions, `difficulty` estimates ratings, `themes` classifies puzzles,
`generator` finds puzzles in games, and `verification` proves them again. See docs/puzzles.md.
"""

from damier.learning.puzzles.attempts import AttemptVerdict
from damier.learning.puzzles.collection import Kind, Puzzle, daily, find_puzzle, puzzles

__all__ = ["AttemptVerdict", "Kind", "Puzzle", "daily", "find_puzzle", "puzzles"]
