"""`damier serve`: run the server with online play, or an administration task."""

import argparse
import asyncio
import io
import os
import socket
from contextlib import suppress
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path

from damier.cli.common import add_games, load_games_to_serve
from damier.cli.web import add_addresses, listen, public_address, public_url_and_hosts
from damier.errors import DamierError
from damier.i18n import translate

# Packages of the extra `online`.
_NEEDED = ("sqlalchemy", "alembic", "aiosqlite", "websockets", "prometheus_client", "segno")
_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "postgresql": "postgresql+asyncpg",
    "postgres": "postgresql+asyncpg",
}
# Environment variables for secrets, because process lists show arguments to other users.
DATABASE, TOKEN = "DAMIER_DATABASE", "DAMIER_METRICS_TOKEN"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_addresses(parser)
    parser.add_argument("--lan", action="store_true", help=translate("cli.serve.lan"))
    address = translate("cli.address")
    parser.add_argument("--database", metavar=address, help=translate("cli.serve.database"))
    for name in ("trust-proxy", "metrics-for"):
        text = translate(f"cli.serve.{name}")
        parser.add_argument(f"--{name}", action="append", default=[], metavar=address, help=text)
    levels = ("info", "warning", "error")
    parser.add_argument(
        "--log-level", choices=levels, default="info", help=translate("cli.serve.log")
    )
    add_games(parser)
    instead = parser.add_argument_group(
        translate("cli.serve.instead")
    ).add_mutually_exclusive_group()
    file, name = translate("cli.file"), translate("cli.name")
    instead.add_argument("--backup", type=Path, metavar=file, help=translate("cli.serve.backup"))
    instead.add_argument("--close-game", metavar=name, help=translate("cli.serve.close-game"))
    instead.add_argument("--close-player", metavar=name, help=translate("cli.serve.close-player"))


def run(args: argparse.Namespace) -> int:
    """Run the server until it is stopped, or run one administration task."""
    _check_installed("online", _NEEDED)
    database = _database(args.database)
    if database.startswith("postgresql"):
        _check_installed("postgresql", ("asyncpg",))
    if args.backup is not None:
        from damier.online.backup import backup

        backup(database, args.backup)
        print(translate("serve.backed-up", path=args.backup))
        return 0
    load_games_to_serve(args)
    if args.close_game is not None or args.close_player is not None:
        return _close(database, args)
    return _serve(database, args)


def _database(given: str | None) -> str:
    """Return the database URL: from the argument, the environment, or the default file."""
    from damier.online.app import default_database_url

    url = given or os.environ.get(DATABASE) or default_database_url()
    scheme, _, rest = url.partition("://")
    kind = scheme.partition("+")[0]
    if not rest or kind not in _DRIVERS:
        raise DamierError("database-address", text=scheme)
    return f"{_DRIVERS[kind]}://{rest}"


def _check_installed(extra: str, needed: tuple[str, ...]) -> None:
    """Raise DamierError with the name of the extra if a package is missing."""
    if any(find_spec(name) is None for name in needed):
        raise DamierError("not-installed", extra=extra)


def _close(database: str, args: argparse.Namespace) -> int:
    """Close a game or a player's identity; running servers are notified."""
    from damier.online import admin

    if args.close_game is not None:
        asyncio.run(admin.close_game(database, args.close_game))
        print(translate("serve.game-closed", game=args.close_game))
    else:
        count = asyncio.run(admin.close_player(database, args.close_player))
        print(translate("serve.player-closed", player=args.close_player, count=count))
    return 0


def _serve(database: str, args: argparse.Namespace) -> int:
    """Run the server until it is stopped."""
    from damier.online import logs
    from damier.online.app import create_online_app
    from damier.online.metrics import LOOPBACK, MetricsAccess, install_metrics
    from damier.online.server import OnlineServer

    for text in (*args.trust_proxy, *args.metrics_for):
        _check_address(text)
    public = None if args.public_url is None else public_address(args.public_url)
    host = "0.0.0.0" if args.lan else args.host
    allowed = [*args.allow_host, *([lan_address()] if args.lan else [])]
    logs.configure(args.log_level)
    readers = MetricsAccess(
        (*LOOPBACK, *args.metrics_for), os.environ.get(TOKEN), bool(args.trust_proxy)
    )
    # Clients must know the port, so no other port is tried.
    with listen(host, args.port, tries=1) as listener:
        address, hosts = public_url_and_hosts(listener, host, allowed, public)
        if args.lan:
            address = f"http://{allowed[-1]}:{listener.getsockname()[1]}/"
            public = public or address
        app = create_online_app(database, hosts=hosts, public=public)
        install_metrics(app, readers)
        message = translate("cli.web.address", address=address)
        if args.lan:
            message += f"\n\n{qr_code(address)}\n{translate('serve.scan')}"
        server = OnlineServer(app, args.trust_proxy, lambda: print(message, flush=True))
        try:
            with suppress(KeyboardInterrupt):
                asyncio.run(server.serve([listener]))
        finally:
            if server.failure is not None:
                raise DamierError("database-unreachable", message=server.failure)
    return 0


def lan_address() -> str:
    """Return this machine's address in its network; raise DamierError if there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses the interface
        except OSError:
            raise DamierError("no-network") from None
        address = str(probe.getsockname()[0])
    if address.startswith("127.") or address == "0.0.0.0":
        raise DamierError("no-network")
    return address


def qr_code(address: str) -> str:
    """Return a QR code of an address for the terminal."""
    import segno

    lines = io.StringIO()
    segno.make(address, error="l").terminal(out=lines, compact=True)
    return lines.getvalue()


def _check_address(text: str) -> None:
    """Raise DamierError if a text is not an IP address or network."""
    try:
        ip_network(text, strict=False)
    except ValueError:
        raise DamierError("no-ip", text=text) from None
