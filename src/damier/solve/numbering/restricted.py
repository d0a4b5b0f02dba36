"""Rules under which one side keeps away from moves of a form, to be solved by enumeration.

The colours differ, so positions are not counted up to colour.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from types import SimpleNamespace
from typing import Any

from damier.games.constants import group_and_cell, step_of
from damier.games.steps import Action
from damier.position import Rules
from damier.solve.restricted_moves import SIGNATURES, signature

SAMPLED_STEPS = 300_000  # from which it is learned what steps do
DESCRIBED = 50  # steps of one signature that are described
MAX_PLY = 80  # of a sample game


class RestrictedRules(Rules):
    """Rules with a restriction: the side (0 for White), the amount of a step, the threshold.

    A side that is restricted plays no move whose steps add up to the threshold, if it has another.
    """

    parameters: list[int]

    @classmethod
    def of(
        cls, rules: Rules, side: int, threshold: int, kept: int, amounts: Mapping[int, int]
    ) -> RestrictedRules:
        """Return rules with a restriction, given what a step adds by its signature.

        `kept` are the bits of the third word that can affect the value between moves.
        """
        made = cls(rules.name, rules.values)
        folder = copy(rules.folder)
        folder.__dict__["numbering"] = None  # of the game: its positions are enumerated instead
        module = SimpleNamespace(**{**vars(rules.folder.module), "COLOUR_SWAP": False})
        table = [0] * SIGNATURES
        for key, added in amounts.items():
            table[key] = added + 1
        parameters = [side + 1, threshold, kept, *table]
        made.__dict__.update(folder=folder, module=module, parameters=parameters)
        return made

    def __reduce__(self) -> Any:
        """Refuse to be sent to another process, where the restriction would be lost."""
        raise TypeError("restricted rules stay in their process")


def described_steps(rules: Rules) -> dict[int, list[Action]]:
    """Return descriptions of steps of random games, by signature."""
    module, rng, seen = rules.module, random.Random(0), 0
    found: dict[int, list[Action]] = {}
    out = [0] * module.GROUPS
    while seen < SAMPLED_STEPS:
        words = rules.start().words
        for _ in range(MAX_PLY):
            seen += 1  # a game may end at once
            if module.legal(*words, out):
                break
            pending: list[tuple[int, int, int]] = [words]
            ends: list[tuple[int, int, int]] = []
            while pending:
                w, b, r = pending.pop()
                module.legal(w, b, r, out)
                for step in [step_of(g, c) for g in range(module.GROUPS) for c in _cells(out[g])]:
                    if module.superfluous(r, step):
                        continue
                    seen += 1
                    w2, b2, r2 = module.play(w, b, r, step)
                    inside = 2 * bool(r & module.MIDTURN) | bool(r2 & module.MIDTURN)
                    pawns = (b, w, b2, w2) if r & 1 else (w, b, w2, b2)
                    known = found.setdefault(signature(group_and_cell(step)[0], inside, *pawns), [])
                    if len(known) < DESCRIBED:
                        known.append(module.describe(w, b, r, step))
                    (pending if r2 & module.MIDTURN else ends).append((w2, b2, r2))
            words = rng.choice(ends)
    return found


def amounts_of(
    described: Mapping[int, Sequence[Action]], amount: Callable[[Action], int]
) -> dict[int, int] | None:
    """Return what a step adds by its signature; None if that does not follow from the signature."""
    found = {}
    for key, actions in described.items():
        amounts = {amount(action) for action in actions}
        if len(amounts) > 1:
            return None
        found[key] = amounts.pop()
    return found


def _cells(bits: int) -> list[int]:
    """Return the cells of a set."""
    return [cell for cell in range(bits.bit_length()) if bits >> cell & 1]
