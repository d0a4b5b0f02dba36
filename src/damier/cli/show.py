"""`damier show`: draw a position."""

import argparse

from damier.cli.common import add_position, add_rules, draw_board, position_of
from damier.cli.terminal import print_raw
from damier.i18n import translate


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_rules(parser)
    add_position(parser)
    parser.add_argument("--svg", action="store_true", help=translate("cli.show.svg"))


def run(args: argparse.Namespace) -> int:
    """Print the board, the position's text and the result, if any."""
    position = position_of(args)
    if args.svg:
        print(position.svg())
        return 0
    print_raw(draw_board(position))
    print(position)
    result = position.result()
    if result:
        print(result.sentence())
    return 0
