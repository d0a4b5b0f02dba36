"""Linking of the kernel templates of this package with one game's rules and numbering."""

from __future__ import annotations

from types import ModuleType
from typing import cast

from damier import jit
from damier.position import Rules
from damier.solve import move_kernels, restricted_moves
from damier.solve.numbering import numbering_of
from damier.solve.numbering.restricted import RestrictedRules


def space_module(rules: Rules, compiled: bool) -> ModuleType:
    """Return the module that numbers a game's positions, linked with the game's rules."""
    numbering = cast(ModuleType, numbering_of(rules))
    return jit.link(numbering, compiled=compiled, rules=_rules_module(rules, compiled))


def link_loops(loops: ModuleType, rules: Rules, compiled: bool = True) -> ModuleType:
    """Return a kernel template of this package, linked with a game's rules and numbering."""
    module = _rules_module(rules, compiled)
    moves = restricted_moves if isinstance(rules, RestrictedRules) else move_kernels
    return jit.link(
        loops,
        compiled=compiled,
        rules=module,
        space=space_module(rules, compiled),
        move_kernels=jit.link(moves, compiled=compiled, rules=module),
    )


def _rules_module(rules: Rules, compiled: bool) -> ModuleType:
    return jit.link(rules.folder.module, compiled=compiled)
