"""`damier lessons`: check a game's lessons and print their tasks and solutions."""

import argparse

from damier import i18n
from damier.cli.common import add_game, game_name
from damier.learning import lessons
from damier.learning.lessons import LessonStage, LessonStep
from damier.position import load_rules

MAX_SHOWN = 4  # correct moves printed for each task


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_game(parser)


def run(args: argparse.Namespace) -> int:
    """Check the lessons, and print them step by step."""
    course = lessons.read(load_rules(game_name(args.game)).name)
    for number, step in enumerate(course.steps, 1):

        def text(part: str, step: LessonStep = step) -> str:
            return course.said(f"{step.key}.{part}", i18n.language())

        print(f"{number}. {text('title')}")
        for k, stage in enumerate(step.stages):
            print(f"   {stage.position}")
            print(f"   {text(f'then.{k}' if k else 'do')}")
            print(f"   {_summary_line(step, stage)}")
    return 0


def _summary_line(step: LessonStep, stage: LessonStage) -> str:
    """Return a line with the correct moves, or with the level of the opponent."""
    if step.against is not None:
        return i18n.translate("cli.lessons.game", level=step.against)
    right = [move.text for move in stage.right]
    shown = " ".join([stage.shown.text, *(t for t in right if t != stage.shown.text)][:MAX_SHOWN])
    if len(right) > MAX_SHOWN:
        return i18n.translate("cli.lessons.more", turns=shown, count=len(right))
    return i18n.translate("cli.lessons.turns", turns=shown)
