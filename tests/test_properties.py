"""What holds in every position of every game, whatever the options, over random play."""

import itertools
import pickle

import pytest

from damier import Position, Result, Rules
from damier.games.terms import REASONS as SHARED_REASONS
from rulesets import RULESETS, random_game


def over(**chosen: Rules) -> pytest.MarkDecorator:
    """Return a mark that runs a test over these rules."""
    return pytest.mark.parametrize("rules", chosen.values(), ids=chosen.keys())


every_ruleset = over(**RULESETS)


def reasons(rules: Rules) -> set[str]:
    """Return the reasons for which a game can end."""
    return {*SHARED_REASONS[1:], *rules.file.REASONS}


def sample(rules: Rules, every: int = 3) -> list[Position]:
    """Return positions of a few random games."""
    return [p for seed in range(3) for p in random_game(rules, seed).positions[seed::every]]


@every_ruleset
def test_position_texts_go_round(rules: Rules) -> None:
    for position in sample(rules):
        again = rules.position(str(position))
        assert again == position
        assert hash(again) == hash(position)
        assert str(again) == str(position)


@every_ruleset
def test_turn_texts_go_round_and_are_their_steps(rules: Rules) -> None:
    for position in sample(rules, every=6):
        turns = position.turns()
        assert len({turn.text for turn in turns}) == len(turns)
        for turn in turns[:: 1 + len(turns) // 40]:
            assert position.turn(turn.text) == turn
            reached = position
            for number in turn.steps:
                assert 0 <= number < rules.step_range
                assert number in {step.number for step in reached.steps()}
                assert turn.text.startswith(reached.begun)
                reached = reached.step(number)
            assert reached == turn.after
            assert not reached.unfinished


@every_ruleset
def test_positions_end_or_have_turns(rules: Rules) -> None:
    for position in sample(rules):
        result = position.result()
        assert (result is None) == bool(position.turns())
        if result:
            assert result.reason in reasons(rules)
            assert position.steps() == []


@every_ruleset
def test_pawns_are_conserved(rules: Rules) -> None:
    for seed in range(3):
        positions = random_game(rules, seed).positions
        for before, after in itertools.pairwise(positions):
            for pawns, pawns_after in ((before.white, after.white), (before.black, after.black)):
                change = pawns_after.bit_count() - pawns.bit_count()
                if rules.name == "fraha":
                    assert change == 0
                elif rules.name == "chefa":
                    assert change in (0, 1)
                elif rules.name == "badia":
                    assert change in (-1, 0, 1)  # lifted, displaced, placed or dropped
                elif rules.name == "fanorona":
                    assert change <= 0
                else:
                    assert change <= 2
                    if not before.rules.file.repeatable(*before.words):
                        continue
                    assert change <= 0
            assert before.white & before.black == after.white & after.black == 0


@over(**{name: rules for name, rules in RULESETS.items() if rules.name == "badia"})
def test_badia_never_loses_a_pawn(rules: Rules) -> None:
    for position in sample(rules, every=1):
        pending = str(position).endswith((" d", " D"))
        if position.rules.file.repeatable(*position.words):
            assert (position.white | position.black).bit_count() == 10 - pending


@every_ruleset
def test_symmetries_map_turns_to_turns_and_results_to_results(rules: Rules) -> None:
    for k, position in enumerate(sample(rules, every=8)):
        symmetry = k % len(rules.board.symmetries)
        mirror = position.transformed(symmetry)
        assert mirror.result() == position.result()
        turns = position.turns()[:200]
        images = [turn.transformed(symmetry) for turn in turns]
        assert len({image.text for image in images}) == len(turns)
        assert len(mirror.turns()) == len(position.turns())
        for turn, image in zip(turns, images, strict=True):
            assert mirror.turn(image.text) == image
            assert image.after == turn.after.transformed(symmetry)


@over(**{name: rules for name, rules in RULESETS.items() if rules.file.COLOUR_SWAP})
def test_colour_swap_maps_turns_to_turns_and_results_to_results(rules: Rules) -> None:
    for position in sample(rules, every=8):
        other = position.transformed(swap=True)
        result = position.result()
        if result and result.winner:
            result = Result("b" if result.winner == "w" else "w", result.reason)
        assert other.result() == result
        assert [t.text for t in other.turns()] == [t.text for t in position.turns()]
        for turn in position.turns()[:10]:
            assert other.play(turn.text) == turn.after.transformed(swap=True)


@every_ruleset
def test_games_end_with_a_reason_and_take_back_restores_everything(rules: Rules) -> None:
    game = random_game(rules, 1, most=300)
    result = game.result()
    assert result is None or (result.reason in reasons(rules) and game.turns() == [])
    texts = [turn.text for turn in game.turns_played]
    for ply in (0, 1, game.ply // 2, game.ply):
        earlier = game.at(ply)
        again = earlier.play(*texts[ply:])
        assert again == game
        assert again.result() == result
        assert again.positions == game.positions
        if ply < game.ply:
            assert earlier.result() is None
            assert texts[ply] in {turn.text for turn in earlier.turns()}
    assert game.back() == game.at(max(0, game.ply - 1))


@every_ruleset
def test_everything_pickles(rules: Rules) -> None:
    game = random_game(rules, 2, most=20)
    for thing in (rules, game.position, game, game.result(), *game.position.steps()[:2]):
        assert pickle.loads(pickle.dumps(thing)) == thing
    assert pickle.loads(pickle.dumps(rules)) is rules
