"""The processes that do the server's work, and who may have how much of it.

The event loop does nothing that grows with what is asked: it hands work to processes. A lane is
some processes for one kind of work. Askers take turns: each has a queue of his own, who has used
much waits as much longer than the others, and one place is always left to them. All work has a
deadline; what does not stop then is killed with its process, and a new one takes its place.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

from damier.games import GAMES
from damier.web.worker import LENGTH, frame

GRACE = 2.0  # seconds that work has to come to an end after it was stopped
FAREWELL = 0.5  # the same, when the server is being stopped
GLANCE = 0.25  # seconds after which it is watched whether the asker leaves
MOST_PREPARING = 90.0  # seconds that work may wait for the compiler, whatever its deadline
MOST_REMEMBERED = 4096  # askers
# Who uses more than this share of a process all the time is in debt, at most by so many seconds.
FREE_SHARE, MOST_DEBT = 0.1, 5.0
LONGEST_ANSWER = 64 << 20  # bytes
# The same modules are found in another process, wherever this one was started.
COMMAND = "import sys; sys.path[:] = {path!r}; from damier.web.worker import main; main()"


Leaving = Callable[[], Coroutine[Any, Any, None]]


class Busy(Exception):
    """There is too much to do: the asker may try again."""


class Preparing(Busy):
    """The engine is still being compiled for the game: the asker may try again."""


class TooMuch(Exception):
    """The work did not come to an end in its time, and would not the next time."""


class Gone(Exception):
    """The asker has closed the connection."""


class Died(Exception):
    """The process is gone in the middle of its work."""


@dataclass(eq=False)
class Job:
    """A piece of work, and who waits for it."""

    name: str
    body: dict[str, Any]
    language: str
    asker: str
    answer: asyncio.Future[tuple[int, bytes]] = field(init=False)
    worker: Worker | None = None
    given_up: bool = False

    def __post_init__(self) -> None:
        self.answer = asyncio.get_running_loop().create_future()

    def fail(self, error: Exception) -> None:
        """Tell who waits that there will be no answer."""
        if not self.answer.done():
            self.answer.set_exception(error)
            self.answer.exception()  # nobody may be waiting any more


class _Process(asyncio.SubprocessProtocol):
    """A process under way: what it says, frame by frame, and when it ends."""

    def __init__(self, owner: Worker) -> None:
        self.transport: asyncio.SubprocessTransport
        self.ended = asyncio.Event()
        self.lost = False
        self._owner = owner
        self._bytes = bytearray()
        self._frames: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._bytes += data
        while len(self._bytes) >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self._bytes)
            if length > LONGEST_ANSWER:
                self.kill()
            if len(self._bytes) < LENGTH.size + length:
                return
            self._frames.append(bytes(self._bytes[LENGTH.size : LENGTH.size + length]))
            del self._bytes[: LENGTH.size + length]
            if len(self._frames) == 2:
                head, body = self._frames
                self._frames = []
                self._owner.heard(json.loads(head), body)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self.lost = True
        self._owner.lost(self)

    def process_exited(self) -> None:
        self.lost = True
        self._owner.lost(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport.close()
        self.ended.set()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, if there is still someone to read it."""
        pipe = cast(asyncio.WriteTransport | None, self.transport.get_pipe_transport(0))
        if pipe is not None and not pipe.is_closing():
            pipe.write(frame(json.dumps(message).encode()))

    def kill(self) -> None:
        """End the process, whatever it does."""
        pipe = self.transport.get_pipe_transport(0)
        if pipe is not None:
            pipe.close()
        if self.transport.get_returncode() is None:
            # Not by the transport: it would ask for the end of the process before asyncio does.
            with suppress(ProcessLookupError):
                os.kill(self.transport.get_pid(), getattr(signal, "SIGKILL", signal.SIGTERM))


