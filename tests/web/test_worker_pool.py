"""Worker pools: deadlines, fair shares, and the replacement of stuck processes."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from damier.web import worker_pool
from damier.web.server import RepeatFilter
from damier.web.worker_pool import (
    ClientDisconnected,
    EngineWarmingUp,
    Job,
    JobLimitExceeded,
    PoolBusy,
    WorkerPool,
    WorkerPools,
)
from tests.web.test_server import in_a_loop

# A process whose jobs do what a test wants.
CODE = """
import os, time
from damier.search import warmup
from damier.web import worker_process
from damier.web.endpoints import ENDPOINTS, Endpoint

def until_stopped(body, stop):
    while not stop.is_set():
        time.sleep(0.005)
    return {"stopped": True}

def stubborn(body):
    while True:
        time.sleep(0.005)

def nap(body):
    time.sleep(body["seconds"])
    return {"who": body.get("who"), "process": os.getpid()}

def die(body):
    os._exit(1)

def fault(body):
    raise RuntimeError(f"a fault that the test made: {body['number']}")

def greedy(body):
    held = []
    while True:
        held.append(bytearray(1 << 20))

ENDPOINTS["until_stopped"] = Endpoint("until_stopped", until_stopped, stoppable=True)
for handler in (stubborn, nap, die, fault, greedy):
    ENDPOINTS[handler.__name__] = Endpoint(handler.__name__, handler)
warmup.warm = lambda rules: time.sleep(1.5)
warmup.ready = lambda rules: True
worker_process.MAX_INTERACTIVE_BYTES = worker_process.MAX_ENGINE_BYTES = 200 << 20
worker_process.main()
"""


def job(name: str, client: str = "a", **body: Any) -> Job:
    return Job(name, body, "en", client)


def with_pools(
    test: Callable[[WorkerPools], Awaitable[Any]], workers: int = 1, waiting: int = 64
) -> Any:
    """Run a test with pools that are ended afterwards; each has one worker more than `workers`."""

    async def run() -> Any:
        pools = WorkerPools(workers, waiting, CODE)
        try:
            return await test(pools)
        finally:
            await pools.end()

    return in_a_loop(run())


def processes(pool: WorkerPool) -> list[int]:
    """Return the ids of the running processes."""
    running = (worker._process for worker in pool.workers)
    return [process.transport.get_pid() for process in running if process is not None]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def connected() -> None:
    await asyncio.Event().wait()


async def disconnected() -> None:
    return


def test_a_search_is_stopped_at_its_deadline_and_answers() -> None:
    async def test(pools: WorkerPools) -> None:
        assert await pools.engine.run(job("until_stopped"), 0.2, connected) == (
            200,
            b'{"stopped":true}',
        )
        assert len(processes(pools.engine)) == 1
        assert processes(pools.interactive) == []  # started when needed

    with_pools(test)


def test_a_disconnect_stops_the_search_and_keeps_the_process() -> None:
    async def test(pools: WorkerPools) -> None:
        await pools.engine.run(job("nap", seconds=0), 20)
        (before,) = processes(pools.engine)
        with pytest.raises(ClientDisconnected):
            await pools.engine.run(job("until_stopped"), 20, disconnected)
        await pools.engine.run(job("nap", seconds=0), 20)
        assert processes(pools.engine) == [before]

    with_pools(test)


def test_the_deadline_is_extended_while_a_game_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The deadline counts from the end of the compilation; who waits too long may retry."""
    monkeypatch.setattr(worker_pool, "DISCONNECT_WATCH_DELAY_S", 0.05)

    async def test(pools: WorkerPools) -> None:
        pool = pools.engine
        asked = [pool.run(job("nap", k, game="chefa", seconds=0.5), 0.2) for k in ("a", "b")]
        done = await asyncio.gather(*asked)  # one runs, one waits for the same worker
        assert [status for status, _ in done] == [200, 200]
        assert not pool.compiled_games
        (before,) = processes(pool)
        monkeypatch.setattr(worker_pool, "MAX_WARM_UP_WAIT_S", 0.0)
        with pytest.raises(EngineWarmingUp):
            await pool.run(job("until_stopped", game="chefa"), 0.2)
        while not pool.compiled_games:
            await asyncio.sleep(0.05)
        answer = await pool.run(job("until_stopped", game="chefa"), 0.2)
        assert answer == (200, b'{"stopped":true}')
        assert processes(pool) == [before]

    with_pools(test)


