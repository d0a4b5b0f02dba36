"""Checks of a folder's other Python files: evaluation, levels, planes, repetition and so on.

The functions of an evaluation and of planes are called in plain Python, with the positions of the
random games: compiled code does not check its indices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from damier import jit
from damier.errors import DamierError
from damier.games import time_limits
from damier.games.constants import group_and_cell, step_of
from damier.games.contract import Evaluation, ObservationPlanes, Repetition, RulesModule, Words
from damier.games.kernel_checks import check_package
from damier.games.levels import DEFAULT_LEVELS, Level
from damier.games.repetition import BLACK_PAWNS, OCCUPIED, WHITE_PAWNS
from damier.games.static_checks import contract_error, is_int, locate_error
from damier.i18n import Translated

if TYPE_CHECKING:
    from damier.games.dynamic_checks import DynamicChecker
    from damier.games.folder import Folder

_SHOWN = 20  # positions with which the functions are called
_MAX_EVALUATION, _MAX_ORDER = 50_000, 256
_MAX_PLANES = 256
_MAX_ENDS = 100  # positions inside a move and ends of it that are examined
_ALL_PARTS = WHITE_PAWNS | BLACK_PAWNS | OCCUPIED
_KERNELS = {
    protocol: {name for name in vars(protocol) if not name.startswith("_")}
    for protocol in (Evaluation, ObservationPlanes)
}
# What the functions of an evaluation return, and the text about it.
_RANGES: dict[str, tuple[Callable[[int], bool], str]] = {
    "evaluate": (lambda value: abs(value) < _MAX_EVALUATION, "type.evaluate"),
    "move_order": (lambda value: 0 <= value < _MAX_ORDER, "type.move_order"),
    "hash_rest": (lambda value: 0 <= value < 1 << 63, "type.word"),
    "contempt": (lambda value: abs(value) < _MAX_EVALUATION, "type.evaluate"),
    "quiescence_depth": (lambda value: 0 <= value < 100, "type.depth"),
    "may_stand_pat": (lambda value: True, "type.bool"),
    "keep_noisy": (lambda value: True, "type.bool"),
}
# Names that a numbering must have.
_NUMBERING = ("VERSION", "IGNORED", "ARRAYS", "space_for", "probe_code")


def check_modules(folder: Folder, checker: DynamicChecker) -> None:
    """Raise DamierError if a Python file beside the rules breaks the contract."""
    checks: dict[str, Callable[[Folder, ModuleType, DynamicChecker], None]] = {
        "evaluation": _check_evaluation,
        "levels": _check_levels,
        "planes": _check_planes,
        "repetition": _check_repetition,
        "motifs": _check_motifs,
        "numbering": _check_numbering,
        "solving": lambda *_: None,  # that it can be imported
    }
    for name, check in checks.items():
        module = folder.part(name)
        if module is not None:
            with _limit_time(folder.directory / f"{name}.py"):
                check(folder, module, checker)


@contextmanager
def _limit_time(path: Path) -> Iterator[None]:
    """Raise DamierError if the checks of a file do not end."""
    try:
        with time_limits.time_limit(time_limits.TIMEOUT_S):
            yield
    except time_limits.TimedOut as error:
        where, _ = locate_error(error, path.parent, f"{path}:1")
        seconds = round(time_limits.TIMEOUT_S)
        raise DamierError("game-endless", where=where, name=path.name, seconds=seconds) from None


def _check_kernel(module: ModuleType, name: str, protocol: type) -> None:
    """Check that a name is a kernel with the parameters of a protocol's function."""
    found = getattr(module, name)
    if not callable(found):
        raise contract_error(module, name, "function")
    asked = list(signature(getattr(protocol, name)).parameters)[1:]  # without self
    try:
        signature(found).bind(*asked)
    except TypeError:
        raise contract_error(module, name, "parameters", asked=", ".join(asked)) from None
    if not (isinstance(found, FunctionType) and hasattr(found, "__kernel__")):
        raise contract_error(module, name, "not-kernel")


