"""`damier web`: start the server and open the page in a browser."""

import argparse
import asyncio
import errno
import socket
import sys
import webbrowser
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from damier.cli.common import add_games, add_no_browser, add_port, load_games_to_serve
from damier.errors import DamierError
from damier.i18n import translate

if TYPE_CHECKING:
    import uvicorn

_PORT = 8000
_TRIES = 100  # ports


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_addresses(parser)
    add_games(parser)
    add_no_browser(parser)


def add_addresses(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the address, the port, the host names and the public URL."""
    parser.add_argument("--host", default="127.0.0.1", help=translate("cli.web.host"))
    add_port(parser, _PORT)
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar=translate("cli.name"),
        help=translate("cli.web.allow-host"),
    )
    parser.add_argument(
        "--public-url", metavar=translate("cli.address"), help=translate("cli.web.public-url")
    )


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from damier.web.app import create_app
    from damier.web.server import Server

    load_games_to_serve(args)
    public = None if args.public_url is None else public_address(args.public_url)
    listener = listen(args.host, args.port)
    address, hosts = public_url_and_hosts(listener, args.host, args.allow_host, public)
    server = Server(create_app(hosts=hosts, public=public))
    print(translate("cli.web.address", address=address), flush=True)
    try:
        asyncio.run(_serve(server, listener, None if args.no_browser else address))
    except KeyboardInterrupt:
        print(file=sys.stderr)
    finally:
        listener.close()
    return 0


def public_url_and_hosts(
    listener: socket.socket, asked: str, allowed: list[str], public: str | None
) -> tuple[str, set[str] | None]:
    """Return the URL of a server on this machine, and the host names that requests may use.

    The host names are None, which allows any name, if the server listens beyond this machine and
    `allowed` is empty.
    """
    host, port = listener.getsockname()[:2]
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
    local = host.startswith("127.") or host == "::1"
    if not local:
        print(translate("cli.web.open", host=f"{asked}:{port}"), file=sys.stderr)
    hosts = {"localhost", shown, asked, host, f"[{host}]", *allowed}
    if public is not None:
        hosts.add(str(urlsplit(public).hostname))
    return address, hosts if local or allowed else None


def public_address(text: str) -> str:
    """Return the public URL with a final slash; raise DamierError if it is not valid."""
    try:
        site = urlsplit(text)
        valid = (
            site.scheme in ("http", "https") and site.hostname and not site.query + site.fragment
        )
    except ValueError:  # not a URL
        valid = False
    if not valid:
        raise DamierError("public-url", text=text)
    return text if text.endswith("/") else f"{text}/"


async def _serve(server: "uvicorn.Server", listener: socket.socket, address: str | None) -> None:
    """Run the server and, if an address is given, open it in a browser after the start."""
    serving = asyncio.create_task(server.serve([listener]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.02)
    if address is not None and not serving.done():
        # A text browser blocks until it is closed; in a thread it does not block the server.
        await asyncio.to_thread(webbrowser.open, address)
    await serving


def listen(host: str, port: int, tries: int = _TRIES) -> socket.socket:
    """Return a socket that listens on a port, or on the next free one of `tries` ports.

    Raise DamierError if no port is free or the address cannot be used.
    """
    if not 0 <= port <= 65535:
        raise DamierError("port", port=port)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for tried in range(port, min(port + tries, 65536)):
        # With an explicit protocol, asyncio disables Nagle's algorithm: it delays answers by 40 ms.
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
