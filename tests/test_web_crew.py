"""The processes that do the server's work: deadlines, fair shares, replacing what is stuck."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from damier.web import crew as crew_module
from damier.web.crew import Busy, Crew, Gone, Job, Lane, Preparing, TooMuch
from test_web_server import in_a_loop

# A process whose jobs do what a test wants.
CODE = """
import os, time
from damier.search import warmup
from damier.web import answers, worker

def until_stopped(body, stop):
    while not stop.is_set():
        time.sleep(0.005)
    return {"stopped": True}

def stubborn(body, stop):
    while True:
        time.sleep(0.005)

def nap(body, stop):
    time.sleep(body["seconds"])
    return {"who": body.get("who"), "process": os.getpid()}

def die(body, stop):
    os._exit(1)

def fault(body, stop):
    raise RuntimeError("a fault that the test made")

def greedy(body, stop):
    held = []
    while True:
        held.append(bytearray(1 << 20))

answers.ANSWERS |= {
    "until_stopped": until_stopped, "stubborn": stubborn, "nap": nap, "die": die, "fault": fault,
    "greedy": greedy,
}
warmup.warm = lambda rules: time.sleep(1.5)
warmup.ready = lambda rules: True
worker.MOST_QUICK = worker.MOST_THINKING = 200 << 20
worker.main()
"""


def job(name: str, asker: str = "a", **body: Any) -> Job:
    return Job(name, body, "en", asker)


def with_crew(test: Callable[[Crew], Awaitable[Any]], workers: int = 1, waiting: int = 64) -> Any:
    """Run a test with a crew that is ended afterwards; it has one place more than `workers`."""

    async def run() -> Any:
        crew = Crew(workers, waiting, CODE)
        try:
            return await test(crew)
        finally:
            await crew.end()

    return in_a_loop(run())


def processes(lane: Lane) -> list[int]:
    """Return the processes that there are."""
    found = (worker._process for worker in lane.workers)
    return [process.transport.get_pid() for process in found if process is not None]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def here() -> None:
    await asyncio.Event().wait()


async def gone() -> None:
    return


def test_a_search_is_stopped_at_its_deadline_and_answers() -> None:
    async def test(crew: Crew) -> None:
        assert await crew.engine.ask(job("until_stopped"), 0.2, here) == (200, b'{"stopped":true}')
        assert len(processes(crew.engine)) == 1
        assert processes(crew.quick) == []  # begun when they are needed

    with_crew(test)


def test_a_closed_tab_stops_the_search_and_keeps_the_process() -> None:
    async def test(crew: Crew) -> None:
        await crew.engine.ask(job("nap", seconds=0), 20)
        (before,) = processes(crew.engine)
        with pytest.raises(Gone):
            await crew.engine.ask(job("until_stopped"), 20, gone)
        await crew.engine.ask(job("nap", seconds=0), 20)
        assert processes(crew.engine) == [before]

    with_crew(test)


def test_who_needs_what_is_being_compiled_waits_beyond_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The deadline begins when the compiler is done; who waits too long may try again."""
    monkeypatch.setattr(crew_module, "GLANCE", 0.05)

    async def test(crew: Crew) -> None:
        lane = crew.engine
        asked = [lane.ask(job("nap", k, game="chefa", seconds=0.5), 0.2) for k in ("a", "b")]
        done = await asyncio.gather(*asked)  # one does its work, one waits for its place
        assert [status for status, _ in done] == [200, 200]
        assert not lane.ready
        (before,) = processes(lane)
        monkeypatch.setattr(crew_module, "MOST_PREPARING", 0.0)
        with pytest.raises(Preparing):
            await lane.ask(job("until_stopped", game="chefa"), 0.2)
        while not lane.ready:
            await asyncio.sleep(0.05)
        answer = await lane.ask(job("until_stopped", game="chefa"), 0.2)
        assert answer == (200, b'{"stopped":true}')  # as ever
        assert processes(lane) == [before]

    with_crew(test)


@pytest.mark.skipif(sys.platform != "linux", reason="the system has no such limit")
def test_what_takes_too_much_memory_is_ended_and_replaced() -> None:
    async def test(crew: Crew) -> None:
        for lane in (crew.quick, crew.engine):
            await lane.ask(job("nap", seconds=0), 20)
            (before,) = processes(lane)
            with pytest.raises(TooMuch):
                await lane.ask(job("greedy"), 20)
            assert await lane.ask(job("nap", seconds=0), 20)
            (after,) = processes(lane)
            assert after != before

    with_crew(test)


