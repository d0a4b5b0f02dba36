"""Solved games: what a position is worth under perfect play, from tables.

    >>> import damier
    >>> from damier import solve
    >>> rules = damier.game(next(iter(damier.games.GAMES)))
    >>> solve.probe(rules.start())
    Value(outcome='draw', distance=None, to='end')

A position's value says nothing of the game's earlier positions: endless play is a draw, unless the
game's numbering says otherwise. What they change is in `value` and `probe_turns`, which look at a
game: a third occurrence, and a ban on bringing back pawns as they stood, which takes wins away and
gives some. See docs/tables.md.

Three rooms: `numbering` (positions as dense numbers), `retrograde` (the analysis that finds all
values: `damier.solve.retrograde.solve`) and `tables` (files, and what they answer).
"""

from damier.solve.tables.answers import probe, probe_turns, value, value_at_end
from damier.solve.tables.forced import Forced
from damier.solve.tables.lines import best_line, line_of
from damier.solve.tables.table import Table, find
from damier.solve.tables.values import Value

__all__ = [
    "Forced",
    "Table",
    "Value",
    "best_line",
    "find",
    "line_of",
    "probe",
    "probe_turns",
    "value",
    "value_at_end",
]
