"""Pools of worker processes with fair scheduling per client.

The event loop does no work whose cost depends on the request: it sends jobs to worker processes. A
pool runs one kind of job. Each client has its own queue; a client that has used much time waits as
much longer than the others, and one worker is always left to other clients. Every job has a
deadline. A job that does not stop at its deadline is killed with its process, which is replaced.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

from damier.games import GAMES
from damier.web.worker_process import LENGTH, frame

STOP_GRACE_S = 2.0  # between asking a job to stop and killing its process
SHUTDOWN_GRACE_S = 0.5  # the same, when the server is being stopped
# Jobs faster than this are not watched for a client that disconnects: that would cost a task each.
DISCONNECT_WATCH_DELAY_S = 0.25
MAX_WARM_UP_WAIT_S = 90.0  # that a job may wait for the compiler, beyond its own deadline
MAX_TRACKED_CLIENTS = 4096
# A client that uses more than this share of one process on average is in debt, up to a limit.
FREE_SHARE, MAX_DEBT_S = 0.1, 5.0
MAX_RESPONSE_BYTES = 64 << 20
# `sys.path` is passed on, so that workers import the same modules in any working directory.
COMMAND = "import sys; sys.path[:] = {path!r}; from damier.web.worker_process import main; main()"

# The server's log, which lists each kind of fault once a minute.
log = logging.getLogger("uvicorn.error")

# A coroutine that returns when the client has disconnected.
WaitForDisconnect = Callable[[], Coroutine[Any, Any, None]]


class PoolBusy(Exception):
    """The queue is full or the job did not start in time; the client may retry."""


class EngineWarmingUp(PoolBusy):
    """The engine is still being compiled for the game; the client may retry."""


class JobLimitExceeded(Exception):
    """The job exceeded its time or memory limit, and would again."""


class ClientDisconnected(Exception):
    """The client closed the connection before it was answered."""


class WorkerCrashed(Exception):
    """The worker process ended during a job."""


@dataclass(eq=False)
class Job:
    """A request to be answered by a worker process, and the future of its answer."""

    name: str
    body: dict[str, Any]
    language: str
    client: str
    answer: asyncio.Future[tuple[int, bytes]] = field(init=False)
    worker: Worker | None = None
    given_up: bool = False

    def __post_init__(self) -> None:
        self.answer = asyncio.get_running_loop().create_future()

    def fail(self, error: Exception) -> None:
        """Set an exception in place of the answer."""
        if not self.answer.done():
            self.answer.set_exception(error)
            self.answer.exception()  # marks it as retrieved: the client may have left


class _WorkerProtocol(asyncio.SubprocessProtocol):
    """Pipes of a running worker process: reads frames and notices when the process ends."""

    def __init__(self, worker: Worker) -> None:
        self.transport: asyncio.SubprocessTransport
        self.ended = asyncio.Event()
        self.lost = False
        self._worker = worker
        self._buffer = bytearray()
        self._frames: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self._buffer)
            if length > MAX_RESPONSE_BYTES:
                self.kill()
            if len(self._buffer) < LENGTH.size + length:
                return
            self._frames.append(bytes(self._buffer[LENGTH.size : LENGTH.size + length]))
            del self._buffer[: LENGTH.size + length]
            if len(self._frames) == 2:
                head, body = self._frames
                self._frames = []
                self._worker.on_message(json.loads(head), body)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self.lost = True
        self._worker.on_process_lost(self)

    def process_exited(self) -> None:
        self.lost = True
        self._worker.on_process_lost(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport.close()
        self.ended.set()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, unless the pipe is closed."""
        pipe = cast(asyncio.WriteTransport | None, self.transport.get_pipe_transport(0))
        if pipe is not None and not pipe.is_closing():
            pipe.write(frame(json.dumps(message).encode()))

    def kill(self) -> None:
        """Kill the process."""
        pipe = self.transport.get_pipe_transport(0)
        if pipe is not None:
            pipe.close()
        if self.transport.get_returncode() is None:
            # Not transport.kill(): it would poll the process and take its exit status from asyncio.
            with suppress(ProcessLookupError):
                os.kill(self.transport.get_pid(), getattr(signal, "SIGKILL", signal.SIGTERM))


