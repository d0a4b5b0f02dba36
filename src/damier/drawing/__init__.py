"""Boards drawn for a terminal and as SVG, from the one description of each board.

Nothing here knows a game: what is drawn is what `Board` and a position's text say, so a new game
comes out right as soon as its file describes its board. The look of places, by their names, is in
`style`; the words are in `texts/drawing.*.json`.
"""

from damier.drawing.characters import terminal
from damier.drawing.picture import svg
from damier.drawing.strip import film
from damier.drawing.words import caption, description

__all__ = ["caption", "description", "film", "svg", "terminal"]
