"""`damier site`: build the page as a folder of files that needs no server, and show it."""

import argparse
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Thread

from damier.cli.common import add_games, load_games
from damier.cli.web import listen
from damier.lang import say

_SITE, _PYODIDE = Path("build/site"), Path("node_modules/pyodide")
_PORT = 8080


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--output", type=Path, default=_SITE, metavar=say("cli.folder"), help=say("site.output")
    )
    parser.add_argument(
        "--pyodide",
        type=Path,
        default=_PYODIDE,
        metavar=say("cli.folder"),
        help=say("site.pyodide"),
    )
    parser.add_argument("--node", default="node", metavar=say("cli.file"), help=say("site.node"))
    add_games(parser)
    parser.add_argument("--serve", action="store_true", help=say("site.serve"))
    parser.add_argument(
        "--port", type=int, default=_PORT, metavar=say("cli.number"), help=say("cli.web.port")
    )
    parser.add_argument("--no-browser", action="store_true", help=say("cli.web.no-browser"))


def run(args: argparse.Namespace) -> int:
    """Build the site; with --serve, give it out until Ctrl-C."""
    from damier.site.build import build

    load_games(args)
    print(say("site.begun"), flush=True)
    version = build(args.output, args.pyodide, args.node)
    print(say("site.built", path=args.output, version=version), flush=True)
    if args.serve:
        _serve(args)
    return 0


def _serve(args: argparse.Namespace) -> None:
    """Give out the site as any web host would, until Ctrl-C."""
    from damier.site.serve import host

    with listen("127.0.0.1", args.port) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        print(say("cli.web.address", address=address), flush=True)
        if not args.no_browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        with suppress(KeyboardInterrupt):
            host(args.output, listener).serve_forever()
