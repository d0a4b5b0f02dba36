"""`damier results`: write the page of results, from the tables and nothing else."""

import argparse
from pathlib import Path

from damier.lang import say


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("directory", nargs="?", default="docs", help=say("solve.results.directory"))


def run(args: argparse.Namespace) -> int:
    """Write the pages in French and English, with their pictures."""
    from damier.report.page import write_pages

    for path in write_pages(Path(args.directory)):
        print(path)
    return 0
