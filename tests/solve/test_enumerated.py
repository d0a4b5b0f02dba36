"""Games without a numbering of their own: all reachable positions enumerated and solved."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import damier
from damier import GAMES, Game, games, solve
from damier.cli import main
from damier.cli.progress import ProgressLine
from damier.errors import DamierError
from damier.jit import runtime_of
from damier.position import Position, Rules
from damier.search import perfect
from damier.search.analysis import analyse
from damier.solve import retrograde, tables
from damier.solve.link import link_loops, space_module
from damier.solve.numbering import enumerated as numbering_enumerated
from damier.solve.numbering import numbering_of
from damier.solve.retrograde import enumerated, enumerated_kernels, graph, solver_run
from damier.solve.retrograde.storage import StorageLimits
from damier.solve.retrograde.thread_pool import ThreadPool
from damier.symmetry import transformed
from tests.support.brute_force import can_force_win

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[1] / "data" / "games"


@pytest.fixture(scope="module", autouse=True)
def loaded() -> Iterator[None]:
    assert GAMES["fanorona"].rules  # with its defaults, before another game borrows from it
    names = ("noughts", "threes", "uncounted", "konane", "dodgem")
    for name in names:
        games.load(FOLDER / f"{name}.py")
    yield
    for name in names:
        del GAMES._loaded[name]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data directory without tables."""
    monkeypatch.setenv("DAMIER_DATA_DIR", str(tmp_path))
    tables.clear_table_cache()
    yield tmp_path
    tables.clear_table_cache()


@cache
def solved(name: str, **options: str) -> retrograde.Solution:
    return retrograde.solve(damier.load_rules(name, **options))


def table_of(solution: retrograde.Solution) -> tables.Table:
    return tables.Table(solution.rules, solution.header, solution.arrays)


def positions_of(solution: retrograde.Solution) -> list[Position]:
    """The positions in the list: one for all its images."""
    space = space_module(solution.rules, True)
    t = (
        numbering_of(solution.rules)
        .space_for(solution.rules, solution.header)
        .lookup(runtime_of(space))
    )
    found = (
        space.position_at(k, solution.arrays["keys"], t)
        for k in range(solution.header["positions"])
    )
    return [Position(solution.rules, int(w), int(b), int(r)) for w, b, r in found]


def reached(rules: Rules) -> set[Position]:
    """All positions that moves reach from the start, found by the rules alone."""
    found, waiting = {rules.start()}, [rules.start()]
    while waiting:
        for after in waiting.pop().children():
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


def images(position: Position) -> set[Position]:
    """All images of a position, with both colours if the rules are the same for both."""
    rules = position.rules
    swaps = (False, True) if rules.module.COLOUR_SWAP else (False,)
    return {
        Position(rules, *transformed(rules.module, position.words, k, swap))
        for k in range(len(rules.board.symmetries))
        for swap in swaps
    }


def test_noughts_and_crosses_is_a_draw() -> None:
    solution = solved("noughts")
    positions = positions_of(solution)
    assert len(positions) == 765
    everything = [image for position in positions for image in images(position)]
    results = Counter(p.result().winner for p in everything if p.result())  # type: ignore[union-attr]
    assert len(everything) == 5478
    assert results == {"w": 626, "b": 316, None: 16}
    assert table_of(solution).probe(solution.rules.start()) == solve.Value("draw")
    assert retrograde.verify(solution)


def test_values_agree_with_brute_force() -> None:
    @cache
    def value_of(position: Position) -> solve.Value:
        result = position.result()
        if result:
            if result.winner is None:
                return solve.Value("draw")
            return solve.Value("win" if result.winner == position.side else "loss", 0)
        values = (value_of(after).before() for after in position.children())
        return min(values, key=lambda value: value.rank)

    solution = solved("noughts")
    table = table_of(solution)
    for position in positions_of(solution):
        assert table.probe(position) == value_of(position), position


def test_three_men_s_morris_is_won_from_the_centre(data: Path) -> None:
    """As published for the board with diagonals; without diagonal rows nobody wins."""
    rules = damier.load_rules("threes")
    path = tables.built_path(rules)
    tables.write(path, retrograde.content(solved("threes")))
    tables.clear_table_cache()
    valued = solve.probe_moves(Game(rules))
    assert [move.text for move, value in valued if value.outcome == "win"] == ["b2"]
    straight = solved("threes", lines="straight")
    assert table_of(straight).probe(straight.rules.start()) == solve.Value("draw")
    assert retrograde.verify(straight)


