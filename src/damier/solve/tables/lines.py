"""Lines of best play, from tables."""

from damier.gameplay import Game
from damier.position import Move
from damier.solve.tables.queries import probe_moves
from damier.solve.tables.superko_proofs import SuperkoProver
from damier.solve.tables.table import find
from damier.solve.tables.values import Value

MAX_LINE = 400


def best_line(game: Game) -> list[Move]:
    """Return the moves to the end with best play of both sides; none from a drawn position.

    Among equally good moves the first by text is chosen.
    """
    valued = probe_moves(game)
    if not valued or valued[0][1].outcome == "draw":
        return []
    return line_of(game, *valued[0])


def line_of(game: Game, move: Move, value: Value, max_moves: int = MAX_LINE) -> list[Move]:
    """Return a move and the best moves after it; a drawn move has no continuation."""
    line = [move]
    if value.outcome == "draw":
        return line
    table = find(game.rules)
    if table is not None and game.superko:
        for words in SuperkoProver(game, table).line_from(move.after)[: max_moves - 1]:
            game = game.play(line[-1])
            line.append(next(move for move in game.legal_moves() if move.words == words))
        return line
    while len(line) < max_moves and not (game := game.play(line[-1])).result():
        valued = probe_moves(game)
        if not valued or valued[0][1].outcome == "draw":
            break
        line.append(valued[0][0])
    return line
