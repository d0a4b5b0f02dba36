"""Names of players: visible characters, and no marks stacked over other lines."""

from __future__ import annotations

import unicodedata

from damier.errors import DamierError

MAX_NAME_LENGTH = 30
MAX_MARKS = 3  # combining marks on one character; languages need up to three
_BLANK = {"\u115f", "\u1160", "\u2800", "\u3164", "\uffa0", "\U0001d159"}  # letters without ink
# Marks without ink that are allowed between others, such as variation selectors of emoji.
_INVISIBLE_MARKS = ("\u034f", "\u17b4", "\u17b5", "\u180b", "\u180c", "\u180d", "\u180f")
_VARIATION_SELECTORS = (("\ufe00", "\ufe0f"), ("\U000e0100", "\U000e01ef"))


def normalize_name(name: str) -> str:
    """Return a name in canonical form, with single spaces; raise DamierError if it is not valid."""
    text = unicodedata.normalize("NFC", name)
    visible = "".join(" " if _is_blank(c) else c for c in text if not _is_invisible_mark(c))
    cleaned = " ".join(visible.split())
    if not cleaned or len(cleaned) > MAX_NAME_LENGTH:
        raise DamierError("name", most=MAX_NAME_LENGTH)
    if not any(unicodedata.category(c)[0] in "LNS" for c in cleaned):
        raise DamierError("name-letters")
    marks = MAX_MARKS  # a mark on a space or at the beginning is one too many
    for character in cleaned:
        is_mark = unicodedata.category(character)[0] == "M"
        marks = marks + 1 if is_mark else MAX_MARKS if character == " " else 0
        if marks > MAX_MARKS:
            raise DamierError("name-letters")
    return cleaned


def _is_blank(character: str) -> bool:
    """Return whether a character shows nothing: a space, a control character or a filler."""
    return character in _BLANK or not character.isprintable()


def _is_invisible_mark(character: str) -> bool:
    is_selector = any(first <= character <= last for first, last in _VARIATION_SELECTORS)
    return is_selector or character in _INVISIBLE_MARKS
