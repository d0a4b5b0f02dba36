"""What tables know already: of whole games at the root, of endings inside the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier.history import Game
from damier.position import Rules, Turn

if TYPE_CHECKING:
    from damier.solve.tables import Table, Value


def table_of(rules: Rules) -> Table | None:
    """Return the solved values of a game or of its endings, or None where there are none."""
    from damier.solve.tables import find

    return find(rules)


def endings_of(rules: Rules) -> Table | None:
    """Return the table that a search should look into: a whole game's answers at the root."""
    table = table_of(rules)
    return None if table is None or table.pawns is None else table


def ranked_turns(game: Game) -> list[tuple[Turn, Value]] | None:
    """Return a game's turns with what a table says of them, best first; None if it lacks one."""
    from damier.solve import probe_turns

    found = probe_turns(game)
    return found if found and len(found) == len(game.turns()) else None


def table_turns(game: Game) -> tuple[Value, list[Turn]] | None:
    """Return the value by a table and the turns that it ranks first; None without a table."""
    ranked = ranked_turns(game)
    if ranked is None:
        return None
    best = ranked[0][1]
    return best, [turn for turn, value in ranked if value.rank == best.rank]
