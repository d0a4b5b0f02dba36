"""Worker process that answers requests, one at a time.

Work that may take long or never end is done here and not in the server: a process can be killed.
The server writes to standard input and reads from standard output. Both carry frames: a length of
four bytes, then that many bytes. A request is one frame of JSON. An answer is two frames: JSON with
the id of the request and the status, then the response body as it is sent to the client.
"""

from __future__ import annotations

import json
import os
import queue
import struct
import sys
import threading
import warnings
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO

from damier.errors import DamierError

if TYPE_CHECKING:
    from damier.search import Stop

LENGTH = struct.Struct(">I")
# Memory limits of a process by pool, in bytes; rather more than measured. Tables mapped from files
# do not count.
MAX_INTERACTIVE_BYTES, MAX_ENGINE_BYTES = 512 << 20, 2 << 30

# From the signal to stop to the interruption; the pool kills the process after STOP_GRACE_S.
INTERRUPT_DELAY_S = 0.5

MAX_TRACEBACK_LENGTH = 4000  # characters


def frame(body: bytes) -> bytes:
    """Return a frame with these bytes."""
    return LENGTH.pack(len(body)) + body


def read_frame(stream: BinaryIO) -> bytes | None:
    """Return the content of the next frame, or None at the end of the stream."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None


class Channel:
    """Connection to the server: receives requests, stop signals and games to warm up."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source, self._sink = source, sink
        self._requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._games_to_warm_up: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._stops: dict[int, Stop] = {}
        self._lock = threading.Lock()
        self._warm_up_thread: threading.Thread | None = None
        self._running: int | None = None  # the id of the request being answered
        self.began = 0.0  # when it was received

    def listen(self) -> None:
        """Start a thread that reads messages."""
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> tuple[dict[str, Any], Stop]:
        """Wait for a request; return it and its stop signal."""
        request = self._requests.get()
        self._running, self.began = request["id"], monotonic()
        return request, self._stops[request["id"]]

    def send(self, head: dict[str, Any], body: bytes = b"") -> None:
        """Send an answer, or the notice that a game is warmed up."""
        self._stops.pop(head.get("id", 0), None)
        with self._lock:
            if head.get("id") == self._running:
                self._running = None
            self._sink.write(frame(json.dumps(head).encode()) + frame(body))
            self._sink.flush()

    def _read(self) -> None:
        from damier.search.limits import Stop

        while (content := read_frame(self._source)) is not None:
            message = json.loads(content)
            if "stop" in message:
                stop = self._stops.get(message["stop"])
                if stop is not None:
                    stop.set()
                    threading.Timer(INTERRUPT_DELAY_S, self._interrupt, [message["stop"]]).start()
            elif "warm_up" in message:
                self._games_to_warm_up.put(message["warm_up"])
                if self._warm_up_thread is None:
                    self._warm_up_thread = threading.Thread(target=self._warm_up, daemon=True)
                    self._warm_up_thread.start()
            else:
                self._stops[message["id"]] = Stop()
                self._requests.put(message)
        os._exit(0)  # the server has ended: no client is left

    def _interrupt(self, id: int) -> None:
        """Interrupt a request that does not stop: the code of a custom game never returns."""
        from damier.games import GAMES
        from damier.games.time_limits import interrupt

        with self._lock:
            ident = threading.main_thread().ident
            if self._running == id and ident is not None and any(GAMES.custom()):
                interrupt(ident)

    def _warm_up(self) -> None:
        """Compile the search of one game after the other; notify the server after each."""
        from damier.position import load_rules
        from damier.search.warmup import ready, warm

        while True:
            name = self._games_to_warm_up.get()
            with suppress(DamierError):  # rules that cannot be compiled run in plain Python
                warm(load_rules(name))
            self.send({"warmed_up": name, "ready": ready(load_rules(name))})


def limit_memory(max_bytes: int) -> None:
    """Limit the memory of this process, where the operating system supports it."""
    try:
        import resource
    except ImportError:
        return
    with suppress(OSError, ValueError):  # a lower limit is already set
        resource.setrlimit(resource.RLIMIT_DATA, (max_bytes, max_bytes))


def describe_error(error: Exception) -> dict[str, str]:
    """Return the end of the traceback of an error, and its kind: the class and the line."""
    from traceback import extract_tb, format_exception

    last = extract_tb(error.__traceback__)[-1]
    text = "".join(format_exception(error))[-MAX_TRACEBACK_LENGTH:]
    return {"kind": f"{type(error).__name__} {last.filename}:{last.lineno}", "text": text}


def main() -> None:
    """Answer requests until the server ends. Arguments: [--engine] and paths of games to load."""
    from damier.games import GameWarning, load
    from damier.games.run_time_errors import locate
    from damier.games.time_limits import TimedOut
    from damier.i18n import use_language
    from damier.web.endpoints import answer
    from damier.web.responses import encode_json, error_response

    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may write between the frames
    paths = sys.argv[1:]
    is_engine = "--engine" in paths
    limit_memory(MAX_ENGINE_BYTES if is_engine else MAX_INTERACTIVE_BYTES)
    if is_engine:  # the server and interactive requests have priority over searches
        paths.remove("--engine")
        with suppress(OSError, AttributeError):
            os.nice(10)
    warnings.simplefilter("ignore", GameWarning)  # the server has shown them
    for path in paths:
        with suppress(DamierError):  # changed meanwhile: requests for other games are answered
            load(path)
    channel = Channel(sys.stdin.buffer, sink)
    channel.listen()
    while True:
        request, stop = channel.next()
        try:
            status, body = answer(request["name"], request["body"], request["language"], stop)
        except MemoryError:
            os._exit(1)  # the pool starts a new process
        except TimedOut as error:
            endless = locate(error, monotonic() - channel.began) or DamierError("too-much")
            with use_language(request["language"]):
                status, error_body = error_response(endless)
                body = encode_json(error_body)
        except Exception as error:  # a bug: the client gets a short message, the log the traceback
            with use_language(request["language"]):
                status, error_body = error_response(DamierError("fault"))
                body = encode_json(error_body)
            channel.send(
                {"id": request["id"], "status": status, "fault": describe_error(error)}, body
            )
            continue
        channel.send({"id": request["id"], "status": status}, body)


if __name__ == "__main__":
    main()
