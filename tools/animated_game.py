"""Write docs/pictures/game.svg: a whole game of 19 moves as an animation, for the README.

    python tools/animated_game.py

The game is one of two levels against each other. A viewer that prefers reduced motion sees the end.
"""

import sys
from pathlib import Path
from xml.sax.saxutils import escape

import damier
from damier import files
from damier.drawing.picture import Picture

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "game.svg"
GAME = ("fanorona", {"capture": "forced"})
MOVES = [
    "d3-e3A",
    "c3-d3W",
    "b2-b3A-c3A",
    "a3-b2A-b3W",
    "a2-a3A-b4A-b5W",
    "d5-c5A",
    "g3-f3W",
    "h4-h3A-g3A-h2A",
    "f2-f3A",
    "d4-d3A-e3A-f2A-g3W",
    "e2-e3A-d4A-e4W",
    "g3-h3A",
    "e4-f4A-g3A-g4A-h4A",
    "h3-h2W",
    "g2-f2W",
    "i5-i4",
    "i2-i3A",
    "h5-h4",
    "f2-g3A",
]
FRAME_S = 1.2  # duration of a position
LAST_FRAMES = 3  # of the final position
CAPTION = 44  # height of the text below the board, in SVG user units
INK, PLATE = "#333333", "#fbfaf7"


def animation() -> str:
    """Return the SVG text: the board once, and a group for each position, shown in turn."""
    name, options = GAME
    game = damier.Game(damier.load_rules(name, **options)).play(*MOVES)
    result = game.result()
    assert result is not None
    board = Picture(game.start, False, [], [], {})
    board.draw_board()
    width, height = board.size()
    seconds = FRAME_S * (len(MOVES) + LAST_FRAMES)
    share = 100 / (len(MOVES) + LAST_FRAMES)
    end = 100 - LAST_FRAMES * share
    style = (
        f".f{{visibility:hidden;animation:f {seconds:.1f}s step-end infinite}}"
        f".l{{animation-name:l}}"
        f"@keyframes f{{0%{{visibility:visible}}{share:.3f}%{{visibility:hidden}}}}"
        f"@keyframes l{{0%{{visibility:hidden}}{end:.3f}%{{visibility:visible}}}}"
        "@media (prefers-reduced-motion:reduce){.f{animation:none}.l{visibility:visible}}"
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + CAPTION}" '
        f'width="{width}" height="{height + CAPTION}" role="img" '
        'font-family="system-ui, sans-serif" text-anchor="middle">',
        f"<title>{escape(name.title())}: {' '.join(MOVES)}</title>",
        f"<style>{style}</style>",
        board.definitions(),
        f'<rect width="{width}" height="{height + CAPTION}" fill="{PLATE}"/>',
        *board.parts,
    ]
    for number, move in enumerate(game.moves_played):
        last = number == len(MOVES) - 1
        arrows = [way for way in move.ways if way[0] != way[1]]
        frame = Picture(move.after, False, [], arrows, {})
        frame.key = board.key  # refer to the pawns that `board` defines
        frame.draw_pawns_and_marks()
        frame.label(width / 2, height + 29, f"{number + 1}. {move}", 24, INK)
        delay = "" if last else f' style="animation-delay:{number * FRAME_S:.1f}s"'
        parts += [f'<g class="f{" l" if last else ""}"{delay}>', *frame.parts, "</g>"]
    return "\n".join((*parts, "</svg>")) + "\n"


def main() -> int:
    """Write the picture."""
    files.write_text(PICTURE, animation())
    return 0


if __name__ == "__main__":
    sys.exit(main())
