"""Solving tier by tier on an executor: the same table, and a lost worker costs only its task."""

from pathlib import Path

import pytest

import damier
from damier.cli import main
from damier.errors import DamierError
from damier.execution import Executor, SerialExecutor, Task, open_executor
from damier.solve.retrograde import content, solve
from damier.solve.retrograde.distributed import TierGroup, solve_on, tier_groups
from tests.support import tasks
from tests.support.dask_cluster import dask_cluster

SMALL = damier.load_rules("fanorona", board="3x3", endgame_draw=0, stall=0)


@pytest.fixture(scope="module")
def expected() -> bytes:
    """Return the content of the table of a usual run."""
    return content(solve(SMALL))


def test_tiers_come_after_those_that_captures_reach() -> None:
    groups = tier_groups(SMALL, None)
    assert len(groups) == 10
    assert sum(group.size for group in groups) == 2856
    high = TierGroup(2, 3, 1)
    assert high.may_reach(TierGroup(2, 2, 1))
    assert high.may_reach(TierGroup(1, 3, 1))
    assert not high.may_reach(high)
    assert not high.may_reach(TierGroup(1, 4, 1))


@pytest.mark.slow
def test_the_table_is_the_same_with_any_executor(tmp_path: Path, expected: bytes) -> None:
    found = solve_on(SerialExecutor(), SMALL, None, tmp_path / "one")
    assert content(found) == expected
    with open_executor(workers=2) as executor:
        assert content(solve_on(executor, SMALL, None, tmp_path / "two")) == expected


@pytest.mark.slow
def test_a_lost_worker_costs_only_its_task(tmp_path: Path, expected: bytes) -> None:
    keep = tmp_path / "shared"
    killed: list[str] = []
    with dask_cluster(tmp_path) as running, open_executor(cluster=running.address) as executor:

        def report(tier: str, part: float) -> None:
            if not killed:
                running.workers[0].kill()
                killed.append(tier)

        found = solve_on(executor, SMALL, None, keep, report)
        assert killed
        assert running.workers[0].wait() != 0
    assert content(found) == expected


@pytest.mark.slow
def test_an_interrupted_run_continues_with_the_tiers_that_are_solved(
    tmp_path: Path, expected: bytes
) -> None:
    keep, solved = tmp_path / "shared", []

    def interrupt(tier: str, part: float) -> None:
        solved.append(tier)
        if len(solved) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_on(SerialExecutor(), SMALL, None, keep, interrupt)
    before = {path.name: path.stat().st_mtime_ns for path in keep.iterdir()}
    assert len(before) == 4
    assert content(solve_on(SerialExecutor(), SMALL, None, keep)) == expected
    after = {path.name: path.stat().st_mtime_ns for path in keep.iterdir()}
    assert before.items() <= after.items()


def test_only_tiers_can_be_distributed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DamierError, match="solved tier by tier"):
        tier_groups(damier.load_rules("chefa"), None)
    command = ["solve", "seega", "--cluster", "tcp://127.0.0.1:1", "--output", str(tmp_path / "t")]
    assert main([*command, "--workers", "2"]) == 2
    assert "--cluster is for computing a table" in capsys.readouterr().err


@pytest.mark.slow
def test_tiers_that_are_not_shared_are_an_error(tmp_path: Path) -> None:
    class Elsewhere(SerialExecutor):
        """Executor whose workers see another directory."""

        def _start(self, task: Task) -> None:
            rules, pawns, group, _, needed = task.arguments
            there = tmp_path / "there"
            super()._start(Task(task.id, task.function, (rules, pawns, group, there, needed)))

    with pytest.raises(DamierError, match="visible on this machine and on every worker"):
        solve_on(Elsewhere(), SMALL, None, tmp_path / "here")


@pytest.mark.parametrize("workers", [1, 2])
def test_tasks_of_a_graph_run_after_those_they_need(workers: int, tmp_path: Path) -> None:
    squares = {n: Task(f"{n}", tasks.square, (n,)) for n in range(8)}
    graph = {task: [f"{k}" for k in range(n)] if n % 2 else [] for n, task in squares.items()}
    with open_executor(workers=workers) as executor:
        found = [(int(task.id), result) for task, result in executor.run_graph(graph)]
    assert sorted(found) == [(n, n * n) for n in range(8)]
    order = [n for n, _ in found]
    assert all(order.index(k) < order.index(n) for n in (1, 3, 5, 7) for k in range(n))


def test_a_graph_reports_errors_and_cycles() -> None:
    executor: Executor = SerialExecutor()
    with pytest.raises(ValueError, match="refused 7"):
        list(executor.run_graph({Task("refused", tasks.refuse, (7,)): []}))
    with pytest.raises(ValueError, match="tasks need each other"):
        list(executor.run_graph({Task("one", tasks.square, (1,)): ["one"]}))
