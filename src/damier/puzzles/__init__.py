"""Puzzles: positions in which one turn, and no other, does what is asked; each one is proved.

    >>> import damier
    >>> from damier.puzzles import puzzles
    >>> puzzle = puzzles(next(iter(damier.GAMES)))[0]
    >>> puzzle.attempt([puzzle.line[0]]).right
    True

A game's puzzles are the lines of `puzzles.jsonl` in its folder. `stored` reads them, `attempts`
answers who tries one. The other rooms make them: `truth` says what turns are worth, `goals` what a
puzzle asks and which line solves it, `difficulty` how hard it is, `themes` what it is about,
`making` makes them from games, `checking` proves them anew. See docs/puzzles.md.
"""

from damier.puzzles.attempts import Verdict
from damier.puzzles.stored import Kind, Puzzle, daily, puzzle_of, puzzles

__all__ = ["Kind", "Puzzle", "Verdict", "daily", "puzzle_of", "puzzles"]
