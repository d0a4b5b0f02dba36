"""`damier warmup`: compile the kernels in advance, so that the first answer is not slow."""

import argparse
import sys
from time import perf_counter

from damier.cli.common import game_name, is_interactive
from damier.cli.terminal import print_raw
from damier.games import GAMES
from damier.i18n import translate
from damier.position import load_rules


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "games", nargs="*", metavar=translate("cli.game"), help=translate("cli.warmup.games")
    )


def run(args: argparse.Namespace) -> int:
    """Compile the named games, or all, and print how long each took.

    Return 1 if the compiled code cannot be cached for other commands; `main` prints the reason.
    """
    from damier.jit import native
    from damier.search import warm

    for rules in [load_rules(game_name(name)) for name in args.games or GAMES]:
        began = perf_counter()
        if is_interactive(sys.stdout):
            print_raw(translate("warmup.begins", game=rules.name), end="\r")
        warm(rules)
        rules.start().perft(1)
        seconds = f"{perf_counter() - began:.1f}"
        print(translate("warmup.done", game=rules.name, seconds=seconds), flush=True)
    return 1 if native.cache_error() else 0
