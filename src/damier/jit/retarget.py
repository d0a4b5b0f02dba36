"""WebAssembly from Numba's own code: the third speed is built here, on a machine with Numba.

Numba makes LLVM code for this machine. Taken before it is optimised, while nothing in it depends on
how wide an address is, the same code can be pointed at another machine: llvmlite optimises it for
WebAssembly, and `wasm-ld` (from the package `ziglang`) makes a module of it. So a process that
builds must run with `NUMBA_OPT=0`.

A module exports kernels by the name of their twin and their own, each behind a function of two
addresses: of a block of words, which holds the arguments and then the results, and of free memory.
An integer or a truth value is one word, an array two, address and length, a tuple what is in it.
What else a module exports, and what Numba's code asks of its runtime, is in `runtime.ll`. Nothing
is imported. `damier.jit.wasm` is the other side.
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
from types import ModuleType
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core import types

from damier import files
from damier.jit import native
from damier.jit.wasm import BLOCK, SECTION, SIZES, Layout, count_words, uleb128

TRIPLE = "wasm32-unknown-unknown"
# What every browser has had for years.
FEATURES = "+bulk-memory,+bulk-memory-opt,+sign-ext,+nontrapping-fptoint,+mutable-globals"

# An array of one dimension, as Numba's code knows it.
ARRAY = "{ ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }"

RUNTIME = Path(__file__).with_name("runtime.ll")
# The letters of `struct` for the items of arrays.
KINDS = {
    types.int8: "b", types.uint8: "B", types.int16: "h", types.uint16: "H",
    types.int32: "i", types.uint32: "I", types.int64: "q", types.uint64: "Q",
}  # fmt: skip
CALLED = ("heap", "zero", "reserve")  # by the other side
GENERATED = ("__multi3",)  # called by code that is not there before it is emitted


class Entry(NamedTuple):
    """A kernel that Python calls, in its twin, for arguments of some Numba types."""

    twin: ModuleType
    name: str
    types: tuple[Any, ...]


class Building(native.Numba):
    """The back end of a process that builds modules: Numba, but nothing is kept or loaded."""

    def home(self, twin: str, folders: Any, others: Any) -> native.Home:
        """Return what compiles the kernels of a twin."""
        return native.Home()


def layout_of(type_: Any) -> Layout:
    """Return how a value of a Numba type is laid out in words."""
    if isinstance(type_, types.Boolean):
        return "bool"
    if isinstance(type_, types.NoneType):
        return []
    if isinstance(type_, types.UniTuple | types.Tuple):
        return [layout_of(one) for one in type_.types]
    if type_ in (types.int64, types.intp):
        return "int"
    if isinstance(type_, types.Array) and type_.ndim == 1 and type_.dtype in KINDS:
        return f"{KINDS[type_.dtype]}[]"
    raise TypeError(f"{type_} cannot be handed to a module")


def module(entries: Iterable[Entry], facts: Mapping[str, object]) -> bytes:
    """Return the module with these kernels, and what it says of itself."""
    if os.environ.get("NUMBA_OPT") != "0":
        raise RuntimeError("NUMBA_OPT=0 must be set before Numba is loaded")
    _initialised()
    target = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)

    def parsed(code: str) -> llvm.ModuleRef:
        return _portable(llvm.parse_assembly(code), str(target.target_data))

    whole = parsed(RUNTIME.read_text("utf-8"))
    described: dict[str, dict[str, list[dict[str, object]]]] = {}
    exported = list(CALLED)
    for entry in dict.fromkeys(entries):
        dispatcher = getattr(entry.twin, entry.name)
        dispatcher.compile(entry.types)
        compiled = dispatcher.overloads[entry.types]
        takes = [layout_of(one) for one in entry.types]
        gives = layout_of(compiled.signature.return_type)
        if max(count_words(takes), count_words(gives)) > BLOCK:
            raise TypeError(f"{entry.name} takes or gives more than {BLOCK} words")
        twin = _owner(entry.twin, dispatcher)
        overloads = described.setdefault(twin, {}).setdefault(entry.name, [])
        name = f"{twin}.{entry.name}#{len(overloads)}"
        overloads.append({"export": name, "takes": takes, "gives": gives})
        exported.append(name)
        whole.link_in(parsed(compiled.library.get_llvm_str()))
        whole.link_in(parsed(_doorway(name, compiled.fndesc.llvm_func_name, takes, gives)))
    code = _linked(_emitted(whole, exported, target), exported)
    text = json.dumps({**facts, "twins": described}, separators=(",", ":"), sort_keys=True)
    payload = bytes([len(SECTION)]) + SECTION.encode() + text.encode()
    return code[:8] + b"\0" + uleb128(len(payload)) + payload + code[8:]


def _owner(twin: ModuleType, dispatcher: Any) -> str:
    """Return the name of the twin that a kernel was made for.

    One that no game has to itself is exported as that of the twin which has imported it: a module
    holds one game.
    """
    scope = dispatcher.py_func.__globals__
    return str(scope["__name__"] if scope["__folders__"] else twin.__name__)


@cache
def _initialised() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _portable(code: llvm.ModuleRef, data_layout: str) -> llvm.ModuleRef:
    """Point code for this machine at WebAssembly, which knows no common symbols."""
    code.triple, code.data_layout = TRIPLE, data_layout
    for variable in code.global_variables:
        if variable.linkage in (llvm.Linkage.common, llvm.Linkage.linkonce_any):
            variable.linkage = "internal"
    return code


def _emitted(whole: llvm.ModuleRef, exported: list[str], target: llvm.TargetMachine) -> bytes:
    """Return the object code of what is exported and what that calls."""
    for one in (*whole.functions, *whole.global_variables):
        if not one.is_declaration and one.name not in (*exported, *GENERATED):
            one.linkage = "internal"
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


def _linked(code: bytes, exported: list[str]) -> bytes:
    """Return a module of object code."""
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


def _doorway(name: str, target: str, takes: list[Layout], gives: Layout) -> str:
    """Return the function behind which a kernel is exported.

    A kernel of Numba's returns a status, 0 if all is well, and puts its result behind its first
    pointer; an array it takes as seven values, owners, length, size of an item, address, length
    and stride.
    """
    loads, stores = _Lines("%words"), _Lines("%words")
    given = [value for layout in takes for value in _loaded(layout, loads)]
    _store(gives, [], _type(gives), stores)
    arguments = "".join(f", {value}" for value in given)
    kinds = "".join(f", {value.split()[0]}" for value in given)
    return "\n".join([
        "@top = external global ptr",
        f'declare i32 @"{target}"(ptr, ptr{kinds})',
        f'define i32 @"{name}"(ptr %words, ptr %free) {{',
        f"%result = alloca {_type(gives)}",
        "%error = alloca ptr",
        "store ptr null, ptr %error",
        "store ptr %free, ptr @top",
        *loads.lines,
        f'%status = call i32 @"{target}"(ptr %result, ptr %error{arguments})',
        "%good = icmp eq i32 %status, 0",
        "br i1 %good, label %well, label %wrong",
        "well:",
        *stores.lines,
        "ret i32 0",
        "wrong:",
        "ret i32 %status",
        "}",
    ])  # fmt: skip


class _Lines:
    """Lines of LLVM code that read or write one word of a block after the other."""

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
        """Put a value into the next word."""
        self.lines.append(f"store i64 {value}, ptr {self._next()}")


def _type(layout: Layout) -> str:
    """Return the LLVM type of a value."""
    if isinstance(layout, list):
        return f"{{ {', '.join(map(_type, layout))} }}" if layout else "ptr"
    return {"int": "i64", "bool": "i8"}.get(layout, ARRAY)


def _loaded(layout: Layout, lines: _Lines) -> Iterator[str]:
    """Yield an argument as a kernel takes it, read from the block."""
    if isinstance(layout, list):
        for one in layout:
            yield from _loaded(one, lines)
    elif layout == "int":
        yield f"i64 {lines.load()}"
    elif layout == "bool":
        yield f"i8 {lines.add(f'trunc i64 {lines.load()} to i8')}"
    else:
        address = lines.add(f"inttoptr i64 {lines.load()} to ptr")
        length, item = lines.load(), SIZES[layout[0]]
        yield from ("ptr null", "ptr null", f"i64 {length}", f"i64 {item}")
        yield from (f"ptr {address}", f"i64 {length}", f"i64 {item}")


def _store(layout: Layout, path: list[int], whole: str, lines: _Lines) -> None:
    """Write a result, or the part of it at a path, into the block."""
    if isinstance(layout, list):
        for k, one in enumerate(layout):
            _store(one, [*path, k], whole, lines)
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
