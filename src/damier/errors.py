"""What damier says when it is given something it cannot use, or the system refuses something."""

import errno


class DamierError(ValueError):
    """A refusal, with the key of its message and what the message names.

    `str()` says it in the language in use (see `damier.lang`).
    """

    def __init__(self, key: str, **details: object) -> None:
        super().__init__(key, details)
        self.key = key
        self.details = details

    def __str__(self) -> str:
        from damier.lang import say

        return say(f"error.{self.key}", **self.details)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.key, self.details)


class Notice(UserWarning):
    """What a person had better know although the work goes on: said like a refusal."""


def told(error: OSError) -> str:
    """Return what the system has refused and where: in the language in use if it is usual."""
    from damier import lang

    texts = lang.texts(lang.language())
    names = type(error).__name__, errno.errorcode.get(error.errno or 0, "")
    usual = next((texts[f"os.{name}"] for name in names if f"os.{name}" in texts), None)
    what = usual or error.strerror or str(error)
    return what if error.filename is None else f"{error.filename}: {what}"


def _rebuild(key: str, details: dict[str, object]) -> DamierError:
    return DamierError(key, **details)
