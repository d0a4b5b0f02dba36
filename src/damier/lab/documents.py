"""Published reports of the bundled games as pages of the documentation, in both languages."""

from __future__ import annotations

from pathlib import Path

from damier import i18n
from damier.games import GAMES
from damier.lab import markdown, stored_report
from damier.position import load_rules


def write_pages(directory: Path) -> list[Path]:
    """Write the pages and their pictures to the folder `lab`; return the paths of the pages."""
    written = []
    for name, folder in GAMES.items():
        if not folder.bundled:
            continue
        report = stored_report(load_rules(name))
        for language in i18n.LANGUAGES:
            suffix = "" if language == "en" else f".{language}"
            path = directory / "lab" / f"{name}{suffix}.md"
            with i18n.use_language(language):
                markdown.write(report, path)
            written.append(path)
    return written
