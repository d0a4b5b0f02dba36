"""An interrupted solver run resumes and finds the same table."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import damier
from damier.cli import main
from damier.cli.progress import ProgressLine
from damier.errors import DamierError
from damier.position import Rules
from damier.solve import retrograde, tables
from damier.solve.retrograde import Progress, Solution, SolverRun
from damier.solve.retrograde.checkpoints import Checkpoints
from damier.solve.retrograde.storage import StorageLimits
from damier.solve.retrograde.thread_pool import ThreadPool

pytestmark = pytest.mark.slow

ROUNDS = {"fraha": 38, "chefa": 12, "badia": 24}
NAMES = ["fraha", "chefa", pytest.param("badia", marks=pytest.mark.exhaustive)]

Solve = Callable[[int, Progress | None, Path], Solution]


def interrupting(calls: int, error: type[BaseException] = KeyboardInterrupt) -> Progress:
    """Return a progress callback that interrupts when it is called so many times."""
    left = [calls]

    def progress(what: str, part: float) -> None:
        assert 0 <= part <= 1
        left[0] -= 1
        if left[0] == 0:
            raise error

    return progress


def resumed(solve: Solve, moments: list[int], keep: Path) -> tuple[Solution, int]:
    """Interrupt a run again and again, then let it end; return how often it was interrupted."""
    interruptions = 0
    for k, calls in enumerate(moments):
        try:
            return solve(1 + k % 3, interrupting(calls), keep), interruptions
        except KeyboardInterrupt:
            interruptions += 1
    return solve(2, None, keep), interruptions


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


@pytest.mark.parametrize("name", NAMES)
def test_an_interrupted_run_continues(name: str, tmp_path: Path) -> None:
    rules = damier.load_rules(name)
    table = tables.find(rules)
    assert table is not None
    expected = retrograde.solution_of(table).arrays

    def solve(workers: int, progress: Progress | None, keep: Path) -> Solution:
        return retrograde.solve(rules, None, workers, progress, keep)

    for moments in ([3, 7, 9, 12], [25]):
        keep = tmp_path / str(len(moments))
        solution, interruptions = resumed(solve, moments, keep)
        assert interruptions > 0
        assert same(solution.arrays, expected)
        assert solution.rounds == ROUNDS[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_killed_run_continues(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept every few seconds is enough: nothing is kept at the end itself."""
    rules = damier.load_rules(name)
    table = tables.find(rules)
    assert table is not None
    monkeypatch.setattr("damier.solve.retrograde.solver_run.CHECKPOINT_INTERVAL_S", 0)
    with pytest.raises(MemoryError):
        retrograde.solve(rules, None, 2, interrupting(20, MemoryError), tmp_path)
    assert (tmp_path / "run.kept").exists()
    monkeypatch.undo()
    assert same(
        retrograde.solve(rules, None, 1, None, tmp_path).arrays,
        retrograde.solution_of(table).arrays,
    )


@pytest.mark.parametrize(
    ("rules", "pawns"),
    [(damier.load_rules("fanorona", board="3x5"), 6), (damier.load_rules("seega"), 4)],
    ids=lambda value: value.name if isinstance(value, Rules) else "",
)
def test_an_interrupted_run_of_endings_continues(rules: Rules, pawns: int, tmp_path: Path) -> None:
    whole = retrograde.solve(rules, pawns)

    def solve(workers: int, progress: Progress | None, keep: Path) -> Solution:
        return retrograde.solve(rules, pawns, workers, progress, keep)

    solution, interruptions = resumed(solve, [1, 2, 3], tmp_path)
    assert interruptions > 1
    assert retrograde.content(solution) == retrograde.content(whole)
    assert solution.rounds == whole.rounds


