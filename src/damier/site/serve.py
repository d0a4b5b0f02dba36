"""A small web host for the site: files as they are, with no special headers but a strict policy."""

from __future__ import annotations

import os
import socket
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from damier.site.build import POLICY

# Whatever the system calls them.
_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}


class _Files(SimpleHTTPRequestHandler):
    """Gives out files; a worker's scripts have the same policy as the page."""

    protocol_version = "HTTP/1.1"

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        """Return the type of a file."""
        return _TYPES.get(Path(path).suffix) or super().guess_type(path)

    def end_headers(self) -> None:
        """Add what every answer carries."""
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *details: Any) -> None:
        """Say nothing: what a browser fetches is its own affair."""


def host(folder: Path, listener: socket.socket) -> ThreadingHTTPServer:
    """Return a server that gives out a folder on a socket that listens."""
    address = listener.getsockname()[:2]
    server = ThreadingHTTPServer(
        address, partial(_Files, directory=str(folder)), bind_and_activate=False
    )
    server.socket.close()
    server.socket = listener
    server.server_name, server.server_port = address
    server.daemon_threads = True
    return server
