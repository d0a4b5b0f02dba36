"""Compiled rules and loops give the same answers as plain Python."""

from typing import Any

import pytest

from damier import Rules, jit, kernels
from damier.games import Words
from tests.support.rulesets import RULESETS, random_game

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS.keys()),
]


def both(rules: Rules) -> tuple[Any, Any, Any, Any]:
    """Return rules and loops, plain and compiled."""
    module = rules.folder.module
    fast = jit.link(module)
    return (
        module,
        fast,
        jit.link(kernels, compiled=False, rules=module),
        jit.link(kernels, rules=fast),
    )


def test_kernels_are_compiled(rules: Rules) -> None:
    if not jit.enabled():
        pytest.skip("JIT is off")
    _, fast, plain_loops, fast_loops = both(rules)
    assert hasattr(fast.legal, "py_func")
    assert hasattr(fast_loops.perft, "py_func")
    assert not hasattr(plain_loops.perft, "py_func")


def test_steps_and_judgements_are_equal(rules: Rules) -> None:
    plain, fast, _, fast_loops = both(rules)
    for seed in (4, 5):
        game = random_game(rules, seed)
        for position, move in zip(game.positions, game.moves_played, strict=False):
            words = position.words
            for step in move.steps:
                out, fast_out = [0] * plain.GROUPS, fast_loops.buffer(plain.GROUPS)
                assert plain.legal(*words, out) == fast.legal(*words, fast_out)
                assert out == list(fast_out)
                after = plain.play(*words, step)
                assert after == fast.play(*words, step)
                words = after
        out, fast_out = [0] * plain.GROUPS, fast_loops.buffer(plain.GROUPS)
        words = game.position.words
        assert plain.legal(*words, out) == fast.legal(*words, fast_out)


def listed(loops: Any, words: Words) -> list[tuple[list[int], list[int]]]:
    """Return all moves of a position, listed seven at a time."""
    room, found, moves = loops.begin_moves(*words), loops.buffer(7 * loops.MOVE_WORDS), []
    while count := loops.next_moves(room, found):
        for at in range(0, count * loops.MOVE_WORDS, loops.MOVE_WORDS):
            row = [int(word) for word in found[at : at + loops.MOVE_WORDS]]
            moves.append((row[1 : 1 + row[0]], row[loops.MOVE_END :]))
    return moves


def test_all_moves_and_children_are_equal(rules: Rules) -> None:
    _, _, plain, fast = both(rules)
    game = random_game(rules, 6, max_moves=40)
    for position in game.positions[::4]:
        if position.result():
            continue
        lists = [listed(loops, position.words) for loops in (plain, fast)]
        assert lists[0] == lists[1]
        children = len({tuple(end) for _, end in lists[0]})
        for loops in (plain, fast):
            assert loops.perft(*position.words, 1) == children


def test_perft_is_equal(rules: Rules) -> None:
    _, _, plain, fast = both(rules)
    position = random_game(rules, 7, max_moves=30).back(2).position
    depth = 1 if len(position.legal_moves()) > 60 else 2
    assert plain.perft(*position.words, depth) == fast.perft(*position.words, depth)


def test_random_games_are_equal(rules: Rules) -> None:
    _, _, plain, fast = both(rules)
    start = rules.start().words
    tallies = plain.buffer(6), fast.buffer(6)
    seeds = [
        loops.random_games(*start, 2, 120, 99, tally)
        for loops, tally in zip((plain, fast), tallies, strict=True)
    ]
    assert seeds[0] == seeds[1]
    assert list(tallies[0]) == list(tallies[1])
    assert sum(tallies[0][:4]) == 2
