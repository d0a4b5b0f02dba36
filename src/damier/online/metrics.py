"""Prometheus metrics and request log of a server.

The metrics are in a registry of their own. Only allowed addresses and clients with the token can
read them.
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

_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
LOOPBACK = ("127.0.0.1", "::1")
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
_QUIET = ("/static", "/healthz", "/metrics")  # these requests are not logged one by one
SLOW_REQUEST_S = 1.0  # slower requests are logged as warnings


class Metrics:
    """The metrics of one process."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)  # memory, CPU time, open files
        Info("damier", "Version of damier.", registry=registry).info({"version": __version__})
        self.acts = Counter(
            "damier_acts",
            "Actions of players, by kind and outcome.",
            ("kind", "outcome"),
            registry=registry,
        )
        self.act_seconds = Histogram(
            "damier_act_seconds",
            "Time from the arrival of an action until it is stored.",
            registry=registry,
            buckets=_BUCKETS_S,
        )
        self.conflicts = Counter(
            "damier_conflicts",
            "Actions repeated because another process wrote first.",
            registry=registry,
        )
        self.games = Gauge(
            "damier_games_followed", "Games with followers on this process.", registry=registry
        )
        self.players = Gauge("damier_players", "Connected players.", registry=registry)
        self.sockets = Gauge("damier_sockets", "Open WebSockets.", registry=registry)
        self.messages = Counter(
            "damier_messages", "Messages over WebSockets.", ("way",), registry=registry
        )
        self.requests = Counter(
            "damier_requests",
            "Requests, by route and status.",
            ("method", "route", "status"),
            registry=registry,
        )
        self.request_seconds = Histogram(
            "damier_request_seconds",
            "Duration of requests.",
            registry=registry,
            buckets=_BUCKETS_S,
        )
        self.loop_seconds = Histogram(
            "damier_loop_late_seconds",
            "Delay of the event loop.",
            registry=registry,
            buckets=_BUCKETS_S,
        )

    @contextmanager
    def measure_action(self, kind: str) -> Iterator[None]:
        """Count an action and measure its duration."""
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

    def response(self) -> Response:
        """Return all metrics in Prometheus' text format."""
        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)


@dataclass(frozen=True)
class MetricsAccess:
    """Access control for the metrics: allowed addresses, and clients with the token."""

    addresses: tuple[str, ...] = LOOPBACK
    token: str | None = None
    proxied: bool = False  # forwarded addresses come from trusted proxies
    _networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = field(
        init=False, default_factory=list
    )

    def __post_init__(self) -> None:
        self._networks.extend(networks(self.addresses))

    def allows(self, connection: HTTPConnection) -> bool:
        """Return whether a client may read the metrics."""
        authorization = connection.headers.get("authorization", "")
        if self.token and secrets.compare_digest(
            authorization.encode(), f"Bearer {self.token}".encode()
        ):
            return True
        # A forwarded request has the address of the proxy, unless the proxy is trusted.
        forwarded = any(name in connection.headers for name in _FORWARDED)
        if connection.client is None or (forwarded and not self.proxied):
            return False
        try:
            address = ipaddress.ip_address(connection.client.host)
        except ValueError:
            return False
        return any(address in network for network in self._networks)


def networks(texts: Iterable[str]) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Return addresses as IP networks; raise ValueError for an invalid one."""
    return [ipaddress.ip_network(text, strict=False) for text in texts]


def install_metrics(app: FastAPI, access: MetricsAccess) -> None:
    """Add the middleware and the route `/metrics` to an application with online play."""

    async def serve_metrics(request: Request) -> Response:
        if not access.allows(request):
            raise HTTPException(404)
        return metrics_of(request.scope).response()

    app.add_api_route("/metrics", serve_metrics, include_in_schema=False)
    app.add_middleware(MetricsMiddleware)


def metrics_of(scope: Scope) -> Metrics:
    """Return the metrics of the application of a request."""
    metrics: Metrics = scope["app"].state.online.metrics
    return metrics


class MetricsMiddleware:
    """ASGI middleware that counts and logs requests and WebSockets."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an HTTP request or a WebSocket."""
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, status = perf_counter(), 500

        async def send_and_record(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_record)
        finally:
            duration, route = perf_counter() - began, route_of(scope)
            metrics = metrics_of(scope)
            metrics.requests.labels(scope["method"][:10], route, str(status)).inc()
            metrics.request_seconds.observe(duration)
            is_warning = status >= 500 or duration > SLOW_REQUEST_S
            if is_warning or not route.startswith(_QUIET):
                fields = {"route": route, "status": status, "ms": round(1000 * duration, 1)}
                entry = {"method": scope["method"][:10], **fields, "address": address_of(scope)}
                (log.warning if is_warning else log.info)("request", extra={"fields": entry})

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, code = perf_counter(), None
        metrics = metrics_of(scope)
        received_count, sent_count = metrics.messages.labels("in"), metrics.messages.labels("out")

        async def receive_and_count() -> Message:
            nonlocal code
            message = await receive()
            if message["type"] == "websocket.receive":
                received_count.inc()
            elif message["type"] == "websocket.disconnect":
                code = message.get("code")
            return message

        async def send_and_count(message: Message) -> None:
            sent_count.inc()
            await send(message)

        with metrics.sockets.track_inprogress():
            try:
                await self.app(scope, receive_and_count, send_and_count)
            finally:
                fields = {"seconds": round(perf_counter() - began, 1), "code": code}
                log.info("socket", extra={"fields": {**fields, "address": address_of(scope)}})


def route_of(scope: Scope) -> str:
    """Return the route of a request; its full path could reveal a private game."""
    route = scope.get("route")
    if route is not None:
        return str(getattr(route, "path", ""))[:100]
    return "/static" if scope["path"].startswith("/static/") else "none"


def address_of(scope: Scope) -> str | None:
    """Return the client address of a request."""
    client = scope.get("client")
    return None if client is None else str(client[0])
