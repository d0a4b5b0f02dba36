"""Compiler of kernels to WebAssembly, on a machine with Numba.

Numba generates LLVM code for this machine. Before optimisation nothing in it depends on the size of
an address, so the same code can be compiled for another target: llvmlite optimises it for
WebAssembly, and `wasm-ld` (from the package `ziglang`) links a module. So the building process must
run with `NUMBA_OPT=0`.

A module exports kernels by the name of their linked module and their own name. Each is wrapped in a
function of two addresses: of a block of words, which holds the arguments and then the results, and
of free memory. An integer or a truth value is one word; an array two, address and length; a tuple
the words of its items. `runtime.ll` contains the other exports and the functions that Numba's code
calls. Nothing is imported. `damier.jit.wasm_runtime` loads the modules.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import count
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core import types

from damier import files
from damier.jit import native
from damier.jit.wasm_runtime import BLOCK, SECTION, SIZES, Layout, count_words, uleb128

TRIPLE = "wasm32-unknown-unknown"
# WebAssembly features that all current browsers support.
FEATURES = "+bulk-memory,+bulk-memory-opt,+sign-ext,+nontrapping-fptoint,+mutable-globals"

# LLVM type of a one-dimensional Numba array.
ARRAY = "{ ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }"

RUNTIME = Path(__file__).with_name("runtime.ll")
# `struct` format letters of array items.
KINDS = {
    types.int8: "b",
    types.uint8: "B",
    types.int16: "h",
    types.uint16: "H",
    types.int32: "i",
    types.uint32: "I",
    types.int64: "q",
    types.uint64: "Q",
}
CALLED = ("heap", "zero", "reserve")  # exports that `wasm_runtime` calls
GENERATED = ("__multi3",)  # called only by code that the last pass emits


class Entry(NamedTuple):
    """Kernel of a linked module to export, for arguments of some Numba types."""

    module: ModuleType
    name: str
    types: tuple[Any, ...]


class BuildRuntime(native.NumbaRuntime):
    """Runtime without a cache directory, whose code does not depend on this machine."""

    def primitive(self, function: FunctionType) -> Any:
        """Return the portable form of a kernel of `damier.jit`."""
        return native.primitives(False)[function.__name__]


class BuildBackend(native.NumbaBackend):
    """Backend of a building process: Numba without its cache."""

    def runtime(self, name: str, folders: Any, others: Any) -> native.NumbaRuntime:
        """Return a runtime for code that is compiled for another target."""
        return BuildRuntime()


def layout_of(type_: Any) -> Layout:
    """Return the layout in words of a value of a Numba type."""
    if isinstance(type_, types.Boolean):
        return "bool"
    if isinstance(type_, types.NoneType):
        return []
    if isinstance(type_, types.UniTuple | types.Tuple):
        return [layout_of(part) for part in type_.types]
    if type_ in (types.int64, types.intp):
        return "int"
    if isinstance(type_, types.Array) and type_.ndim == 1 and type_.dtype in KINDS:
        return f"{KINDS[type_.dtype]}[]"
    raise TypeError(f"{type_} cannot be passed to a WebAssembly module")


def module(entries: Iterable[Entry], facts: Mapping[str, object]) -> bytes:
    """Return the WebAssembly module with these kernels; `facts` are added to its description."""
    if os.environ.get("NUMBA_OPT") != "0":
        raise RuntimeError("NUMBA_OPT=0 must be set before Numba is loaded")
    _initialise_llvm()
    target = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)

    def parse(code: str) -> llvm.ModuleRef:
        return _retarget(llvm.parse_assembly(code), str(target.target_data))

    whole = parse(RUNTIME.read_text("utf-8"))
    described: dict[str, dict[str, list[dict[str, object]]]] = {}
    exported = list(CALLED)
    for entry in dict.fromkeys(entries):
        dispatcher = getattr(entry.module, entry.name)
        dispatcher.compile(entry.types)
        compiled = dispatcher.overloads[entry.types]
        takes = [layout_of(type_) for type_ in entry.types]
        gives = layout_of(compiled.signature.return_type)
        if max(count_words(takes), count_words(gives)) > BLOCK:
            raise TypeError(f"{entry.name} takes or gives more than {BLOCK} words")
        owner = _owner(entry.module, dispatcher)
        overloads = described.setdefault(owner, {}).setdefault(entry.name, [])
        name = f"{owner}.{entry.name}#{len(overloads)}"
        overloads.append({"export": name, "takes": takes, "gives": gives})
        exported.append(name)
        whole.link_in(parse(compiled.library.get_llvm_str()))
        whole.link_in(parse(_export_wrapper(name, compiled.fndesc.llvm_func_name, takes, gives)))
    code = _link_wasm(_emit_object(whole, exported, target), exported)
    text = json.dumps({**facts, "twins": described}, separators=(",", ":"), sort_keys=True)
    payload = bytes([len(SECTION)]) + SECTION.encode() + text.encode()
    return code[:8] + b"\0" + uleb128(len(payload)) + payload + code[8:]


def _owner(linked: ModuleType, dispatcher: Any) -> str:
    """Return the name of the linked module under which a kernel is exported.

    A kernel that all games share is exported under the name of the module that imports it, because
    a WebAssembly module contains one game.
    """
    scope = dispatcher.py_func.__globals__
    return str(scope["__name__"] if scope["__folders__"] else linked.__name__)


@cache
def _initialise_llvm() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _retarget(code: llvm.ModuleRef, data_layout: str) -> llvm.ModuleRef:
    """Retarget code to WebAssembly, which has no common symbols."""
    code.triple, code.data_layout = TRIPLE, data_layout
    for variable in code.global_variables:
        if variable.linkage in (llvm.Linkage.common, llvm.Linkage.linkonce_any):
            variable.linkage = "internal"
    return code


def _emit_object(whole: llvm.ModuleRef, exported: list[str], target: llvm.TargetMachine) -> bytes:
    """Return the object code of the exported functions and their callees."""
    for symbol in (*whole.functions, *whole.global_variables):
        if not symbol.is_declaration and symbol.name not in (*exported, *GENERATED):
            symbol.linkage = "internal"
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=3))
    first = llvm.create_new_module_pass_manager()
    first.add_global_dead_code_eliminate_pass()
    first.add_sroa_pass()
    first.add_simplify_cfg_pass()
    first.add_refprune_pass()
    first.run(whole, builder)
    builder.getModulePassManager().run(whole, builder)
    missing = [
        function.name
        for function in whole.functions
        if function.is_declaration and not function.name.startswith("llvm.")
    ]
    if missing:
        raise TypeError(f"WebAssembly has no {', '.join(missing)}")
    code: bytes = target.emit_object(whole)
    return code


def _link_wasm(code: bytes, exported: list[str]) -> bytes:
    """Link object code to a WebAssembly module and return it."""
    if importlib.util.find_spec("ziglang") is None:
        raise ModuleNotFoundError("ziglang", name="ziglang")
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "kernels.o"), Path(folder, "kernels.wasm")
        files.write(source, [code], lasting=False)
        command = [sys.executable, "-m", "ziglang", "wasm-ld", "--no-entry", "--strip-all"]
        exports = [f"--export={name}" for name in exported]
        done = subprocess.run(
            [*command, *exports, str(source), "-o", str(out)], capture_output=True, text=True
        )
        if done.returncode:
            raise TypeError(done.stderr)
        return out.read_bytes()


def _export_wrapper(name: str, target: str, takes: list[Layout], gives: Layout) -> str:
    """Return the LLVM code of the function that exports a kernel.

    A Numba function returns a status, 0 on success, and stores its result at its first pointer. It
    takes an array as seven values: two owners, length, item size, address, length and stride.
    """
    loads, stores = _LlvmWriter("%words"), _LlvmWriter("%words")
    arguments = [value for layout in takes for value in _load(layout, loads)]
    _store(gives, [], _type(gives), stores)
    passed = "".join(f", {value}" for value in arguments)
    kinds = "".join(f", {value.split()[0]}" for value in arguments)
    return "\n".join(
        [
            "@top = external global ptr",
            f'declare i32 @"{target}"(ptr, ptr{kinds})',
            f'define i32 @"{name}"(ptr %words, ptr %free) {{',
            f"%result = alloca {_type(gives)}",
            "%error = alloca ptr",
            "store ptr null, ptr %error",
            "store ptr %free, ptr @top",
            *loads.lines,
            f'%status = call i32 @"{target}"(ptr %result, ptr %error{passed})',
            "%good = icmp eq i32 %status, 0",
            "br i1 %good, label %well, label %wrong",
            "well:",
            *stores.lines,
            "ret i32 0",
            "wrong:",
            "ret i32 %status",
            "}",
        ]
    )


class _LlvmWriter:
    """Writer of LLVM code that reads or writes the words of a block in order."""

    _names = count()

    def __init__(self, block: str) -> None:
        self.lines: list[str] = []
        self._block, self._word = block, 0

    def add(self, instruction: str) -> str:
        """Add an instruction; return the name of its result."""
        name = f"%v{next(self._names)}"
        self.lines.append(f"{name} = {instruction}")
        return name

    def _next(self) -> str:
        at = self.add(f"getelementptr i64, ptr {self._block}, i32 {self._word}")
        self._word += 1
        return at

    def load(self) -> str:
        """Return the next word."""
        return self.add(f"load i64, ptr {self._next()}")

    def store(self, value: str) -> None:
        """Store a value in the next word."""
        self.lines.append(f"store i64 {value}, ptr {self._next()}")


def _type(layout: Layout) -> str:
    """Return the LLVM type of a value."""
    if isinstance(layout, list):
        return f"{{ {', '.join(map(_type, layout))} }}" if layout else "ptr"
    return {"int": "i64", "bool": "i8"}.get(layout, ARRAY)


def _load(layout: Layout, lines: _LlvmWriter) -> Iterator[str]:
    """Yield the LLVM arguments of a value that is read from the block."""
    if isinstance(layout, list):
        for part in layout:
            yield from _load(part, lines)
    elif layout == "int":
        yield f"i64 {lines.load()}"
    elif layout == "bool":
        yield f"i8 {lines.add(f'trunc i64 {lines.load()} to i8')}"
    else:
        address = lines.add(f"inttoptr i64 {lines.load()} to ptr")
        length, item = lines.load(), SIZES[layout[0]]
        yield from ("ptr null", "ptr null", f"i64 {length}", f"i64 {item}")
        yield from (f"ptr {address}", f"i64 {length}", f"i64 {item}")


def _store(layout: Layout, path: list[int], whole: str, lines: _LlvmWriter) -> None:
    """Write a result, or the part of it at a path, into the block."""
    if isinstance(layout, list):
        for k, part in enumerate(layout):
            _store(part, [*path, k], whole, lines)
        return

    def read(type_: str, *more: int) -> str:
        steps = "".join(f", i32 {k}" for k in (0, *path, *more))
        at = lines.add(f"getelementptr {whole}, ptr %result{steps}")
        return lines.add(f"load {type_}, ptr {at}")

    if layout == "int":
        lines.store(read("i64"))
    elif layout == "bool":
        lines.store(lines.add(f"zext i8 {read('i8')} to i64"))
    else:
        lines.store(lines.add(f"ptrtoint ptr {read('ptr', 4)} to i64"))
        lines.store(read("i64", 2))
