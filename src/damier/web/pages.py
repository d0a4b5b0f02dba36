"""The rulebook's pages and the lessons as the page draws them."""

from collections.abc import Callable
from functools import cache
from typing import Any

from damier.games import GAMES
from damier.lessons import Lessons, Stage, Step
from damier.rulebook import Diagram, read
from damier.web.state import actions_out, board_out, pawns_out


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


def lessons_out(lessons: Lessons, language: str) -> dict[str, Any]:
    """Return a game's lessons with their words in a language."""
    return {"game": lessons.game, "steps": [_step_out(lessons, s, language) for s in lessons.steps]}


def _step_out(lessons: Lessons, step: Step, language: str) -> dict[str, Any]:
    def said(part: str) -> str:
        return lessons.said(f"{step.key}.{part}", language)

    return {
        "key": step.key,
        "title": said("title"),
        "done": said("done"),
        "against": step.against,
        "lost": said("lost"),
        "drawn": said("drawn"),
        "stages": [
            _stage_out(stage, said(f"then.{k}" if k else "do"), said)
            for k, stage in enumerate(step.stages)
        ],
    }


def _stage_out(stage: Stage, text: str, said: Callable[[str], str]) -> dict[str, Any]:
    return {
        "position": str(stage.position),
        "side": stage.position.side,
        "text": text,
        "shown": actions_out(stage.position, stage.shown.steps),
        "refused": [
            {"origin": origin, "target": target, "text": said(f"wrong.{name}")}
            for (origin, target), name in stage.refused.items()
        ],
    }
