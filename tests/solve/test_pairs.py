"""Numbers of arrangements of pawns, up to boards that are nearly full."""

import random
from math import comb

import pytest

import damier
from damier.games.board import Board, map_cells
from damier.jit import PYTHON_RUNTIME
from damier.solve.numbering import numbering_of
from damier.solve.numbering.pairs import Pairs, pair_of, pair_rank


@pytest.mark.parametrize(
    ("board", "tiers"), [(Board(3, 3), [(4, 4), (2, 5)]), (Board(4, 4), [(7, 8), (8, 7)])]
)
def test_every_arrangement_has_one_number_up_to_symmetry(
    board: Board, tiers: list[tuple[int, int]]
) -> None:
    pairs = Pairs(board, 0, tiers)
    t = pairs.lookup(PYTHON_RUNTIME)
    for first, second in tiers:
        start = pairs.starts[first, second]
        arrangements: set[tuple[int, int]] = set()
        for number in range(start, start + pairs.sizes[first, second]):
            one, other = pair_of(number, first, second, t)
            assert (one.bit_count(), other.bit_count(), one & other) == (first, second, 0)
            if pair_rank(one, other, t)[0] == number:  # others are not used
                images = {(map_cells(one, to), map_cells(other, to)) for to in board.symmetries}
                assert images.isdisjoint(arrangements)
                arrangements |= images
        assert len(arrangements) == comb(board.size, first) * comb(board.size - first, second)


@pytest.mark.exhaustive
def test_all_endings_of_seega_are_numbered() -> None:
    rules, rng = damier.load_rules("seega"), random.Random(1)
    space = numbering_of(rules).space_for(rules, {"pawns": 24})
    assert space.size == 98_194_499_964
    t, _ = space.lookup(PYTHON_RUNTIME)
    for _ in range(1000):
        pawns = rng.randint(2, 24)
        cells = rng.sample(range(25), pawns)
        white = rng.randint(max(1, pawns - 12), min(12, pawns - 1))
        one, other = (sum(1 << cell for cell in part) for part in (cells[:white], cells[white:]))
        number, symmetry = pair_rank(one, other, t)
        assert 0 <= number < space.size
        to = rules.board.symmetries[symmetry]
        expected = map_cells(one, to), map_cells(other, to)
        assert pair_of(number, white, pawns - white, t) == expected
