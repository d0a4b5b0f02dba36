"""Teeko from its rules alone and with a numbering of its own: the same values."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import damier
from damier import games
from damier.jit import runtime_of
from damier.solve import retrograde, tables
from damier.solve.link import link_loops
from damier.solve.numbering import enumerated
from damier.solve.retrograde import enumerated_kernels

FOLDER = Path(__file__).parents[1] / "data" / "games" / "teeko"


@pytest.mark.slow
@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize("pawns", [3, pytest.param(4, marks=pytest.mark.exhaustive)])
def test_a_numbering_gives_the_values_of_the_rules_alone(
    pawns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "teeko")
    rules_file = folder / "rules.py"
    source = rules_file.read_text("utf-8")
    for old, new in (
        ('"teeko"', f'"teeko_{pawns}"'),
        ("PAWNS = 4", f"PAWNS = {pawns}"),
        ("rows(4)", f"rows({pawns})"),
    ):
        assert old in source
        source = source.replace(old, new)
    rules_file.write_text(source, "utf-8")
    rules = damier.load_rules(games.load(folder).name)
    numbered = retrograde.solve(rules)
    assert retrograde.verify(numbered)
    with monkeypatch.context() as patched:
        patched.setitem(rules.folder.__dict__, "numbering", None)
        listed = retrograde.solve(rules)
        loops = link_loops(enumerated_kernels, rules)
        space = enumerated.space_for(rules, listed.header)
        keys = listed.arrays["keys"]
        words = np.zeros(3 * len(keys), np.int64)
        loops.decode(keys, words, space.lookup(runtime_of(loops.space)))
    table = tables.Table(rules, numbered.header, numbered.arrays)
    codes = table.probe_many(*words.reshape(-1, 3).T)
    assert np.array_equal(codes, listed.arrays["values"])
    assert len(np.unique(codes)) > 10
    assert len(codes) == {3: 512_019, 4: 12_063_947}[pawns]
    if pawns == 4:
        assert table.code(rules.start()) == 0  # a draw, as published
