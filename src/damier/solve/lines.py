"""Lines of best play, as tables know them."""

from damier.game import Game
from damier.rules import Turn
from damier.solve import probe_turns

LONGEST_LINE = 400


def best_line(game: Game) -> list[Turn]:
    """Return the turns to the end when both sides play best; none from a drawn position.

    Of equally good turns the first by text is taken.
    """
    line: list[Turn] = []
    while not game.result() and len(line) < LONGEST_LINE:
        valued = probe_turns(game)
        if not valued or valued[0][1].outcome == "draw":
            break
        line.append(valued[0][0])
        game = game.play(valued[0][0])
    return line
