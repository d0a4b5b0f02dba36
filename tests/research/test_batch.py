"""Batches agree with `Game`, step by step, and do not depend on compiler or threads."""

import copy
import math
import pickle
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import damier
from damier import GAMES, DamierError, Game, Rules
from damier.batch import NO_STEP, Batch, layout, plane_names, symmetries
from damier.games.repetition import BLACK_PAWNS, OCCUPIED, WHITE_PAWNS
from damier.research import history_kernels
from damier.research.batch import number_sets
from damier.research.positions import check_positions, map_positions
from tests.research.conftest import ExampleLoader
from tests.support.rulesets import RULESETS

# Small versions of games, whose random games are short enough to repeat positions.
SHORT = {name: rules for name, rules in RULESETS.items() if "size=7" not in name}


def steps_of(mask: Any) -> list[int]:
    """Return the steps in the words of legal steps of one game."""
    return [
        64 * group + cell
        for group, cells in enumerate(mask.tolist())
        for cell in range(64)
        if cells >> cell & 1
    ]


def check_against_game(rules: Rules, seed: int, steps: int) -> int:
    """Play one game in a batch and as a `Game`; return how many games ended."""
    batch = Batch(rules, 1, seed, masks=True, compiled=False)
    game, begun, ended = Game(rules), list[int](), 0
    for _ in range(steps):
        legal = sorted(step.number for step in game.steps(begun))
        assert steps_of(batch.legal[0]) == legal
        assert np.flatnonzero(batch.masks[0]).tolist() == legal
        assert batch.player[0] == "wb".index(game.position.side)
        action = batch.sample()
        batch.step(action)
        begun.append(int(action[0]))
        position = game.position
        for step in begun:
            position = position.step(step)
        if position.unfinished:
            continue
        move = game.position.move_from_steps(begun)
        game, begun = game.play(move), []
        assert bool(batch.terminated[0]) == game.over
        if game.over:
            result = game.result()
            winner = None if result is None else result.winner
            assert batch.rewards[0].tolist() == {"w": [1, -1], "b": [-1, 1], None: [0, 0]}[winner]
            game, ended = Game(rules), ended + 1
        assert batch.position(0) == game.position
        assert batch.moves[0] == game.ply
    return ended


@pytest.mark.parametrize("rules", SHORT.values(), ids=SHORT)
def test_a_batch_plays_the_same_game(rules: Rules) -> None:
    check_against_game(rules, 3, 45)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fanorona", {"board": "3x3", "endgame_draw": "0", "stall": "0"}),
        ("fanorona", {"board": "3x3", "capture": "forced"}),
    ],
)
def test_games_end_by_repetition_as_in_a_game(name: str, options: dict[str, str]) -> None:
    assert check_against_game(damier.load_rules(name, **options), 5, 400) > 3


@pytest.mark.parametrize("name", ["tapatan", "hex", "draughts"])
def test_games_of_inventors_are_played_as_in_a_game(name: str, example: ExampleLoader) -> None:
    for preset in example(name).module.PRESETS:
        assert check_against_game(example(name, preset), 8, 200) > 0


def test_the_same_pawns_with_another_king_are_another_position(example: ExampleLoader) -> None:
    rules = example("draughts")
    start = rules.position("#.#.#./.#w#.#/#.#.#./.#.#.#/#.#.#./.#.#b# w e1")
    batch = Batch(rules, 1, starts=[start.words], auto_reset=False, planes=True, compiled=False)
    game, earlier = Game(start), []
    for text in ["c5-b6", "e1-f2", "b6-c5", "f2-e1"] * 3:
        for step in game.parse_move(text).steps:
            batch.step([step])
        game = game.play(text)
        earlier.append(int(batch.planes[0, -1, 0, 0]))
        assert bool(batch.over[0]) == game.over
        if game.over:
            break
    assert game.ply == 9  # the third time with a king; the first position had a pawn
    assert earlier == [0, 0, 0, 0, 1, 1, 1, 1, 0]


def test_superko_removes_steps() -> None:
    rules = damier.load_rules("badia")
    batch = Batch(rules, 1, 11, compiled=False)
    removed = 0
    for _ in range(300):
        batch.step(batch.sample())
        removed += len(batch.position(0).steps()) - len(steps_of(batch.legal[0]))
    assert removed > 20
    check_against_game(rules, 11, 120)


