"""Documentation site: a strict build in both languages, and links that lead somewhere."""

import html
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import animated_game
import benchmark_history
import http_reference
import layer_diagram

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


class Page(HTMLParser):
    """Links and targets of an HTML page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.targets: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collect what the attributes of an element name."""
        found = dict(attributes)
        self.links += [value for name in ("href", "src") if (value := found.get(name))]
        self.targets |= {value for name in ("id", "name") if (value := found.get(name))}


def build(target: Path) -> None:
    """Build both languages as `make docs` does."""
    for folder, options in ((target, []), (target / "fr", ["-t", "fr"])):
        options += ["--doctree-dir", f"{target.parent / folder.name}-doctrees"]
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", *options]
        done = subprocess.run([*command, DOCS, folder], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def broken_links(site: Path) -> list[str]:
    """Return the relative links that lead nowhere."""
    pages = {
        path: Page(path.read_text("utf-8"))
        for path in site.rglob("*.html")
        if "_static" not in path.parts
    }
    assert len(pages) > 60
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target == site.parent.resolve():
                continue  # the page of the games
            fragment = unquote(parts.fragment)
            if not target.is_file() or (
                fragment and target in pages and fragment not in pages[target].targets
            ):
                broken.append(f"{path.relative_to(site)}: {link}")
    return broken


@pytest.mark.slow
def test_the_documentation_builds_without_a_warning_and_its_links_work(tmp_path: Path) -> None:
    site = (tmp_path / "docs").resolve()
    build(site)
    assert broken_links(site) == []
    english, french = site / "index.html", site / "fr" / "index.fr.html"
    assert 'href="fr/index.fr.html"' in english.read_text("utf-8")
    assert 'href="../index.html"' in french.read_text("utf-8")
    for page in (site / "rules" / "badia.en.html", site / "fr" / "rules" / "badia.fr.html"):
        assert page.is_file()
    assert not (site / "learn.fr.html").exists()
    assert not (site / "fr" / "learn.html").exists()
    reference = (site / "reference" / "core.html").read_text("utf-8")
    play = reference.partition('id="damier.Position.play"')[2].partition("</dt>")[0]
    text = html.unescape(re.sub(r"<[^>]+>", "", play))
    assert "play(move: str | Move) → Position" in text  # with its types
    assert (site / "searchindex.js").stat().st_size > 10_000


def test_the_http_reference_describes_every_endpoint_and_model() -> None:
    text = http_reference.reference()
    for address in ("POST /api/v1/state", "GET /api/v1/online/lobby", "GET /healthz"):
        assert f"### `{address}`" in text
    assert "### StateRequest" in text
    assert "at most 2,000 items" in text


def test_the_animated_game_is_that_of_its_moves() -> None:
    text = animated_game.PICTURE.read_text("utf-8")
    assert text == animated_game.animation(), "run python tools/animated_game.py"
    assert text.count('<g class="f') == len(animated_game.MOVES)


def test_the_diagram_of_layers_is_that_of_the_import_contract() -> None:
    assert layer_diagram.PICTURE.read_text("utf-8") == layer_diagram.diagram()
    assert ["damier.cli"] in layer_diagram.layers()


def test_the_benchmark_history_is_up_to_date() -> None:
    for path, text in benchmark_history.documents().items():
        assert path.read_text("utf-8") == text, "run python tools/benchmark_history.py"
