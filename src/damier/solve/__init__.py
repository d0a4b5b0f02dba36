"""Solved games: values of positions under perfect play, from tables.

    >>> import damier
    >>> from damier import solve
    >>> rules = damier.load_rules(next(iter(damier.games.GAMES)))
    >>> solve.probe(rules.start())
    Value(outcome='draw', distance=None, to='end')

The value of a position ignores the earlier positions of the game: endless play is a draw, unless
the game's numbering defines otherwise. `value` and `probe_moves` take a game and include its
history: a third occurrence, and superko. Under superko there is no draw: a value is a proved win or
loss, or a bound (`Value.bound`), which means that no forced win is known.
See docs/tables.md.

The package has three layers: `numbering` (positions as dense numbers), `retrograde` (the analysis
that finds all values: `damier.solve.retrograde.solve`) and `tables` (table files and queries).
"""

from typing import Any

from damier.deprecation import warn_deprecated
from damier.solve.tables.lines import best_line, line_of
from damier.solve.tables.queries import (
    confirmed_value,
    probe,
    probe_moves,
    value,
    value_at_end,
)
from damier.solve.tables.superko_proofs import SuperkoProver
from damier.solve.tables.table import Table, find
from damier.solve.tables.values import Value

__all__ = [
    "SuperkoProver",
    "Table",
    "Value",
    "best_line",
    "confirmed_value",
    "find",
    "line_of",
    "probe",
    "probe_moves",
    "value",
    "value_at_end",
]


def __getattr__(name: str) -> Any:
    """Return a class by its deprecated name, with a warning."""
    if name != "Forced":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_deprecated("damier.solve.Forced", "damier.solve.SuperkoProver")
    return SuperkoProver
