"""SVG charts: bars of counts, a curve of chances, shares with intervals, and a ranking."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log10

from damier.drawing.markup import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 300, 64, 44, 28
WIN, LOSS, INK, PLATE = "#2a6f97", "#bc4749", "#333333", "#fbfaf7"
BINS = 24  # of a histogram, at most


def bar_chart(
    wins: Mapping[int, int],
    losses: Mapping[int, int],
    title: str,
    across: str,
    up: str,
    names: tuple[str, str],
) -> str:
    """Return the SVG text of the chart, with a logarithmic vertical axis.

    `across` and `up` are the labels of the axes, `names` those of wins and losses.
    """
    longest = max((*wins, *losses, 1))
    top = max(log10(max((*wins.values(), *losses.values(), 10))), 1.0)
    step = (WIDTH - LEFT - 16) / (longest + 1)
    parts = _begin(title)
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
    parts += _legend(across, up, names)
    return "\n".join(parts) + "\n"


def histogram(
    wins: Mapping[int, int],
    losses: Mapping[int, int],
    title: str,
    across: str,
    up: str,
    names: tuple[str, str],
) -> str:
    """Return the SVG text of two histograms side by side, with bins of equal width.

    The vertical axis is linear. `across` and `up` are the labels of the axes, `names` the legend.
    """
    longest = max((*wins, *losses, 1))
    width = -(-(longest + 1) // BINS)
    bins = [Counter[int](), Counter[int]()]
    for counts, binned in zip((wins, losses), bins, strict=True):
        for value, count in counts.items():
            binned[value // width] += count
    most = max((*bins[0].values(), *bins[1].values(), 1))
    tick = max(1, -(-most // 5))
    top = tick * -(-most // tick)
    number, height = longest // width + 1, HEIGHT - BOTTOM - TOP
    step, parts = (WIDTH - LEFT - 16) / number, _begin(title)
    for value in range(0, top + 1, tick):
        y = f"{HEIGHT - BOTTOM - height * value / top:.1f}"
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - 16}" y1="{y}" y2="{y}" stroke="#ddd8cc"/>'
            f'<text x="{LEFT - 8}" y="{y}" dy="4" text-anchor="end">{value}</text>'
        )
    every = max(1, round(number / 12))
    for k in range(number):
        x = LEFT + k * step
        for binned, colour, shift in ((bins[0], WIN, 0.08), (bins[1], LOSS, 0.5)):
            tall = height * binned[k] / top
            parts.append(
                f'<rect x="{x + shift * step:.1f}" y="{HEIGHT - BOTTOM - tall:.1f}" '
                f'width="{0.4 * step:.1f}" height="{tall:.1f}" fill="{colour}"/>'
            )
        if k % every == 0:
            named = str(k * width) if width == 1 else f"{k * width}–{(k + 1) * width - 1}"
            parts.append(
                f'<text x="{x + step / 2:.1f}" y="{HEIGHT - BOTTOM + 16}" '
                f'text-anchor="middle">{named}</text>'
            )
    parts += _legend(across, up, names)
    return "\n".join(parts) + "\n"


def _legend(across: str, up: str, names: tuple[str, str]) -> list[str]:
    """Return the end of a chart: the names of the colours and the labels of the axes."""
    parts = []
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
    return parts


def line_chart(chances: Sequence[float], title: str, across: str, up: str) -> str:
    """Return the SVG text of a curve of chances from 0 to 1, one for each move."""
    width, height = WIDTH - LEFT - 16, HEIGHT - BOTTOM - TOP
    step = width / max(1, len(chances) - 1)
    points = " ".join(
        f"{LEFT + k * step:.1f},{TOP + height * (1 - chance):.1f}"
        for k, chance in enumerate(chances)
    )
    parts = _begin(title)
    parts += _percent_lines(height)
    every = max(1, round(len(chances) / 20))
    for k in range(0, len(chances), every):
        x = LEFT + k * step
        parts.append(
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{k}</text>'
        )
    parts.append(
        f'<polyline points="{points}" fill="none" stroke="{WIN}" stroke-width="2"/>'
        f'<text x="{WIDTH - 16}" y="{HEIGHT - 8}" text-anchor="end">{escape(across)}</text>'
        f'<text x="{LEFT}" y="18">{escape(up)}</text></g></svg>'
    )
    return "\n".join(parts) + "\n"


def ranges(
    rows: Sequence[tuple[str, float, float, float]], title: str, across: str, even: float
) -> str:
    """Return the SVG text of shares with their intervals: label, value, low and high of each.

    A dashed line marks the share `even`.
    """
    height = HEIGHT - BOTTOM - TOP
    step = (WIDTH - LEFT - 16) / max(1, len(rows))
    parts = _begin(title) + _percent_lines(height)
    y = TOP + height * (1 - even)
    parts.append(
        f'<line x1="{LEFT}" x2="{WIDTH - 16}" y1="{y}" y2="{y}" stroke="{INK}" '
        'stroke-dasharray="6 4"/>'
    )
    for k, (label, value, low, high) in enumerate(rows):
        x = LEFT + (k + 0.5) * step
        top, middle, bottom = (TOP + height * (1 - share) for share in (high, value, low))
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" stroke="{WIN}" '
            f'stroke-width="3"/><circle cx="{x:.1f}" cy="{middle:.1f}" r="5" fill="{WIN}"/>'
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">'
            f"{escape(label)}</text>"
        )
    parts.append(
        f'<text x="{WIDTH - 16}" y="{HEIGHT - 8}" text-anchor="end">{escape(across)}</text>'
        "</g></svg>"
    )
    return "\n".join(parts) + "\n"


def ranking(
    rows: Sequence[tuple[str, float, str, bool]], title: str, names: tuple[str, str]
) -> str:
    """Return the SVG text of horizontal bars: label, share, its text, and whether it is proved.

    `names` are those of proved and of measured shares.
    """
    label_width, row = 260, 22
    height = TOP + row * len(rows) + 12
    whole = WIDTH - label_width - 80
    parts = _begin(title, height)
    for k, (name, colour) in enumerate(zip(names, (WIN, LOSS), strict=True)):
        x = label_width + 150 * k
        parts.append(
            f'<rect x="{x}" y="8" width="12" height="12" fill="{colour}"/>'
            f'<text x="{x + 18}" y="18">{escape(name)}</text>'
        )
    for k, (label, share, text, proved) in enumerate(rows):
        y = TOP + row * k + 4
        parts.append(
            f'<text x="{label_width - 8}" y="{y + 13}" text-anchor="end">{escape(label)}</text>'
            f'<rect x="{label_width}" y="{y}" width="{max(1.0, whole * share):.1f}" height="16" '
            f'fill="{WIN if proved else LOSS}"/>'
            f'<text x="{label_width + max(1.0, whole * share) + 6:.1f}" y="{y + 13}">'
            f"{escape(text)}</text>"
        )
    return "\n".join([*parts, "</g></svg>"]) + "\n"


def _begin(title: str, height: int = HEIGHT) -> list[str]:
    """Return the beginning of a chart: its size, title and background."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="{PLATE}"/>',
        f'<g font-family="sans-serif" font-size="12" fill="{INK}">',
    ]


def _percent_lines(height: float) -> list[str]:
    """Return the horizontal lines at 0, 25, 50, 75 and 100 %."""
    parts = []
    for percent in (0, 25, 50, 75, 100):
        y = TOP + height * (1 - percent / 100)
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - 16}" y1="{y}" y2="{y}" stroke="#ddd8cc"/>'
            f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{percent}</text>'
        )
    return parts


def _y(value: float, top: float) -> float:
    """Return the vertical coordinate of a logarithm, where `top` is the largest."""
    return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top, 1)
