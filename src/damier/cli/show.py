"""`damier show`: draw a position."""

import argparse

from damier.cli.common import add_position, add_rules, drawn, position_of
from damier.lang import say


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_rules(parser)
    add_position(parser)
    parser.add_argument("--svg", action="store_true", help=say("cli.show.svg"))


def run(args: argparse.Namespace) -> int:
    """Draw the position and say how it stands."""
    position = position_of(args)
    if args.svg:
        print(position.svg())
        return 0
    print(drawn(position))
    print(position)
    result = position.result()
    if result:
        print(result.sentence())
    return 0