def _check_evaluation(folder: Folder, module: ModuleType, checker: DynamicChecker) -> None:
    """Check the names, types and values of an evaluation."""
    check_package(module)
    own = sorted(_KERNELS[Evaluation] & vars(module).keys())
    for name in own:
        _check_kernel(module, name, Evaluation)
    weights = getattr(module, "WEIGHTS", {})
    if not _is_weights(weights):
        raise contract_error(module, "WEIGHTS", "kind", kind="dict[str, int]")
    scale = getattr(module, "SCALE", 1)
    if not is_int(scale) or scale < 1:
        raise contract_error(module, "SCALE", "value", kind=Translated("type.count"))
    plain = jit.link(module, compiled=False, rules=folder.module)
    tables = plain.tables() if hasattr(plain, "tables") else ()
    numbers = [*folder.weights.weights.values(), *tables]
    for words, step in checker.seen[:: max(1, len(checker.seen) // _SHOWN)]:
        for name in own:
            _check_value(folder, checker, plain, name, words, step, numbers)


def _is_weights(weights: object) -> bool:
    return isinstance(weights, dict) and all(
        isinstance(name, str) and is_int(value) for name, value in weights.items()
    )


def _check_value(
    folder: Folder,
    checker: DynamicChecker,
    module: ModuleType,
    name: str,
    words: tuple[int, int, int],
    step: int,
    weights: list[int],
) -> None:
    """Call a function of an evaluation in a position and check its value."""
    legal = [0] * folder.rules.GROUPS
    folder.rules.legal(*words, legal)
    arguments: dict[str, tuple[Any, ...]] = {
        "evaluate": (*words, list(weights)),
        "move_order": (*words, step),
        "quiescence_depth": (words[2],),
        "may_stand_pat": (*words, legal),
        "keep_noisy": (*words, legal),
    }
    value = _call(module, name, arguments.get(name, words), checker.draw(words))
    fits, kind = _RANGES[name]
    if not isinstance(value, int) or not fits(value):
        raise contract_error(module, name, "answer", value=repr(value)[:60], kind=Translated(kind))


def _call(module: ModuleType, name: str, arguments: tuple[Any, ...], asked: str) -> Any:
    """Return the value of a function; raise DamierError with the line if it fails."""
    try:
        return getattr(module, name)(*arguments)
    except (Exception, SystemExit) as error:
        unknown = str(contract_error(module, name, "raised").details["where"])
        folder = Path(str(module.__file__)).resolve().parent
        where, problem = locate_error(error, folder, unknown)
        raise DamierError(
            "game-raised", where=where, name=name, asked=asked, problem=problem
        ) from error


def _check_levels(folder: Folder, module: ModuleType, checker: DynamicChecker) -> None:
    """Check that `levels.py` has eight levels, for every preset."""
    count = len(DEFAULT_LEVELS)
    name = "levels" if hasattr(module, "levels") else "LEVELS"
    if not hasattr(module, name):
        raise contract_error(module, name, "levels", count=count)
    for preset in folder.rules.PRESETS.values():
        options = {o.name: preset.get(o.name, o.default) for o in folder.rules.OPTIONS}
        levels: Any = getattr(module, name)
        if callable(levels):
            levels = _call(module, name, (options,), str(options))
        fits = isinstance(levels, tuple) and all(isinstance(level, Level) for level in levels)
        if not fits or len(levels) != count:
            raise contract_error(module, name, "levels", count=count)
        for number, level in enumerate(levels, 1):
            if not _is_level(level):
                raise contract_error(module, name, "level", number=number, level=level)


def _is_level(level: Level) -> bool:
    """Tell whether the settings of a level are numbers in their ranges, and limit the search."""
    limits = (level.depth, level.nodes, level.seconds)
    return (
        all(x is None or (isinstance(x, int | float) and x > 0) for x in limits)
        and any(x is not None for x in limits)
        and all(is_int(x) for x in (level.depth, level.nodes) if x is not None)
        and is_int(level.slips)
        and is_int(level.overlooks)
        and level.slips >= 0
        and 0 <= level.overlooks <= 100
    )


def _check_planes(folder: Folder, module: ModuleType, checker: DynamicChecker) -> None:
    """Check the names of observation planes, and write those of some positions."""
    check_package(module)
    names: Any = getattr(module, "NAMES", None)
    fits = isinstance(names, tuple) and all(isinstance(name, str) for name in names)
    if not fits or not 0 < len(names) <= _MAX_PLANES:
        raise contract_error(module, "NAMES", "kind", kind="tuple[str, ...]")
    if not hasattr(module, "put_planes"):
        raise DamierError("game-part-missing", path=module.__file__, names="put_planes")
    _check_kernel(module, "put_planes", ObservationPlanes)
    directions: Any = getattr(module, "DIRECTIONS", None)
    single = getattr(module, "SINGLE", None)
    if not isinstance(directions, tuple) or len(directions) not in (0, folder.rules.GROUPS):
        raise contract_error(module, "DIRECTIONS", "directions", groups=folder.rules.GROUPS)
    if not is_int(single):
        raise contract_error(module, "SINGLE", "kind", kind="int")
    plain = jit.link(module, compiled=False, rules=folder.module)
    for words, _ in checker.seen[:: max(1, len(checker.seen) // _SHOWN)]:
        _call(plain, "put_planes", (*words, [0] * len(names)), checker.draw(words))


def _check_repetition(folder: Folder, module: ModuleType, checker: DynamicChecker) -> None:
    """Check that the steps that it removes cannot repeat a position, in some positions."""
    check_package(module)
    if not isinstance(getattr(module, "FINAL_CAPTURES", False), bool):
        raise contract_error(module, "FINAL_CAPTURES", "kind", kind="bool")
    if not hasattr(module, "may_repeat"):
        return
    _check_kernel(module, "may_repeat", Repetition)
    plain = jit.link(module, compiled=False, rules=folder.module)
    rules = folder.rules
    for words, step in checker.seen[:: max(1, len(checker.seen) // (4 * _SHOWN))]:
        for seen in range(_ALL_PARTS + 1):
            steps = [jit.MASK63] * rules.GROUPS
            drawn = checker.draw(words)
            _call(plain, "may_repeat", (*words, seen, steps), drawn)
            group, cell = group_and_cell(step)
            if steps[group] >> cell & 1:
                continue
            for end in _ends(rules, rules.play(*words, step)):
                if not _has_new_part(words, end, seen):
                    raise contract_error(module, "may_repeat", "repeats", step=step, position=drawn)


def _ends(rules: RulesModule, words: Words) -> Iterator[Words]:
    """Yield the ends of a move in progress, at most some of them."""
    pending = [words]
    for _ in range(_MAX_ENDS):
        if not pending:
            return
        here = pending.pop()
        if not here[2] & rules.MIDTURN:
            yield here
            continue
        legal = [0] * rules.GROUPS
        rules.legal(*here, legal)
        pending += [
            rules.play(*here, step_of(group, cell))
            for group, cells in enumerate(legal)
            for cell in range(cells.bit_length())
            if cells >> cell & 1
        ]


def _has_new_part(before: Words, after: Words, seen: int) -> bool:
    """Return whether the other side is to move, and a part that was not seen is still there."""
    (w, b, r), (w2, b2, r2) = before, after
    kept = WHITE_PAWNS * (w == w2) | BLACK_PAWNS * (b == b2) | OCCUPIED * (w | b == w2 | b2)
    return r & 1 != r2 & 1 and kept & ~seen != 0


def _check_motifs(folder: Folder, module: ModuleType, checker: DynamicChecker) -> None:
    """Check that motifs are found by a function with the right parameters."""
    found, asked = getattr(module, "motifs", None), ("position", "move")
    if not callable(found):
        raise DamierError("game-part-missing", path=module.__file__, names="motifs")
    try:
        signature(found).bind(*asked)
    except TypeError:
        raise contract_error(module, "motifs", "parameters", asked=", ".join(asked)) from None


def _check_numbering(folder: Folder, module: ModuleType, checker: DynamicChecker) -> None:
    """Check that a numbering has the names that all numberings must have."""
    missing = [name for name in _NUMBERING if not hasattr(module, name)]
    if missing:
        raise DamierError("game-part-missing", path=module.__file__, names=", ".join(missing))
    check_package(module)
    if not is_int(module.VERSION):
        raise contract_error(module, "VERSION", "kind", kind="int")
    for name in ("IGNORED", "ARRAYS"):
        value = getattr(module, name)
        if not isinstance(value, tuple) or not all(isinstance(x, str) for x in value):
            raise contract_error(module, name, "kind", kind="tuple[str, ...]")
