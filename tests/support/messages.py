"""Checks of messages about a custom game."""

import re
from pathlib import Path

from damier import DamierError, i18n


def check_message(error: DamierError, path: Path) -> None:
    """Check that a message names the file and the line, in both languages, in plain words."""
    english = str(error)
    with i18n.use_language("fr"):
        french = str(error)
    assert english != french
    for text in (english, french):
        assert re.search(rf"{re.escape(str(path))}:\d+", text), text
        assert "Traceback" not in text
        assert not re.search("[Nn]umba|njit|TypingError|reflected", text)
