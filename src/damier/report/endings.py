"""Page on a table of endings: the value of each balance of pawns, counted from the table.

The game must be one in which the side with more pawns wins if play does not end, so that its table
has the arrays `values` and `draws`: in a tier with unequal numbers of pawns both are about the side
with fewer pawns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from damier import files, i18n
from damier.errors import DamierError
from damier.i18n import translate, translate_for_game
from damier.position import Rules
from damier.solve import find
from damier.solve.numbering import numbering_of
from damier.solve.retrograde import solver_for
from damier.solve.retrograde.tiered import TieredSolver
from damier.solve.value_codes import distance_of

PIECE = 1 << 24  # values counted at once
CODES = 256  # of one byte


@dataclass(frozen=True)
class Tier:
    """Counts of the positions, up to symmetry, in which the side to move has `own` pawns.

    `longest` and `longest_draw` are the greatest distances in the two arrays.
    """

    own: int
    enemy: int
    positions: int
    won: int
    drawn: int
    lost: int
    longest: int
    longest_draw: int


def positions_in_tier(rules: Rules, own: int, enemy: int) -> int:
    """Return the number of arrangements of pawns up to symmetry, by Burnside's lemma."""
    total = 0
    for to in rules.board.symmetries:
        ways = Counter({(0, 0): 1})  # of putting pawns on whole orbits
        left = {cell for cell in range(rules.board.size) if rules.board.cells >> cell & 1}
        while left:
            cell = left.pop()
            length, at = 1, to[cell]
            while at != cell:
                left.remove(at)
                length, at = length + 1, to[at]
            more = Counter(ways)
            for (a, b), count in ways.items():
                more[a + length, b] += count
                more[a, b + length] += count
            ways = Counter({k: n for k, n in more.items() if k[0] <= own and k[1] <= enemy})
        total += ways[own, enemy]
    return total // len(rules.board.symmetries)


def tiers_of(rules: Rules) -> tuple[list[Tier], Mapping[str, Any]]:
    """Return the counts of all tiers of a game's table of endings, and the table's header.

    Raise DamierError if there is no such table.
    """
    table = find(rules)
    if table is None or table.pawns is None or set(table.arrays) != {"values", "draws"}:
        raise DamierError("results-endings", game=rules.name)
    space: Any = numbering_of(rules).space_for(rules, table.header)
    arrays = [table.arrays[name].array() for name in ("values", "draws")]
    found = []
    for own, enemy in space.tiers:
        low = space.starts[own, enemy]
        values, draws = (array[low : low + space.sizes[own, enemy]] for array in arrays)
        found.append(_count(rules, own, enemy, values, draws))
    return found, table.header


def _count(rules: Rules, own: int, enemy: int, values: Any, draws: Any) -> Tier:
    """Return the counts of a tier."""
    codes, others = np.zeros(CODES, np.int64), np.zeros(CODES, np.int64)
    for low in range(0, len(values), PIECE):
        piece, beside = values[low : low + PIECE], draws[low : low + PIECE]
        codes += np.bincount(piece, minlength=CODES)
        others += np.bincount(beside[piece == 0], minlength=CODES)
    positions = positions_in_tier(rules, own, enemy)
    won, lost = int(codes[2::2].sum()), int(codes[1::2].sum())
    drawn = positions - won - lost
    if own != enemy:
        drawn = int(others[1:].sum())
        rest = positions - won - lost - drawn  # the side with fewer pawns has not even a draw
        won, lost = (won, lost + rest) if own < enemy else (won + rest, lost)
    longest_draw = _longest(others) if own != enemy else 0
    return Tier(own, enemy, positions, won, drawn, lost, _longest(codes), longest_draw)


def _longest(codes: Any) -> int:
    """Return the greatest distance of the codes that occur, 0 if none does."""
    return max((distance_of(int(code)) for code in np.flatnonzero(codes) if code), default=0)


def write_pages(rules: Rules, directory: Path) -> list[Path]:
    """Write the page in both languages; return the paths."""
    tiers, header = tiers_of(rules)
    written = []
    for language in i18n.LANGUAGES:
        with i18n.use_language(language):
            suffix = "" if language == "en" else f".{language}"
            path = directory / f"endings{suffix}.md"
            files.write_text(path, page(rules, tiers, header))
        written.append(path)
    return written


def page(rules: Rules, tiers: list[Tier], header: Mapping[str, Any]) -> str:
    """Return the page in the language in use."""
    facts = {
        "game": translate_for_game(rules.name, "name"),
        "name": rules.name,
        "pawns": header["pawns"],
        "positions": _number(sum(tier.positions for tier in tiers)),
    }
    by_pawns = {(tier.own, tier.enemy): tier for tier in tiers}
    solver = solver_for(rules)
    assert isinstance(solver, TieredSolver)  # the only one whose tables are of endings
    limit = max(solver.limit(rules, own, enemy) for own, enemy in by_pawns)
    equal, unequal = [], []
    for (own, enemy), tier in sorted(by_pawns.items()):
        if own == enemy:
            shares = _shares(tier.positions, tier.won, tier.drawn, tier.lost)
            longest = _distance(tier.longest, tier.won + tier.lost)
            equal.append([f"{own}–{own}", _number(tier.positions), *shares, longest])
        elif own < enemy:
            other = by_pawns[enemy, own]
            whole = tier.positions + other.positions
            more, fewer = tier.lost + other.won, tier.won + other.lost
            drawn = tier.drawn + other.drawn
            shares = _shares(whole, more, drawn, fewer)
            longest = _distance(max(tier.longest, other.longest), fewer)
            draw = _distance(max(tier.longest_draw, other.longest_draw), drawn)
            unequal.append([f"{enemy}–{own}", _number(whole), *shares, longest, draw])
    parts = [
        f"# {translate('endings.title', **facts)}",
        f"*{translate('endings.other')}*",
        translate("endings.intro", **facts),
        *([translate("endings.limit", limit=limit)] if limit else []),
        f"## {translate('endings.equal')}",
        _table(("pawns", "positions", "won", "drawn", "lost", "longest"), equal),
        f"## {translate('endings.unequal')}",
        translate("endings.unequal.note"),
        _table(("pawns", "positions", "more", "drawn", "fewer", "longest", "save"), unequal),
    ]
    return "\n\n".join(parts) + "\n"


def _number(count: int) -> str:
    """Return a number with the thousands separator of the language in use."""
    text = f"{count:,}"
    return text.replace(",", "\u202f") if i18n.language() == "fr" else text


def _distance(longest: int, positions: int) -> str:
    """Return the longest distance of some positions; a dash if there are none."""
    return str(longest) if positions else "–"


def _shares(whole: int, *parts: int) -> list[str]:
    """Return parts of a whole in per cent."""
    texts = (f"{100 * part / whole:.2f}" for part in parts)
    if i18n.language() == "fr":
        return [f"{text.replace('.', ',')}\u00a0%" for text in texts]
    return [f"{text}%" for text in texts]


def _table(columns: tuple[str, ...], rows: list[list[str]]) -> str:
    """Return a Markdown table; the first column has text, the others numbers."""
    heads = [translate(f"endings.column.{name}") for name in columns]
    lines = [heads, ["---", *["---:"] * (len(columns) - 1)], *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
