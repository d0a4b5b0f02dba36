"""Hints in drawn positions: following them makes progress and wins."""

import pytest

import damier
from damier import Game
from damier.gameplay import MAX_OCCURRENCES
from damier.players import player
from damier.search import analyse, review, warm
from damier.solve import find, probe_moves
from damier.solve.tables.draw_ranking import rank_drawn_moves

pytestmark = pytest.mark.slow

GAMES, MAX_PLIES, HINT_NODES = 20, 200, 4_000


def hinted_game(rules: damier.Rules, seed: int) -> Game:
    """Play a game: the hints have White or Black by moves, level 1 the other side."""
    game, level, mine = Game(rules), player("level:1", seed=seed), "wb"[seed % 2]
    while game.result() is None and game.ply < MAX_PLIES:
        if game.position.side == mine:
            game = game.play(analyse(game, nodes=HINT_NODES, lines=0).moves[0].move)
        else:
            game = game.play(level.choose(game))
    return game


@pytest.mark.parametrize("name", ["fraha", "badia"])
def test_following_the_hints_of_a_drawn_start_beats_level_1(name: str) -> None:
    rules = damier.load_rules(name)
    warm(rules)
    games = [hinted_game(rules, seed) for seed in range(GAMES)]
    won = 0
    for seed, game in enumerate(games):
        result = game.result()
        won += result is not None and result.winner == "wb"[seed % 2]
    lengths = sorted(game.ply for game in games)
    print(
        f"{name}: {won} of {GAMES} won, {lengths[0]} to {lengths[-1]} turns, half in {lengths[10]}"
    )
    assert won >= 15, lengths


def test_no_drawn_move_leaves_only_replies_that_lose() -> None:
    """Where no position may be brought back, a table alone may call every reply lost."""
    game = Game(damier.load_rules("badia"))
    for text in ["b1", "d1", "b5", "d5", "a2", "e2", "a4", "e4", "a1", "e1", "b1-c1"]:
        game = game.play(text)
    best = analyse(game, nodes=HINT_NODES, lines=0).moves[0]
    assert best.outcome is None
    assert best.bound
    assert best.move.text in {"d5-e5", "a2-a3"}
    assert analyse(game.play(best.move), nodes=HINT_NODES, lines=0).moves[0].outcome != "loss"


@pytest.mark.parametrize("name", ["fraha", "chefa"])
def test_proved_values_come_before_difficulty(name: str) -> None:
    """Moves come by their value first; of drawn ones, those first after which most replies lose."""
    game = Game(damier.load_rules(name))
    level = player("level:2", seed=5)
    while game.result() is None and game.ply < 24:
        valued = analyse(game, lines=0).moves
        known = dict(probe_moves(game))
        assert [known[v.move].rank for v in valued] == sorted(
            value.rank for value in known.values()
        )
        for v in valued:
            assert (v.risk is not None) == (known[v.move].outcome == "draw")
            assert v.risk is None or 0 <= v.risk < 1  # else it would have won
        best = [v for v in valued if known[v.move].rank == known[valued[0].move].rank]
        if best[0].risk is not None:
            fresh = [v.risk for v in best if not game.occurrences(v.move.after)]
            assert not fresh or best[0].risk == max(r for r in fresh if r is not None)
        game = game.play(level.choose(game))


def test_a_kept_draw_differs_from_a_missed_chance() -> None:
    """Here five moves draw: after four of them all but three replies lose, after a2 none does."""
    game = Game(damier.load_rules("chefa", "fair")).play("b2", "c2")
    valued = {v.move.text: v for v in analyse(game, lines=0).moves}
    drawn = {text for text, v in valued.items() if v.outcome == "draw"}
    assert drawn == {"b1", "b3", "b4", "b5", "a2"}
    for text in drawn - {"a2"}:
        replies = [value.outcome for _, value in probe_moves(game.play(text))]
        assert valued[text].risk == replies.count("loss") / len(replies) > 0.8
        assert valued[text].fault is None
    assert (valued["a2"].risk, valued["a2"].fault) == (0, "missed")
    assert (valued["a1"].risk, valued["a1"].fault) == (None, "blunder")
    assert {v.fault for v in valued.values() if v.outcome == "loss"} == {"blunder"}


def test_a_review_says_where_a_game_went_wrong() -> None:
    game = Game(damier.load_rules("chefa", "fair")).play("b2", "c2", "a2", "a1", "c1")
    found = list(review(game))
    assert [one.ply for one in found] == [1, 2, 3, 4, 5]
    assert [one.side for one in found] == ["w", "b", "w", "b", "w"]
    assert [one.played.move.text for one in found] == ["b2", "c2", "a2", "a1", "c1"]
    assert found[2].played.fault == "missed"
    assert found[2].best.risk is not None
    assert found[2].best.risk > 0.8
    for one in found:
        known = dict(probe_moves(game.at(one.ply - 1)))
        assert known[one.best.move].outcome == one.best.outcome
        assert (one.played.outcome == one.best.outcome) == (one.played.fault in (None, "missed"))


def test_uncounted_replies_are_not_called_safe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some positions have too many: of the moves that nobody looked at, nothing is said."""
    monkeypatch.setattr("damier.solve.tables.draw_ranking.MAX_REPLIES", 1)
    monkeypatch.setattr("damier.solve.tables.draw_ranking.MAX_REPLIES_PLAIN", 1)
    valued = analyse(Game(damier.load_rules("chefa", "fair")).play("b2", "c2"), lines=0).moves
    drawn = [v for v in valued if v.outcome == "draw"]
    assert [v.risk is None for v in drawn].count(False) == 1
    assert not any(v.fault for v in drawn if v.risk is None)


def test_no_reply_loses_once_the_game_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A third occurrence ends the game: there is no mistake left to hope for."""
    game = Game(damier.load_rules("chefa", "fair")).play("b2", "c2")
    monkeypatch.setattr(Game, "times", lambda self, words: MAX_OCCURRENCES - 1)
    table = find(game.rules)
    assert table is not None
    drawn = [move for move, value in probe_moves(game) if value.outcome == "draw"]
    assert {practice.risk for _, practice in rank_drawn_moves(game, table, drawn)} == {0}
