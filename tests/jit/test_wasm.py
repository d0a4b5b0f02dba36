"""WebAssembly built from the kernels gives the same answers as compiled and plain code."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import damier
from damier import jit
from damier.games import Folder, load
from damier.jit import MASK63, wasm_runtime
from damier.site.wasm_modules import module_of
from tests.support import wasm_kernels
from tests.support.game_facts import WasmtimeModule, facts, signature

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit.enabled(), reason="there is no compiler to build with"),
    pytest.mark.usefixtures("own_registry"),
]
ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
NODE = Path(sys.executable).with_name("node")
EXAMPLE = ROOT / "examples" / "tapatan"


def in_wasmtime(named: str, file: Path) -> dict[str, Any]:
    """Return the facts about a game, computed in a process without Numba and NumPy."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.game_facts", named, str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert not done.stderr
    results: dict[str, Any] = json.loads(done.stdout)
    return results


def agree(results: dict[str, Any], folder: Folder) -> None:
    """Check that a WebAssembly module was called and that its results equal the native ones."""
    assert all(results["called"].values()), results["called"]
    native = json.loads(json.dumps(dict(facts(folder.name))))
    assert results["facts"].keys() == native.keys()
    for what, found in results["facts"].items():
        assert found == native[what], what
    recorded = json.loads((DATA / "signature.json").read_text("utf-8"))
    assert results["signature"] == recorded.get(folder.name, {})


@pytest.mark.parametrize("name", [*sorted(damier.GAMES), EXAMPLE], ids=lambda name: Path(name).stem)
def test_a_wasm_module_equals_native_code(name: str | Path) -> None:
    folder = load(name) if isinstance(name, Path) else damier.GAMES[name]
    agree(in_wasmtime(str(name), module_of(folder)), folder)


