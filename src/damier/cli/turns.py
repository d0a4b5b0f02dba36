"""`damier turns`: list the legal turns of a position."""

import argparse

from damier.cli.common import add_position, add_rules, position_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_rules(parser)
    add_position(parser)


def run(args: argparse.Namespace) -> int:
    """Print the turns, one a line."""
    for turn in position_of(args).turns():
        print(turn)
    return 0