COLLIDING = {
    "badia": {},  # numbered positions, with a filter
    "chefa": {},  # numbered positions
    "seega": {},  # 64 bits
    "fanorona": {"board": "3x3", "endgame_draw": "0", "stall": "0"},
}


@pytest.mark.parametrize("game", COLLIDING)
def test_results_do_not_depend_on_hashes(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All positions and all their parts have one hash: the filter rules nothing out."""
    rules = damier.load_rules(game, **COLLIDING[game])
    kernels = Batch(rules, 1, compiled=False)._kernels
    monkeypatch.setattr(kernels.history, "times", lambda x, y: 0)
    monkeypatch.setattr(kernels.history.loops, "hash_of", lambda w, b, r: 0)
    check_against_game(rules, 11, 150)


def test_positions_of_a_large_board_may_have_one_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = damier.load_rules("fanorona")
    batch = Batch(rules, 1, 4, compiled=False)
    monkeypatch.setattr(batch._kernels.history.loops, "hash_of", lambda w, b, r: 5)
    check_against_game(rules, 4, 120)


@pytest.mark.parametrize("name", SHORT)
def test_numbered_sets_are_distinct(name: str) -> None:
    rules = SHORT[name]
    bits, tables = number_sets(rules)
    cells = [cell for cell in range(rules.board.size) if rules.board.cells >> cell & 1]
    most = rules.module.pawns(rules.word)
    if not bits:
        assert 2 * sum(math.comb(len(cells), k) for k in range(most + 1)).bit_length() > 28
        return
    sets = [
        sum(1 << cell for cell in chosen)
        for count in range(most + 1)
        for chosen in combinations(cells, count)
    ]
    numbers = {history_kernels.number_of_set(pawns, tables) for pawns in sets}
    assert len(numbers) == len(sets)
    assert max(numbers) == len(sets) - 1 < 1 << bits


def parts_kept(before: Sequence[int], after: Sequence[int]) -> int:
    """Return the parts of a position that another one has too."""
    return (
        WHITE_PAWNS * (before[0] == after[0])
        | BLACK_PAWNS * (before[1] == after[1])
        | OCCUPIED * (before[0] | before[1] == after[0] | after[1])
    )


def test_steps_that_are_ruled_out_keep_a_part_that_is_new() -> None:
    """Every step that Badia's `may_repeat` removes, after every set of parts that were seen."""
    rules = damier.load_rules("badia")
    module, repetition = rules.module, rules.folder.repetition
    batch, ruled_out = Batch(rules, 8, 6, compiled=False), 0
    for _ in range(60):
        batch.step(batch.sample())
        for words in batch.positions.tolist():
            position = damier.Position(rules, *words)
            legal = [0] * module.GROUPS
            if module.legal(words[0], words[1], words[2], legal):
                continue
            for seen in range(8):
                steps = legal.copy()
                repetition.may_repeat(*words, seen, steps)
                for step in set(steps_of(np.array(legal))) - set(steps_of(np.array(steps))):
                    after = position.step(step)
                    ends = after.children() if after.unfinished else [after]
                    for end in ends:
                        assert end.side != position.side
                        assert parts_kept(words, end.words) & ~seen
                    ruled_out += 1
    assert ruled_out > 1000


def test_captures_forget_positions() -> None:
    batch = Batch(damier.load_rules("fanorona"), 1, 3, compiled=False)
    pawns, captures = 44, 0
    for _ in range(30):
        batch.step(batch.sample())
        white, black, _ = batch.positions[0].tolist()
        now = (white ^ black).bit_count()
        if now < pawns and not batch.position(0).unfinished:
            assert batch.remembered[0] == 1
            captures += 1
        pawns = now
    assert captures > 3


def assert_equal(one: Batch, two: Batch) -> None:
    """Assert that two batches have equal arrays."""
    for name in layout(one.rules, one.n, planes=True, masks=True):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_compiled_batches_are_equal_with_any_number_of_threads(game: str) -> None:
    rules = damier.load_rules(game)
    one, two = (
        Batch(rules, 600, 7, planes=True, masks=True, max_moves=25, threads=threads)
        for threads in (1, 2)
    )
    plain = Batch(rules, 4, 7, planes=True, masks=True, max_moves=25, compiled=False)
    for _ in range(60):
        for batch in (one, two, plain):
            batch.step(batch.sample())
        assert_equal(one, two)
        for name in layout(rules, 4, planes=True, masks=True):
            assert np.array_equal(getattr(one, name)[:4], getattr(plain, name)), name
    assert one.truncated.any() or one.moves.max() < 25


def test_a_plug_in_has_default_planes(tapatan: Rules) -> None:
    rules = tapatan
    batch = Batch(rules, 3, 1, planes=True, compiled=False)
    assert batch.planes.shape == (3, 6, 3, 3)
    for _ in range(40):
        batch.step(batch.sample())
    assert check_against_game(rules, 2, 60) > 0
    assert len(symmetries(rules)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_symmetries_map_planes_and_actions(game: str) -> None:
    rules = damier.load_rules(game)
    batch = Batch(rules, 6, 4, planes=True, masks=True, compiled=False, max_moves=60)
    found = symmetries(rules)
    assert len(found) == len(rules.board.symmetries) > 1
    for turn in range(90):
        batch.step(batch.sample())
        between = [k for k in range(6) if not batch.position(k).unfinished]
        if turn % 9 or not between:
            continue
        for number, (cells, actions) in enumerate(found):
            images = map_positions(rules, batch.positions[between], number)
            image = Batch(rules, len(between), planes=True, masks=True, compiled=False)
            for k, words in enumerate(images):  # one starting position for each game
                one = Batch(rules, 1, planes=True, masks=True, starts=[words], compiled=False)
                image.planes[k], image.masks[k] = one.planes[0], one.masks[0]
            planes = batch.planes[between].reshape(len(between), -1, rules.board.size)
            mapped = np.zeros_like(planes)
            mapped[:, :, cells] = planes
            assert np.array_equal(mapped[:, :-1], image.planes.reshape(mapped.shape)[:, :-1])
            if module_superko(rules):
                continue  # the image has no history
            masks = np.zeros_like(image.masks)
            masks[:, actions] = batch.masks[between]
            assert np.array_equal(masks, image.masks)


def module_superko(rules: Rules) -> bool:
    """Tell whether earlier positions change the legal steps."""
    return rules.module.superko(rules.word)


RULES = damier.load_rules("chefa")


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        ([0, 0, 12], DamierError),  # the centre
        ([0, 0, 9 << 6], DamierError),
        ([0, 0, -2], DamierError),
        ([0, 0], DamierError),
        ([[0, 0, 0]], DamierError),
        ([0.0, 0.0, 0.0], TypeError),
        ([True, True, True], TypeError),
        (np.array([0, 0, 2**64 - 1], np.uint64), DamierError),
        (["a", "b", "c"], TypeError),
    ],
)
def test_invalid_actions_change_nothing(actions: Any, error: type[Exception]) -> None:
    batch = Batch(RULES, 3, masks=True, compiled=False)
    batch.step([1, 2, 3])
    before = copy.deepcopy(batch)
    with pytest.raises(error):
        batch.step(actions)
    for name in layout(RULES, 3, masks=True):
        assert np.array_equal(getattr(batch, name), getattr(before, name))
    batch.step([0, 0, NO_STEP])
    assert batch.moves.tolist() == [2, 2, 1]


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.uint8, np.uint64])
def test_actions_have_any_type_of_integers(kind: Any) -> None:
    batch = Batch(RULES, 3, compiled=False)
    batch.step(np.array([1, 2, 3], kind))
    assert batch.moves.tolist() == [1, 1, 1]


