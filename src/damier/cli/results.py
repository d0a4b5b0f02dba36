"""`damier results`: generate the results page from the tables, and the pages of the lab.

With --endings it generates the page on a game's table of endings, which no package contains.
"""

import argparse
from pathlib import Path

from damier.cli.common import game_name
from damier.i18n import translate
from damier.position import load_rules


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "directory", nargs="?", default="docs", help=translate("solve.results.directory")
    )
    game = translate("cli.game")
    parser.add_argument("--endings", metavar=game, help=translate("cli.results.endings"))


def run(args: argparse.Namespace) -> int:
    """Write the pages in French and English, with their pictures."""
    from damier.lab import documents
    from damier.report import endings, page

    directory = Path(args.directory)
    if args.endings is not None:
        for path in endings.write_pages(load_rules(game_name(args.endings)), directory):
            print(path)
        return 0
    for path in (*page.write_pages(directory), *documents.write_pages(directory)):
        print(path)
    return 0
