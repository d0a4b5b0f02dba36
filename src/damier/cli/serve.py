"""`damier serve`: the page with online play, for others; and what looks after it."""

import argparse
import asyncio
import os
from contextlib import suppress
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path

from damier.cli.common import add_games, load_games
from damier.cli.web import add_addresses, listen, names, public_address
from damier.errors import DamierError
from damier.lang import say

# What an installation without online play lacks.
_NEEDED = ("sqlalchemy", "alembic", "aiosqlite", "websockets", "prometheus_client", "segno")
_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "postgresql": "postgresql+asyncpg",
    "postgres": "postgresql+asyncpg",
}
# What others could read in a list of processes is given in the environment.
DATABASE, TOKEN = "DAMIER_DATABASE", "DAMIER_METRICS_TOKEN"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_addresses(parser)
    address = say("cli.address")
    parser.add_argument("--database", metavar=address, help=say("cli.serve.database"))
    for name in ("trust-proxy", "metrics-for"):
        text = say(f"cli.serve.{name}")
        parser.add_argument(f"--{name}", action="append", default=[], metavar=address, help=text)
    levels = ("info", "warning", "error")
    parser.add_argument("--log-level", choices=levels, default="info", help=say("cli.serve.log"))
    add_games(parser)
    instead = parser.add_argument_group(say("cli.serve.instead")).add_mutually_exclusive_group()
    file, name = say("cli.file"), say("cli.name")
    instead.add_argument("--backup", type=Path, metavar=file, help=say("cli.serve.backup"))
    instead.add_argument("--close-game", metavar=name, help=say("cli.serve.close-game"))
    instead.add_argument("--close-player", metavar=name, help=say("cli.serve.close-player"))


def run(args: argparse.Namespace) -> int:
    """Serve until told to stop, or do one of the things that look after a server."""
    _check_installed("online", _NEEDED)
    database = _database(args.database)
    if database.startswith("postgresql"):
        _check_installed("postgresql", ("asyncpg",))
    if args.backup is not None:
        from damier.online.backup import backup

        backup(database, args.backup)
        print(say("serve.backed-up", path=args.backup))
        return 0
    load_games(args)
    if args.close_game is not None or args.close_player is not None:
        return _close(database, args)
    return _serve(database, args)


def _database(given: str | None) -> str:
    """Return the address of the database: as given, in the environment, or damier's own file."""
    from damier.online.app import usual_database

    url = given or os.environ.get(DATABASE) or usual_database()
    scheme, _, rest = url.partition("://")
    kind = scheme.partition("+")[0]
    if not rest or kind not in _DRIVERS:
        raise DamierError("database-address", text=scheme)
    return f"{_DRIVERS[kind]}://{rest}"


def _check_installed(extra: str, needed: tuple[str, ...]) -> None:
    """Say kindly what is missing."""
    if any(find_spec(name) is None for name in needed):
        raise DamierError("not-installed", extra=extra)


def _close(database: str, args: argparse.Namespace) -> int:
    """Close a game or an identity; servers that run hear of it."""
    from damier.online import admin

    if args.close_game is not None:
        asyncio.run(admin.close_game(database, args.close_game))
        print(say("serve.game-closed", game=args.close_game))
    else:
        count = asyncio.run(admin.close_player(database, args.close_player))
        print(say("serve.player-closed", player=args.close_player, count=count))
    return 0


def _serve(database: str, args: argparse.Namespace) -> int:
    """Serve until told to stop."""
    from damier.online import logs
    from damier.online.app import create_online_app
    from damier.online.metrics import HERE, Readers, watch
    from damier.online.server import OnlineServer

    for text in (*args.trust_proxy, *args.metrics_for):
        _check_address(text)
    public = None if args.public_url is None else public_address(args.public_url)
    logs.begin(args.log_level)
    readers = Readers(
        (*HERE, *args.metrics_for), os.environ.get(TOKEN), bool(args.trust_proxy)
    )  # fmt: skip
    # Whoever is to find a service must know its port: no other will do.
    with listen(args.host, args.port, tries=1) as listener:
        address, hosts = names(listener, args.host, args.allow_host, public)
        app = create_online_app(database, hosts=hosts, public=public)
        watch(app, readers)
        said = say("cli.web.address", address=address)
        server = OnlineServer(app, args.trust_proxy, lambda: print(said, flush=True))
        try:
            with suppress(KeyboardInterrupt):
                asyncio.run(server.serve([listener]))
        finally:
            if server.failure is not None:
                raise DamierError("database-unreachable", message=server.failure)
    return 0


def _check_address(text: str) -> None:
    try:
        ip_network(text, strict=False)
    except ValueError:
        raise DamierError("no-ip", text=text) from None
