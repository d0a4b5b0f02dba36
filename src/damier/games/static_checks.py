"""Static checks of rules: names, types, signatures and bits, with the location of each error.

No function of the rules is called; `dynamic_checks` plays games.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, cast

from damier.errors import DamierError
from damier.games import defaults
from damier.games.board import Board
from damier.games.constants import REASONS, Option
from damier.games.contract import MAX_GROUPS, REQUIRED, RulesKernels, RulesModule

_NOTHING = object()
# Where a name is not defined, the one whose line is reported; otherwise that of `play`.
_INSTEAD = {"board": "BOARD", "pawns": "PAWNS", "read_fields": "FIELDS", "write_fields": "FIELDS"}
_OPTION_BITS = 62  # options use bits below this one
# Names of options, values, presets, endings and fields: they stand in records and links.
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
_RESERVED = ("preset", "name")  # arguments of damier.load_rules
KERNELS = {name for name in vars(RulesKernels) if not name.startswith("_")}
FUNCTIONS = KERNELS | {name for name in vars(RulesModule) if not name.startswith("_")}
_VALUES = RulesKernels.__annotations__ | RulesModule.__annotations__


# Names of the contract that rules may define.
CONTRACT_NAMES = frozenset(FUNCTIONS | _VALUES.keys())


def is_defined(rules: ModuleType, name: str) -> bool:
    """Tell whether rules define a name of the contract, instead of leaving it to the default."""
    return hasattr(rules, name) and getattr(rules, name) is not getattr(defaults, name, _NOTHING)


def is_int(value: object) -> bool:
    """Tell whether a value is a whole number, and not a truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_tuple_of(kind: type) -> Callable[[object], bool]:
    """Return a function that tells whether a value is a tuple of values of one type."""
    return lambda value: isinstance(value, tuple) and all(isinstance(x, kind) for x in value)


def _is_presets(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(k, str) and isinstance(v, dict) for k, v in value.items()
    )


_KINDS: dict[str, Callable[[object], bool]] = {
    "NAME": lambda value: isinstance(value, str),
    "GROUPS": is_int,
    "FINAL": is_int,
    "ONE_STEP_UNIQUE": lambda value: isinstance(value, bool),
    "MIDTURN": is_int,
    "REPETITION_BITS": is_int,
    "FIELDS": is_tuple_of(str),
    "OPTIONS": is_tuple_of(Option),
    "PRESETS": _is_presets,
    "REASONS": is_tuple_of(str),
    "COLOUR_SWAP": lambda value: isinstance(value, bool),
    "CAPTURES": lambda value: isinstance(value, bool),
}


def with_defaults(rules: ModuleType) -> ModuleType:
    """Return rules completed with defaults; raise DamierError if they break the contract."""
    _complete_constants(rules)
    missing = [name for name in REQUIRED if not hasattr(rules, name)]
    if missing:
        raise DamierError("game-missing", path=rules.__file__, names=", ".join(missing))
    for name in (_VALUES.keys() | FUNCTIONS) & vars(defaults).keys():
        if not hasattr(rules, name):
            setattr(rules, name, getattr(defaults, name))
    check(rules)
    _complete_presets(cast(RulesModule, rules))
    return rules


def _complete_presets(module: RulesModule) -> None:
    """Write the values of presets as texts, and make those of the first the options' defaults.

    Records, links and tables name the options that differ from the default, and the first preset
    is the default. The other presets keep the values that they leave out.
    """
    known = {option.name: option for option in module.OPTIONS}
    presets = {
        preset: {name: known[name].canonical(value) for name, value in chosen.items()}
        for preset, chosen in module.PRESETS.items()
    }
    first = next(iter(presets.values()))
    before = {option.name: option.default for option in module.OPTIONS}
    if any(first.get(name, value) != value for name, value in before.items()):
        presets = {preset: before | chosen for preset, chosen in presets.items()}
        module.OPTIONS = tuple(
            replace(option, default=first.get(option.name, option.default))
            for option in module.OPTIONS
        )
    if presets != module.PRESETS:  # `is_defined` tells the default by its identity
        module.PRESETS = presets


def _complete_constants(rules: ModuleType) -> None:
    """Add the functions that return one of the constants `BOARD` and `PAWNS`, if they are missing.

    A game with a single board and a fixed number of pawns needs no functions of the options.
    """
    constants = (("board", "BOARD", Board), ("pawns", "PAWNS", int))
    for function, constant, kind in constants:
        if hasattr(rules, function) or not hasattr(rules, constant):
            continue
        value = getattr(rules, constant)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise contract_error(rules, constant, "kind", kind=kind.__name__)
        setattr(rules, function, _constant_function(value))


def _constant_function(value: object) -> Callable[[int], object]:
    return lambda r: value


def check(rules: ModuleType) -> None:
    """Raise DamierError if names in the rules break the contract."""
    for name, fits in _KINDS.items():
        if not fits(getattr(rules, name)):
            raise contract_error(rules, name, "kind", kind=_VALUES[name])
    for name in sorted(FUNCTIONS):
        _check_function(rules, name)
    module = cast(RulesModule, rules)
    if not re.fullmatch("[a-z][a-z0-9_]*", module.NAME):
        raise contract_error(rules, "NAME", "name")
    if not 0 < module.GROUPS <= MAX_GROUPS:
        raise contract_error(rules, "GROUPS", "groups", most=MAX_GROUPS)
    if not module.PRESETS:
        raise contract_error(rules, "PRESETS", "kind", kind=_VALUES["PRESETS"])
    if module.FINAL < 0 or module.FINAL >> module.GROUPS:
        raise contract_error(rules, "FINAL", "final-groups", groups=module.GROUPS)
    _check_words(rules, module)
    for option in module.OPTIONS:
        _check_option(rules, option)
    _check_bits(rules, module)
    _check_presets(rules, module)