@pytest.mark.skipif(sys.platform != "linux", reason="the system has no such limit")
def test_a_process_over_its_memory_limit_is_killed_and_replaced() -> None:
    async def test(pools: WorkerPools) -> None:
        for pool in (pools.interactive, pools.engine):
            await pool.run(job("nap", seconds=0), 20)
            (before,) = processes(pool)
            with pytest.raises(JobLimitExceeded):
                await pool.run(job("greedy"), 20)
            assert await pool.run(job("nap", seconds=0), 20)
            (after,) = processes(pool)
            assert after != before

    with_pools(test)


@pytest.mark.slow
@pytest.mark.parametrize("left", [False, True])
def test_a_job_that_does_not_stop_is_killed_and_its_process_replaced(
    left: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After more such jobs than workers, abandoned or not, the next one is answered."""
    monkeypatch.setattr(worker_pool, "STOP_GRACE_S", 0.1)

    async def test(pools: WorkerPools) -> list[int]:
        seen = []
        for _ in range(len(pools.engine.workers) + 1):
            with pytest.raises(ClientDisconnected if left else JobLimitExceeded):
                await pools.engine.run(
                    job("stubborn"), 2 if left else 0.5, disconnected if left else connected
                )
            seen += processes(pools.engine)
        status, _ = await pools.engine.run(job("nap", seconds=0), 20, connected)
        assert status == 200
        return seen + processes(pools.engine)

    for pid in with_pools(test):
        assert not alive(pid)  # ended with the pools at the latest


def test_a_job_not_started_at_its_deadline_is_refused_as_busy() -> None:
    async def test(pools: WorkerPools) -> None:
        first = asyncio.create_task(pools.engine.run(job("until_stopped"), 1, connected))
        await asyncio.sleep(0.05)
        with pytest.raises(PoolBusy):  # one of the two workers is for other clients
            await pools.engine.run(job("until_stopped"), 0.2, connected)
        assert (await first)[0] == 200
        assert pools.engine._waiting_count == 0
        assert pools.engine._running == {}

    with_pools(test)


def test_one_client_cannot_take_all_workers_nor_the_whole_queue() -> None:
    async def test(pools: WorkerPools) -> None:
        greedy = [
            asyncio.create_task(pools.engine.run(job("until_stopped", "greedy"), 4, connected))
            for _ in range(pools.engine.max_per_client + 1)
        ]
        await asyncio.sleep(0)
        with pytest.raises(PoolBusy):
            await pools.engine.run(job("nap", "greedy", seconds=0), 4, connected)
        status, _ = await pools.engine.run(job("nap", "other", seconds=0), 4, connected)
        assert status == 200
        pools.close()
        done = await asyncio.gather(*greedy, return_exceptions=True)
        assert sum(isinstance(found, PoolBusy) for found in done) >= pools.engine.max_per_client

    with_pools(test)


def test_a_client_with_high_usage_waits_longer() -> None:
    """The short jobs of other clients go before one client's long jobs."""
    order: list[str] = []

    async def test(pools: WorkerPools) -> None:
        async def run(client: str, seconds: float) -> None:
            await pools.interactive.run(job("nap", client, seconds=seconds), 20, connected)
            order.append(client)

        pools.interactive.workers = pools.interactive.workers[:1]
        pools.interactive._idle = pools.interactive.workers[:]
        charge = pools.interactive._charge
        used: dict[str, list[float]] = {"long": [], "short": []}

        def charge_more(client: str, seconds: float) -> None:
            used[client].append(seconds)
            # As if the long jobs had taken longer: a busy machine also delays the short ones.
            charge(client, worker_pool.MAX_DEBT_S if client == "long" else 0.001)

        pools.interactive._charge = charge_more  # type: ignore[method-assign]
        tasks = [asyncio.create_task(run("long", 0.2)) for _ in range(3)]
        await asyncio.sleep(0)
        tasks += [asyncio.create_task(run("short", 0.0)) for _ in range(5)]
        await asyncio.gather(*tasks)
        assert pools.interactive._debts.keys() == {"long", "short"}
        assert min(used["long"]) >= 0.2
        assert (
            pools.interactive._due == pools.interactive._waiting == pools.interactive._running == {}
        )

    with_pools(test)
    assert order == ["long", *["short"] * 5, "long", "long"]


def test_the_number_of_tracked_clients_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "MAX_TRACKED_CLIENTS", 10)

    async def test(pools: WorkerPools) -> None:
        for k in range(50):
            pools.interactive._charge(f"client {k}", 100.0)
            assert len(pools.interactive._debts) <= 10
        assert pools.interactive._debt("client 49") <= worker_pool.MAX_DEBT_S
        assert pools.interactive._debt("somebody") == 0

    with_pools(test)


