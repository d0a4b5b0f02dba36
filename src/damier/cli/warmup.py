"""`damier warmup`: compile everything that playing needs, so that no first answer is slow."""

import argparse
import sys
from time import perf_counter

from damier.cli.common import named, person_at
from damier.games import GAMES
from damier.lang import say
from damier.position import game


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("games", nargs="*", metavar=say("cli.game"), help=say("cli.warmup.games"))


def run(args: argparse.Namespace) -> int:
    """Prepare the games named, or all, and say how long each took.

    Where the code cannot be kept for other commands this was in vain: `main` says why.
    """
    from damier.jit import native
    from damier.search import warm

    for rules in [game(named(name)) for name in args.games or GAMES]:
        began = perf_counter()
        if person_at(sys.stdout):
            print(say("warmup.begins", game=rules.name), end="\r", flush=True)
        warm(rules)
        rules.start().perft(1)
        seconds = f"{perf_counter() - began:.1f}"
        print(say("warmup.done", game=rules.name, seconds=seconds), flush=True)
    return 1 if native.refused() else 0
