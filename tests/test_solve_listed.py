"""Games without a numbering of their own: all positions that play reaches, listed and solved."""

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
from damier.position import Position, Rules
from damier.search.analysis import analyse
from damier.solve import retrograde, tables
from damier.solve.link import linked
from damier.solve.retrograde import listed, listing
from damier.solve.tables import perfect
from exhaustive import won_in

FOLDER = Path(__file__).parent / "data" / "games"


@pytest.fixture(scope="module", autouse=True)
def loaded() -> Iterator[None]:
    assert GAMES["fanorona"].rules  # with its defaults, before another game borrows from it
    names = ("noughts", "threes", "uncounted")
    for name in names:
        games.load(FOLDER / f"{name}.py")
    yield
    for name in names:
        del GAMES._loaded[name]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data directory without tables."""
    monkeypatch.setenv("DAMIER_DATA_DIR", str(tmp_path))
    tables.forget()
    yield tmp_path
    tables.forget()


@cache
def solved(name: str, **options: str) -> retrograde.Solution:
    return retrograde.solve(damier.game(name, **options))


def table_of(solution: retrograde.Solution) -> tables.Table:
    return tables.Table(solution.rules, solution.header, solution.arrays)


def positions_of(solution: retrograde.Solution) -> list[Position]:
    words = np.column_stack([solution.arrays[name] for name in ("white", "black", "rest")])
    return [Position(solution.rules, *three) for three in words.tolist()]


def test_noughts_and_crosses_as_everybody_knows_it() -> None:
    solution = solved("noughts")
    positions = positions_of(solution)
    results = Counter(p.result().winner for p in positions if p.result())  # type: ignore[union-attr]
    assert len(positions) == 5478
    assert results == {"w": 626, "b": 316, None: 16}
    assert table_of(solution).probe(solution.rules.start()) == solve.Value("draw")
    assert retrograde.verify(solution)


def test_every_value_is_what_trying_everything_finds() -> None:
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
    rules = damier.game("threes")
    path = tables.data_directory() / tables.file_name(rules)
    tables.write(path, retrograde.content(solved("threes")))
    tables.forget()
    valued = solve.probe_turns(Game(rules))
    assert [turn.text for turn, value in valued if value.outcome == "win"] == ["b2"]
    straight = solved("threes", lines="straight")
    assert table_of(straight).probe(straight.rules.start()) == solve.Value("draw")
    assert retrograde.verify(straight)


@pytest.mark.parametrize(("board", "count", "turns"), [("3x3", 1012, 11), ("3x5", 444_908, 11)])
def test_small_boards_of_fanorona_are_won_by_the_first_player(
    board: str, count: int, turns: int
) -> None:
    solution = solved("uncounted", preset="international", board=board)
    assert solution.header["positions"] == count
    assert table_of(solution).probe(solution.rules.start()) == solve.Value("win", turns)


def test_both_numberings_say_the_same_of_every_position() -> None:
    listing = solved("uncounted", preset="international", board="3x3")
    numbered = retrograde.solve(damier.game("fanorona", "international", board="3x3"))
    codes = table_of(numbered).probe_many(*list(listing.arrays.values())[1:])
    assert np.array_equal(codes, listing.arrays["values"])
    assert set(np.unique(codes % 2)) == {0, 1}


def test_counts_are_part_of_a_listed_position(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that has a numbering, solved without it: every outcome, whatever the count."""
    rules = damier.game("fanorona", board="3x3", stall="5", endgame_draw="3", capture="forced")
    table = table_of(retrograde.solve(rules))
    with monkeypatch.context() as patched:
        patched.setitem(rules.folder.__dict__, "numbering", None)
        listing = retrograde.solve(rules)
        assert retrograde.verify(listing)
    codes = table.probe_many(*list(listing.arrays.values())[1:])
    found = listing.arrays["values"].astype(np.int64)
    assert np.array_equal(np.where(codes > 0, codes % 2, 2), np.where(found > 0, found % 2, 2))
    assert len(codes) == 1378


def test_the_list_grows_as_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed, "ROOM", 8)
    monkeypatch.setattr(listed, "PIECE", 100)
    again = retrograde.solve(damier.game("threes"))
    for name, array in solved("threes").arrays.items():
        assert np.array_equal(array, again.arrays[name])


