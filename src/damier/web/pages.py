"""Descriptions of rulebook pages and lessons in JSON."""

from collections.abc import Callable
from functools import cache
from typing import Any

from damier.games import GAMES
from damier.learning.lessons import Lessons, LessonStage, LessonStep
from damier.rulebook import Diagram, read
from damier.web.state import describe_actions, describe_board, describe_pawns


@cache
def describe_rules(name: str, language: str) -> dict[str, Any]:
    """Return a page of the rulebook: Markdown text, and diagrams."""
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
                    part if isinstance(part, str) else _describe_diagram(part)
                    for part in section.parts
                ],
            }
            for section in page.sections
        ],
    }


def _describe_diagram(diagram: Diagram) -> dict[str, Any]:
    position = diagram.position
    return {
        "board": describe_board(position.rules.board),
        "position": str(position),
        "cells": describe_pawns(position),
        "side": position.side,
        "options": dict(position.rules.changed),
        "caption": diagram.caption,
        "marked": list(diagram.marked),
        "arrows": [list(arrow) for arrow in diagram.arrows],
        "tries": list(diagram.tries),
    }


def describe_lessons(lessons: Lessons, language: str) -> dict[str, Any]:
    """Return a game's lessons with their texts in a language."""
    return {
        "game": lessons.game,
        "steps": [_describe_step(lessons, s, language) for s in lessons.steps],
    }


def _describe_step(lessons: Lessons, step: LessonStep, language: str) -> dict[str, Any]:
    def text_of(part: str) -> str:
        return lessons.said(f"{step.key}.{part}", language)

    return {
        "key": step.key,
        "title": text_of("title"),
        "done": text_of("done"),
        "against": step.against,
        "lost": text_of("lost"),
        "drawn": text_of("drawn"),
        "stages": [
            _describe_stage(stage, text_of(f"then.{k}" if k else "do"), text_of)
            for k, stage in enumerate(step.stages)
        ],
    }


def _describe_stage(stage: LessonStage, text: str, text_of: Callable[[str], str]) -> dict[str, Any]:
    return {
        "position": str(stage.position),
        "side": stage.position.side,
        "text": text,
        "shown": describe_actions(stage.position, stage.shown.steps),
        "refused": [
            {"origin": origin, "target": target, "text": text_of(f"wrong.{name}")}
            for (origin, target), name in stage.refused.items()
        ],
    }
