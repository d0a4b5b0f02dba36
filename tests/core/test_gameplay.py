"""Games: history, taking back, branching."""

import pytest

import damier
from damier import DamierError, Game, Result

SHUFFLE = ["a2-a3", "i4-h4", "a3-a2", "h4-i4"]


def shuffled() -> Game:
    position = "bb......./......b.b/........./w......../.w......w w 0"
    return Game(damier.load_rules("fanorona").position(position))


def test_third_occurrence_draws() -> None:
    game = shuffled().play(*SHUFFLE)
    assert game.occurrences() == 2
    assert game.result() is None
    game = game.play(*SHUFFLE)
    assert game.occurrences() == 3
    assert game.result() == Result(None, "repetition")
    assert game.legal_moves() == []
    with pytest.raises(DamierError, match="over"):
        game.play("a2-a3")


def test_a_branch_does_not_change_the_original_game() -> None:
    game = shuffled().play(*SHUFFLE, *SHUFFLE)
    other = game.back(3).play("g4-f4")
    assert game.ply == 8
    assert game.result() == Result(None, "repetition")
    assert other.text == " ".join([*SHUFFLE, SHUFFLE[0], "g4-f4"])
    assert other.result() is None
    assert game.back(3).play(*SHUFFLE[1:]) == game


def test_moves_taken_back_do_not_count_as_repetitions() -> None:
    game = shuffled().play(*SHUFFLE, *SHUFFLE)
    earlier = game.back(4)
    assert earlier.occurrences() == 2
    assert earlier.play(*SHUFFLE[:2]).back(6).occurrences() == 1


def badia(**options: str) -> Game:
    game = Game(damier.load_rules("badia", **options))
    game = game.play("a1", "e1", "b1", "d1", "a2", "e2", "a4", "e4", "b5", "d5")
    return game.play("a2-a3", "d1-c1", "b1-c1,c1>c3", "d5-c5", "a3-c3,c3>a3")


def test_badia_forbids_repeated_positions() -> None:
    game = badia()
    move = "a3-c3,c3>a3"
    assert move in {t.text for t in game.position.legal_moves()}
    assert move not in {t.text for t in game.legal_moves()}
    with pytest.raises(DamierError, match="earlier position"):
        game.play(move)
    assert badia(repetition="draw").play(move).occurrences() == 2


def test_a_game_begins_between_moves() -> None:
    position = damier.load_rules("seega").start().step(0)
    with pytest.raises(DamierError, match="middle of a move"):
        Game(position)


def test_steps_of_an_unfinished_move() -> None:
    game = Game(damier.load_rules("fraha"))
    first = next(step for step in game.steps() if step.text == "a1-a2")
    second = game.steps([first.number])
    assert {step.text for step in second} >= {",b2>a1", ",b2>c1"}
    assert len(second) == len([t for t in game.legal_moves() if t.text.startswith("a1-a2")])
    with pytest.raises(DamierError):
        game.steps([9999])


def test_seega_pairs_may_be_clicked_in_either_order() -> None:
    game = Game(damier.load_rules("seega"))
    late = next(step for step in game.steps() if step.text == "e5")
    texts = {step.text for step in game.steps([late.number])}
    assert "+a1" in texts
    assert len(texts) == 23


def test_plies_are_checked() -> None:
    game = Game(damier.load_rules("chefa")).play("a1")
    assert game.at(0).ply == 0
    assert game.back(5).ply == 0
    with pytest.raises(DamierError, match="no move 2"):
        game.at(2)


def test_games_compare_by_start_and_moves() -> None:
    chefa = Game(damier.load_rules("chefa"))
    assert chefa.play("a1", "b1") == chefa.play("a1").play("b1")
    assert len({chefa, chefa.play("a1"), chefa.play("a1").back()}) == 2
    assert chefa != "chefa"
    assert "chefa" in repr(chefa)
