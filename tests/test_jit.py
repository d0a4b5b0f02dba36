"""The doorway to Numba: where machine code is kept, whoever asks for it and wherever they stand."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from damier import jit
from damier.games.fraha import rules as fraha
from damier.jit import native

pytestmark = pytest.mark.skipif(not jit.enabled(), reason="JIT is off")


@pytest.fixture
def _threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def copy_of(module: ModuleType) -> ModuleType:
    """Return a module that has not been linked before."""
    copy = ModuleType(module.__name__)
    vars(copy).update(vars(module))
    return copy


@pytest.mark.usefixtures("_threads_take_turns_often")
def test_threads_keep_their_code_in_one_place() -> None:
    """A cache directory that is a setting of the process was once lost between two threads."""
    import numba

    config: Any = numba.config
    before = config.CACHE_DIR
    kept: list[str] = []

    def link() -> None:
        kept.extend(jit.link(copy_of(fraha)).legal._cache.cache_path for _ in range(3))

    threads = [threading.Thread(target=link) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept) == 12
    folder = Path(fraha.__file__ or "").parent
    assert {Path(path).parent for path in kept} == {native.cache_directory([folder])}
    assert before == config.CACHE_DIR


def test_where_nothing_can_be_written_code_is_compiled_and_not_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "a file"
    file.touch()
    monkeypatch.setattr(native, "cache_directory", lambda folders: file / "kernels")
    twin = jit.link(copy_of(fraha))
    assert twin.legal._cache.cache_path is None
