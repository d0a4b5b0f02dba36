"""Badia's values in a game: wins that the ban on bringing back positions (BA-11) leaves."""

from __future__ import annotations

import random

import pytest

import damier
from damier import Game, solve
from damier.report.facts import position_of
from damier.search.analysis import analyse
from damier.solve import Forced, Table, best_line, find, line_of
from exhaustive import won_in

RULES = damier.game("badia")


@pytest.fixture(scope="module")
def table() -> Table:
    found = find(RULES)
    assert found is not None
    return found


def decided(table: Table, count: int, seed: int) -> list[Game]:
    """Return games that a few turns have brought from positions which the table calls decided."""
    codes = table.arrays["values"].array()
    chance = random.Random(seed)
    found: list[Game] = []
    while len(found) < count:
        number = chance.randrange(len(codes))
        if not codes[number]:
            continue
        game = Game(position_of(RULES, number))
        for _ in range(chance.randrange(6)):
            if not game.turns():
                break
            game = game.play(chance.choice(game.turns()))
        if game.turns() and solve.probe(game.position) != solve.Value("draw"):
            found.append(game)
    return found


def test_a_win_that_is_claimed_can_be_held_against_everything(table: Table) -> None:
    chance = random.Random(8)
    won = 0
    for game in decided(table, 60, 1):
        value = solve.value(game)
        assert value is not None
        if value.distance is None:
            continue
        winner = (
            game.position.side if value.outcome == "win" else "wb"["bw".index(game.position.side)]
        )
        last = game.ply + value.distance
        won += 1
        while game.result() is None:
            assert game.ply < last, game
            turns = solve.probe_turns(game)
            best = game.position.side == winner
            game = game.play(turns[0][0] if best else chance.choice(turns)[0])
        result = game.result()
        assert result is not None
        assert result.winner == winner
    assert won > 20


def test_short_wins_are_found_and_no_others(table: Table) -> None:
    """By trying everything three turns deep: what is won so soon, and what is said to be."""
    seen = set()
    for game in decided(table, 25, 2):
        for turn, value in solve.probe_turns(game):
            after = game.play(turn)
            soon = value.outcome == "win" and value.distance is not None and value.distance <= 3
            assert won_in(after, game.position.side, 2) == soon, (game, turn, value)
            seen.add(soon)
    assert seen == {False, True}


def test_values_agree_from_turn_to_turn(table: Table) -> None:
    """A turn is worth what its best answer leaves: sooner perhaps, but never another result."""
    turned = {"win": "loss", "draw": "draw", "loss": "win"}
    for game in decided(table, 25, 3):
        for turn, value in solve.probe_turns(game):
            after = game.play(turn)
            answer = solve.value(after)
            if after.result() is not None or answer is None or value.outcome == "draw":
                continue  # of a draw, a longer look may say more
            same = after.position.side == game.position.side
            assert value.outcome == (answer.outcome if same else turned[answer.outcome]), turn
            assert answer.distance is not None
            assert value.distance is not None
            assert answer.distance < value.distance


def test_a_line_ends_as_its_label_says(table: Table) -> None:
    followed = 0
    for game in decided(table, 25, 4):
        for turn, value in solve.probe_turns(game):
            line = line_of(game, turn, value)
            if value.outcome == "draw":
                assert line == [turn]
                continue
            result = game.play(*line).result()
            assert result is not None
            assert len(line) == value.distance
            assert (result.winner == game.position.side) == (value.outcome == "win")
            followed += 1
    assert followed > 50


def test_the_ban_takes_wins_away() -> None:
    """The example of docs/tables.md, and a game whose shortest win runs into the ban."""
    lost = RULES.position("bb.bb/b###./w#.#./.###./w.www w c1 b5 -")
    assert solve.probe(lost) == solve.Value("loss", 12)
    assert solve.value(Game(lost)) == solve.Value("draw")
    turns = "b1 d1 b5 d5 a2 e2 a4 e4 a1 e1 b1-c1"
    game = Game(RULES).play(*turns.split())
    assert solve.probe(game.position) == solve.Value("win", 7)
    assert solve.value(game) == solve.Value("draw")
    assert best_line(game) == []
    best = analyse(game).turns[0]
    assert (best.outcome, best.distance) == ("draw", None)


def test_the_ban_gives_wins(table: Table) -> None:
    """A draw by the table is lost where the ban has closed the ways round."""
    start = RULES.position("b..b./b###./.#w#./.###b/wwbww w d1 a4 -")
    game = Game(start).play("a1-a2")
    turn = game.turn("e2-e3")
    assert table.probe_turn(game.position, turn) == solve.Value("draw")
    value = dict(solve.probe_turns(game))[turn]
    assert value == solve.Value("loss", 4)
    assert won_in(game.play(turn), "w", 3)
    end = game.play(*line_of(game, turn, value)).result()
    assert end is not None
    assert end.winner == "w"


def test_without_the_ban_the_table_has_the_last_word() -> None:
    rules = damier.game("badia", repetition="draw")
    lost = rules.position("bb.bb/b###./w#.#./.###./w.www w c1 b5 -")
    assert solve.value(Game(lost)) == solve.Value("loss", 12)


def test_nothing_is_claimed_where_a_proof_is_too_large(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = decided(table, 1, 1)[0]
    monkeypatch.setattr("damier.solve.tables.forced.LOOKS", (0,))
    for turn in game.turns():
        over = game.play(turn).result() is not None
        assert (Forced(game, table).value_of(turn.after).outcome == "draw") is not over


def test_of_draws_those_come_first_that_the_table_calls_won(table: Table) -> None:
    met = set()
    for game in decided(table, 60, 7):
        drawn = [turn for turn, value in solve.probe_turns(game) if value.outcome == "draw"]
        order = {"win": 0, "draw": 1, "loss": 2}
        ranks = []
        for turn in drawn:
            value = table.probe_turn(game.position, turn)
            assert value is not None
            ranks.append(order[value.outcome])
        assert ranks == sorted(ranks)
        met |= set(ranks)
    assert met == {0, 1, 2}


def test_the_start_is_drawn() -> None:
    assert solve.value(Game(RULES)) == solve.Value("draw")