def test_solved_by_the_command_it_is_known_everywhere(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = damier.game("threes")
    assert solve.probe(rules.start()) is None
    assert main(["solve", "threes"]) == 0
    said = capsys.readouterr().out
    assert "5,390 positions" in said
    assert solve.probe(rules.start()) == solve.Value("win", 9)
    assert main(["solve", "threes", "--verify"]) == 0
    assert "byte for byte" in capsys.readouterr().out
    assert main(["probe", "threes", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["outcome"], answer["distance"], len(answer["line"])) == ("win", 9, 9)
    best = analyse(Game(rules)).turns[0]
    assert (best.turn.text, best.outcome, best.distance) == ("b2", "win", 9)
    game, chance = Game(rules), random.Random(1)
    while not game.result():
        mine = game.position.side == "w"
        game = game.play(perfect.player(0).choose(game) if mine else chance.choice(game.turns()))
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
    rules = damier.game("noughts")
    path = tmp_path / "noughts.table"
    tables.write(path, retrograde.content(solved("noughts")))
    assert tables.Table.open(path, rules).probe(rules.start()) == solve.Value("draw")
    file = tmp_path / "noughts.py"
    file.write_text((FOLDER / "noughts.py").read_text("utf-8") + "\nMORE = 1\n", "utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rules.folder.module, "__file__", str(file))
        with pytest.raises(DamierError, match="another version"):
            tables.Table.open(path, rules)


def test_a_wrong_value_and_a_missing_position_are_found() -> None:
    solution = solved("noughts")
    values = solution.arrays["values"].copy()
    values[np.flatnonzero(values == 4)[7]] = 6
    wrong = retrograde.Solution(
        solution.rules, solution.header, {**solution.arrays, "values": values}
    )
    assert not retrograde.verify(wrong)
    fewer = {name: np.delete(array, 1000) for name, array in solution.arrays.items()}
    header = {**solution.header, "positions": len(fewer["values"])}
    assert not retrograde.verify(retrograde.Solution(solution.rules, header, fewer))


def refused(rules: Rules, pawns: int | None = None) -> str:
    with pytest.raises(DamierError) as error:
        retrograde.solve(rules, pawns)
    return error.value.key


def test_what_cannot_be_solved_so_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(damier.game("noughts", reward="win")) == "solve-repetition"
    assert refused(damier.game("noughts"), 3) == "solve-whole"
    assert refused(damier.game("fraha"), 3) == "solve-whole"
    monkeypatch.setattr(listed, "ROOM", 64)
    monkeypatch.setattr(listed, "MOST_POSITIONS", 5477)
    assert refused(damier.game("noughts")) == "solve-big"
    assert main(["solve", "noughts"]) == 2
    assert "5,477" in capsys.readouterr().err
    monkeypatch.setattr(listed, "MOST_POSITIONS", 5478)
    assert retrograde.solve(damier.game("noughts")).header["positions"] == 5478


def test_turns_that_are_too_many_for_a_walk_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In plain Python: with less room than a turn of several steps needs."""
    rules = damier.game("fraha")
    monkeypatch.setattr(listed, "linked", lambda template, rules: linked(template, rules, False))
    plain = linked(listing, rules, False).walk

    def walked() -> tuple[int, bool]:
        room, count = plain.new_room(), 0
        plain.begin(*rules.start().words, room)
        while plain.next_end(room)[0]:
            count += 1
        return count, plain.complete(room)

    assert walked() == (len(rules.start().turns()), True)
    monkeypatch.setattr(plain, "WAITING", 1)
    count, complete = walked()
    assert count < len(rules.start().turns())
    assert not complete
    with pytest.raises(DamierError) as error:
        listed.positions(rules, lambda what, part: None)
    assert error.value.key == "solve-turns"


@pytest.mark.parametrize("stage", ["listing", "turns", "rounds"])
def test_it_can_be_interrupted(
    stage: str, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = []

    def interrupt(line: ProgressLine, what: str, part: float) -> None:
        parts.append(part)
        if what == stage:
            raise KeyboardInterrupt

    monkeypatch.setattr(ProgressLine, "__call__", interrupt)
    assert main(["solve", "threes"]) == 130
    assert "begins anew" in capsys.readouterr().err
    assert list(data.rglob("*.*")) == []
    assert parts == sorted(parts)
    assert all(0 <= part <= 1 for part in parts)


def test_where_positions_may_not_come_back_wins_are_proved(data: Path) -> None:
    rules = damier.game("threes", repetition="forbidden")
    assert main(["solve", "threes", "--option", "repetition=forbidden"]) == 0
    assert solve.value(Game(rules)) == solve.Value("win", 9)
    chance, met = random.Random(2), set()
    for _ in range(12):
        game = Game(rules)
        while not game.result() and game.ply < 12:
            for turn, value in solve.probe_turns(game):
                if value.distance is not None and value.distance <= 3:
                    assert won_in(game.play(turn), game.position.side, 2) == (
                        value.outcome == "win"
                    )
                    met.add(value.outcome)
            game = game.play(chance.choice(game.turns()))
    assert "win" in met