def test_a_crashed_process_is_replaced() -> None:
    async def test(pools: WorkerPools) -> None:
        with pytest.raises(JobLimitExceeded):
            await pools.interactive.run(job("die"), 20, connected)
        assert (await pools.interactive.run(job("nap", seconds=0), 20, connected))[0] == 200
        (pid,) = processes(pools.interactive)
        os.kill(pid, signal.SIGKILL)  # while it is idle
        while processes(pools.interactive):
            await asyncio.sleep(0.01)
        assert (await pools.interactive.run(job("nap", seconds=0), 20, connected))[0] == 200

    with_pools(test)


def test_an_internal_error_is_reported_and_the_process_continues(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(pools: WorkerPools) -> None:
        for number in range(3):
            status, body = await pools.interactive.run(job("fault", number=number), 20, connected)
            assert status == 500
            assert b'"key":"fault"' in body
        (before,) = processes(pools.interactive)
        await pools.interactive.run(job("nap", seconds=0), 20, connected)
        assert processes(pools.interactive) == [before]

    repeat_filter = RepeatFilter()
    caplog.set_level(logging.WARNING, logger=worker_pool.log.name)
    monkeypatch.setattr(worker_pool.log, "filters", [repeat_filter])
    monkeypatch.setattr(worker_pool.log, "handlers", [caplog.handler])
    monkeypatch.setattr(worker_pool.log, "propagate", False)
    with_pools(test)
    assert caplog.text.count("Traceback") == 1  # each kind of fault is logged once a minute
    assert "a fault that the test made: 0" in caplog.text
    for last_logged in repeat_filter._last_logged:
        repeat_filter._last_logged[last_logged] -= 60
    with_pools(test)
    assert "(and 2 more)" in caplog.text


def test_a_game_is_compiled_by_one_process_and_announced() -> None:
    from damier.games import GAMES

    name = next(iter(GAMES))

    async def test(pools: WorkerPools) -> None:
        pools.engine.warm_up(name)
        compiler = pools.engine._compilers[name]
        assert not pools.engine.warm_up(name)
        while name not in pools.engine._warmed_up:
            assert pools.engine._worker_for(job("move", game=name)) is compiler
            await asyncio.sleep(0.05)
        assert pools.engine.warm_up(name)
        assert len(processes(pools.engine)) == 1

    with_pools(test)


def test_processes_end_with_a_server_that_is_killed() -> None:
    """No server is left to stop them: they end at the end of their input."""
    code = """
import asyncio
from damier.web.worker_pool import WorkerPools
async def main():
    process = await WorkerPools(1).interactive.workers[0].start()
    print(process.transport.get_pid(), flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        assert alive(int(server.stdout.readline()))
        server.kill()
        # Workers share standard error, which ends with the last of them.
        assert server.communicate(timeout=30)[1] == b""
