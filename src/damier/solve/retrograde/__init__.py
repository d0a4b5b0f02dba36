"""The second room: retrograde analysis, which finds what every position is worth.

`solve` is the whole of it, for whole games and endings alike; `verify` checks what it found, and
`content` is the table file. The rest is how: a `run` in batches on all cores (`workers`), what it
keeps for later (`parts`), and the ways of analysis (`whole`, `tiered`, `listed`) with their loops
(`rounds`, `tiers`, `listing`).
"""

from damier.solve.retrograde.pipeline import (
    Analysis,
    alike,
    analysis_of,
    content,
    loaded,
    shipped,
    solve,
    variants,
    verify,
)
from damier.solve.retrograde.run import Progress, Run, Solution

__all__ = [
    "Analysis",
    "Progress",
    "Run",
    "Solution",
    "alike",
    "analysis_of",
    "content",
    "loaded",
    "shipped",
    "solve",
    "variants",
    "verify",
]
