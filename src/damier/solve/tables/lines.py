"""Lines of best play, as tables know them."""

from damier.history import Game
from damier.position import Turn
from damier.solve.tables.answers import probe_turns
from damier.solve.tables.forced import Forced
from damier.solve.tables.table import find
from damier.solve.tables.values import Value

LONGEST_LINE = 400


def best_line(game: Game) -> list[Turn]:
    """Return the turns to the end when both sides play best; none from a drawn position.

    Of equally good turns the first by text is taken.
    """
    valued = probe_turns(game)
    if not valued or valued[0][1].outcome == "draw":
        return []
    return line_of(game, *valued[0])


def line_of(game: Game, turn: Turn, value: Value, most: int = LONGEST_LINE) -> list[Turn]:
    """Return a turn and the best turns that follow it; a drawn one is not followed."""
    line = [turn]
    if value.outcome == "draw":
        return line
    table = find(game.rules)
    if table is not None and game.superko:
        for words in Forced(game, table).line_from(turn.after)[: most - 1]:
            game = game.play(line[-1])
            line.append(next(turn for turn in game.turns() if turn.words == words))
        return line
    while len(line) < most and not (game := game.play(line[-1])).result():
        valued = probe_turns(game)
        if not valued or valued[0][1].outcome == "draw":
            break
        line.append(valued[0][0])
    return line
