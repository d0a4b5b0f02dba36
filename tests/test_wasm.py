"""One source, three speeds: WebAssembly built of the same functions answers as they do."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import damier
import odd_kernels
from damier import jit
from damier.games import Folder, load
from damier.jit import MASK63, wasm
from damier.site.modules import module_of
from speeds import InWasmtime, facts, signature

pytestmark = pytest.mark.skipif(not jit.enabled(), reason="there is no compiler to build with")
HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "examples" / "tapatan"


@pytest.fixture(autouse=True)
def _games_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """See to it that the example is not there for other tests."""
    monkeypatch.setattr(damier.GAMES, "_loaded", dict(damier.GAMES._loaded))


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no game of these tests be there in others."""
    monkeypatch.setattr(damier.GAMES, "_loaded", dict(damier.GAMES._loaded))


def in_wasmtime(named: str, file: Path) -> dict[str, Any]:
    """Return what a process without Numba and NumPy says of a game."""
    done = subprocess.run(
        [sys.executable, str(HERE / "speeds.py"), named, str(file)],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert not done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def agree(told: dict[str, Any], folder: Folder) -> None:
    """See that what was told of a game is what it answers here, and that a module has told it."""
    assert all(told["called"].values()), told["called"]
    native = json.loads(json.dumps(dict(facts(folder.name))))
    assert told["facts"].keys() == native.keys()
    for what, found in told["facts"].items():
        assert found == native[what], what
    signed = json.loads((HERE / "data" / "signature.json").read_text("utf-8"))
    assert told["signature"] == signed.get(folder.name, {})


@pytest.mark.parametrize("name", [*sorted(damier.GAMES), EXAMPLE], ids=lambda name: Path(name).stem)
def test_a_module_answers_as_compiled_code_does(name: str | Path) -> None:
    folder = load(name) if isinstance(name, Path) else damier.GAMES[name]
    agree(in_wasmtime(str(name), module_of(folder)), folder)


def test_python_in_a_browser_answers_alike() -> None:
    """Pyodide, here in Node: two games, and one from outside."""
    if not (HERE.parent / "node_modules" / "pyodide").exists():
        pytest.skip("Pyodide is not installed")
    folders = {"chefa": damier.GAMES["chefa"], "fanorona": damier.GAMES["fanorona"]}
    folders[str(EXAMPLE)] = load(EXAMPLE)
    files = {named: str(module_of(folder)) for named, folder in folders.items()}
    done = subprocess.run(
        [str(Path(sys.executable).with_name("node")), str(HERE / "in_pyodide.mjs"),
         json.dumps(files)],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert not done.stderr
    told = json.loads(done.stdout)
    for named, folder in folders.items():
        agree(json.loads(told[named]), folder)


@pytest.fixture(scope="module")
def odd_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a module with kernels of all kinds, which belongs to no game."""
    file = tmp_path_factory.mktemp("odd") / "odd.wasm"
    command = [sys.executable, str(HERE / "odd_kernels.py"), str(file)]
    subprocess.run(command, check=True, env={**os.environ, "NUMBA_OPT": "0"})
    return file


@pytest.fixture(scope="module")
def odd(odd_file: Path) -> wasm.Home:
    """Return that module loaded."""
    code = odd_file.read_bytes()
    assert wasm.described(code)["game"] == "odd"
    return wasm.Home(InWasmtime(code), wasm.described(code)["twins"])


def asked(home: wasm.Home, name: str, *arguments: Any) -> Any:
    """Return what a kernel of the module answers."""
    return home.kernel("__main__[]", name, None)(*arguments)


def test_numbers_truth_values_and_tuples(odd: wasm.Home) -> None:
    for x in (0, 1, -1, 5, MASK63, -(1 << 63)):
        for yes in (True, False):
            found = asked(odd, "sign", yes, x)
            assert found is odd_kernels.sign(yes, x)
    for x, y in ((0, 1), (7, MASK63), (MASK63, 1 << 62), (0x123456789ABCDEF, 3)):
        assert asked(odd, "mixed", x, y) == odd_kernels.mixed(x, y)


def test_what_fails_says_so_and_the_module_goes_on(odd: wasm.Home) -> None:
    assert asked(odd, "quotient", -7, 2) == -4
    with pytest.raises(RuntimeError, match=r"quotient.*status"):
        asked(odd, "quotient", 7, 0)
    assert asked(odd, "quotient", 7, -2) == -4


def test_arrays_of_all_widths(odd: wasm.Home) -> None:
    small = odd.filled(3, "B", [(0, bytes([1, 255, 3]))])
    middle = odd.filled(3, "H", [(2, b"\xff\xff")])
    words = odd.array([1, -2, MASK63 // 10])
    expected = odd_kernels.widths([1, 255, 3], [0, 65535, 0], [1, -2, MASK63 // 10])
    assert asked(odd, "widths", small, middle, words) == expected
    assert asked(odd, "widths", words, words, words) == 9 * sum(words)
    with pytest.raises(TypeError):
        asked(odd, "widths", middle, small, words)
    with pytest.raises(TypeError):
        asked(odd, "nested", (([1, 2], 0), words), 1)


def test_arrays_of_another_module_are_refused(odd: wasm.Home, odd_file: Path) -> None:
    code = odd_file.read_bytes()
    other = wasm.Home(InWasmtime(code), wasm.described(code)["twins"])
    own, foreign = odd.array([1, 2]), other.array([3, 4])
    with pytest.raises(TypeError, match="of this module"):
        asked(odd, "nested", ((own, 0), foreign), 1)
    assert own.tolist() == [1, 2]


def test_kernels_change_the_arrays_that_they_are_given(odd: wasm.Home) -> None:
    one, other = odd.array([10, 20]), odd.array([5, 6, 7])
    assert asked(odd, "nested", ((one, 1), other), 4) is None
    assert one.tolist() == [10, 24]
    assert list(other) == [1, 2, 3]


def test_arrays_that_a_kernel_makes_stay_and_are_given_back(odd: wasm.Home) -> None:
    before = odd.room.top
    found = asked(odd, "grown", 5, 12)
    again = asked(odd, "grown", 3, 1)
    for (first, second), (size, rounds) in ((found, (5, 12)), (again, (3, 1))):
        expected = odd_kernels.grown(size, rounds)
        assert (first.tolist(), second.tolist()) == expected
    del found, again, first, second
    assert odd.room.top == before


def test_what_is_given_back_during_a_call_is_free_again(odd: wasm.Home) -> None:
    """100,000 times 8 kB would not fit."""
    assert asked(odd, "scratch", 100_000, 1000) == sum(range(100_000))
    size = odd.carrier.memory.data_len(odd.carrier._store)  # type: ignore[attr-defined]
    assert size < 2 << 20


def test_too_much_memory_is_refused(odd: wasm.Home) -> None:
    with pytest.raises(RuntimeError, match="status"):
        asked(odd, "grown", 1 << 40, 0)
    with pytest.raises(MemoryError):
        odd.zeros(1 << 40)
    assert asked(odd, "grown", 3, 0)[0].tolist() == [0, 0, 6]


def test_lists_inside_a_kernel(odd: wasm.Home) -> None:
    assert asked(odd, "listed", 9) == odd_kernels.listed(9)


def test_arrays_look_like_lists(odd: wasm.Home) -> None:
    array = odd.array(range(10))
    assert (len(array), array[3], array[-1]) == (10, 3, 9)
    assert array[2:5] == [2, 3, 4]
    assert array[::3] == [0, 3, 6, 9]
    assert array[8:2] == []
    assert array[::-1] == list(range(9, -1, -1))
    array[4] = -4
    assert array[4] == -4
    for at in (10, -11):
        with pytest.raises(IndexError):
            array[at]
        with pytest.raises(IndexError):
            array[at] = 1
    with pytest.raises(IndexError):
        array.fill(bytes(9), 72)


def test_memory_is_used_again_and_zero(odd: wasm.Home) -> None:
    before = odd.room.top
    arrays = [odd.array([7] * size) for size in (10, 20, 30, 40)]
    top = odd.room.top
    first = arrays[1].address
    del arrays[1:3]  # neighbours: together they have room for more
    joined = odd.zeros(48)
    assert joined.address == first
    assert joined.tolist() == [0] * 48
    assert odd.room.top == top
    del arrays, joined
    assert odd.room.top == before


def test_what_is_no_module_is_refused() -> None:
    for code in (b"", b"\0asm\1\0\0\0\0\4\3abc", b"\0asm\1\0\0\0\1\4\3abc"):
        with pytest.raises(ValueError, match="no module"):
            wasm.described(code)


@pytest.mark.parametrize("name", sorted(damier.GAMES))
def test_plain_python_has_the_same_signature(name: str) -> None:
    """Of the positions for which it takes a moment only."""
    found = signature(name, compiled=False, most=1300)
    signed = json.loads((HERE / "data" / "signature.json").read_text("utf-8"))[name]
    assert found
    assert found == {label: signed[label] for label in found}
