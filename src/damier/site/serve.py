"""Small web server for the built site: plain files, with a strict content security policy."""

from __future__ import annotations

import os
import socket
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from damier.site.build import DOCS, POLICY

# The documentation's theme uses inline scripts and styles.
_DOCS_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:"
)

# Independent of the operating system's list of media types.
_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}


class _SiteFiles(SimpleHTTPRequestHandler):
    """Serves files; scripts of workers have the same policy as the page."""

    protocol_version = "HTTP/1.1"

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        """Return the media type of a file."""
        return _TYPES.get(Path(path).suffix) or super().guess_type(path)

    def end_headers(self) -> None:
        """Add the headers of every response."""
        docs = self.path.startswith(f"/{DOCS}/")
        self.send_header("Content-Security-Policy", _DOCS_POLICY if docs else POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


def host(folder: Path, listener: socket.socket) -> ThreadingHTTPServer:
    """Return a server of a folder on a listening socket."""
    address = listener.getsockname()[:2]
    server = ThreadingHTTPServer(
        address, partial(_SiteFiles, directory=str(folder)), bind_and_activate=False
    )
    server.socket.close()
    server.socket = listener
    server.server_name, server.server_port = address
    server.daemon_threads = True
    return server
