"""Tables in the search: of whole games at the root, of endings inside the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier.gameplay import Game
from damier.position import Move, Rules

if TYPE_CHECKING:
    from damier.solve.tables import Table, Value


def table_of(rules: Rules) -> Table | None:
    """Return the table of a game or of its endings, or None if there is none."""
    from damier.solve.tables import find

    return find(rules)


def endings_of(rules: Rules) -> Table | None:
    """Return the table of endings to probe; a whole game's table is used at the root."""
    table = table_of(rules)
    return None if table is None or table.pawns is None else table


def ranked_moves(game: Game) -> list[tuple[Move, Value]] | None:
    """Return a game's moves with their table values, best first; None if one has none."""
    from damier.solve import probe_moves

    ranked = probe_moves(game)
    return ranked if ranked and len(ranked) == len(game.legal_moves()) else None


def table_moves(game: Game) -> tuple[Value, list[Move]] | None:
    """Return the table value of a game and the best moves; None without a table."""
    ranked = ranked_moves(game)
    if ranked is None:
        return None
    best = ranked[0][1]
    return best, [move for move, value in ranked if value.rank == best.rank]
