"""What tables know already: of whole games at the root, of endings inside the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier.game import Game
from damier.rules import Rules, Turn

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


def ranked_turns(table: Table, game: Game) -> list[tuple[Value, Turn]] | None:
    """Return a game's turns with what a table says of them, best first; None if it lacks one."""
    found = []
    for turn in game.turns():
        value = table.probe_turn(game.position, turn)
        if value is None:
            return None
        found.append((value, turn))
    found.sort(key=lambda pair: pair[0].rank)
    return found


def table_turns(game: Game) -> tuple[Value, list[Turn]] | None:
    """Return the value by a table and the turns that it ranks first; None without a table."""
    table = table_of(game.rules)
    ranked = None if table is None else ranked_turns(table, game)
    if not ranked:
        return None
    best = ranked[0][0]
    return best, [turn for value, turn in ranked if value.rank == best.rank]


def line_of(game: Game, turn: Turn, most: int = 12) -> tuple[str, ...]:
    """Return a line of best turns by the table; a drawn one is not followed."""
    table = table_of(game.rules)
    line, position = [turn.text], turn.after
    while table is not None and len(line) < most and position.result() is None:
        ranked = ranked_turns(table, Game(position))
        if not ranked or any(value.outcome == "draw" for value, _ in ranked):
            break
        best = min(ranked, key=lambda pair: (pair[0].rank, pair[1].text))[1]
        line.append(best.text)
        position = best.after
    return tuple(line)
