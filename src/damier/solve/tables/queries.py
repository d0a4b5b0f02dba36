"""Queries to tables about a position, a game and its moves."""

from __future__ import annotations

from damier.gameplay import Game
from damier.position import Move, Position
from damier.solve.tables.superko_proofs import CONFIRMATION_LIMITS, SuperkoProver
from damier.solve.tables.table import Table, find
from damier.solve.tables.values import Value


def probe(position: Position, table: Table | None = None) -> Value | None:
    """Return the value of a position without history, or None if it is in no table.

    Under superko it is the value of a game that begins with the position. `table` replaces the
    table of a file.
    """
    table = table or find(position.rules)
    if table is None or position.unfinished:
        return None
    known = table.probe(position)
    if known is None or position.over or not Game(position).superko:
        return known
    return SuperkoProver(Game(position), table).value_of(position)


def value(game: Game, valued: list[tuple[Move, Value]] | None = None) -> Value | None:
    """Return the value of a game for the side to move, with its history; None if unknown.

    `valued` is the result of `probe_moves`, if the caller has it already.
    """
    if valued is None:
        valued = probe_moves(game)
    if valued and len(valued) == len(game.legal_moves()):
        return valued[0][1]
    return probe(game.position) if game.ply == 0 or not game.superko else None


def confirmed_value(game: Game, move: Move) -> Value | None:
    """Return the value of a move under superko with a larger proof, or None if it is not proved.

    It is for moves that a search calls won or lost: the search cannot prove this by itself, because
    its transposition table ignores the positions before.
    """
    table = find(game.rules)
    if table is None:
        return None
    value = SuperkoProver(game, table, CONFIRMATION_LIMITS).value_of(move.after)
    return None if value.bound else value.before(move.after.side == game.position.side)


def probe_moves(game: Game, table: Table | None = None) -> list[tuple[Move, Value]]:
    """Return the legal moves with their values for the side that plays them, best first.

    A move that ends the game because of its history, such as a third occurrence, has the value of
    that end. Under superko a win counts only if it is proved in this game. Moves to positions that
    are not in the table are left out. `table` replaces the table of a file.
    """
    table = table or find(game.rules)
    if table is None:
        return []
    if game.superko:
        prover = SuperkoProver(game, table)
        side = game.position.side
        found = [
            (move, prover.value_of(move.after).before(move.after.side == side))
            for move in game.legal_moves()
        ]
    else:
        valued = ((move, _value_of_move(game, move, table)) for move in game.legal_moves())
        found = [(move, value) for move, value in valued if value is not None]
    return sorted(found, key=lambda pair: (pair[1].rank, pair[0].text))


def _value_of_move(game: Game, move: Move, table: Table) -> Value | None:
    """Return the value of a move, including an end by a third occurrence; None if unknown."""
    ended = value_at_end(game, move) if game.occurrences(move.after) >= 2 else None
    return ended or table.probe_move(game.position, move)


def value_at_end(game: Game, move: Move) -> Value | None:
    """Return the value of a move that ends the game for the side that plays it, else None."""
    result = game.play(move).result()
    if result is None:
        return None
    if result.winner is None:
        return Value("draw")
    return Value("win" if result.winner == game.position.side else "loss", 1)