def _check_words(rules: ModuleType, module: RulesModule) -> None:
    """Check the names of options, presets, endings and fields: words, each only once."""
    words = {
        "OPTIONS": [option.name for option in module.OPTIONS],
        "PRESETS": list(module.PRESETS),
        "REASONS": list(module.REASONS),
        "FIELDS": list(module.FIELDS),
    }
    for constant, names in words.items():
        for name in names:
            if not isinstance(name, str) or not _WORD.fullmatch(name):
                raise contract_error(rules, constant, "word", word=repr(name))
        twice = [name for k, name in enumerate(names) if name in names[:k]]
        if twice:
            raise contract_error(rules, constant, "word-twice", word=twice[0])
    for constant, taken in (("REASONS", REASONS), ("OPTIONS", _RESERVED)):
        for name in words[constant]:
            if name in taken:
                raise contract_error(rules, constant, "word-taken", word=name)


def _check_option(rules: ModuleType, option: Option) -> None:
    """Check the types in an option, and its values."""
    values = option.values
    valid = is_int(option.bit) and is_int(option.most) and isinstance(values, tuple)
    if valid and values:
        valid = all(isinstance(v, str) and _WORD.fullmatch(v) for v in values)
        valid = valid and len(set(values)) == len(values) > 1
    elif valid:
        valid = option.most > 0
    if not valid:
        raise contract_error(rules, "OPTIONS", "option", option=option.name)


def _check_function(rules: ModuleType, name: str) -> None:
    """Check that a name is a function with the right parameters, and a kernel if required."""
    found = getattr(rules, name)
    if not callable(found):
        raise contract_error(rules, name, "function")
    protocol = RulesKernels if name in KERNELS else RulesModule
    parameters = list(inspect.signature(getattr(protocol, name)).parameters)[1:]  # without self
    try:
        inspect.signature(found).bind(*parameters)
    except TypeError:
        raise contract_error(rules, name, "parameters", asked=", ".join(parameters)) from None
    if name in KERNELS and not (isinstance(found, FunctionType) and hasattr(found, "__kernel__")):
        raise contract_error(rules, name, "not-kernel")


def _check_bits(rules: ModuleType, module: RulesModule) -> None:
    """Check that no bit of the third word has two meanings."""
    top = 1 << _OPTION_BITS
    if not 0 <= module.MIDTURN < top or module.MIDTURN & 1:
        raise contract_error(rules, "MIDTURN", "midturn", most=_OPTION_BITS - 1)
    if not 0 <= module.REPETITION_BITS < top << 1:
        raise contract_error(rules, "REPETITION_BITS", "midturn", most=_OPTION_BITS)
    used = module.MIDTURN | 1
    for option in module.OPTIONS:
        bits = option_bits(option)
        if not bits or bits & used or bits >= top:
            raise contract_error(
                rules, "OPTIONS", "bits", option=option.name, most=_OPTION_BITS - 1
            )
        used |= bits


def option_bits(option: Option) -> int:
    """Return the bits of the third word that an option is held in."""
    width = (len(option.values) - 1 if option.values else option.most).bit_length()
    return ((1 << width) - 1) << option.bit if option.bit >= 0 else 0


def _check_presets(rules: ModuleType, module: RulesModule) -> None:
    """Check that the values of options and presets exist."""
    known = {option.name: option for option in module.OPTIONS}
    try:
        for option in module.OPTIONS:
            option.encode(option.default)
    except DamierError as error:
        raise contract_error(rules, "OPTIONS", "preset", problem=error) from None
    for chosen in module.PRESETS.values():
        for name, value in chosen.items():
            try:
                if name not in known:
                    raise DamierError(
                        "option", name=name, game=module.NAME, options=", ".join(known)
                    )
                known[name].encode(value)
            except DamierError as error:
                raise contract_error(rules, "PRESETS", "preset", problem=error) from None


def contract_error(rules: ModuleType, name: str, key: str, **details: object) -> DamierError:
    """Return the error about a name of the rules, with its location."""
    return DamierError(f"game-{key}", where=_where(rules, name), name=name, **details)


def _where(rules: ModuleType, name: str) -> str:
    """Return the file, and the line that defines a name, or else one that has to do with it."""
    path = str(rules.__file__)
    try:
        body = ast.parse(Path(path).read_text("utf-8")).body
    except (OSError, SyntaxError, ValueError):
        return path
    lines: dict[str, int] = {}
    for node in reversed(body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names = {node.name}
        else:
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _is_stored(n)}
        lines |= dict.fromkeys(names, node.lineno)
    found = next((lines[n] for n in (name, _INSTEAD.get(name), "play") if n in lines), 1)
    return f"{path}:{found}"


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def locate_error(error: BaseException, folder: Path | None, otherwise: str) -> tuple[str, str]:
    """Return the location of an error in a folder, file and line, and its message.

    The location of an error outside the folder is `otherwise`; None stands for any folder.
    """
    message = f"{type(error).__name__}: {error}".rstrip(": ").replace("\n", " ")
    if isinstance(error, DamierError):
        message = str(error).rstrip(".")
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}", f"{type(error).__name__}: {error.msg}"
    import traceback

    where = otherwise
    for frame in traceback.extract_tb(error.__traceback__):
        if folder is None or Path(frame.filename).resolve().is_relative_to(folder):
            where = f"{frame.filename}:{frame.lineno}"
    return where, message


def annotation(name: str) -> Any:
    """Return the return annotation of a function in the contract."""
    protocol = RulesKernels if name in KERNELS else RulesModule
    return inspect.signature(getattr(protocol, name)).return_annotation
