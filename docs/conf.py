"""Sphinx configuration of the documentation site, built once for each language (`make docs`).

`X.md` is the English page, `X.fr.md` its French translation. The English site is the root of the
output, the French one its folder `fr`. A page without a translation is in both sites.
"""

import os
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

import damier

DOCS = Path(__file__).parent

FRENCH = tags.has("fr")  # type: ignore[name-defined]  # noqa: F821  defined by Sphinx
OTHER_LANGUAGE = "en" if FRENCH else "fr"

project = "damier"
author = "The damier developers"
copyright = f"{author}, MIT"
release = version = damier.__version__
language = "fr" if FRENCH else "en"
root_doc = "index.fr" if FRENCH else "index"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_design",
]
source_suffix = {".md": "markdown"}
templates_path = ["_templates"]
html_static_path = ["_static"]
exclude_patterns = ["_build", "_templates"]


def translations() -> dict[str, str]:
    """Return the French page name for each English page that has one."""
    found = {}
    for path in DOCS.rglob("*.fr.md"):
        french = path.relative_to(DOCS).with_suffix("").as_posix()
        english = french.removesuffix(".fr")
        found[f"{english}.en" if (DOCS / f"{english}.en.md").exists() else english] = french
    return found


TRANSLATIONS = translations()
if FRENCH:
    exclude_patterns += [f"{english}.md" for english in TRANSLATIONS]
else:
    exclude_patterns += ["*.fr.md", "**/*.fr.md"]

# Headings are link targets, as on GitHub. Tables and quotation marks are written as in the sources.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
myst_url_schemes = {"http": None, "https": None, "mailto": None, "site": "{{path}}"}
smartquotes = False
default_role = "code"  # `name` in docstrings

autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_title = "damier"
html_favicon = "../src/damier/web/static/icon.svg"
html_css_files = ["damier.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_context = {"default_mode": "auto"}
html_theme_options: dict[str, Any] = {
    "logo": {"text": "damier"},
    "navbar_end": ["play-link", "language-switch", "theme-switcher"],
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index*": [], "changelog": []}


# Pages that are only in the other language's site.
ELSEWHERE = TRANSLATIONS.keys() if FRENCH else set(TRANSLATIONS.values())


def other_address(page: str, target: str) -> str:
    """Return the relative address of a page of the other language's site."""
    up = "../" * page.count("/")
    return f"{up}../{target}.html" if FRENCH else f"{up}fr/{target}.html"


def counterpart(page: str) -> str:
    """Return the name of a page in the other language."""
    if FRENCH:
        return {french: english for english, french in TRANSLATIONS.items()}.get(page, page)
    return TRANSLATIONS.get(page, page)


def add_links(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Tell the templates of a page the addresses of its translation and of the games."""
    target = counterpart(page if page in app.env.found_docs else root_doc)
    context["counterpart"] = other_address(page, target)
    context["other_language"] = OTHER_LANGUAGE
    context["play"] = "../" * (page.count("/") + FRENCH) + "../"


def link_other_language(page: str, folder: Path, source: list[str]) -> None:
    """Replace links to pages of the other language by addresses in its site."""

    def replace(link: re.Match[str]) -> str:
        target = os.path.relpath(folder / link[1], DOCS)
        return f"](site:{other_address(page, target)})" if target in ELSEWHERE else link[0]

    source[0] = re.sub(r"\]\(([\w./-]+)\.md(?:#[^)]+)?\)", replace, source[0])


def read_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Prepare the text of a page."""
    link_other_language(page, (DOCS / page).parent, source)


def read_included(app: Sphinx, path: Path, page: str, source: list[str]) -> None:
    """Prepare the text of a file that a page includes."""
    link_other_language(page, (DOCS / path).parent, source)


def setup(app: Sphinx) -> None:
    """Register the hooks."""
    app.connect("html-page-context", add_links)
    app.connect("source-read", read_page)
    app.connect("include-read", read_included)
