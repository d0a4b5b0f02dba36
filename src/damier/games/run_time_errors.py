"""Errors that a custom game's own code raises while it is used, with the file and the line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb
from types import CodeType, FrameType

from damier.errors import DamierError
from damier.games import GAMES, Folder


@contextmanager
def located_errors() -> Iterator[None]:
    """Convert errors raised by the code of a custom game to DamierError with their location."""
    try:
        yield
    except DamierError:
        raise
    except (Exception, SystemExit) as error:
        located = locate(error)
        if located is None:
            raise
        raise located from error


def locate(error: BaseException, seconds: float | None = None) -> DamierError | None:
    """Return the error of a custom game that an exception stands for, or None.

    `seconds` are given if the code was interrupted after this time.
    """
    frames = [(frame, line) for frame, line in walk_tb(error.__traceback__)]
    for frame, line in reversed(frames):
        folder = next((f for f in GAMES.custom() if _is_part(f, frame.f_code)), None)
        if folder is not None:
            where = f"{_shown_path(folder, Path(frame.f_code.co_filename))}:{line}"
            name = frame.f_code.co_name
            if seconds is not None:
                return DamierError("game-endless", where=where, name=name, seconds=round(seconds))
            return DamierError(
                "game-raised",
                where=where,
                name=name,
                asked=_arguments(frame),
                problem=f"{type(error).__name__}: {error}".rstrip(": "),
            )
    return None


def _is_part(folder: Folder, code: CodeType) -> bool:
    """Tell whether code is in the file or the folder of a game."""
    path = Path(code.co_filename)
    if folder.is_single_file:
        return path == Path(str(folder.module.__file__))
    return path.is_relative_to(folder.directory)


def _shown_path(folder: Folder, path: Path) -> str:
    """Return a path as far as the game's folder: a server does not show where it keeps files."""
    return path.relative_to(folder.directory.parent).as_posix()


def _arguments(frame: FrameType) -> str:
    """Return the whole numbers that a function was called with."""
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    values = (frame.f_locals.get(name) for name in names)
    return ", ".join(str(value) for value in values if isinstance(value, int))
