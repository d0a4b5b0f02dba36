"""Retrograde analysis, which finds the value of every position.

`solve` runs it, for whole games and endings; `verify` checks a solution, and `content` returns the
table file. A `solver_run` works in batches on all cores (`thread_pool`) and saves `checkpoints`.
The three solvers (`whole`, `tiered`, `enumerated`) call the kernels in `whole_kernels`,
`tiered_kernels` and `enumerated_kernels`. For a game without a numbering, `enumeration` finds its
positions as `sorted_runs`, `graph` its moves, and `storage` keeps both within limits. `acyclic`
finds the value of the start alone.
"""

from damier.solve.retrograde.pipeline import (
    Solver,
    bundled_games,
    content,
    rules_sharing_table,
    solution_of,
    solve,
    solver_for,
    variants,
    verify,
)
from damier.solve.retrograde.solver_run import Progress, Solution, SolverRun

__all__ = [
    "Progress",
    "Solution",
    "Solver",
    "SolverRun",
    "bundled_games",
    "content",
    "rules_sharing_table",
    "solution_of",
    "solve",
    "solver_for",
    "variants",
    "verify",
]
