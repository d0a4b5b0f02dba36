"""Write the rulebook with its pictures: `python -m damier.rulebook docs/rules`."""

import argparse
from pathlib import Path

from damier import files
from damier.games import GAMES
from damier.i18n import LANGUAGES
from damier.rulebook.render import render_page


def main() -> None:
    """Write all pages and pictures, and remove pictures that no page uses any more."""
    parser = argparse.ArgumentParser(prog="python -m damier.rulebook", description=__doc__)
    parser.add_argument("directory", type=Path, help="where the pages go, such as docs/rules")
    directory: Path = parser.parse_args().directory
    pages: dict[str, str] = {}
    for name in GAMES:
        for language in LANGUAGES:
            pages.update(render_page(name, language))
    for path in (directory / "pictures").glob("*.svg"):
        if f"pictures/{path.name}" not in pages:
            path.unlink()
    for name, text in pages.items():
        files.write_text(directory / name, text)


if __name__ == "__main__":
    main()