@pytest.mark.parametrize("left", [False, True])
def test_what_does_not_stop_is_killed_and_replaced(
    left: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More such jobs than there are places, abandoned or not: the next one is answered."""
    monkeypatch.setattr(crew_module, "GRACE", 0.1)

    async def test(crew: Crew) -> list[int]:
        seen = []
        for _ in range(len(crew.engine.workers) + 1):
            with pytest.raises(Gone if left else TooMuch):
                await crew.engine.ask(job("stubborn"), 2 if left else 0.5, gone if left else here)
            seen += processes(crew.engine)
        status, _ = await crew.engine.ask(job("nap", seconds=0), 20, here)
        assert status == 200
        return seen + processes(crew.engine)

    for pid in with_crew(test):
        assert not alive(pid)  # ended with the crew at the latest


def test_what_has_not_begun_at_its_deadline_is_busy() -> None:
    async def test(crew: Crew) -> None:
        first = asyncio.create_task(crew.engine.ask(job("until_stopped"), 1, here))
        await asyncio.sleep(0.05)
        with pytest.raises(Busy):  # of the two places one is for others
            await crew.engine.ask(job("until_stopped"), 0.2, here)
        assert (await first)[0] == 200
        assert crew.engine._count == 0
        assert crew.engine._running == {}

    with_crew(test)


def test_one_asker_cannot_take_all_places_nor_the_whole_queue() -> None:
    async def test(crew: Crew) -> None:
        greedy = [
            asyncio.create_task(crew.engine.ask(job("until_stopped", "greedy"), 4, here))
            for _ in range(crew.engine.each + 1)
        ]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await crew.engine.ask(job("nap", "greedy", seconds=0), 4, here)
        status, _ = await crew.engine.ask(job("nap", "other", seconds=0), 4, here)
        assert status == 200
        crew.close()
        done = await asyncio.gather(*greedy, return_exceptions=True)
        assert sum(isinstance(found, Busy) for found in done) >= crew.engine.each

    with_crew(test)


def test_who_has_had_much_waits_longer() -> None:
    """One asker's long jobs let the others' short ones go first."""
    order: list[str] = []

    async def test(crew: Crew) -> None:
        async def ask(asker: str, seconds: float) -> None:
            await crew.quick.ask(job("nap", asker, seconds=seconds), 20, here)
            order.append(asker)

        crew.quick.workers = crew.quick.workers[:1]
        crew.quick._idle = crew.quick.workers[:]
        tasks = [asyncio.create_task(ask("long", 0.5)) for _ in range(3)]
        await asyncio.sleep(0)
        tasks += [asyncio.create_task(ask("short", 0.0)) for _ in range(5)]
        await asyncio.gather(*tasks)
        assert crew.quick._debts.keys() == {"long", "short"}
        assert crew.quick._due == crew.quick._waiting == crew.quick._running == {}

    with_crew(test)
    assert order == ["long", *["short"] * 5, "long", "long"]


def test_what_is_remembered_of_askers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew_module, "MOST_REMEMBERED", 10)

    async def test(crew: Crew) -> None:
        for k in range(50):
            crew.quick._charge(f"asker {k}", 100.0)
            assert len(crew.quick._debts) <= 10
        assert crew.quick._debt("asker 49") <= crew_module.MOST_DEBT
        assert crew.quick._debt("somebody") == 0

    with_crew(test)


def test_a_process_that_dies_is_replaced() -> None:
    async def test(crew: Crew) -> None:
        with pytest.raises(TooMuch):
            await crew.quick.ask(job("die"), 20, here)
        assert (await crew.quick.ask(job("nap", seconds=0), 20, here))[0] == 200
        (pid,) = processes(crew.quick)
        os.kill(pid, signal.SIGKILL)  # while it is idle
        while processes(crew.quick):
            await asyncio.sleep(0.01)
        assert (await crew.quick.ask(job("nap", seconds=0), 20, here))[0] == 200

    with_crew(test)


def test_a_fault_is_told_and_the_process_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    async def test(crew: Crew) -> None:
        status, body = await crew.quick.ask(job("fault"), 20, here)
        assert status == 500
        assert b'"key":"fault"' in body
        (before,) = processes(crew.quick)
        await crew.quick.ask(job("nap", seconds=0), 20, here)
        assert processes(crew.quick) == [before]

    with_crew(test)
    assert "a fault that the test made" in capfd.readouterr().err


def test_a_game_is_compiled_by_one_process_and_told() -> None:
    from damier.games import GAMES

    name = next(iter(GAMES))

    async def test(crew: Crew) -> None:
        crew.engine.prepare(name)
        home = crew.engine._homes[name]
        assert not crew.engine.prepare(name)
        while name not in crew.engine._warmed:
            assert crew.engine._worker_for(job("move", game=name)) is home
            await asyncio.sleep(0.05)
        assert crew.engine.prepare(name)
        assert len(processes(crew.engine)) == 1

    with_crew(test)


def test_processes_end_with_a_server_that_is_killed() -> None:
    """Nobody is left to stop them: the end of their input tells them."""
    code = """
import asyncio
from damier.web.crew import Crew
async def main():
    process = await Crew(1).quick.workers[0].start()
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
        # Processes share what errors are written to: it ends with the last of them.
        assert server.communicate(timeout=30)[1] == b""