class Worker:
    """Handle of a worker process, which runs one job at a time; restarted after it has ended."""

    def __init__(self, pool: WorkerPool, command: Sequence[str]) -> None:
        self._pool = pool
        self._command = command
        self._starting = asyncio.Lock()
        self._process: _WorkerProtocol | None = None
        self._ending: set[_WorkerProtocol] = set()
        self._ids = itertools.count(1)
        self._id = 0
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None

    @property
    def started(self) -> bool:
        """Whether the process is running."""
        return self._process is not None

    async def start(self) -> _WorkerProtocol:
        """Return the process; start it if there is none. Raise WorkerCrashed if it ends at once."""
        async with self._starting:
            if self._process is None:
                paths = [str(folder.path) for folder in GAMES.values() if folder.path is not None]
                _, process = await asyncio.get_running_loop().subprocess_exec(
                    lambda: _WorkerProtocol(self),
                    *self._command,
                    *paths,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=None,
                    start_new_session=True,  # Ctrl-C goes to the server, which ends its workers
                )
                if process.lost:
                    raise WorkerCrashed
                self._process = process
            return self._process

    async def run(self, job: Job) -> tuple[int, bytes]:
        """Return the answer to a job; raise WorkerCrashed if the process ends first."""
        process = await self.start()
        if job.given_up:
            raise WorkerCrashed
        self._id = next(self._ids)
        self._answer = asyncio.get_running_loop().create_future()
        process.send(
            {
                "id": self._id,
                "name": job.name,
                "body": job.body,
                "language": job.language,
            }
        )
        return await self._answer

    async def warm_up(self, game: str) -> None:
        """Start to compile the search of a game; the pool is notified when that is done."""
        (await self.start()).send({"warm_up": game})

    def stop(self) -> None:
        """Ask the running job to stop."""
        if self._process is not None:
            self._process.send({"stop": self._id})

    def kill(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self.on_process_lost(self._process)

    async def end(self) -> None:
        """Kill the process and wait until it has ended."""
        self.kill()
        for process in list(self._ending):
            await process.ended.wait()

    def on_message(self, head: dict[str, Any], body: bytes) -> None:
        """Handle a message of the process: an answer, or the end of a warm-up."""
        if "warmed_up" in head:
            self._pool.on_warmed_up(head["warmed_up"], head["ready"])
            return
        if "fault" in head:
            fault = head["fault"]
            log.error("Error in a worker process\n%s", fault["text"], extra={"kind": fault["kind"]})
        if head["id"] == self._id and self._answer is not None and not self._answer.done():
            self._answer.set_result((head["status"], body))

    def on_process_lost(self, process: _WorkerProtocol) -> None:
        """Forget a process that has ended or is to be killed; fail its job."""
        if process is not self._process:
            return
        self._process = None
        self._ending = {p for p in self._ending | {process} if not p.ended.is_set()}
        process.kill()
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(WorkerCrashed())
        self._pool.on_worker_lost(self)


class WorkerPool:
    """Worker processes for one kind of job, with a queue per client.

    At most `max_waiting` jobs wait, `max_per_client` of one client. A pool with `compiles` warms up
    the search of a game when the first job for that game is started.
    """

    def __init__(
        self,
        workers: int,
        command: Sequence[str],
        *,
        max_waiting: int,
        max_per_client: int,
        compiles: bool = False,
    ) -> None:
        self.max_waiting, self.max_per_client = max_waiting, max_per_client
        self.compiles = compiles
        self.workers = [Worker(self, command) for _ in range(workers)]
        self.compiled_games: set[str] = set()  # games whose search is compiled
        self._idle = list(self.workers)
        self._waiting: dict[str, deque[Job]] = {}
        self._waiting_count = 0
        self._running: dict[str, list[Job]] = {}
        self._due: dict[str, float] = {}  # when a waiting client's next job is due
        self._debts: dict[str, tuple[float, float]] = {}  # seconds of debt, and when computed
        self._warmed_up: set[str] = set()  # games whose compilation succeeded or failed
        self._compilers: dict[str, Worker] = {}  # the worker that compiles a game
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def run(
        self,
        job: Job,
        timeout_s: float,
        disconnected: WaitForDisconnect | None = None,
    ) -> tuple[int, bytes]:
        """Return the status and body of the answer to a job.

        Raises PoolBusy, EngineWarmingUp, JobLimitExceeded, or ClientDisconnected when
        `disconnected` returns first.
        """
        if self._closed:
            raise PoolBusy
        queue = self._waiting.setdefault(job.client, deque())
        queue.append(job)
        self._waiting_count += 1
        if len(queue) == 1:
            self._due[job.client] = asyncio.get_running_loop().time() + self._debt(job.client)
        self._dispatch()
        try:
            if job.worker is None and self._is_full(queue):
                raise PoolBusy
            return await self._wait_for_answer(job, timeout_s, disconnected)
        finally:
            self._abandon(job)

    def _is_full(self, queue: deque[Job]) -> bool:
        return self._waiting_count > self.max_waiting or len(queue) > self.max_per_client

    async def _wait_for_answer(
        self, job: Job, timeout_s: float, disconnected: WaitForDisconnect | None
    ) -> tuple[int, bytes]:
        """Return the answer to a job, or raise when the client leaves or the time is over."""
        await asyncio.wait({job.answer}, timeout=min(DISCONNECT_WATCH_DELAY_S, timeout_s))
        if not job.answer.done():
            disconnect = asyncio.ensure_future(disconnected()) if disconnected is not None else None
            remaining_s = max(0.0, timeout_s - DISCONNECT_WATCH_DELAY_S)
            try:
                await self._wait_until_deadline(job, remaining_s, disconnect)
            finally:
                if disconnect is not None:
                    disconnect.cancel()
        if job.answer.done():
            return job.answer.result()
        if self._is_warming_up(job):
            raise EngineWarmingUp
        if job.worker is None:
            raise PoolBusy
        await self._stop_or_kill(job)
        if job.answer.done():
            return job.answer.result()
        raise JobLimitExceeded

    async def _wait_until_deadline(
        self, job: Job, timeout_s: float, disconnect: asyncio.Future[None] | None
    ) -> None:
        """Wait for the answer to a job. The deadline is extended while its game is compiled."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        deadline = began + timeout_s
        awaited: set[asyncio.Future[Any]] = {job.answer}
        if disconnect is not None:
            awaited.add(disconnect)
        while not job.answer.done() and (remaining_s := deadline - loop.time()) > 0:
            await asyncio.wait(awaited, timeout=remaining_s, return_when=asyncio.FIRST_COMPLETED)
            if disconnect is not None and disconnect.done() and not job.answer.done():
                raise ClientDisconnected
            if self._is_warming_up(job):
                deadline = min(loop.time(), began + MAX_WARM_UP_WAIT_S) + timeout_s

    async def _stop_or_kill(self, job: Job) -> None:
        """Ask a job to stop; kill its process if it does not."""
        assert job.worker is not None
        job.given_up = True
        job.worker.stop()
        await asyncio.wait({job.answer}, timeout=STOP_GRACE_S)
        if not job.answer.done():
            job.worker.kill()

    def _abandon(self, job: Job) -> None:
        """Remove a job whose client no longer waits; stop it if it is running."""
        if job.worker is None:
            if job in self._waiting.get(job.client, ()):
                self._waiting[job.client].remove(job)
                self._waiting_count -= 1
                self._drop_empty_queues(job.client)
        elif not job.answer.done() and not job.given_up:
            self._create_task(self._stop_or_kill(job))

    def _debt(self, client: str) -> float:
        """Return how many seconds longer than others a client waits, for its recent use."""
        debt, updated = self._debts.get(client, (0.0, 0.0))
        elapsed = asyncio.get_running_loop().time() - updated
        return max(0.0, min(debt, MAX_DEBT_S) - FREE_SHARE * elapsed)

    def _charge(self, client: str, seconds: float) -> None:
        """Add the time for which a client has used a process to its debt."""
        now = asyncio.get_running_loop().time()
        self._debts[client] = self._debt(client) + seconds, now
        if client in self._due:
            self._due[client] = now + self._debt(client)
        if len(self._debts) > MAX_TRACKED_CLIENTS:
            self._debts = {c: debt for c, debt in self._debts.items() if self._debt(c) > 0}
        while len(self._debts) > MAX_TRACKED_CLIENTS:
            self._debts.pop(next(iter(self._debts)))

    def _drop_empty_queues(self, client: str) -> None:
        """Remove the entries of a client without waiting or running jobs."""
        if not self._waiting.get(client, True):
            del self._waiting[client], self._due[client]
        if not self._running.get(client, True):
            del self._running[client]

    def _dispatch(self) -> None:
        """Start the next jobs on idle workers."""
        while self._idle and (assignment := self._next_assignment()) is not None:
            job, worker = assignment
            self._idle.remove(worker)
            self._waiting[job.client].remove(job)
            self._waiting_count -= 1
            job.worker = worker
            self._due[job.client] = asyncio.get_running_loop().time() + self._debt(job.client)
            self._running.setdefault(job.client, []).append(job)
            self._drop_empty_queues(job.client)
            if self.compiles and job.body.get("game") in GAMES:
                self.warm_up(job.body["game"], worker)
            self._create_task(self._run_on(worker, job))

    def _next_assignment(self) -> tuple[Job, Worker] | None:
        """Return the next job and the worker that is to run it.

        A client may use its share of the workers, rounded up, but never all of them.
        """
        clients = len(self._waiting.keys() | self._running.keys())
        workers = len(self.workers)
        share = max(1, min(workers - 1, -(-workers // max(1, clients))))
        saturated = {client for client, jobs in self._running.items() if len(jobs) >= share}
        for client in sorted(self._waiting.keys() - saturated, key=self._due.__getitem__):
            job = self._waiting[client][0]
            worker = self._worker_for(job)
            if worker in self._idle:
                return job, worker
        return None

    def _worker_for(self, job: Job) -> Worker:
        """Return the worker for a job: the one that compiles its game, until that is done."""
        game = job.body.get("game", "")
        compiler = self._compilers.get(game)
        if compiler is not None and (game not in self._warmed_up or compiler in self._idle):
            return compiler
        return next((w for w in reversed(self._idle) if w.started), self._idle[-1])

    async def _run_on(self, worker: Worker, job: Job) -> None:
        """Run a job on a worker, then start the next one."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            await worker.start()
            began = loop.time()
            answer = await worker.run(job)
            if not job.answer.done():
                job.answer.set_result(answer)
        except WorkerCrashed:
            job.fail(PoolBusy() if self._closed else JobLimitExceeded())
        except OSError:  # the process could not be started
            job.fail(PoolBusy())
        finally:
            self._idle.append(worker)
            self._charge(job.client, loop.time() - began)
            self._running[job.client].remove(job)
            self._drop_empty_queues(job.client)
            if not self._closed:
                self._dispatch()

    def warm_up(self, game: str, worker: Worker | None = None) -> bool:
        """Start to compile the search of a game, unless done; return whether it is compiled."""
        if game not in self._compilers and not self._closed:
            if worker is None:
                candidates = self._idle or self.workers
                worker = next((w for w in candidates if w.started), candidates[-1])
            self._compilers[game] = worker
            self._create_task(self._warm_up_on(worker, game))
        return game in self.compiled_games

    def _is_warming_up(self, job: Job) -> bool:
        """Return whether a job's game is being compiled."""
        return job.body.get("game") in self._compilers.keys() - self._warmed_up

    async def _warm_up_on(self, worker: Worker, game: str) -> None:
        try:
            await worker.warm_up(game)
        except (WorkerCrashed, OSError):
            self.on_worker_lost(worker)

    def on_warmed_up(self, game: str, ready: bool) -> None:
        """Record that a game is compiled or cannot be; any worker may now run its jobs."""
        self._warmed_up.add(game)
        if ready:
            self.compiled_games.add(game)
        self._dispatch()

    def on_worker_lost(self, worker: Worker) -> None:
        """Forget the compilations that ended with a worker's process."""
        for game in [
            g for g, w in self._compilers.items() if w is worker and g not in self._warmed_up
        ]:
            del self._compilers[game]

    def prestart(self) -> None:
        """Start a process, if none is running: a job is expected soon."""
        if not self._closed and not any(worker.started for worker in self.workers):
            self._create_task(self._start(self._idle[-1]))

    async def _start(self, worker: Worker) -> None:
        with suppress(WorkerCrashed, OSError):
            await worker.start()

    def _create_task(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """Stop all running jobs; refuse waiting and new ones."""
        self._closed = True
        for jobs in self._waiting.values():
            for job in jobs:
                job.fail(PoolBusy())
        for worker in self.workers:
            worker.stop()
            asyncio.get_running_loop().call_later(SHUTDOWN_GRACE_S, worker.kill)

    async def end(self) -> None:
        """Kill all processes and wait until they have ended."""
        self.close()
        for worker in self.workers:
            await worker.end()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)


class WorkerPools:
    """The two pools of the server: interactive requests, and engine jobs at low priority.

    Each has one worker more than a single client can use.
    """

    def __init__(
        self, workers: int | None = None, waiting: int = 64, code: str | None = None
    ) -> None:
        """Make pools with `workers` processes per client (default: one per processor).

        `waiting` limits the queue of engine jobs; `code` is the Python code that workers run.
        """
        count = (workers or os.cpu_count() or 1) + 1
        command = [sys.executable, "-c", code or COMMAND.format(path=sys.path)]
        self.interactive = WorkerPool(count, command, max_waiting=16 * waiting, max_per_client=16)
        self.engine = WorkerPool(
            count,
            [*command, "--engine"],
            max_waiting=waiting,
            max_per_client=8,
            compiles=True,
        )

    def close(self) -> None:
        """Stop all running jobs; refuse waiting and new ones."""
        self.interactive.close()
        self.engine.close()

    async def end(self) -> None:
        """Kill all processes and wait until they have ended."""
        await self.interactive.end()
        await self.engine.end()
