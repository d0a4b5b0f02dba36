"""What tables answer about a position, a game and its turns."""

from __future__ import annotations

from damier.history import Game
from damier.position import Position, Turn
from damier.solve.tables.forced import Forced
from damier.solve.tables.table import Table, find
from damier.solve.tables.values import Value


def probe(position: Position) -> Value | None:
    """Return the value of a position by itself, or None where no table holds it."""
    table = find(position.rules)
    if table is None or position.unfinished:
        return None
    return table.probe(position)


def value(game: Game, valued: list[tuple[Turn, Value]] | None = None) -> Value | None:
    """Return what a game is worth to the side to move, its history included; None if not held.

    `valued` is what `probe_turns` says of it, where that is known already.
    """
    if valued is None:
        valued = probe_turns(game)
    if valued and len(valued) == len(game.turns()):
        return valued[0][1]
    return probe(game.position)


def probe_turns(game: Game) -> list[tuple[Turn, Value]]:
    """Return the legal turns with what each is worth to the side that plays it, the best first.

    A turn that ends the game by what has been on the board before, by a third occurrence say, is
    worth that end, whatever the table says. Where positions may not be brought back, a win is one
    that is proved in this game. Where a table does not hold what a turn leads to, the turn is left
    out.
    """
    table = find(game.rules)
    if table is None:
        return []
    if game.superko:
        forced = Forced(game, table)
        side = game.position.side
        found = [
            (turn, forced.value_of(turn.after).before(turn.after.side == side))
            for turn in game.turns()
        ]
    else:
        valued = ((turn, _value_of_turn(game, turn, table)) for turn in game.turns())
        found = [(turn, value) for turn, value in valued if value is not None]
    return sorted(found, key=lambda pair: (pair[1].rank, pair[0].text))


def _value_of_turn(game: Game, turn: Turn, table: Table) -> Value | None:
    """Return what a turn is worth that may bring back a position, but not for the third time."""
    ended = value_at_end(game, turn) if game.occurrences(turn.after) >= 2 else None
    return ended or table.probe_turn(game.position, turn)


def value_at_end(game: Game, turn: Turn) -> Value | None:
    """Return what a turn that ends the game is worth to the side that plays it, else None."""
    result = game.play(turn).result()
    if result is None:
        return None
    if result.winner is None:
        return Value("draw")
    return Value("win" if result.winner == game.position.side else "loss", 1)
