"""`damier web`: start the server and open the page in a browser."""

import argparse
import asyncio
import errno
import socket
import sys
import webbrowser
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from damier.cli.common import add_games, load_games
from damier.errors import DamierError
from damier.lang import say

if TYPE_CHECKING:
    import uvicorn

_PORT = 8000
_TRIES = 100


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_addresses(parser)
    add_games(parser)
    parser.add_argument("--no-browser", action="store_true", help=say("cli.web.no-browser"))


def add_addresses(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say where a server listens and how it is called."""
    parser.add_argument("--host", default="127.0.0.1", help=say("cli.web.host"))
    parser.add_argument(
        "--port", type=int, default=_PORT, metavar=say("cli.number"), help=say("cli.web.port")
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar=say("cli.name"),
        help=say("cli.web.allow-host"),
    )
    parser.add_argument("--public-url", metavar=say("cli.address"), help=say("cli.web.public-url"))


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from damier.web.app import create_app
    from damier.web.server import Server

    load_games(args)
    public = None if args.public_url is None else public_address(args.public_url)
    listener = listen(args.host, args.port)
    address, hosts = names(listener, args.host, args.allow_host, public)
    server = Server(create_app(hosts=hosts, public=public))
    print(say("cli.web.address", address=address), flush=True)
    try:
        asyncio.run(_serve(server, listener, None if args.no_browser else address))
    except KeyboardInterrupt:
        print(file=sys.stderr)
    finally:
        listener.close()
    return 0


def names(
    listener: socket.socket, asked: str, allowed: list[str], public: str | None
) -> tuple[str, set[str] | None]:  # fmt: skip
    """Return the address of a server on this machine, and the names by which it may be asked for.

    Who listens beyond this machine and names no host wants to be reached by any name.
    """
    host, port = listener.getsockname()[:2]
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
    local = host.startswith("127.") or host == "::1"
    if not local:
        print(say("cli.web.open", host=f"{asked}:{port}"), file=sys.stderr)
    named = {"localhost", shown, asked, host, f"[{host}]", *allowed}
    if public is not None:
        named.add(str(urlsplit(public).hostname))
    return address, named if local or allowed else None


def public_address(text: str) -> str:
    """Return the address of the page, as others find it, that a person gives."""
    try:
        site = urlsplit(text)
        good = site.scheme in ("http", "https") and site.hostname and not site.query + site.fragment
    except ValueError:  # no address at all
        good = False
    if not good:
        raise DamierError("public-url", text=text)
    return text if text.endswith("/") else f"{text}/"


async def _serve(server: "uvicorn.Server", listener: socket.socket, address: str | None) -> None:
    serving = asyncio.create_task(server.serve([listener]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.02)
    if address is not None and not serving.done():
        # A text browser would take the terminal: the thread lets the server go on meanwhile.
        await asyncio.to_thread(webbrowser.open, address)
    await serving


def listen(host: str, port: int, tries: int = _TRIES) -> socket.socket:
    """Return a socket that listens on a port, or on the next one that is free."""
    if not 0 <= port <= 65535:
        raise DamierError("port", port=port)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for tried in range(port, min(port + tries, 65536)):
        # With the protocol named, asyncio sends answers at once: else each waits 40 ms (Nagle).
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, tried))
            listener.listen(128)
        except OSError as error:
            listener.close()
            if error.errno == errno.EACCES:
                raise DamierError("port-barred", port=tried) from None
            if error.errno != errno.EADDRINUSE:
                raise DamierError("no-address", host=host) from None
            continue
        return listener
    raise DamierError("no-port" if tries > 1 else "port-taken", port=port)