def test_python_in_a_browser_gives_the_same_answers() -> None:
    """Pyodide runs in Node here, with two games of the package and a custom one."""
    if not (ROOT / "node_modules" / "pyodide").exists():
        pytest.skip("Pyodide is not installed")
    folders = {"chefa": damier.GAMES["chefa"], "fanorona": damier.GAMES["fanorona"]}
    folders[str(EXAMPLE)] = load(EXAMPLE)
    files = {named: str(module_of(folder)) for named, folder in folders.items()}
    done = subprocess.run(
        [str(NODE), "tests/support/in_pyodide.mjs", json.dumps(files)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert not done.stderr
    results = json.loads(done.stdout)
    for named, folder in folders.items():
        agree(json.loads(results[named]), folder)


@pytest.fixture(scope="module")
def odd_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a module with kernels of all kinds, which belongs to no game."""
    file = tmp_path_factory.mktemp("odd") / "odd.wasm"
    command = [sys.executable, "-m", "tests.support.wasm_kernels", str(file)]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "NUMBA_OPT": "0"})
    return file


@pytest.fixture(scope="module")
def odd(odd_file: Path) -> wasm_runtime.WasmModule:
    """Return that module loaded."""
    code = odd_file.read_bytes()
    assert wasm_runtime.read_description(code)["game"] == "odd"
    return wasm_runtime.WasmModule(
        WasmtimeModule(code), wasm_runtime.read_description(code)["twins"]
    )


def call(module: wasm_runtime.WasmModule, name: str, *arguments: Any) -> Any:
    """Return the result of a kernel of the module."""
    return module.kernel("__main__[]", name, None)(*arguments)


def test_numbers_truth_values_and_tuples(odd: wasm_runtime.WasmModule) -> None:
    for x in (0, 1, -1, 5, MASK63, -(1 << 63)):
        for yes in (True, False):
            found = call(odd, "sign", yes, x)
            assert found is wasm_kernels.sign(yes, x)
    for x, y in ((0, 1), (7, MASK63), (MASK63, 1 << 62), (0x123456789ABCDEF, 3)):
        assert call(odd, "mixed", x, y) == wasm_kernels.mixed(x, y)


def test_errors_in_a_kernel_are_raised_and_the_module_continues(
    odd: wasm_runtime.WasmModule,
) -> None:
    assert call(odd, "quotient", -7, 2) == -4
    with pytest.raises(RuntimeError, match=r"quotient.*status"):
        call(odd, "quotient", 7, 0)
    assert call(odd, "quotient", 7, -2) == -4


def test_arrays_of_all_widths(odd: wasm_runtime.WasmModule) -> None:
    small = odd.from_pieces(3, "B", [(0, bytes([1, 255, 3]))])
    middle = odd.from_pieces(3, "H", [(2, b"\xff\xff")])
    words = odd.array([1, -2, MASK63 // 10])
    expected = wasm_kernels.widths([1, 255, 3], [0, 65535, 0], [1, -2, MASK63 // 10])
    assert call(odd, "widths", small, middle, words) == expected
    assert call(odd, "widths", words, words, words) == 9 * sum(words)
    with pytest.raises(TypeError):
        call(odd, "widths", middle, small, words)
    with pytest.raises(TypeError):
        call(odd, "nested", (([1, 2], 0), words), 1)


def test_arrays_of_another_module_are_refused(odd: wasm_runtime.WasmModule, odd_file: Path) -> None:
    code = odd_file.read_bytes()
    other = wasm_runtime.WasmModule(
        WasmtimeModule(code), wasm_runtime.read_description(code)["twins"]
    )
    own, foreign = odd.array([1, 2]), other.array([3, 4])
    with pytest.raises(TypeError, match="of this module"):
        call(odd, "nested", ((own, 0), foreign), 1)
    assert own.tolist() == [1, 2]


def test_kernels_change_the_arrays_that_they_are_given(odd: wasm_runtime.WasmModule) -> None:
    one, other = odd.array([10, 20]), odd.array([5, 6, 7])
    assert call(odd, "nested", ((one, 1), other), 4) is None
    assert one.tolist() == [10, 24]
    assert list(other) == [1, 2, 3]


def test_arrays_created_by_a_kernel_are_kept_and_freed(odd: wasm_runtime.WasmModule) -> None:
    before = odd.memory.top
    found = call(odd, "grown", 5, 12)
    again = call(odd, "grown", 3, 1)
    for (first, second), (size, rounds) in ((found, (5, 12)), (again, (3, 1))):
        expected = wasm_kernels.grown(size, rounds)
        assert (first.tolist(), second.tolist()) == expected
    del found, again, first, second
    assert odd.memory.top == before


def test_memory_freed_during_a_call_is_available(odd: wasm_runtime.WasmModule) -> None:
    """100,000 times 8 kB would not fit."""
    assert call(odd, "scratch", 100_000, 1000) == sum(range(100_000))
    size = odd.instance.memory.data_len(odd.instance._store)  # type: ignore[attr-defined]
    assert size < 2 << 20


def test_too_much_memory_is_refused(odd: wasm_runtime.WasmModule) -> None:
    with pytest.raises(RuntimeError, match="status"):
        call(odd, "grown", 1 << 40, 0)
    with pytest.raises(MemoryError):
        odd.zeros(1 << 40)
    assert call(odd, "grown", 3, 0)[0].tolist() == [0, 0, 6]


def test_lists_inside_a_kernel(odd: wasm_runtime.WasmModule) -> None:
    assert call(odd, "listed", 9) == wasm_kernels.listed(9)


def test_arrays_look_like_lists(odd: wasm_runtime.WasmModule) -> None:
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


def test_memory_is_used_again_and_zero(odd: wasm_runtime.WasmModule) -> None:
    before = odd.memory.top
    arrays = [odd.array([7] * size) for size in (10, 20, 30, 40)]
    top = odd.memory.top
    first = arrays[1].address
    del arrays[1:3]  # neighbours: together they have room for more
    joined = odd.zeros(48)
    assert joined.address == first
    assert joined.tolist() == [0] * 48
    assert odd.memory.top == top
    del arrays, joined
    assert odd.memory.top == before


def test_invalid_modules_are_refused() -> None:
    for code in (b"", b"\0asm\1\0\0\0\0\4\3abc", b"\0asm\1\0\0\0\1\4\3abc"):
        with pytest.raises(ValueError, match="not a WebAssembly module"):
            wasm_runtime.read_description(code)


@pytest.mark.parametrize("name", sorted(damier.GAMES))
def test_plain_python_has_the_same_signature(name: str) -> None:
    """Only positions that take less than a second are compared."""
    found = signature(name, compiled=False, max_nodes=1300)
    recorded = json.loads((DATA / "signature.json").read_text("utf-8"))[name]
    assert found
    assert found == {label: recorded[label] for label in found}
