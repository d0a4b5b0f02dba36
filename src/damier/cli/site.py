"""`damier site`: build the page as static files, and optionally serve them."""

import argparse
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Thread

from damier.cli.common import add_games, add_no_browser, add_port, load_games
from damier.cli.web import listen
from damier.i18n import translate

_SITE, _PYODIDE = Path("build/site"), Path("node_modules/pyodide")
_PORT = 8080


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    folder = translate("cli.folder")
    parser.add_argument(
        "--output", type=Path, default=_SITE, metavar=folder, help=translate("site.output")
    )
    parser.add_argument(
        "--pyodide", type=Path, default=_PYODIDE, metavar=folder, help=translate("site.pyodide")
    )
    parser.add_argument(
        "--node", default="node", metavar=translate("cli.file"), help=translate("site.node")
    )
    parser.add_argument("--docs", type=Path, metavar=folder, help=translate("site.docs"))
    add_games(parser)
    parser.add_argument("--serve", action="store_true", help=translate("site.serve"))
    add_port(parser, _PORT)
    add_no_browser(parser)


def run(args: argparse.Namespace) -> int:
    """Build the site; with --serve, serve it until Ctrl-C."""
    from damier.site.build import build

    load_games(args)
    print(translate("site.begun"), flush=True)
    version = build(args.output, args.pyodide, args.node, args.docs)
    print(translate("site.built", path=args.output, version=version), flush=True)
    if args.serve:
        _serve(args)
    return 0


def _serve(args: argparse.Namespace) -> None:
    """Serve the site as static files until Ctrl-C."""
    from damier.site.serve import host

    with listen("127.0.0.1", args.port) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        print(translate("cli.web.address", address=address), flush=True)
        if not args.no_browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        with suppress(KeyboardInterrupt):
            host(args.output, listener).serve_forever()
