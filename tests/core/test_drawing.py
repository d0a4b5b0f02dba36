"""Drawings: every cell in its place, all state shown, readable without colour."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

import damier
from damier import i18n
from damier.drawing import caption, film, style, svg, terminal
from damier.errors import DamierError
from damier.games import GAMES

SVG = "{http://www.w3.org/2000/svg}"
BOARDS = [
    *((name, {}) for name in GAMES),
    ("seega", {"size": "7"}),
    *(("fanorona", {"board": f"{r}x{f}"}) for r, f in ((3, 3), (3, 21), (21, 3), (7, 9), (9, 7))),
]
GLYPHS = {False: "○◆", True: "OX"}
BADIA = "w.b../.###w/b#w#./w###b/.bw.b w c3 e2 -"


@pytest.fixture(autouse=True)
def speak_english() -> Iterator[None]:
    i18n.set_language("en")
    yield
    i18n.set_language(None)


def read(drawing: str, glyphs: str) -> dict[str, str]:
    """Read the pawns of a drawing back: the character at each rank's row and file's column."""
    rows = drawing.split("\n\n", maxsplit=1)[0].split("\n")
    files = {at: name for at, name in enumerate(rows[-1]) if name != " "}
    pawns = {}
    for row in rows[:-1]:
        rank = re.match(r" *(\d+) ", row)
        if rank is None:
            continue
        for at, file in files.items():
            glyph = row[at] if at < len(row) else " "
            pawns[f"{file}{rank[1]}"] = "wb"[glyphs.index(glyph)] if glyph in glyphs else "."
    return pawns


def cell_order(name: str) -> tuple[str, int]:
    return name[0], int(name[1:])


def positions(name: str, options: dict[str, str]) -> Iterator[damier.Position]:
    """Yield the start and some positions after it, unfinished moves included."""
    position = damier.load_rules(name, **options).start()
    for k in range(40):
        yield position
        steps = position.steps()
        if not steps:
            return
        position = position.step(steps[(7 * k) % len(steps)].number)


@pytest.mark.parametrize(("name", "options"), BOARDS)
@pytest.mark.parametrize("ascii", [False, True])
def test_every_pawn_is_where_it_stands(name: str, options: dict[str, str], ascii: bool) -> None:
    marked_glyphs = str.maketrans("◎◈", "○◆") if not ascii else str.maketrans("ox", "OX")
    for position in positions(name, options):
        drawing = terminal(position, ascii=ascii)
        board = drawing.split("\n\n")[0]
        if ascii:
            assert board.isascii()
            rows = board.split("\n")
            board = "\n".join([*(r.translate(marked_glyphs) for r in rows[:-1]), rows[-1]])
        else:
            board = board.translate(marked_glyphs)
        found = read(board, GLYPHS[ascii])
        for cell in position.rules.board.indices:
            assert found[cell] == position.cell(cell), f"{cell} in\n{drawing}"
        for cell in position.rules.board.names:
            assert cell in found


@pytest.mark.parametrize(("name", "options"), BOARDS)
def test_colour_adds_nothing_but_colour(name: str, options: dict[str, str]) -> None:
    for position in positions(name, options):
        coloured = terminal(position, colour=True, marked=["a1"])
        assert "\x1b[" in coloured
        plain = re.sub(r"\x1b\[[\d;]*m", "", coloured)
        assert [row.rstrip() for row in plain.split("\n")] == terminal(
            position, marked=["a1"]
        ).split("\n")


def row(drawing: str, rank: int) -> str:
    return next(line for line in drawing.split("\n") if line.startswith(f"{rank} "))


def test_places_differ_without_colour() -> None:
    fraha = terminal(damier.load_rules("fraha").start())
    assert row(fraha, 3) == "3 │   ┃   ┃▒▒▒┃   ┃   │"
    assert "├───╆━━━┿━━━┿━━━╅───┤" in fraha
    chefa = terminal(damier.load_rules("chefa").start())
    assert row(chefa, 3) == "3 │   │   ┃▒▒▒┃   │   │"
    seega = terminal(damier.load_rules("seega").start())
    assert row(seega, 3) == "3 │   │   ┃ ╳ ┃   │   │"
    badia = terminal(damier.load_rules("badia").start())
    assert row(badia, 3) == "3 │   │ → │   │ ← │   │"
    assert row(badia, 2) == "2 │   │     ↑     │   │"
    assert row(badia, 1) == "1 │   │   ┃   ┃   │   │"
    for game in ("fraha", "chefa", "seega", "badia"):
        ascii = terminal(damier.load_rules(game).start(), ascii=True)
        assert row(ascii, 3) != row(ascii, 4)


def test_lines_of_fanorona() -> None:
    drawn = terminal(damier.load_rules("fanorona", board="3x5").position("...../.w.b./..... w 0"))
    assert drawn.split("\n")[:6] == [
        "3  ┌───┬───┬───┬───┐",
        "   │ ╲ │ ╱ │ ╲ │ ╱ │",
        "2  ├───○───┼───◆───┤",
        "   │ ╱ │ ╲ │ ╱ │ ╲ │",
        "1  └───┴───┴───┴───┘",
        "   a   b   c   d   e",
    ]


def test_marked_cells_and_the_pawn_in_play() -> None:
    drawn = terminal(damier.load_rules("fraha").start(), marked=["a1", "b1"])
    assert row(drawn, 1) == "1 │[○]│[ ]│   │   │ ○ │"
    badia = terminal(damier.load_rules("badia").position(BADIA))
    assert "◎" in row(badia, 3)
    assert "◈" in row(badia, 2)
    with pytest.raises(DamierError):
        terminal(damier.load_rules("badia").start(), marked=["b2"])
    with pytest.raises(DamierError):
        svg(damier.load_rules("badia").start(), marked=["z9"])


def chain() -> damier.Position:
    """Return a position inside a chain of captures."""
    position = damier.load_rules("fanorona").start()
    for _ in range(60):
        for step in position.steps():
            after = position.step(step.number)
            if after.unfinished and "-" in after.begun:
                return after
        position = position.legal_moves()[0].after
    raise AssertionError("no chain found")


def test_a_chain_shows_its_pawn_and_what_is_closed_to_it() -> None:
    after = chain()
    start, here = re.findall(r"[a-z]\d+", after.begun)[:2]
    drawn = terminal(after)
    assert "<○>" in drawn or "<◆>" in drawn
    assert drawn.split("\n\n")[0].count("*") == 1
    assert f"In play: the pawn on {here} ({after.begun}…). It may not go back to {start}." in drawn
    assert len(ElementTree.fromstring(svg(after)).findall(f"{SVG}polygon")) == 1  # the star


@pytest.mark.parametrize(
    ("game", "text", "english", "french"),
    [
        ("fraha", "w...w/.b.b./...../.b.b./w...w w", "White to move.", "Aux Blancs de jouer."),
        (
            "chefa",
            "b...w/...../...../.b.bw/..wwb w e5=a5",
            "White to move. Barred by the ko: e5=a5.",
            "Aux Blancs de jouer. Interdit par le ko : e5=a5.",
        ),
        (
            "chefa",
            "b..../...../...../...../..... w -",
            "White to move. In hand: White 4, Black 3.",
            "Aux Blancs de jouer. En main : Blancs 4, Noirs 3.",
        ),
        (
            "badia",
            BADIA,
            "White to move. Marked, not to be displaced next: White c3, Black e2.",
            "Aux Blancs de jouer. Marqués, à ne pas rejouer aussitôt : Blancs c3, Noirs e2.",
        ),
        (
            "badia",
            "w.b../.###w/b#w#./w###b/.bw.. b c3 - D",
            "Black to move. Black first puts back the lifted pawn, which stays marked. "
            "Marked, not to be displaced next: White c3.",
            "Aux Noirs de jouer. Les Noirs reposent d’abord le pion soulevé, qui reste marqué. "
            "Marqués, à ne pas rejouer aussitôt : Blancs c3.",
        ),
        (
            "seega",
            "w.b.w/.bb../w.wbb/.w..b/bw..w w 0 0 p 7",
            "White to move. Black has just passed. Moves without capture: 7.",
            "Aux Blancs de jouer. Les Noirs viennent de passer. Coups sans prise : 7.",
        ),
        ("seega", "b..../...../...../...../..... w 0 0 - 0", "Black wins", "Les Noirs gagnent"),
    ],
)
def test_captions(game: str, text: str, english: str, french: str) -> None:
    position = damier.load_rules(game).position(text)
    assert " ".join(caption(position)).startswith(english)
    assert terminal(position).split("\n")[-1].startswith(english)
    i18n.set_language("fr")
    assert " ".join(caption(position)).startswith(french)
    first, *more = caption(position)
    root = ElementTree.fromstring(svg(position))
    assert first in (root[0].text or "")
    assert " ".join(more) in (root[1].text or "")


def test_seega_says_that_one_more_is_to_be_placed() -> None:
    position = damier.load_rules("seega").start().step(0)
    assert "Placed on a1, one more pawn to place." in terminal(position)
    assert "In hand: White 11, Black 12." in terminal(position)


def test_a_pawn_about_to_be_put_is_not_in_hand() -> None:
    position = damier.load_rules("badia").position("w.b.b/w###w/.#b#./w###b/..w.b w - - -")
    step = next(s for s in position.steps() if s.text == "c1-c3")
    after = position.step(step.number)
    assert after.unfinished
    assert "In hand" not in terminal(after)


@pytest.mark.parametrize(("name", "options"), BOARDS)
@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_svg_is_well_formed(name: str, options: dict[str, str], language: str) -> None:
    i18n.set_language(language)
    for position in list(positions(name, options))[::9]:
        board = position.rules.board
        root = ElementTree.fromstring(svg(position, marked=["a1"]))
        assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
        described = root[1].text or ""
        for side in "wb":
            cells = [c for c in sorted(board.indices, key=cell_order) if position.cell(c) == side]
            assert f"{i18n.translate(f'side.{side}')}" in described
            assert ", ".join(cells) in described
        labels = [t.text or "" for t in root.iter(f"{SVG}text")]
        assert sorted(labels) == sorted(
            [*(board.names[f][0] for f in range(board.files)), *map(str, range(1, board.ranks + 1))]
        )


@pytest.mark.parametrize(("name", "options"), BOARDS)
def test_svg_pawns_are_where_they_stand(name: str, options: dict[str, str]) -> None:
    for position in list(positions(name, options))[::9]:
        root = ElementTree.fromstring(svg(position, coordinates=False))
        assert not list(root.iter(f"{SVG}text"))
        margin = (float(root.attrib["width"]) - 64 * position.rules.board.files) / 2
        found = {}
        for pawn in root.iter(f"{SVG}use"):
            file = int((float(pawn.attrib["x"]) - margin) // 64)
            rank = position.rules.board.ranks - int((float(pawn.attrib["y"]) - margin) // 64)
            found[f"{chr(97 + file)}{rank}"] = pawn.attrib["href"][-2]
        board = position.rules.board
        assert found == {c: position.cell(c) for c in board.indices if position.cell(c) != "."}


def test_svg_refers_to_nothing_outside() -> None:
    for name in GAMES:
        text = svg(damier.load_rules(name).start(), moves=[("a1", "c1")])
        assert text.count("http") == 1  # the namespace
        ids = set(re.findall(r'id="([^"]+)"', text))
        assert set(re.findall(r"url\(#([^)]+)\)", text)) <= ids
        assert {href[1:] for href in re.findall(r'href="([^"]+)"', text)} <= ids


def test_pictures_on_one_page_have_distinct_ids() -> None:
    one = set(re.findall(r'id="([^"]+)"', svg(damier.load_rules("fraha").start())))
    two = set(re.findall(r'id="([^"]+)"', svg(damier.load_rules("chefa").start())))
    assert not one & two


def test_heat_has_colour_and_label() -> None:
    position = damier.load_rules("chefa").start()
    root = ElementTree.fromstring(
        svg(position, heat={"a1": ("win <5>", 1), "e5": ("loss 4", -1), "c1": ("=", 0)})
    )
    labels = [text.text for text in root.iter(f"{SVG}text")]
    assert {"win <5>", "loss 4", "="} <= set(labels)
    fills = [rect.get("fill") for rect in root.iter(f"{SVG}rect")]
    assert "#1f66b0" in fills
    assert "#c25a12" in fills
    assert "a1: win <5>." in (root[1].text or "")


def test_a_line_of_play_is_drawn_board_by_board() -> None:
    start = damier.load_rules("badia").position(BADIA)
    moves = [start.legal_moves()[0]]
    moves.append(moves[0].after.legal_moves()[0])
    root = ElementTree.fromstring(film(start, moves, "A line"))
    boards = root.findall(f"{SVG}g")
    said = ["White to move.", *(f"{k}. {move}" for k, move in enumerate(moves, 1))]
    assert [board.findtext(f"{SVG}text") for board in boards] == said
    for board, position in zip(boards, (start, *(move.after for move in moves)), strict=True):
        standing = position.white.bit_count() + position.black.bit_count()
        assert len(board.findall(f"{SVG}use")) == 1 + standing  # the board itself, then its pawns


def test_ways_of_pawns_in_a_move() -> None:
    (move,) = (
        move
        for move in damier.load_rules("fraha").start().legal_moves()
        if move.text == "a1-a2,b2>e3"
    )
    assert move.ways == [("a1", "a2"), ("b2", "e3")]


def test_position_draws_itself() -> None:
    position = damier.load_rules("fraha").start()
    assert position.draw(marked=["a1"]) == terminal(position, marked=["a1"])
    assert position.svg(coordinates=False) == svg(position, coordinates=False)


def test_both_languages_have_the_same_texts() -> None:
    english, french = (
        {k: v for k, v in i18n.texts(code).items() if k.startswith("drawing.")}
        for code in i18n.LANGUAGES
    )
    assert set(english) == set(french)
    for key, text in english.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", french[key])), key
    for name in GAMES:
        for place in damier.load_rules(name).board.places:
            assert i18n.has_text(name, f"places.{place}")


@pytest.mark.parametrize(
    "picture",
    [
        {},
        None,
        3,
        [],
        "red",
        {"frame": "#123456"},
        {"cell": 5, "places": None},
        {"nothing": "known", "places": {"centre": ["#fff"], "outer": "#abc"}},
        {"frame": '"><script>'},
    ],
)
def test_missing_colours_have_defaults(picture: object, monkeypatch: pytest.MonkeyPatch) -> None:
    position = damier.load_rules("chefa").start()
    monkeypatch.setitem(vars(position.rules.folder), "look", {"picture": picture})
    found = style.look({"picture": picture})
    assert found.ink == style.PLAIN.ink
    text = svg(position)
    assert style.PLAIN.cell in text
    assert "script" not in text
    if isinstance(picture, dict) and picture.get("frame") == "#123456":
        assert found.frame == "#123456"
