"""What damier says when it is given something it cannot use."""


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


def _rebuild(key: str, details: dict[str, object]) -> DamierError:
    return DamierError(key, **details)
