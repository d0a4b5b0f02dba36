"""`damier results`: generate the results page from the tables, and the pages of the lab."""

import argparse
from pathlib import Path

from damier.i18n import translate


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "directory", nargs="?", default="docs", help=translate("solve.results.directory")
    )


def run(args: argparse.Namespace) -> int:
    """Write the pages in French and English, with their pictures."""
    from damier.lab import documents
    from damier.report import page

    directory = Path(args.directory)
    for path in (*page.write_pages(directory), *documents.write_pages(directory)):
        print(path)
    return 0
