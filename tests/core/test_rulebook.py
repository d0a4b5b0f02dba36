"""The rulebook: it agrees with the rules, in both languages, and is published."""

import re
from pathlib import Path

import pytest

from damier.errors import DamierError
from damier.games import GAMES
from damier.games.constants import REASONS
from damier.i18n import LANGUAGES
from damier.rulebook import SECTIONS, RulebookError, parse, read, source
from damier.rulebook.render import render_page

ROOT = Path(__file__).parents[2]
PAGES = [(name, language) for name in GAMES for language in LANGUAGES]
# A new game's rule numbers begin with the first two letters of its name.
PREFIX = {name: name[:2].upper() for name in GAMES}


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_a_page_has_every_section_and_some_diagrams(name: str, language: str) -> None:
    page = read(name, language)
    assert [section.key for section in page.sections] == list(SECTIONS)
    assert all(section.text for section in page.sections)
    assert len(page.section("turn").diagrams) >= 3
    assert page.section("board").diagrams
    assert page.section("end").diagrams


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_moves_to_find_do_what_the_caption_says(name: str, language: str) -> None:
    page = read(name, language)
    found = [(d, move) for d in page.diagrams for move in d.tries]
    assert found
    for diagram, move in found:
        result = diagram.position.play(move).result()
        assert result is not None
        assert result.winner == diagram.position.side
        assert re.search(r"\bwin\b|gagnent", diagram.caption)


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_positions_in_the_text_are_positions(name: str, language: str) -> None:
    page = read(name, language)
    start = str(page.diagrams[0].position.rules.start())
    assert f"`{start}`" in page.section("notation").text
    assert str(page.section("board").diagrams[0].position) == start


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_every_option_value_and_preset_is_explained(name: str, language: str) -> None:
    text = read(name, language).section("options").text
    for option in GAMES[name].rules.OPTIONS:
        assert f"| `{option.name}`" in text
        assert f"`{option.name}={option.default}`" in text
        if not option.values:
            assert f"`{option.name}=0`" in text
        for value in option.values:
            long = len(option.values) > 8 and value != option.default
            assert (f"`{value}`" if long else f"`{option.name}={value}`") in text
    for preset, options in GAMES[name].rules.PRESETS.items():
        assert f"`{preset}`" in text
        for key, value in options.items():
            assert f"`{key}={value}`" in text
    known = {option.name for option in GAMES[name].rules.OPTIONS}
    assert set(re.findall(r"`([a-z_]+)=", text)) == known


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_every_rule_has_a_line_in_the_page(name: str, language: str) -> None:
    numbers = re.findall(
        r"^\| ([A-Z]+)-(\d+) \| \S.*\|$", read(name, language).section("numbers").text, re.M
    )
    assert numbers == [(PREFIX[name], str(k + 1)) for k in range(len(numbers))]
    code = (ROOT / f"src/damier/games/{name}/rules.py").read_text("utf-8")
    cited = {int(n) for n in re.findall(rf"\b{PREFIX[name]}-(\d+)", code)}
    assert max(cited) <= len(numbers)
    options = read(name, language).section("numbers").text
    for option in GAMES[name].rules.OPTIONS:
        assert f"`{option.name}`" in options


@pytest.mark.parametrize("name", GAMES)
def test_both_languages_show_the_same(name: str) -> None:
    english, french = (read(name, language) for language in LANGUAGES)
    for one, other in zip(english.sections, french.sections, strict=True):
        assert len(one.parts) == len(other.parts), one.key
        for part, same in zip(one.parts, other.parts, strict=True):
            assert isinstance(part, str) == isinstance(same, str)
        for diagram, same_diagram in zip(one.diagrams, other.diagrams, strict=True):
            assert diagram.equals_except_caption(same_diagram)
        for pattern in (r"^### ", r"^ *- ", r"`[^`]+`", r"^\d\. "):
            ours = re.findall(pattern, one.text, re.M)
            assert len(ours) == len(re.findall(pattern, other.text, re.M)), (one.key, pattern)
    assert len(english.section("numbers").text.split("\n")) == len(
        french.section("numbers").text.split("\n")
    )


def test_french_spaces_do_not_break() -> None:
    for name in GAMES:
        for line in source(name, "fr").split("\n"):
            prose = re.sub(r"`[^`]*`", "", line)
            assert not re.search(r" [:;?!»]|« |'", prose), line


def test_credits_and_dates() -> None:
    for language in LANGUAGES:
        for name in ("fraha", "chefa", "badia"):
            assert "Patrik Carpentier" in read(name, language).section("origin").text
        assert "2008" in read("chefa", language).section("origin").text
        assert "2009" in read("badia", language).section("origin").text
        assert "Madagascar" in read("fanorona", language).section("origin").text
        assert re.search("[EÉ]gypt", read("seega", language).section("origin").text)


def broken(old: str, new: str) -> str:
    text = source("fraha", "en")
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# Fraha", "Fraha", "title"),
        ("## The aim", "## The goal", "The aim"),
        ("legal: a1-a2,b2>e3", "legal: a1-a2", "a1-a2 is not legal"),
        ("illegal: e3-e4", "illegal: e3-d3", "e3-d3 is legal"),
        ("try: e1-d1", "try: e1-d2", "e1-d2 is not legal"),
        ("try: e1-d1", "hint: e1-d1", "not a line of a diagram"),
        ("marked: b2\n", "marked: b9\n", "b9"),
        ("```position", "```python", "fenced"),
        (
            "w...w/.b.b./...../.b.b./w...w w\ncaption: The s",
            "w...w/.b.b. w\ncaption: The s",
            "ranks",
        ),
        ("caption: White to play and win.\n", "", "caption"),
        ("`c2-d2` is", "`c2-c3` is", "says whether `c2-c3` is legal"),
        ("| FR-10 | Third occurrence of a position: draw. |", "## More", "unexpected"),
    ],
)
def test_a_page_that_is_wrong_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(RulebookError, match=re.escape(message)):
        parse("fraha", "en", broken(old, new))


def test_only_games_and_languages_are_read() -> None:
    with pytest.raises(DamierError):
        read("../fraha", "en")
    with pytest.raises(DamierError):
        read("fraha", "../en")


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_the_published_pages_are_up_to_date(name: str, language: str) -> None:
    directory = ROOT / "docs" / "rules"
    files = render_page(name, language)
    for path, text in files.items():
        assert (directory / path).read_text("utf-8") == text, (
            f"{path} is out of date: run python -m damier.rulebook docs/rules"
        )
    there = {
        f"pictures/{p.name}" for p in (directory / "pictures").glob(f"{name}-*.{language}.svg")
    }
    assert there == {path for path in files if path.endswith(".svg")}


def test_the_glossary_names_what_the_code_names() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    for folder in GAMES.values():
        module = folder.rules
        for place in module.board(0).places:
            assert f"`{place}`" in text
        for field in module.FIELDS:
            assert f"`{field}`" in text
    for reason in REASONS[1:]:
        assert f"`{reason}`" in text


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "rules").glob("*.md")), ids=str)
def test_a_footer_names_a_file_that_exists(path: Path) -> None:
    named = re.search(r"src/damier/games/\S+\.md", path.read_text("utf-8"))
    assert named is not None
    assert (ROOT / named[0]).is_file()