class Worker:
    """A process that does one job at a time; when it has ended, the next job has a new one."""

    def __init__(self, lane: Lane, command: Sequence[str]) -> None:
        self._lane = lane
        self._command = command
        self._starting = asyncio.Lock()
        self._process: _Process | None = None
        self._ending: set[_Process] = set()
        self._ids = itertools.count(1)
        self._id = 0
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None

    @property
    def started(self) -> bool:
        """Whether there is a process already."""
        return self._process is not None

    async def start(self) -> _Process:
        """Return the process; begin it if there is none."""
        async with self._starting:
            if self._process is None:
                paths = [str(folder.path) for folder in GAMES.values() if folder.path is not None]
                _, process = await asyncio.get_running_loop().subprocess_exec(
                    lambda: _Process(self),
                    *self._command,
                    *paths,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=None,
                    start_new_session=True,  # Ctrl-C is the server's: it ends its workers
                )
                if process.lost:
                    raise Died
                self._process = process
            return self._process

    async def do(self, job: Job) -> tuple[int, bytes]:
        """Return the answer to a job; raise Died if the process ends first."""
        process = await self.start()
        if job.given_up:
            raise Died
        self._id = next(self._ids)
        self._answer = asyncio.get_running_loop().create_future()
        process.send(
            {"id": self._id, "name": job.name, "body": job.body, "language": job.language}
        )  # fmt: skip
        return await self._answer

    async def warm(self, game: str) -> None:
        """Begin to compile the search of a game; the lane is told when that is done."""
        (await self.start()).send({"warm": game})

    def stop(self) -> None:
        """Ask the job under way to come to an end."""
        if self._process is not None:
            self._process.send({"stop": self._id})

    def kill(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self.lost(self._process)

    async def end(self) -> None:
        """End the process, and wait until it has ended."""
        self.kill()
        for process in list(self._ending):
            await process.ended.wait()

    def heard(self, head: dict[str, Any], body: bytes) -> None:
        """Note what the process says."""
        if "warmed" in head:
            self._lane.warmed(head["warmed"], head["ready"])
        elif head["id"] == self._id and self._answer is not None and not self._answer.done():
            self._answer.set_result((head["status"], body))

    def lost(self, process: _Process) -> None:
        """Note that the process has ended, or end it."""
        if process is not self._process:
            return
        self._process = None
        self._ending = {p for p in self._ending | {process} if not p.ended.is_set()}
        process.kill()
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(Died())
        self._lane.lost(self)


class Lane:
    """Some processes for one kind of work; `most` jobs may wait, `each` of one asker."""

    def __init__(
        self, workers: int, command: Sequence[str], *, most: int, each: int, compiles: bool = False
    ) -> None:
        self.most, self.each, self.compiles = most, each, compiles
        self.workers = [Worker(self, command) for _ in range(workers)]
        self.ready: set[str] = set()  # games whose search is compiled
        self._idle = list(self.workers)
        self._waiting: dict[str, deque[Job]] = {}
        self._count = 0  # of those that wait
        self._running: dict[str, list[Job]] = {}
        self._due: dict[str, float] = {}  # when the next job of an asker who waits is due
        self._debts: dict[str, tuple[float, float]] = {}  # seconds used too much, and when that was
        self._warmed: set[str] = set()  # games that are compiled, or cannot be
        self._homes: dict[str, Worker] = {}  # which process compiles a game
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def ask(
        self, job: Job, seconds: float, gone: Leaving | None = None
    ) -> tuple[int, bytes]:  # fmt: skip
        """Return the answer to a job; `gone` comes to an end when its asker has left."""
        if self._closed:
            raise Busy
        queue = self._waiting.setdefault(job.asker, deque())
        queue.append(job)
        self._count += 1
        if len(queue) == 1:
            self._due[job.asker] = asyncio.get_running_loop().time() + self._debt(job.asker)
        self._dispatch()
        try:
            if job.worker is None and (self._count > self.most or len(queue) > self.each):
                raise Busy
            return await self._watched(job, seconds, gone)
        finally:
            self._leave(job)

    async def _watched(
        self, job: Job, seconds: float, gone: Leaving | None
    ) -> tuple[int, bytes]:  # fmt: skip
        """Return the answer to a job, unless its asker leaves or its time is over."""
        await asyncio.wait({job.answer}, timeout=min(GLANCE, seconds))
        if not job.answer.done():
            leaving = asyncio.ensure_future(gone()) if gone is not None else None
            try:
                await self._in_time(job, max(0.0, seconds - GLANCE), leaving)
            finally:
                if leaving is not None:
                    leaving.cancel()
        if job.answer.done():
            return job.answer.result()
        if self._prepares(job):
            raise Preparing
        if job.worker is None:
            raise Busy
        await self._end(job)
        if job.answer.done():
            return job.answer.result()
        raise TooMuch

    async def _in_time(
        self, job: Job, seconds: float, leaving: asyncio.Future[None] | None
    ) -> None:  # fmt: skip
        """Wait for the answer to a job; what needs a game's search waits until it is compiled."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        end = began + seconds
        awaited: set[asyncio.Future[Any]] = {job.answer}
        if leaving is not None:
            awaited.add(leaving)
        while not job.answer.done() and (left := end - loop.time()) > 0:
            await asyncio.wait(awaited, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if leaving is not None and leaving.done() and not job.answer.done():
                raise Gone
            if self._prepares(job):
                end = min(loop.time(), began + MOST_PREPARING) + seconds

    async def _end(self, job: Job) -> None:
        """Stop a job; if it does not, kill its process."""
        assert job.worker is not None
        job.given_up = True
        job.worker.stop()
        await asyncio.wait({job.answer}, timeout=GRACE)
        if not job.answer.done():
            job.worker.kill()

    def _leave(self, job: Job) -> None:
        """Forget a job that nobody waits for any more: if it goes on, it is brought to an end."""
        if job.worker is None:
            if job in self._waiting.get(job.asker, ()):
                self._waiting[job.asker].remove(job)
                self._count -= 1
                self._forget(job.asker)
        elif not job.answer.done() and not job.given_up:
            self._begin(self._end(job))

    def _debt(self, asker: str) -> float:
        """Return how much longer than others an asker waits: for what he has used of late."""
        debt, then = self._debts.get(asker, (0.0, 0.0))
        passed = asyncio.get_running_loop().time() - then
        return max(0.0, min(debt, MOST_DEBT) - FREE_SHARE * passed)

    def _charge(self, asker: str, seconds: float) -> None:
        """Note that an asker has used a process for so long."""
        now = asyncio.get_running_loop().time()
        self._debts[asker] = self._debt(asker) + seconds, now
        if asker in self._due:
            self._due[asker] = now + self._debt(asker)
        if len(self._debts) > MOST_REMEMBERED:
            self._debts = {a: debt for a, debt in self._debts.items() if self._debt(a) > 0}
        while len(self._debts) > MOST_REMEMBERED:
            self._debts.pop(next(iter(self._debts)))

    def _forget(self, asker: str) -> None:
        """Forget what an asker has no more: jobs that wait, jobs under way."""
        if not self._waiting.get(asker, True):
            del self._waiting[asker], self._due[asker]
        if not self._running.get(asker, True):
            del self._running[asker]

    def _dispatch(self) -> None:
        """Give idle processes the next jobs."""
        while self._idle and (found := self._next()) is not None:
            job, worker = found
            self._idle.remove(worker)
            self._waiting[job.asker].remove(job)
            self._count -= 1
            job.worker = worker
            self._due[job.asker] = asyncio.get_running_loop().time() + self._debt(job.asker)
            self._running.setdefault(job.asker, []).append(job)
            self._forget(job.asker)
            if self.compiles and job.body.get("game") in GAMES:
                self.prepare(job.body["game"], worker)
            self._begin(self._do(worker, job))

    def _next(self) -> tuple[Job, Worker] | None:
        """Return the job that is next, and who does it."""
        askers = len(self._waiting.keys() | self._running.keys())
        places = len(self.workers)
        share = max(1, min(places - 1, -(-places // max(1, askers))))
        able = self._waiting.keys() - {a for a, jobs in self._running.items() if len(jobs) >= share}
        for asker in sorted(able, key=self._due.__getitem__):
            job = self._waiting[asker][0]
            worker = self._worker_for(job)
            if worker in self._idle:
                return job, worker
        return None

    def _worker_for(self, job: Job) -> Worker:
        """Return who is to do a job: while a game is being compiled, who compiles it."""
        known = self._homes.get(job.body.get("game", ""))
        if known is not None and (job.body["game"] not in self._warmed or known in self._idle):
            return known
        return next((w for w in reversed(self._idle) if w.started), self._idle[-1])

    async def _do(self, worker: Worker, job: Job) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            await worker.start()
            began = loop.time()
            answer = await worker.do(job)
            if not job.answer.done():
                job.answer.set_result(answer)
        except Died:
            job.fail(Busy() if self._closed else TooMuch())
        except OSError:  # no process can be had
            job.fail(Busy())
        finally:
            self._idle.append(worker)
            self._charge(job.asker, loop.time() - began)
            self._running[job.asker].remove(job)
            self._forget(job.asker)
            if not self._closed:
                self._dispatch()

    def prepare(self, game: str, worker: Worker | None = None) -> bool:
        """Begin to compile the search of a game, if need be; return whether it is compiled."""
        if game not in self._homes and not self._closed:
            if worker is None:
                among = self._idle or self.workers
                worker = next((w for w in among if w.started), among[-1])
            self._homes[game] = worker
            self._begin(self._warm(worker, game))
        return game in self.ready

    def _prepares(self, job: Job) -> bool:
        """Tell whether a job's game is being compiled."""
        return job.body.get("game") in self._homes.keys() - self._warmed

    async def _warm(self, worker: Worker, game: str) -> None:
        try:
            await worker.warm(game)
        except (Died, OSError):
            self.lost(worker)

    def warmed(self, game: str, ready: bool) -> None:
        """Note that a game is compiled, or cannot be: from now on any process may do its work."""
        self._warmed.add(game)
        if ready:
            self.ready.add(game)
        self._dispatch()

    def lost(self, worker: Worker) -> None:
        """Note that a process is gone, and with it what it was compiling."""
        for game in [g for g, w in self._homes.items() if w is worker and g not in self._warmed]:
            del self._homes[game]

    def wake(self) -> None:
        """Begin a process, if there is none: someone is about to ask."""
        if not self._closed and not any(worker.started for worker in self.workers):
            self._begin(self._start(self._idle[-1]))

    async def _start(self, worker: Worker) -> None:
        with suppress(Died, OSError):
            await worker.start()

    def _begin(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """Stop all work; what is asked from now on, and what waits, is refused."""
        self._closed = True
        for jobs in self._waiting.values():
            for job in jobs:
                job.fail(Busy())
        for worker in self.workers:
            worker.stop()
            asyncio.get_running_loop().call_later(FAREWELL, worker.kill)

    async def end(self) -> None:
        """End all processes, and wait until they have ended."""
        self.close()
        for worker in self.workers:
            await worker.end()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)


class Crew:
    """All processes: those that answer quickly, and those that think and let the others go first.

    There is one more of each than one asker can have.
    """

    def __init__(
        self, workers: int | None = None, waiting: int = 64, code: str | None = None
    ) -> None:
        """Make a crew with `workers` places for each asker; `code` is what its processes run."""
        places = (workers or os.cpu_count() or 1) + 1
        command = [sys.executable, "-c", code or COMMAND.format(path=sys.path)]
        self.quick = Lane(places, command, most=16 * waiting, each=16)
        self.engine = Lane(places, [*command, "--modest"], most=waiting, each=8, compiles=True)

    def close(self) -> None:
        """Stop all work; what is asked from now on, and what waits, is refused."""
        self.quick.close()
        self.engine.close()

    async def end(self) -> None:
        """End all processes, and wait until they have ended."""
        await self.quick.end()
        await self.engine.end()
