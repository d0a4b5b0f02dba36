"""The rulebook's pages as the page draws them."""

from functools import cache
from typing import Any

from damier.games import GAMES
from damier.rulebook import Diagram, read
from damier.web.state import board_out, pawns_out


@cache
def rules_out(name: str, language: str) -> dict[str, Any]:
    """Return a page of the rulebook: Markdown, and diagrams to draw and to try."""
    page = read(name, language)
    return {
        "game": name,
        "games": list(GAMES),
        "title": page.title,
        "opening": page.opening,
        "sections": [
            {
                "key": section.key,
                "title": section.title,
                "parts": [
                    part if isinstance(part, str) else _diagram_out(part) for part in section.parts
                ],
            }
            for section in page.sections
        ],
    }


def _diagram_out(diagram: Diagram) -> dict[str, Any]:
    position = diagram.position
    return {
        "board": board_out(position.rules.board),
        "position": str(position),
        "cells": pawns_out(position),
        "side": position.side,
        "options": dict(position.rules.changed),
        "caption": diagram.caption,
        "marked": list(diagram.marked),
        "arrows": [list(arrow) for arrow in diagram.arrows],
        "tries": list(diagram.tries),
    }
