"""Variants of rules: every option with its other values, or the named ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from damier.errors import DamierError
from damier.games.constants import Option
from damier.position import Rules, load_rules, read_options

NEIGHBOURS = 3  # named values that are all compared; of more, only the next ones
USUAL_COUNT = 20  # compared with 0 where a limit is off by default


@dataclass(frozen=True)
class Variant:
    """Rules with other values of one option, or of several."""

    rules: Rules
    changes: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The changes as in the command: `k=v` or `k=v,k2=v2`."""
        return ",".join(f"{name}={value}" for name, value in self.changes)


def variants_of(rules: Rules, against: Sequence[str] = ()) -> list[Variant]:
    """Return the variants to compare: by default each option alone, with its other values.

    A text such as `k=v,k2=v2` names a pair; its parts are compared too. Raise DamierError for a
    bad option, or if nothing changes.
    """
    if not against:
        return [
            _variant(rules, {option.name: value})
            for option in rules.module.OPTIONS
            for value in other_values(option, rules.options[option.name])
        ]
    found: dict[str, Variant] = {}
    for text in against:
        changes = read_options(text.split(","))
        for part in [{name: value} for name, value in changes.items()] + [changes]:
            variant = _variant(rules, part)
            found.setdefault(variant.text, variant)
    return list(found.values())


def other_values(option: Option, now: str) -> list[str]:
    """Return the values with which an option is compared.

    A named option has all its other values, or the next ones if there are many; a limit is off,
    halved and doubled.
    """
    if option.values:
        others = [value for value in option.values if value != now]
        if len(others) <= NEIGHBOURS:
            return others
        at = option.values.index(now)
        return [option.values[k] for k in (at - 1, at + 1) if 0 <= k < len(option.values)]
    count = int(now)
    if not count:
        usual = int(option.default) or USUAL_COUNT
        return [str(min(usual, option.most))]
    others = [str(k) for k in (0, count // 2, min(2 * count, option.most))]
    return [value for value in dict.fromkeys(others) if value != now]


def _variant(rules: Rules, changes: dict[str, str]) -> Variant:
    """Return rules with changed options."""
    changed = load_rules(rules.name, **{**rules.options, **changes})
    if any(changed.options[name] == rules.options[name] for name in changes):
        same = next(name for name in changes if changed.options[name] == rules.options[name])
        raise DamierError("lab-against-same", option=same, value=rules.options[same])
    return Variant(changed, tuple((name, changed.options[name]) for name in changes))


def interaction_parts(variant: Variant, found: Sequence[Variant]) -> list[Variant] | None:
    """Return the variants with one of the changes of a pair each, or None if it is no pair."""
    if len(variant.changes) < 2:
        return None
    parts = [other for other in found for change in variant.changes if other.changes == (change,)]
    return parts if len(parts) == len(variant.changes) else None
