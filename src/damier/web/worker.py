"""A process that answers requests, one at a time.

What may take long or never end is done here and not in the server: a process can be killed. What is
asked comes on standard input and answers go to standard output in frames: four bytes that say how
long one is, then so many bytes. A request is a frame of JSON; an answer is two, JSON that says
which request it belongs to and its status, then the body as it goes to the asker.
"""

from __future__ import annotations

import json
import os
import queue
import struct
import sys
import threading
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from damier.errors import DamierError

if TYPE_CHECKING:
    from damier.search import Stop

LENGTH = struct.Struct(">I")
# How much memory of its own a process may have, in bytes: one that answers quickly, one that
# thinks. Rather more than measured; what is mapped from tables does not count.
MOST_QUICK, MOST_THINKING = 512 << 20, 2 << 30


def frame(body: bytes) -> bytes:
    """Return bytes as a frame."""
    return LENGTH.pack(len(body)) + body


def read_frame(stream: BinaryIO) -> bytes | None:
    """Return the next frame, or None at the end."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None


class Channel:
    """What the server asks and is told: requests, what stops one, and games to prepare."""

    def __init__(self, asked: BinaryIO, told: BinaryIO) -> None:
        self._asked, self._told = asked, told
        self._jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._games: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._stops: dict[int, Stop] = {}
        self._lock = threading.Lock()
        self._warmer: threading.Thread | None = None

    def listen(self) -> None:
        """Begin to read what is asked."""
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> tuple[dict[str, Any], Stop]:
        """Wait for a request; return it, and what tells that it is to be stopped."""
        job = self._jobs.get()
        return job, self._stops[job["id"]]

    def tell(self, head: dict[str, Any], body: bytes = b"") -> None:
        """Send an answer, or that a game is prepared."""
        self._stops.pop(head.get("id", 0), None)
        with self._lock:
            self._told.write(frame(json.dumps(head).encode()) + frame(body))
            self._told.flush()

    def _read(self) -> None:
        from damier.search.limits import Stop

        while (asked := read_frame(self._asked)) is not None:
            message = json.loads(asked)
            if "stop" in message:
                stop = self._stops.get(message["stop"])
                if stop is not None:
                    stop.set()
            elif "warm" in message:
                self._games.put(message["warm"])
                if self._warmer is None:
                    self._warmer = threading.Thread(target=self._warm, daemon=True)
                    self._warmer.start()
            else:
                self._stops[message["id"]] = Stop()
                self._jobs.put(message)
        os._exit(0)  # the server is gone: nobody wants the answer

    def _warm(self) -> None:
        """Compile the search of one game after the other, and tell when each can be used."""
        from damier.position import game
        from damier.search.warmup import ready, warm

        while True:
            name = self._games.get()
            with suppress(DamierError):  # rules that cannot be compiled: plain Python answers
                warm(game(name))
            self.tell({"warmed": name, "ready": ready(game(name))})


def limit_memory(most: int) -> None:
    """Let this process have so much memory of its own, where the system knows such a limit."""
    try:
        import resource
    except ImportError:
        return
    with suppress(OSError, ValueError):  # a lower one is in force already
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def main() -> None:
    """Answer requests until the server is gone."""
    from damier.games import load
    from damier.lang import speaking
    from damier.web.answers import answer, refusal, written

    told = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may write between the frames
    paths = sys.argv[1:]
    modest = "--modest" in paths
    limit_memory(MOST_THINKING if modest else MOST_QUICK)
    if modest:  # searches let the server and quick answers go first
        paths.remove("--modest")
        with suppress(OSError, AttributeError):
            os.nice(10)
    for path in paths:
        load(path)
    channel = Channel(sys.stdin.buffer, told)
    channel.listen()
    while True:
        job, stop = channel.next()
        try:
            status, body = answer(job["name"], job["body"], job["language"], stop)
        except MemoryError:
            os._exit(1)  # nothing can be done here any more: the next process begins anew
        except Exception:  # a fault of ours: told in full here, in short to the asker
            traceback.print_exc()
            with speaking(job["language"]):
                status, refused = refusal(DamierError("fault"), 500)
                body = written(refused)
        channel.tell({"id": job["id"], "status": status}, body)


if __name__ == "__main__":
    main()
