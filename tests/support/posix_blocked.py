"""Run damier as on a system without POSIX: `python -m tests.support.posix_blocked FOLDER`.

Other packages are imported first, as they choose their own way for each system. It prints what a
game, a record, a search and a table give.
"""

import importlib
import importlib.abc
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

POSIX_MODULES = {
    *("crypt", "fcntl", "grp", "nis", "posix", "pty", "pwd", "readline", "resource", "spwd"),
    *("syslog", "termios", "tty"),
}
# Functions of `os` and `signal` that do not exist on Windows.
POSIX_NAMES = {
    "os": ("fchmod", "fork", "getpgid", "getuid", "killpg", "setsid", "statvfs", "sysconf"),
    "signal": ("SIGHUP", "SIGKILL", "SIGSTOP", "SIGUSR1", "setitimer"),
}


class Blocker(importlib.abc.MetaPathFinder):
    """Import hook that refuses POSIX modules."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> None:
        """Refuse a POSIX module; leave all others to the next hook."""
        if name in POSIX_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def block() -> None:
    """Make this process look like Windows to modules that are imported from now on."""
    for name in POSIX_MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Blocker())
    for module, names in POSIX_NAMES.items():
        for name in names:
            delattr(sys.modules[module], name)
    stub: Any = ModuleType("msvcrt")
    stub.LK_NBLCK = 2
    stub.locking = lambda descriptor, mode, size: None
    sys.modules["msvcrt"] = stub
    sys.platform = "win32"


def import_dependencies() -> None:
    """Import what damier depends on."""
    for name in (
        *("asyncio", "multiprocessing.connection", "multiprocessing.spawn", "numba", "numpy"),
        *("fastapi", "uvicorn", "starlette.testclient", "pydantic", "prompt_toolkit", "babel"),
        *("fsrs", "glicko2", "platformdirs", "sqlalchemy.ext.asyncio", "aiosqlite"),
        *("alembic.command", "asyncpg", "prometheus_client", "segno", "websockets", "pyarrow"),
        *("pettingzoo", "gymnasium", "pyspiel", "distributed", "concurrent.futures", "webbrowser"),
    ):
        importlib.import_module(name)


def main(folder: Path) -> None:
    """Import all modules, then play, store, search and probe."""
    import_dependencies()
    block()
    import damier
    from damier import files, record, solve
    from damier.players import player

    count = 0
    for found in pkgutil.walk_packages(damier.__path__, "damier."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
            count += 1
    game = damier.Game(damier.load_rules("chefa"))
    for _ in range(4):
        game = game.play(player("level:1", seed=1).choose(game))
    path = folder / "game.txt"
    files.append(path, record.write([record.Record(game)]))
    with files.exclusive_lock(folder / "lock"):
        (read,), problems = record.read(path.read_text("utf-8"))
    assert not problems
    print(count, len(read.game.moves_played), solve.value(damier.Game(damier.load_rules("chefa"))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
