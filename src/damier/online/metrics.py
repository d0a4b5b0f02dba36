"""Figures for whoever looks after a server: how much is going on, how fast, and what goes wrong.

They are Prometheus's, by its own client library, in a registry of the server's own. Nobody but
named addresses, or who knows a token, gets to read them.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from fastapi import FastAPI, Request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    generate_latest,
)
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from damier import __version__
from damier.errors import DamierError
from damier.online.logs import log

_TIMES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
HERE = ("127.0.0.1", "::1")
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
_QUIET = ("/static", "/healthz", "/metrics")  # of these nobody wants a line each
SLOW_SECONDS = 1.0  # a request that takes longer is told of as a warning


class Metrics:
    """The figures of one process."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)  # memory, time of cores, open files
        Info("damier", "Which damier this is.", registry=registry).info({"version": __version__})
        self.acts = Counter(
            "damier_acts", "Acts of players, by kind and by what became of them.",
            ("kind", "outcome"), registry=registry,
        )  # fmt: skip
        self.act_seconds = Histogram(
            "damier_act_seconds", "From an act's arrival until it is written.",
            registry=registry, buckets=_TIMES,
        )  # fmt: skip
        self.conflicts = Counter(
            "damier_conflicts", "Acts decided anew: another was written first.", registry=registry
        )
        self.games = Gauge(
            "damier_games_followed", "Games that somebody follows here.", registry=registry
        )
        self.players = Gauge("damier_players", "Players who are connected.", registry=registry)
        self.sockets = Gauge("damier_sockets", "WebSockets that are open.", registry=registry)
        self.messages = Counter(
            "damier_messages", "Messages over WebSockets.", ("way",), registry=registry
        )
        self.requests = Counter(
            "damier_requests", "Requests, by route and status.",
            ("method", "route", "status"), registry=registry,
        )  # fmt: skip
        self.request_seconds = Histogram(
            "damier_request_seconds", "How long requests took.",
            registry=registry, buckets=_TIMES,
        )  # fmt: skip
        self.loop_seconds = Histogram(
            "damier_loop_late_seconds", "How late the event loop is: all else waits as long.",
            registry=registry, buckets=_TIMES,
        )  # fmt: skip

    @contextmanager
    def acting(self, kind: str) -> Iterator[None]:
        """Count and time an act."""
        began, outcome = perf_counter(), "error"
        try:
            yield
            outcome = "done"
        except DamierError:
            outcome = "refused"
            raise
        finally:
            self.acts.labels(kind, outcome).inc()
            if outcome == "done":
                self.act_seconds.observe(perf_counter() - began)

    def written(self) -> Response:
        """Return all figures as Prometheus reads them."""
        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)


@dataclass(frozen=True)
class Readers:
    """Who may read the figures: some addresses, and whoever knows the token."""

    addresses: tuple[str, ...] = HERE
    token: str | None = None
    proxied: bool = False  # proxies were named, whose word about addresses is taken
    _networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = field(
        init=False, default_factory=list
    )

    def __post_init__(self) -> None:
        self._networks.extend(networks(self.addresses))

    def admit(self, asked: HTTPConnection) -> bool:
        """Tell whether somebody may read the figures."""
        given = asked.headers.get("authorization", "")
        if self.token and secrets.compare_digest(given.encode(), f"Bearer {self.token}".encode()):
            return True
        # What a proxy passes on comes from its own address, unless its word is taken.
        passed_on = any(name in asked.headers for name in _FORWARDED)
        if asked.client is None or (passed_on and not self.proxied):
            return False
        try:
            address = ipaddress.ip_address(asked.client.host)
        except ValueError:
            return False
        return any(address in network for network in self._networks)


def networks(texts: Iterable[str]) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Return the networks that some addresses name; raise ValueError for what is no address."""
    return [ipaddress.ip_network(text, strict=False) for text in texts]


def watch(app: FastAPI, readers: Readers) -> None:
    """Let an application with online play count and log what it does, and give out the figures."""

    async def figures(request: Request) -> Response:
        if not readers.admit(request):
            raise HTTPException(404)
        return metrics_of(request.scope).written()

    app.add_api_route("/metrics", figures, include_in_schema=False)
    app.add_middleware(Watched)


def metrics_of(scope: Scope) -> Metrics:
    """Return the figures of the application that is asked."""
    found: Metrics = scope["app"].state.online.metrics
    return found


class Watched:
    """Counts and logs what an application answers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or talk over a WebSocket."""
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, status = perf_counter(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noting)
        finally:
            took, route = perf_counter() - began, route_of(scope)
            metrics = metrics_of(scope)
            metrics.requests.labels(scope["method"][:10], route, str(status)).inc()
            metrics.request_seconds.observe(took)
            bad = status >= 500 or took > SLOW_SECONDS
            if bad or not route.startswith(_QUIET):
                fields = {"route": route, "status": status, "ms": round(1000 * took, 1)}
                told = {"method": scope["method"][:10], **fields, "address": address_of(scope)}
                (log.warning if bad else log.info)("request", extra={"fields": told})

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, code = perf_counter(), None
        metrics = metrics_of(scope)
        heard, sent = metrics.messages.labels("in"), metrics.messages.labels("out")

        async def hearing() -> Message:
            nonlocal code
            message = await receive()
            if message["type"] == "websocket.receive":
                heard.inc()
            elif message["type"] == "websocket.disconnect":
                code = message.get("code")
            return message

        async def sending(message: Message) -> None:
            sent.inc()
            await send(message)

        with metrics.sockets.track_inprogress():
            try:
                await self.app(scope, hearing, sending)
            finally:
                fields = {"seconds": round(perf_counter() - began, 1), "code": code}
                log.info("socket", extra={"fields": {**fields, "address": address_of(scope)}})


def route_of(scope: Scope) -> str:
    """Return the route of a request, never its whole address: that may name somebody's game."""
    route = scope.get("route")
    if route is not None:
        return str(getattr(route, "path", ""))[:100]
    return "/static" if scope["path"].startswith("/static/") else "none"


def address_of(scope: Scope) -> str | None:
    """Return the address from which somebody asks."""
    client = scope.get("client")
    return None if client is None else str(client[0])