def test_endings_need_one_byte_of_memory_for_each_position_of_a_tier(tmp_path: Path) -> None:
    """All else is on disk, and the solution is the same, interrupted or not."""
    rules = damier.load_rules("seega")
    solver = retrograde.solver_for(rules)
    size, on_disk = solver.size(rules, 5), solver.on_disk(rules, 5)
    assert size is not None
    assert on_disk is not None
    sizes: dict[tuple[int, int], int] = SolverRun(
        solver.begin(rules, 5, lambda what, part: None), ThreadPool(1)
    ).numbers.sizes
    assert on_disk[0] == sizes[2, 3] + sizes[3, 2] == size[1] - on_disk[1]
    assert on_disk[1] == 2 * size[0]
    limits = StorageLimits(*on_disk)

    def solve(workers: int, progress: Progress | None, keep: Path) -> Solution:
        return retrograde.solve(rules, 5, workers, progress, keep, limits)

    whole = retrograde.solve(rules, 5)
    solution, interruptions = resumed(solve, [2, 4], tmp_path / "parts")
    assert interruptions == 2
    assert not any(array.flags.owndata for array in solution.arrays.values())
    assert retrograde.content(solution) == retrograde.content(whole)
    assert retrograde.verify(solution)
    for memory, disk, kind in ((-1, 0, "memory"), (0, -1, "disk")):
        limits = StorageLimits(on_disk[0] + memory, on_disk[1] + disk)
        with pytest.raises(DamierError) as error:
            solve(1, None, tmp_path / "other")
        assert error.value.key == f"solve-{kind}"


@pytest.mark.parametrize(
    ("name", "options", "most"),
    [("seega", {}, 24), ("seega", {"size": "7"}, 7), ("fanorona", {}, 7)],
)
def test_endings_are_limited_by_the_sets_of_pawns(
    name: str, options: dict[str, str], most: int
) -> None:
    rules = damier.load_rules(name, **options)
    solver = retrograde.solver_for(rules)
    assert solver.endings(rules, most) == most
    with pytest.raises(DamierError):
        solver.endings(rules, most + 1)


def test_a_checkpoint_is_read_in_place(tmp_path: Path) -> None:
    parts = Checkpoints(tmp_path, {})
    parts.save("2-3", {"values": np.arange(5, dtype=np.uint8)})
    values = np.zeros(7, np.uint8)
    assert parts.load("2-3", {"values": values[1:6]}, in_place=True) is not None
    assert values.tolist() == [0, 0, 1, 2, 3, 4, 0]
    path = tmp_path / "2-3.kept"
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    values[:] = 0
    assert parts.load("2-3", {"values": values[1:6]}, in_place=True) is None
    assert not values.any()


def test_foreign_and_damaged_checkpoints_are_skipped(tmp_path: Path) -> None:
    parts = Checkpoints(tmp_path, {"game": "fraha"})
    parts.save("run", {"values": np.arange(5, dtype=np.int64)})
    kept = parts.load("run", {"values": np.zeros(5, np.int64)})
    assert kept is not None
    assert kept["values"].tolist() == [0, 1, 2, 3, 4]
    like = np.zeros(5, np.int64)
    assert parts.load("run", {"values": np.zeros(6, np.int64)}) is None
    assert parts.load("run", {"values": like.astype(np.uint64)}) is None
    assert parts.load("run", {"values": like, "more": like}) is None
    assert parts.load("other", {"values": like}) is None
    assert Checkpoints(tmp_path, {"game": "badia"}).load("run", {"values": like}) is None
    path = tmp_path / "run.kept"
    path.write_bytes(path.read_bytes()[:100])
    assert parts.load("run", {"values": like}) is None
    path.write_bytes(b"")
    assert parts.load("run", {"values": like}) is None


@pytest.mark.parametrize(
    "words", [["fraha"], ["fanorona", "--board", "3x3"]], ids=lambda words: words[0]
)
def test_the_command_says_how_to_continue(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "some.table"
    command = ["solve", *words, "--output", str(path)]
    interrupt = interrupting(9)
    with monkeypatch.context() as patched:
        patched.setattr(ProgressLine, "__call__", lambda line, *said: interrupt(*said))
        assert main(command) == 130
    assert "same command continues" in capsys.readouterr().err
    assert path.with_suffix(".parts").exists()
    assert not path.exists()
    interrupt = interrupting(2)
    with monkeypatch.context() as patched:
        patched.setattr(ProgressLine, "__call__", lambda line, *said: interrupt(*said))
        assert main([*command, "--verify"]) == 130
    assert "starts again" in capsys.readouterr().err
    assert main(command) == 0
    assert path.exists()
    assert not path.with_suffix(".parts").exists()


def test_progress_is_for_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    quiet = ProgressLine()
    quiet("rounds", 0.0)
    quiet("rounds", 0.5)
    quiet.clear()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    line = ProgressLine()
    line("rounds", 0.2)
    line("rounds", 0.6)
    line.clear()
    said = capsys.readouterr().err
    assert said.startswith("\rplay  60%, 0 s, about 0 s left")
    assert said.endswith("\r")