BAD_POSITIONS = {
    "negative": [-1, 0, 0],
    "shared cell": [1, 1, 0],
    "outside the board": [1 << 60, 2, 0],
    "too many pawns": [0b11111, 0, 0],
    "other options": [1, 2, 1 << 11],
    "impossible ko": [0b1111, 0b1111 << 5, 1023 << 1],
    "unknown bits": [1, 2, 1 << 50],
}


@pytest.mark.parametrize("words", BAD_POSITIONS.values(), ids=BAD_POSITIONS)
@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_malformed_positions_are_refused(words: list[int], compiled: bool) -> None:
    good = RULES.start().words
    with pytest.raises(DamierError, match="Starting position 1 cannot be played"):
        Batch(RULES, 1, starts=[good, words], compiled=compiled)
    with pytest.raises(DamierError, match="Position 1 is malformed"):
        check_positions(RULES, [good, words], compiled)


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_positions_of_games_are_accepted(rules: Rules) -> None:
    batch = Batch(rules, 8, 2, compiled=False)
    for _ in range(60):
        batch.step(batch.sample())
        checked = check_positions(rules, batch.positions)
        assert np.array_equal(checked, batch.positions)


@pytest.mark.parametrize(
    "settings",
    [
        {"n": 2.0},
        {"seed": 1.5},
        {"seed": None},
        {"max_moves": 2.5},
        {"threads": "2"},
    ],
)
def test_settings_are_integers(settings: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Batch(RULES, **{"n": 2, "compiled": False, **settings})
    with pytest.raises(DamierError, match="one thread"):
        Batch(RULES, 2, threads=-1, compiled=False)


def test_errors_name_the_game_and_the_action() -> None:
    batch = Batch(RULES, 3, compiled=False)
    with pytest.raises(DamierError, match="Action 12 is not legal in game 1"):
        batch.step([0, 12, 12])
    batch.close()
    with pytest.raises(DamierError, match="closed"):
        batch.step([0, 0, 0])
    with pytest.raises(DamierError, match="at least one game"):
        Batch(RULES, 0)


def test_the_caller_owns_the_arrays() -> None:
    arrays: dict[str, Any] = {
        name: np.zeros(shape, kind) for name, (shape, kind) in layout(RULES, 2, planes=True).items()
    }
    batch = Batch(RULES, 2, planes=True, arrays=arrays, compiled=False)
    batch.step([0, 1])
    assert batch.planes is arrays["planes"]
    assert arrays["positions"].tolist() == [[1, 0, 1], [2, 0, 1]]
    with pytest.raises(TypeError, match="float32"):
        Batch(RULES, 2, arrays=arrays | {"rewards": np.zeros((2, 2))}, compiled=False)
    with pytest.raises(DamierError, match="shape"):
        Batch(RULES, 3, arrays=arrays, compiled=False)
    with pytest.raises(DamierError, match="share memory"):
        Batch(RULES, 2, arrays=arrays | {"truncated": arrays["terminated"]}, compiled=False)
    with pytest.raises(DamierError, match="plains is not an array"):
        Batch(RULES, 2, arrays={"plains": arrays["positions"]}, compiled=False)


def test_finished_games_wait_without_auto_reset() -> None:
    batch = Batch(RULES, 4, 3, auto_reset=False, max_moves=10, masks=True, compiled=False)
    for _ in range(12):
        batch.step(batch.sample())
    assert batch.over.all()
    assert not batch.legal.any()
    assert not batch.truncated.any()  # it was true after the last move only
    with pytest.raises(DamierError):
        batch.step([0, 0, 0, 0])
    batch.reset()
    assert not batch.over.any()
    assert (batch.masks.sum(1) == 24).all()


def test_games_begin_with_positions_of_the_caller() -> None:
    starts = [RULES.position(text).words for text in ("b..b./.b.w./...../..w.w/w..b. w -",)]
    batch = Batch(RULES, 8, 1, starts=starts, compiled=False)
    assert (batch.positions == starts[0]).all()
    with pytest.raises(DamierError, match="Starting position 0"):
        Batch(RULES, 1, starts=[[1, 1, 0]], compiled=False)


def test_a_batch_is_pickled_with_its_histories() -> None:
    rules = damier.load_rules("fanorona", board="3x3", capture="forced", stall="0")
    batch = Batch(rules, 5, 9, compiled=False)
    for _ in range(20):
        batch.step(batch.sample())
    other = pickle.loads(pickle.dumps(batch))
    for _ in range(40):
        actions = other.sample()
        assert np.array_equal(batch.sample(), actions)
        batch.step(actions)
        other.step(actions)
        assert np.array_equal(batch.positions, other.positions)
        assert np.array_equal(batch.terminated, other.terminated)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_takes_less_than_half_a_kilobyte_without_its_history(game: str) -> None:
    rules = damier.load_rules(game)
    batch = Batch(rules, 64, compiled=False)
    assert (batch.nbytes - batch.history_nbytes) / 64 < 512
    assert len(set(plane_names(rules))) == len(plane_names(rules))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_game_takes_less_than_a_kilobyte(game: str) -> None:
    """On average, with a limit of 200 moves; without one, random games are much longer."""
    batch = Batch(damier.load_rules(game), 1024, 1, max_moves=200)
    for _ in range(300):
        batch.step(batch.sample())
    assert batch.game_nbytes.mean() < 1000
    assert batch.game_nbytes.sum() <= batch.nbytes
