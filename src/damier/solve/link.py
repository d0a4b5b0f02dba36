"""Loops over a game's positions: templates of this package, made for one game."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import cast

from damier import jit
from damier.position import Rules
from damier.solve import walk
from damier.solve.numbering import numbering_of


def space_module(rules: Rules, compiled: bool) -> ModuleType:
    """Return the module that numbers a game's positions."""
    return _link(compiled)(cast(ModuleType, numbering_of(rules)), rules=_game(rules, compiled))


def linked(loops: ModuleType, rules: Rules, compiled: bool = True) -> ModuleType:
    """Return loops over a game's positions: a template of this package, made for the game."""
    link, file = _link(compiled), _game(rules, compiled)
    return link(loops, rules=file, space=space_module(rules, compiled), walk=link(walk, rules=file))


def _link(compiled: bool) -> Callable[..., ModuleType]:
    return jit.link if compiled else jit.link_plain


def _game(rules: Rules, compiled: bool) -> ModuleType:
    return _link(compiled)(rules.folder.module)
