"""Drawings of a position: characters for a terminal, and SVG pictures.

The package contains no code for a particular game. It draws a position from its `Board` and from
the functions of the game's rules, so a new game needs no drawing code. The colours of places are in
`style`, the texts in `texts/drawing.*.json`.
"""

from damier.drawing.captions import caption, description
from damier.drawing.characters import terminal
from damier.drawing.picture import svg
from damier.drawing.strip import film

__all__ = ["caption", "description", "film", "svg", "terminal"]
