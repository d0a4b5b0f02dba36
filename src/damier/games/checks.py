"""What is wrong with rules, said so that their inventor can put it right: what, and where.

`check` looks at what stands in the file, without asking it anything. `damier.games.trial` plays.
"""

from __future__ import annotations

import ast
import inspect
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, cast

from damier.errors import DamierError
from damier.games import defaults
from damier.games.contract import MOST_GROUPS, MUST, RulesFile, RulesKernels
from damier.games.terms import Option

_OPTION_BITS = 62  # below these a word may hold options
KERNELS = {name for name in vars(RulesKernels) if not name.startswith("_")}
FUNCTIONS = KERNELS | {name for name in vars(RulesFile) if not name.startswith("_")}
_VALUES = RulesKernels.__annotations__ | RulesFile.__annotations__


def is_int(value: object) -> bool:
    """Tell whether a value is a whole number, and not a truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_tuple_of(kind: type) -> Callable[[object], bool]:
    """Return what tells whether a value is a tuple of values of one kind."""
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
    "FIELDS": is_tuple_of(str),
    "OPTIONS": is_tuple_of(Option),
    "PRESETS": _is_presets,
    "REASONS": is_tuple_of(str),
    "COLOUR_SWAP": lambda value: isinstance(value, bool),
    "CAPTURES": lambda value: isinstance(value, bool),
}


def completed(rules: ModuleType) -> ModuleType:
    """Return rules with the defaults of what they leave out, or raise DamierError."""
    missing = [name for name in MUST if not hasattr(rules, name)]
    if missing:
        raise DamierError("game-missing", path=rules.__file__, names=", ".join(missing))
    for name in (_VALUES.keys() | FUNCTIONS) & vars(defaults).keys():
        if not hasattr(rules, name):
            setattr(rules, name, getattr(defaults, name))
    check(rules)
    return rules


def check(rules: ModuleType) -> None:
    """Raise DamierError if what stands in rules is not what the contract asks for."""
    for name, fits in _KINDS.items():
        if not fits(getattr(rules, name)):
            raise wrong(rules, name, "kind", kind=_VALUES[name])
    for name in sorted(FUNCTIONS):
        _check_function(rules, name)
    file = cast(RulesFile, rules)
    if not re.fullmatch("[a-z][a-z0-9_]*", file.NAME):
        raise wrong(rules, "NAME", "name")
    if not 0 < file.GROUPS <= MOST_GROUPS:
        raise wrong(rules, "GROUPS", "groups", most=MOST_GROUPS)
    if not file.PRESETS:
        raise wrong(rules, "PRESETS", "kind", kind=_VALUES["PRESETS"])
    _check_bits(rules, file)
    _check_presets(rules, file)


def _check_function(rules: ModuleType, name: str) -> None:
    """See that a function is one, takes what it is given, and is marked if it is compiled."""
    found = getattr(rules, name)
    if not callable(found):
        raise wrong(rules, name, "function")
    protocol = RulesKernels if name in KERNELS else RulesFile
    asked = list(inspect.signature(getattr(protocol, name)).parameters)[1:]  # without self
    try:
        inspect.signature(found).bind(*asked)
    except TypeError:
        raise wrong(rules, name, "parameters", asked=", ".join(asked)) from None
    if name in KERNELS and not (isinstance(found, FunctionType) and hasattr(found, "__kernel__")):
        raise wrong(rules, name, "not-kernel")


def _check_bits(rules: ModuleType, file: RulesFile) -> None:
    """See that the bits of the third word have one meaning each."""
    top = 1 << _OPTION_BITS
    if not 0 <= file.MIDTURN < top or file.MIDTURN & 1:
        raise wrong(rules, "MIDTURN", "midturn", most=_OPTION_BITS - 1)
    used = file.MIDTURN | 1
    for option in file.OPTIONS:
        bits = option_bits(option)
        if not bits or bits & used or bits >= top:
            raise wrong(rules, "OPTIONS", "bits", option=option.name, most=_OPTION_BITS - 1)
        used |= bits


def option_bits(option: Option) -> int:
    """Return the bits of the third word that an option is held in."""
    width = (len(option.values) - 1 if option.values else option.most).bit_length()
    return ((1 << width) - 1) << option.bit if option.bit >= 0 else 0


def _check_presets(rules: ModuleType, file: RulesFile) -> None:
    """See that options and presets choose what there is to choose from."""
    known = {option.name: option for option in file.OPTIONS}
    try:
        for option in file.OPTIONS:
            option.encode(option.default)
    except DamierError as error:
        raise wrong(rules, "OPTIONS", "preset", problem=error) from None
    for chosen in file.PRESETS.values():
        for name, value in chosen.items():
            try:
                if name not in known:
                    raise DamierError("option", name=name, game=file.NAME, options=", ".join(known))
                known[name].encode(value)
            except DamierError as error:
                raise wrong(rules, "PRESETS", "preset", problem=error) from None


def wrong(rules: ModuleType, name: str, key: str, **details: object) -> DamierError:
    """Return the error that a name of some rules is not as it must be, and where it stands."""
    return DamierError(f"game-{key}", where=_where(rules, name), name=name, **details)


def _where(rules: ModuleType, name: str) -> str:
    """Return the file, and the line on which a name gets its meaning."""
    path = str(rules.__file__)
    try:
        body = ast.parse(Path(path).read_text("utf-8")).body
    except (OSError, SyntaxError, ValueError):
        return path
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names = {node.name}
        else:
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _stored(n)}
        if name in names:
            return f"{path}:{node.lineno}"
    return path


def _stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def raised(error: BaseException, folder: Path | None, otherwise: str) -> tuple[str, str]:
    """Return where in a folder an error arose, file and line, and what Python says of it.

    An error that arose elsewhere is said to be at `otherwise`; None stands for any folder.
    """
    said = f"{type(error).__name__}: {error}".rstrip(": ").replace("\n", " ")
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}", f"{type(error).__name__}: {error.msg}"
    where = otherwise
    for frame in traceback.extract_tb(error.__traceback__):
        if folder is None or Path(frame.filename).resolve().is_relative_to(folder):
            where = f"{frame.filename}:{frame.lineno}"
    return where, said


def annotation(name: str) -> Any:
    """Return what a function of the rules returns, as the contract writes it."""
    protocol = RulesKernels if name in KERNELS else RulesFile
    return inspect.signature(getattr(protocol, name)).return_annotation