@pytest.mark.parametrize(("board", "count", "moves"), [("3x3", 255, 11), ("3x5", 195_405, 11)])
def test_small_boards_of_fanorona_are_won_by_the_first_player(
    board: str, count: int, moves: int
) -> None:
    solution = solved("uncounted", preset="international", board=board)
    assert solution.header["positions"] == count
    if board == "3x3":
        assert len(reached(solution.rules)) == 1012  # as published
    assert table_of(solution).probe(solution.rules.start()) == solve.Value("win", moves)


def codes_of(solution: retrograde.Solution, positions: list[Position]) -> np.ndarray:
    codes = table_of(solution).probe_many(*np.array([p.words for p in positions]).T)
    assert isinstance(codes, np.ndarray)
    return codes


def test_both_numberings_agree_on_every_position() -> None:
    listing = solved("uncounted", preset="international", board="3x3")
    numbered = retrograde.solve(damier.load_rules("fanorona", "international", board="3x3"))
    codes = codes_of(numbered, positions_of(listing))
    assert np.array_equal(codes, listing.arrays["values"])
    assert set(np.unique(codes % 2)) == {0, 1}


def test_counts_are_part_of_a_listed_position(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that has a numbering, solved without it: every outcome, whatever the count."""
    rules = damier.load_rules(
        "fanorona", board="3x3", stall="5", endgame_draw="3", capture="forced"
    )
    numbered = retrograde.solve(rules)
    with monkeypatch.context() as patched:
        patched.setitem(rules.folder.__dict__, "numbering", None)
        listing = retrograde.solve(rules)
        assert retrograde.verify(listing)
        positions = positions_of(listing)
    codes = codes_of(numbered, positions)
    found = listing.arrays["values"].astype(np.int64)
    assert np.array_equal(np.where(codes > 0, codes % 2, 2), np.where(found > 0, found % 2, 2))
    assert len(codes) == 286


@pytest.mark.parametrize(
    ("name", "options", "images_reached"),
    [
        ("noughts", {}, True),
        ("threes", {"lines": "straight"}, True),
        ("dodgem", {}, True),
        ("konane", {"size": "4"}, False),
        ("uncounted", {"preset": "international", "board": "3x3"}, False),
    ],
)
def test_the_list_is_exactly_what_the_rules_reach(
    name: str, options: dict[str, str], images_reached: bool
) -> None:
    """One position for all images of what is reached, and nothing else."""
    solution = solved(name, **options)
    listed, everything = positions_of(solution), reached(solution.rules)
    of_listed = {image: position for position in listed for image in images(position)}
    assert everything <= of_listed.keys()
    assert {of_listed[position] for position in everything} == set(listed)
    assert (of_listed.keys() == everything) == images_reached
    assert sum(len(images(position)) for position in listed) == len(of_listed)  # no image twice
    counts = json_counts(solution)
    assert counts["won"] + counts["drawn"] + counts["lost"] == len(of_listed)


def json_counts(solution: retrograde.Solution) -> dict[str, int]:
    with ThreadPool(1) as pool:
        run = retrograde.SolverRun(solution, pool)
        return dict(retrograde.solver_for(solution.rules).counts(run)["play"])


@pytest.mark.parametrize("name", ["threes", "uncounted"])
def test_pieces_threads_and_limits_do_not_change_the_list(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With so little memory that nearly every array is on disk, and the graph in many ranges."""
    options = {"preset": "international", "board": "3x3"} if name == "uncounted" else {}
    expected = solved(name, **options)
    size = expected.header["positions"]
    monkeypatch.setattr(enumerated, "PIECE", 7)
    monkeypatch.setattr(graph, "PIECE", 7)
    for workers, memory in ((1, 1 << 30), (3, 1 << 30), (2, 20 * size)):
        again = retrograde.solve(
            expected.rules, None, workers, limits=StorageLimits(memory, 1 << 30), announce=None
        )
        assert again.header == expected.header
        assert again.rounds == expected.rounds
        for array_name, array in expected.arrays.items():
            assert np.array_equal(array, again.arrays[array_name])


def test_limits_that_are_too_low_are_reported() -> None:
    rules = damier.load_rules("threes")
    with pytest.raises(DamierError) as error:
        retrograde.solve(rules, limits=StorageLimits(1000, 1 << 30))
    assert error.value.key == "solve-memory"
    with pytest.raises(DamierError) as error:
        retrograde.solve(rules, limits=StorageLimits(12_000, 1000))
    assert error.value.key in ("solve-disk", "solve-memory")


def test_wide_keys_have_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of three numbers, from the beginning and after a change in the middle."""
    rules = damier.load_rules("fanorona", board="3x3", stall="5", endgame_draw="3")
    with monkeypatch.context() as patched:
        patched.setitem(rules.folder.__dict__, "numbering", None)
        packed = retrograde.solve(rules)
        positions = positions_of(packed)
        assert len(packed.header["rests"]) > 4
        for most in (1, 4):
            with monkeypatch.context() as limited:
                limited.setattr(numbering_enumerated, "MAX_KEY", 3**9 * most + 1)
                wide = retrograde.solve(rules)
                assert len(wide.arrays["keys"]) == 3 * len(packed.arrays["keys"])
                assert wide.header["rests"] == packed.header["rests"]
                assert np.array_equal(codes_of(wide, positions), packed.arrays["values"])
                assert retrograde.verify(wide)


def test_a_table_written_by_the_command_is_used_everywhere(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = damier.load_rules("threes")
    assert solve.probe(rules.start()) is None
    assert main(["solve", "threes"]) == 0
    said = capsys.readouterr().out
    assert "744 positions" in said
    assert solve.probe(rules.start()) == solve.Value("win", 9)
    assert main(["solve", "threes", "--verify"]) == 0
    assert "byte for byte" in capsys.readouterr().out
    assert main(["probe", "threes", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["outcome"], answer["distance"], len(answer["line"])) == ("win", 9, 9)
    best = analyse(Game(rules)).moves[0]
    assert (best.move.text, best.outcome, best.distance) == ("b2", "win", 9)
    game, rng = Game(rules), random.Random(1)
    while not game.result():
        mine = game.position.side == "w"
        game = game.play(perfect.player(0).choose(game) if mine else rng.choice(game.legal_moves()))
    assert game.ply <= 9
    result = game.result()
    assert result is not None
    assert result.winner == "w"
    table = solve.find(rules)
    assert table is not None
    module, store, numbers = table.kernel()
    plain, blocks, none = table.plain()
    for position in positions_of(solved("threes"))[::50]:
        code = module.probe_code(*position.words, store, numbers)
        assert code == plain.probe_code(*position.words, blocks, none) == table.code(position)
    assert table.probe(rules.position("www/bb./... w")) is None


def test_a_table_of_rules_that_have_changed_is_refused(tmp_path: Path) -> None:
    """Who changes rules raises no version: their sources tell."""
    rules = damier.load_rules("noughts")
    path = tmp_path / "noughts.table"
    tables.write(path, retrograde.content(solved("noughts")))
    assert tables.Table.open(path, rules).probe(rules.start()) == solve.Value("draw")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rules.folder, "digest", "0" * 16)
        with pytest.raises(DamierError, match="another version"):
            tables.Table.open(path, rules)


@pytest.mark.parametrize("rests", [None, 5, [], [4], ["0"], [-1], [2**70, 1], [0], {"0": 1}])
def test_a_table_with_impossible_third_words_is_refused(rests: object, tmp_path: Path) -> None:
    rules, path = damier.load_rules("konane", size="4"), tmp_path / "konane.table"
    solution = solved("konane", size="4")
    wrong = retrograde.Solution(
        solution.rules, {**solution.header, "rests": rests}, dict(solution.arrays)
    )
    path.write_bytes(tables.pack(wrong.header, wrong.arrays))
    try:
        table = tables.Table.open(path, rules)
    except DamierError as error:
        assert error.key == "table-foreign"
    else:
        assert table.code(rules.start()) == -1


def test_a_wrong_value_and_a_missing_position_are_found() -> None:
    solution = solved("noughts")
    values = solution.arrays["values"].copy()
    values[np.flatnonzero(values == 4)[7]] = 6
    wrong = retrograde.Solution(
        solution.rules, solution.header, {**solution.arrays, "values": values}
    )
    assert not retrograde.verify(wrong)
    fewer = {name: np.delete(array, 300) for name, array in solution.arrays.items()}
    header = {**solution.header, "positions": len(fewer["values"])}
    assert not retrograde.verify(retrograde.Solution(solution.rules, header, fewer))


def refused(rules: Rules, pawns: int | None = None) -> str:
    with pytest.raises(DamierError) as error:
        retrograde.solve(rules, pawns)
    return error.value.key


def test_unsolvable_games_are_refused() -> None:
    assert refused(damier.load_rules("noughts", reward="win")) == "solve-repetition"
    assert refused(damier.load_rules("noughts"), 3) == "solve-whole"
    assert refused(damier.load_rules("fraha"), 3) == "solve-whole"


def test_too_many_moves_for_the_iterator_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """In plain Python: with less room than a move of several steps needs."""
    rules = damier.load_rules("fraha")
    plain = link_loops(enumerated_kernels, rules, False).move_kernels

    def walked() -> tuple[int, bool]:
        iterator, count = plain.new_iterator(), 0
        plain.begin(*rules.start().words, iterator)
        while plain.next_end(iterator)[0]:
            count += 1
        return count, plain.complete(iterator)

    assert walked() == (len(rules.start().legal_moves()), True)
    monkeypatch.setattr(plain, "MAX_PENDING", 1)
    count, complete = walked()
    assert count < len(rules.start().legal_moves())
    assert not complete
    monkeypatch.setattr(
        retrograde.SolverRun, "loops", lambda run, template: link_loops(template, run.rules, False)
    )
    monkeypatch.setattr(solver_run, "space_module", lambda rules, _: space_module(rules, False))
    monkeypatch.setitem(rules.folder.__dict__, "numbering", None)
    with pytest.raises(DamierError) as error:
        retrograde.solve(rules)
    assert error.value.key == "solve-turns"


def test_an_interrupted_run_resumes_wherever_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that is interrupted again and again, a little later each time, finds the same table."""
    monkeypatch.setattr(solver_run, "CHECKPOINT_INTERVAL_S", 0)
    monkeypatch.setattr(graph, "SAVED_SECONDS", -1)
    monkeypatch.setattr(enumerated, "PIECE", 20)
    expected = solved("uncounted", preset="international", board="3x3")
    interruptions = 0
    for calls in range(1, 100, 2):
        left = [calls]

        def interrupt(what: str, part: float, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

        try:
            again = retrograde.solve(expected.rules, None, 2, interrupt, tmp_path)
            break
        except KeyboardInterrupt:
            interruptions += 1
    assert interruptions > 3
    assert again.header == expected.header
    assert again.rounds == expected.rounds
    for name, array in expected.arrays.items():
        assert np.array_equal(array, again.arrays[name])


@pytest.mark.parametrize("stage", ["listing", "turns", "rounds"])
def test_the_solver_can_be_interrupted(
    stage: str, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = []

    def interrupt(line: ProgressLine, what: str, part: float) -> None:
        parts.append(part)
        if what.partition(":")[0] == stage:
            raise KeyboardInterrupt

    monkeypatch.setattr(ProgressLine, "__call__", interrupt)
    assert main(["solve", "threes"]) == 130
    said = capsys.readouterr().err
    assert ("same command continues" in said) == (stage == "listing")
    assert parts == sorted(parts)
    assert all(part == -1 or 0 <= part <= 1 for part in parts)
    monkeypatch.undo()
    monkeypatch.setenv("DAMIER_DATA_DIR", str(data))
    assert main(["solve", "threes"]) == 0
    (written,) = [path for path in data.rglob("*.*") if path.is_file()]
    assert written.read_bytes() == retrograde.content(solved("threes"))


def test_wins_under_superko_are_proved(data: Path) -> None:
    rules = damier.load_rules("threes", repetition="forbidden")
    assert main(["solve", "threes", "--option", "repetition=forbidden"]) == 0
    assert solve.value(Game(rules)) == solve.Value("win", 9)
    rng, met = random.Random(2), set()
    for _ in range(12):
        game = Game(rules)
        while not game.result() and game.ply < 12:
            for move, value in solve.probe_moves(game):
                if value.distance is not None and value.distance <= 3:
                    assert can_force_win(game.play(move), game.position.side, 2) == (
                        value.outcome == "win"
                    )
                    met.add(value.outcome)
            game = game.play(rng.choice(game.legal_moves()))
    assert "win" in met
