"""Executors: order of results, lost workers, cancellation, errors, and a real Dask cluster."""

import multiprocessing
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import damier
from damier import arena, i18n
from damier.arena import ArenaGame, Match
from damier.cli import main
from damier.errors import DamierError
from damier.execution import Executor, SerialExecutor, Task, WorkerLost, open_executor
from damier.execution import dask_cluster as dask_cluster_module
from tests.support import tasks
from tests.support.dask_cluster import DaskCluster, dask_cluster

SQUARES = [Task(f"{n} squared", tasks.square, (n,)) for n in range(20)]


@pytest.fixture(scope="module")
def cluster_of_two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Yield a cluster that no test kills."""
    with dask_cluster(tmp_path_factory.mktemp("dask")) as running:
        yield running


@pytest.fixture(params=["serial", "local", "dask"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Yield an executor of each kind."""
    if request.param == "dask":
        made = open_executor(cluster=request.getfixturevalue("cluster_of_two").address)
    else:
        made = open_executor(workers=1 if request.param == "serial" else 2)
    with made:
        yield made


def test_results_come_in_order(executor: Executor) -> None:
    ended: list[str] = []
    results = list(executor.map(SQUARES, ended=lambda task: ended.append(task.id)))
    assert results == [(task, n * n) for n, task in enumerate(SQUARES)]
    assert sorted(ended) == sorted(task.id for task in SQUARES)


def test_skipped_tasks_are_left_out_in_the_same_way(executor: Executor) -> None:
    found: list[int] = []
    for _, result in executor.map(SQUARES, skip=lambda _: len(found) >= 5):
        found.append(result)
    assert found == [0, 1, 4, 9, 16]


def test_an_error_is_raised_at_its_turn(executor: Executor) -> None:
    listed = [*SQUARES[:3], Task("refused", tasks.refuse, (7,)), *SQUARES[4:]]
    results = executor.map(listed)
    found = [next(results)[1] for _ in range(3)]
    with pytest.raises(ValueError, match="refused 7"):
        next(results)
    assert found == [0, 1, 4]
    assert [result for _, result in executor.map(SQUARES[:2])] == [0, 1]


def test_tasks_run_in_the_language_in_use(executor: Executor) -> None:
    i18n.set_language("fr")
    assert [result for _, result in executor.map([Task("ask", tasks.language)])] == ["fr"]


def test_a_slow_task_does_not_delay_the_others(tmp_path: Path) -> None:
    file = tmp_path / "file"
    listed = [Task("wait", tasks.wait_for, (file,)), Task("write", tasks.write, (file,))]
    with open_executor(workers=2) as executor:
        assert [result for _, result in executor.map(listed)] == ["written", None]


def test_a_lost_process_costs_only_its_task(tmp_path: Path) -> None:
    listed = [*SQUARES[:3], Task("die", tasks.die_once, (tmp_path / "file",)), *SQUARES[4:]]
    ended: list[str] = []
    with open_executor(workers=2) as executor:
        results = [r for _, r in executor.map(listed, ended=lambda task: ended.append(task.id))]
    assert results == [n * n if n != 3 else "survived" for n in range(20)]
    assert len(ended) == len(set(ended)) == 20


def test_a_task_that_always_kills_its_process_is_an_error() -> None:
    with open_executor(workers=2) as executor, pytest.raises(WorkerLost, match="“fatal”"):
        list(executor.map([Task("fatal", tasks.die), *SQUARES]))
    assert not multiprocessing.active_children()


def test_closing_cancels_running_tasks(tmp_path: Path) -> None:
    never = Task("wait", tasks.wait_for, (tmp_path / "never",))
    with open_executor(workers=2) as executor:
        with closing(executor.map([SQUARES[0], never])) as results:
            assert next(results)[1] == 0
        assert [result for _, result in executor.map(SQUARES[:3])] == [0, 1, 4]


def test_bad_numbers_and_addresses_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dask_cluster_module, "CONNECT_TIMEOUT_S", 0.5)
    with pytest.raises(DamierError, match="must be at least 1"):
        open_executor(workers=0)
    with pytest.raises(DamierError, match="either a number of workers or the address"):
        open_executor(workers=2, cluster="tcp://127.0.0.1:1")
    assert isinstance(open_executor(workers=1), SerialExecutor)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # and does not listen
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        for bad in (address, "nonsense://x", "nonsense"):
            command = ["arena", "chefa", "random", "level:1", "--cluster", bad]
            assert main(command) == 2
            assert f"No Dask scheduler answers at {bad}" in capsys.readouterr().err


def test_a_cluster_of_another_version_is_refused(
    cluster_of_two: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster_module, "version", lambda _: "0.0.1")
    with (
        open_executor(cluster=cluster_of_two.address) as executor,
        pytest.raises(DamierError, match=r"this machine has damier 0\.0\.1"),
    ):
        list(executor.map(SQUARES[:1]))


def test_dask_is_not_imported() -> None:
    code = "import sys, damier, damier.arena, damier.execution; print('dask' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout == "False\n"


MATCH = Match(damier.load_rules("chefa"), ("random", "level:1"), 16, opening_moves=1)


def played(executor: Executor) -> list[tuple[ArenaGame, ...]]:
    return [pair for _, pair in arena.run(MATCH, executor=executor)]


@pytest.mark.slow
def test_an_arena_is_the_same_everywhere_and_survives_a_lost_worker(tmp_path: Path) -> None:
    expected = played(SerialExecutor())
    assert len(expected) == 8
    with open_executor(workers=2) as executor:
        assert played(executor) == expected
    with dask_cluster(tmp_path) as running, open_executor(cluster=running.address) as executor:
        found = []
        for _, pair in arena.run(MATCH, executor=executor):
            found.append(pair)
            if len(found) == 1:
                running.workers[0].kill()
        assert found == expected
        assert running.workers[0].wait() != 0


@pytest.mark.slow
def test_early_stops_do_not_depend_on_the_number_of_workers() -> None:
    match = Match(MATCH.rules, ("engine:depth=1", "random"), 60, opening_moves=1, test=(0, 100))
    one = [(score.games, pair) for score, pair in arena.run(match, workers=1)]
    two = [(score.games, pair) for score, pair in arena.run(match, workers=2)]
    assert one == two
    assert len(one) < 30
