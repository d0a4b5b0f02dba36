"""Fanorona's shapes: which are alike, and how their weights are found."""

import json
import sys
from pathlib import Path

import pytest

from damier import jit
from damier.search import Engine, shapes, weights
from damier.search.sense import fanorona as sense

CELLS = [(file, rank) for rank in range(3) for file in range(3)]


def number(shape: dict[tuple[int, int], int]) -> int:
    """Return the number of a shape, given what stands on each cell."""
    return sum(3**k * shape.get(cell, 0) for k, cell in enumerate(CELLS))


def test_shapes_are_alike_that_turn_into_each_other() -> None:
    kinds = sense.shape_kinds()
    assert set(kinds) == set(range(2862))  # by Burnside's lemma
    corner = {(0, 0): 1, (1, 0): 2}
    quarter_turn = {(2, 0): 1, (2, 1): 2}
    mirrored = {(2, 0): 1, (1, 0): 2}
    swapped = {(0, 0): 2, (1, 0): 1}
    assert kinds[number(corner)] == kinds[number(quarter_turn)] == kinds[number(mirrored)]
    assert kinds[number(corner)] != kinds[number(swapped)]


def test_a_shape_is_read_off_the_board() -> None:
    w, b, _ = shapes.RULES.start().words
    shape = dict.fromkeys(CELLS, 1) | {(0, 2): 2, (2, 2): 2}
    assert sense.shape_of(w, b, 9) == number(shape)


def valued() -> list[tuple[tuple[int, int, int], float]]:
    """Return positions with many pawns, valued by a short search."""
    settings = shapes.Settings(nodes=60, seed=1, knowledge=shapes.pawns_alone())
    return [position for game in range(12) for position in shapes.one_game(settings, game)]


@pytest.mark.skipif(not jit.enabled(), reason="fits with compiled code")
def test_weights_are_found_again() -> None:
    """What is fitted is what `evaluate` looks up: the fit's features give its estimates."""
    import numpy as np

    found = valued()
    assert len(found) > 100
    assert {shapes.stage_of(words) for words, _ in found} == set(range(len(sense.MANY)))
    stages, cells, kinds = shapes.features(found)
    in_force = dict(zip(sense.NAMES, weights.WEIGHTS["fanorona"], strict=True))
    by_cell = np.array([in_force[name] for name in filter(shapes.many, sense.NAMES)])
    by_shape = np.array(list(weights.read_shapes().values())).ravel()
    by_cell = by_cell.reshape(len(sense.MANY), -1)
    values = (by_cell[stages] * cells).sum(axis=1) + by_shape[kinds].sum(axis=1)
    knowledge = list(weights.WEIGHTS["fanorona"] + sense.tables())
    assert values.tolist() == [sense.evaluate(*words, knowledge) for words, _ in found]


@pytest.mark.skipif(not jit.enabled(), reason="fits with compiled code")
def test_a_fit_explains_what_it_has_seen() -> None:
    import numpy as np

    found = valued()
    known = (*shapes.features(found), np.array([0.5 + np.sign(v) / 4 for _, v in found]))
    cells = np.zeros((len(sense.MANY), known[1].shape[1]))
    nothing = shapes.explained(known, (cells, np.zeros(2 * len(sense.MANY) * 2862)))
    explained = shapes.explained(known, shapes.fit(known, seed=1))
    assert all(share > 0.5 > before for share, before in zip(explained, nothing, strict=True))


def test_weights_are_written_with_their_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FILE", "SHAPES_FILE"):
        file = tmp_path / getattr(weights, name).name
        file.write_bytes(getattr(weights, name).read_bytes())
        monkeypatch.setattr(weights, name, file)
    import numpy as np

    by_cell = np.arange(len(sense.MANY) * sense.MANY_GROUP).reshape(len(sense.MANY), -1)
    by_shape = np.arange(len(sense.MANY) * 2 * 2862)
    monkeypatch.setattr(shapes, "positions", lambda *_: [])
    monkeypatch.setattr(shapes, "learned", lambda *_: (by_cell, by_shape, "R² 0.5, 0.6"))
    monkeypatch.setattr(sys, "argv", ["shapes", "--positions", "9", "--write"])
    assert shapes.main() == 0
    entry = json.loads(weights.FILE.read_text("utf-8"))["fanorona"]
    assert entry["source"].endswith("; then damier.search.shapes --positions 9: R² 0.5, 0.6")
    assert tuple(entry["weights"]) == sense.NAMES
    few = sense.NAMES.index(f"forced, up to {sense.MANY[0]}: to move")
    found = tuple(entry["weights"].values())
    assert found[:few] == weights.WEIGHTS["fanorona"][:few]
    assert found[few:] == tuple(range(len(found) - few))
    assert [kind for part in weights.read_shapes().values() for kind in part] == by_shape.tolist()


def test_pawns_alone_are_where_a_fit_begins() -> None:
    """Without shapes a pawn more is worth a pawn, wherever it stands."""
    engine = Engine(shapes.RULES, compiled=False, weights=shapes.pawns_alone())
    rows = "bbbbbbbbb/bbbbbbbbb/bwbw.bwbw/wwwwwwwww/{} w 0"
    for rank, ahead in (("wwwwwwwww", 0), ("wwww.wwww", -1), (".www.wwww", -2)):
        words = shapes.RULES.position(rows.format(rank)).words
        assert sense.evaluate(*words, engine._weights) == ahead * shapes.PAWN


@pytest.mark.skipif(not jit.enabled(), reason="plays with compiled code")
def test_games_are_played_again_from_their_seed() -> None:
    settings = shapes.Settings(nodes=60, seed=1, knowledge=None)
    assert shapes.one_game(settings, 1) == shapes.one_game(settings, 1)
    assert shapes.one_game(settings, 1) != shapes.one_game(settings, 2)
