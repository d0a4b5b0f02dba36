"""`damier moves`: list the legal moves of a position."""

import argparse

from damier.cli.common import add_position, add_rules, position_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_rules(parser)
    add_position(parser)


def run(args: argparse.Namespace) -> int:
    """Print the moves, one per line."""
    for move in position_of(args).legal_moves():
        print(move)
    return 0
