"""Write docs/pictures/layers.svg: the layers of the import contract in pyproject.toml.

    python tools/layer_diagram.py

A package may import those below it. Run it again after the contract has changed; a test compares
the picture.
"""

import sys
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

from damier import files
from damier.drawing.plot import INK, PLATE

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "pictures" / "layers.svg"
CONTRACT = "Layers of packages"
BOX = "#dcebf5"
# Lengths in SVG user units.
WIDTH, BOX_HEIGHT, GAP, MARGIN, CAPTION = 720, 30, 12, 16, 24


def layers() -> list[list[str]]:
    """Return the packages of each layer, the highest layer first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (contract,) = (found for found in contracts if found["name"] == CONTRACT)
    return [layer.replace(" ", "").split("|") for layer in contract["layers"]]


def diagram() -> str:
    """Return the SVG text."""
    rows = layers()
    height = 2 * MARGIN + CAPTION + len(rows) * (BOX_HEIGHT + GAP)
    title = "Layers: a package may import those below it"
    described = "; ".join(" and ".join(row) for row in rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'width="{WIDTH}" height="{height}" font-family="system-ui, sans-serif" font-size="13" '
        f'text-anchor="middle" fill="{INK}">',
        f"<title>{title}</title>",
        f"<desc>{escape(described)}</desc>",
        f'<rect width="{WIDTH}" height="{height}" fill="{PLATE}"/>',
        f'<text x="{WIDTH / 2:.0f}" y="{MARGIN + 12}" font-size="15">{title}</text>',
    ]
    for number, row in enumerate(rows):
        y = MARGIN + CAPTION + number * (BOX_HEIGHT + GAP)
        width = (WIDTH - 2 * MARGIN - (len(row) - 1) * GAP) / len(row)
        for column, name in enumerate(row):
            x = MARGIN + column * (width + GAP)
            parts += [
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BOX_HEIGHT}" rx="5" '
                f'fill="{BOX}" stroke="{INK}"/>',
                f'<text x="{x + width / 2:.1f}" y="{y + 20}">{escape(name)}</text>',
            ]
        if number:
            arrow = f"M{WIDTH / 2:.0f} {y - GAP}v{GAP - 3}m-4 -4l4 4l4 -4"
            parts.append(f'<path d="{arrow}" stroke="{INK}" fill="none"/>')
    return "\n".join((*parts, "</svg>")) + "\n"


def main() -> int:
    """Write the picture."""
    files.write_text(PICTURE, diagram())
    return 0


if __name__ == "__main__":
    sys.exit(main())
