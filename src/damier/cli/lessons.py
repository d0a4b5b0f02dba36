"""`damier lessons`: what a game's lessons ask for, and which turns do it."""

import argparse

from damier import lang, lessons
from damier.cli.common import add_game, named
from damier.lessons import Stage, Step
from damier.position import game

MOST_SHOWN = 4  # turns that do what is asked


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_game(parser)


def run(args: argparse.Namespace) -> int:
    """Check the lessons, and print them step by step."""
    found = lessons.read(game(named(args.game)).name)
    for number, step in enumerate(found.steps, 1):

        def said(part: str, step: Step = step) -> str:
            return found.said(f"{step.key}.{part}", lang.language())

        print(f"{number}. {said('title')}")
        for k, stage in enumerate(step.stages):
            print(f"   {stage.position}")
            print(f"   {said(f'then.{k}' if k else 'do')}")
            print(f"   {_done(step, stage)}")
    return 0


def _done(step: Step, stage: Stage) -> str:
    """Return what does what is asked, in a line."""
    if step.against is not None:
        return lang.say("cli.lessons.game", level=step.against)
    right = [turn.text for turn in stage.right]
    shown = " ".join([stage.shown.text, *(t for t in right if t != stage.shown.text)][:MOST_SHOWN])
    if len(right) > MOST_SHOWN:
        return lang.say("cli.lessons.more", turns=shown, count=len(right))
    return lang.say("cli.lessons.turns", turns=shown)
