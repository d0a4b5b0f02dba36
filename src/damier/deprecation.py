"""Old names of the public API, kept for one release with a `DeprecationWarning`."""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def warn_deprecated(old: str, new: str) -> None:
    """Warn the caller's caller that a name is deprecated and which name replaces it."""
    message = f"{old} is deprecated and will be removed in the next release; use {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def deprecated_names(**names: str) -> Callable[[type[T]], type[T]]:
    """Return a class decorator that adds deprecated names (`old="new"`) of attributes."""

    def add(cls: type[T]) -> type[T]:
        for old, new in names.items():
            setattr(cls, old, _alias(cls.__name__, old, new))
        return cls

    return add


def _alias(owner: str, old: str, new: str) -> property:
    def get(self: object) -> Any:
        warn_deprecated(f"{owner}.{old}", f"{owner}.{new}")
        return getattr(self, new)

    return property(get, doc=f"Deprecated name of `{new}`.")
