"""A plain bar chart as SVG: how many positions are decided in how many turns."""

from collections.abc import Mapping
from math import log10
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 300, 64, 44, 28
WIN, LOSS, INK, PLATE = "#2a6f97", "#bc4749", "#333333", "#fbfaf7"


def bars(
    wins: Mapping[int, int], losses: Mapping[int, int], title: str, across: str, up: str,
    names: tuple[str, str],
) -> str:  # fmt: skip
    """Return the chart; the height of a bar is the logarithm of its count."""
    longest = max((*wins, *losses, 1))
    top = max(log10(max((*wins.values(), *losses.values(), 10))), 1.0)
    step = (WIDTH - LEFT - 16) / (longest + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PLATE}"/>',
        f'<g font-family="sans-serif" font-size="12" fill="{INK}">',
    ]
    for power in range(int(top) + 1):
        y = _y(power, top)
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - 16}" y1="{y}" y2="{y}" stroke="#ddd8cc"/>'
            f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{10**power:,}</text>'
        )
    every = max(1, round(longest / 20))
    for distance in range(longest + 1):
        x = LEFT + distance * step
        for counts, colour, shift in ((wins, WIN, 0.08), (losses, LOSS, 0.5)):
            count = counts.get(distance, 0)
            if count:
                y = _y(log10(count), top)
                height = max(HEIGHT - BOTTOM - y, 1.5)
                parts.append(
                    f'<rect x="{x + shift * step:.1f}" y="{HEIGHT - BOTTOM - height:.1f}" '
                    f'width="{0.4 * step:.1f}" height="{height:.1f}" fill="{colour}"/>'
                )
        if distance % every == 0:
            parts.append(
                f'<text x="{x + step / 2:.1f}" y="{HEIGHT - BOTTOM + 16}" '
                f'text-anchor="middle">{distance}</text>'
            )
    for k, (name, colour) in enumerate(zip(names, (WIN, LOSS), strict=True)):
        x = LEFT + 150 * k
        parts.append(
            f'<rect x="{x}" y="8" width="12" height="12" fill="{colour}"/>'
            f'<text x="{x + 18}" y="18">{escape(name)}</text>'
        )
    parts.append(
        f'<text x="{WIDTH - 16}" y="{HEIGHT - 8}" text-anchor="end">{escape(across)}</text>'
        f'<text x="{WIDTH - 16}" y="18" text-anchor="end">{escape(up)}</text></g></svg>'
    )
    return "\n".join(parts) + "\n"


def _y(value: float, top: float) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top, 1)
