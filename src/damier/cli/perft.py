"""`damier perft`: count the paths through distinct positions, to compare implementations."""

import argparse

from damier.cli.common import add_position, add_rules, position_of
from damier.errors import DamierError
from damier.games.constants import whole_number
from damier.i18n import translate


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_rules(parser)
    parser.add_argument("depth", metavar="N", help=translate("cli.perft.depth"))
    add_position(parser)


def run(args: argparse.Namespace) -> int:
    """Print the number of paths of each length up to N."""
    position = position_of(args)
    depth = whole_number(args.depth)
    if depth is None:
        raise DamierError("depth", text=args.depth)
    if depth > 2:  # for shallow counts, loading the compiler takes longer than counting
        position.rules.compile()
    for length in range(1, depth + 1):
        print(length, position.perft(length), flush=True)
    return 0
