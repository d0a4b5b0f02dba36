"""Errors and warnings with translated messages."""

import errno

__all__ = ["DamierError", "Notice"]


class DamierError(ValueError):
    """Error with the key of its message and the details that the message names.

    `str()` returns the message in the language in use (see `damier.i18n`).
    """

    def __init__(self, key: str, **details: object) -> None:
        super().__init__(key, details)
        self.key = key
        self.details = details

    def __str__(self) -> str:
        from damier.i18n import translate

        return translate(f"error.{self.key}", **self.details)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.key, self.details)


class Notice(UserWarning):
    """Warning for the user about something that does not stop the work."""


def describe_os_error(error: OSError) -> str:
    """Return the message of an OSError with its path; frequent ones are translated."""
    from damier import i18n

    texts = i18n.texts(i18n.language())
    names = type(error).__name__, errno.errorcode.get(error.errno or 0, "")
    translated = next((texts[f"os.{name}"] for name in names if f"os.{name}" in texts), None)
    message = translated or error.strerror or str(error)
    return message if error.filename is None else f"{error.filename}: {message}"


def _rebuild(key: str, details: dict[str, object]) -> DamierError:
    return DamierError(key, **details)
