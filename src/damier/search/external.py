"""External engines: players that are other programs, which use the protocol of `damier engine`.

A program may print without end, never answer, never read, or leave child processes behind. None of
this costs more than a bounded amount of memory and time: lines and the queue of lines are limited,
so that a program that prints too much waits for its reader, and every answer has a deadline. At the
end the whole process group is killed, and nothing waits for who still holds a pipe.
"""

from __future__ import annotations

import atexit
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
from contextlib import suppress
from time import monotonic

from damier.errors import DamierError
from damier.gameplay import Game
from damier.games.constants import whole_number
from damier.position import Move
from damier.search.limits import SearchStats, Stop
from damier.search.protocol import GO_LIMITS, read_go

MAX_LINE_BYTES = 64 * 1024  # a principal variation of 100 long moves has 20 KiB
MAX_QUEUED_LINES = 1000
READ_BYTES = 64 * 1024
MAX_SHOWN = 200  # characters of a program's output in a message
QUIT_S = 2.0  # for a program to end after `quit`
QUEUE_POLL_S = 0.1  # for a reader whose queue is full to notice that nobody reads it any more


class EngineProcess:
    """A running program: lines to write to it, lines that it has printed, and its end."""

    def __init__(self, command: list[str]) -> None:
        with _starting:  # so that no program starts unnoticed while all are killed
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # a process group that can be killed as a whole
            )
            _running.add(self)
        self._closed = threading.Event()
        self._input: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        # An exception in the queue ends the output.
        self._output: queue.Queue[str | DamierError] = queue.Queue(MAX_QUEUED_LINES)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        threading.Thread(target=self._write, daemon=True).start()

    def send(self, line: str) -> None:
        """Send a line without waiting for the program to read it."""
        self._input.put(line)

    def next_line(self, deadline: float, seconds: float) -> str:
        """Return the next line printed.

        Raise DamierError at the deadline, which is `seconds` after the question, and at the end.
        """
        left = deadline - monotonic()
        try:
            if left <= 0:  # also while the program keeps printing other lines
                raise queue.Empty
            line = self._output.get(timeout=left)
        except queue.Empty:
            raise DamierError("protocol-timeout", seconds=f"{seconds:g}") from None
        if isinstance(line, DamierError):
            self._output.put(line)  # for the next question
            raise line
        return line

    def _write(self) -> None:
        """Write lines to the program until it is to end."""
        assert self._process.stdin is not None
        with suppress(OSError):  # the program has ended; its output ends, too
            while (line := self._input.get()) is not None:
                self._process.stdin.write(line.encode() + b"\n")
        with suppress(OSError):
            self._process.stdin.close()

    def _read(self) -> None:
        """Queue the lines of the program until it ends or a line is too long."""
        assert self._process.stdout is not None
        error, pending = DamierError("protocol-ended"), b""
        with self._process.stdout as output, suppress(OSError):
            while data := os.read(output.fileno(), READ_BYTES):
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    self._queue(line[:MAX_LINE_BYTES].decode("utf-8", "replace").strip())
                if max(map(len, (*lines, pending))) > MAX_LINE_BYTES:
                    error = DamierError("protocol-line", most=MAX_LINE_BYTES // 1024)
                    break
        self._queue(error)

    def _queue(self, line: str | DamierError) -> None:
        """Queue a line; wait while the queue is full, and discard the line after the end."""
        while not self._closed.is_set():
            with suppress(queue.Full):
                self._output.put(line, timeout=QUEUE_POLL_S)
                return

    def close(self) -> None:
        """End the program and all processes of its group."""
        self.send("quit")
        self._closed.set()
        self._input.put(None)
        self._reader.join(QUIT_S)
        self.kill()
        self._process.wait()
        _running.discard(self)
        # A process that has left the group may hold the pipe: the reader waits for it alone.
        self._reader.join(QUEUE_POLL_S)

    def kill(self) -> None:
        """Kill the program and its group, without waiting."""
        with suppress(OSError):  # all processes of the group have ended
            if os.name == "posix":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()


_running: set[EngineProcess] = set()
_starting = threading.Lock()


@atexit.register
def kill_all() -> None:
    """Kill all running programs: this process is about to exit."""
    for program in list(_running):
        program.kill()


def kill_all_on_termination() -> None:
    """Let SIGTERM kill the programs and this process, even while machine code runs."""
    if os.name != "posix":
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    def wait() -> None:
        while signal.SIGTERM not in os.read(reader, 64):
            pass
        with _starting:
            kill_all()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def read_info(line: str) -> SearchStats | None:
    """Return the statistics in an `info depth …` line, or None for other lines."""
    words = line.split()
    if words[:2] != ["info", "depth"]:
        return None
    words = words[: words.index("line")] if "line" in words else words
    fields = dict(zip(words[1::2], words[2::2], strict=False))
    depth, nodes, milliseconds = (
        whole_number(fields.get(name, "")) or 0 for name in ("depth", "nodes", "time")
    )
    return SearchStats(depth, nodes, milliseconds / 1000)


class ExternalEnginePlayer:
    """Player that is another program, which uses this protocol.

    The program starts at the first move and ends with `close`.
    """

    # Seconds for the start of the program, and for a move beyond its time limit.
    TIMEOUT_S = 60.0

    def __init__(self, command: list[str], go: str) -> None:
        self.search_stats = SearchStats()
        self._command = command
        self._go = go
        self._timeout = self.TIMEOUT_S + (read_go(go.split()).seconds or 0)
        self._process: EngineProcess | None = None

    def choose(self, game: Game, stop: Stop | None = None) -> Move:
        """Return the program's move; raise DamierError if it is not legal."""
        if self._process is None:
            self._process = EngineProcess(self._command)
            self._process.send("uci")
            self._expect("uciok")
        options = " ".join(f"{k}={v}" for k, v in game.rules.options.items())
        moves = f" turns {game.text}" if game.ply else ""
        self._process.send(f"position {game.rules.name} options {options} {game.start}{moves}")
        self._process.send(f"go {self._go}")
        self.search_stats = SearchStats()
        _, _, move = self._expect("bestturn").partition(" ")
        return game.parse_move(_shorten(move))

    def _expect(self, word: str) -> str:
        """Return the next line with this first word; raise DamierError on an error or timeout."""
        assert self._process is not None
        deadline = monotonic() + self._timeout
        while True:
            line = self._process.next_line(deadline, self._timeout)
            if line.startswith("error"):
                raise DamierError("protocol-program", text=_shorten(line))
            if line.split(" ")[0] == word:
                return line
            self.search_stats = read_info(line) or self.search_stats

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            process, self._process = self._process, None
            process.close()


def _shorten(text: str) -> str:
    """Return a text of a program as it can be shown: not longer than any move."""
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def command_player(argument: str, seed: int | None) -> ExternalEnginePlayer:
    """Return the player that `cmd:[nodes=N|movetime=MS|depth=D] PROGRAM …` names."""
    try:
        words = shlex.split(argument)
    except ValueError:
        words = []
    limits = []
    while words and words[0].partition("=")[0] in GO_LIMITS and "=" in words[0]:
        limits += words.pop(0).split("=", 1)
    if not words:
        raise DamierError("protocol-cmd", argument=argument)
    if shutil.which(words[0]) is None:
        raise DamierError("protocol-missing", name=words[0])
    return ExternalEnginePlayer(words, " ".join(limits) or "movetime 1000")
