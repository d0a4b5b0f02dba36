"""Solved games: what a position is worth under perfect play, from tables.

    >>> import damier
    >>> from damier import solve
    >>> solve.probe(damier.game("chefa").start())
    Value(outcome='win', distance=9, to='end')

A value says nothing of the game's earlier positions: endless play is a draw (in Seega it goes to
the side with more pawns). Badia forbids to bring back pawns as they stood (BA-11), and that can
change a value: a draw may not stay drawn, because the way round in circles is closed, and a win may
not stay one where the winner would have to bring back pawns, with other marks. See docs/tables.md.
"""

from damier.game import Game
from damier.rules import Position, Turn
from damier.solve.tables import Table, Value, find

__all__ = ["Table", "Value", "find", "probe", "probe_turns", "value_at_end"]


def probe(position: Position) -> Value | None:
    """Return the value of a position, or None where no table holds it."""
    table = find(position.rules)
    if table is None or position.unfinished:
        return None
    return table.probe(position)


def probe_turns(game: Game) -> list[tuple[Turn, Value]]:
    """Return the legal turns with what each is worth to the side that plays it, the best first.

    A turn that ends the game by what has been on the board before, by a third occurrence say, is
    worth that end, whatever the table says. Where a table does not hold what a turn leads to, the
    turn is left out.
    """
    table = find(game.rules)
    if table is None:
        return []
    returning = game.rules.file.returning(game.position.rest)
    found = []
    for turn in game.turns():
        value = None
        if not returning or game.occurrences(turn.after) >= 2:  # the history may end the game
            value = value_at_end(game, turn)
        if value is None:
            value = table.probe_turn(game.position, turn)
        if value is not None:
            found.append((turn, value))
    return sorted(found, key=lambda pair: (pair[1].rank, pair[0].text))


def value_at_end(game: Game, turn: Turn) -> Value | None:
    """Return what a turn that ends the game is worth to the side that plays it, else None."""
    result = game.play(turn).result()
    if result is None:
        return None
    if result.winner is None:
        return Value("draw")
    return Value("win" if result.winner == game.position.side else "loss", 1)
