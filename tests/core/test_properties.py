"""Properties of every position of every game under all options, in random play."""

import itertools
import pickle

import pytest

from damier import Position, Result, Rules
from damier.games.constants import REASONS as SHARED_REASONS
from tests.support.rulesets import RULESETS, random_game


def over(**chosen: Rules) -> pytest.MarkDecorator:
    """Return a mark that runs a test over these rules."""
    return pytest.mark.parametrize("rules", chosen.values(), ids=chosen.keys())


every_ruleset = over(**RULESETS)


def reasons(rules: Rules) -> set[str]:
    """Return the reasons for which a game can end."""
    return {*SHARED_REASONS[1:], *rules.module.REASONS}


def sample(rules: Rules, every: int = 3) -> list[Position]:
    """Return positions of a few random games."""
    return [p for seed in range(3) for p in random_game(rules, seed).positions[seed::every]]


@every_ruleset
def test_position_texts_round_trip(rules: Rules) -> None:
    for position in sample(rules):
        again = rules.position(str(position))
        assert again == position
        assert hash(again) == hash(position)
        assert str(again) == str(position)


@every_ruleset
def test_move_texts_round_trip(rules: Rules) -> None:
    for position in sample(rules, every=6):
        moves = position.legal_moves()
        assert len({move.text for move in moves}) == len(moves)
        for move in moves[:: 1 + len(moves) // 40]:
            assert position.parse_move(move.text) == move
            reached = position
            for number in move.steps:
                assert 0 <= number < rules.step_range
                assert number in {step.number for step in reached.steps()}
                assert move.text.startswith(reached.begun)
                reached = reached.step(number)
            assert reached == move.after
            assert not reached.unfinished


@every_ruleset
def test_positions_end_or_have_moves(rules: Rules) -> None:
    for position in sample(rules):
        result = position.result()
        assert (result is None) == bool(position.legal_moves())
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
                    if not before.rules.module.repeatable(*before.words):
                        continue
                    assert change <= 0
            assert before.white & before.black == after.white & after.black == 0


@over(**{name: rules for name, rules in RULESETS.items() if rules.name == "badia"})
def test_badia_never_loses_a_pawn(rules: Rules) -> None:
    for position in sample(rules, every=1):
        pending = str(position).endswith((" d", " D"))
        if position.rules.module.repeatable(*position.words):
            assert (position.white | position.black).bit_count() == 10 - pending


@every_ruleset
def test_symmetries_map_moves_to_moves_and_results_to_results(rules: Rules) -> None:
    for k, position in enumerate(sample(rules, every=8)):
        symmetry = k % len(rules.board.symmetries)
        mirror = position.transformed(symmetry)
        assert mirror.result() == position.result()
        moves = position.legal_moves()[:200]
        images = [move.transformed(symmetry) for move in moves]
        assert len({image.text for image in images}) == len(moves)
        assert len(mirror.legal_moves()) == len(position.legal_moves())
        for move, image in zip(moves, images, strict=True):
            assert mirror.parse_move(image.text) == image
            assert image.after == move.after.transformed(symmetry)


@over(**{name: rules for name, rules in RULESETS.items() if rules.module.COLOUR_SWAP})
def test_colour_swap_maps_moves_to_moves_and_results_to_results(rules: Rules) -> None:
    for position in sample(rules, every=8):
        other = position.transformed(swap=True)
        result = position.result()
        if result and result.winner:
            result = Result("b" if result.winner == "w" else "w", result.reason)
        assert other.result() == result
        assert [t.text for t in other.legal_moves()] == [t.text for t in position.legal_moves()]
        for move in position.legal_moves()[:10]:
            assert other.play(move.text) == move.after.transformed(swap=True)


@every_ruleset
def test_games_end_with_a_reason_and_take_back_restores_everything(rules: Rules) -> None:
    game = random_game(rules, 1, max_moves=300)
    result = game.result()
    assert result is None or (result.reason in reasons(rules) and game.legal_moves() == [])
    texts = [move.text for move in game.moves_played]
    for ply in (0, 1, game.ply // 2, game.ply):
        earlier = game.at(ply)
        again = earlier.play(*texts[ply:])
        assert again == game
        assert again.result() == result
        assert again.positions == game.positions
        if ply < game.ply:
            assert earlier.result() is None
            assert texts[ply] in {move.text for move in earlier.legal_moves()}
    assert game.back() == game.at(max(0, game.ply - 1))


@every_ruleset
def test_everything_pickles(rules: Rules) -> None:
    game = random_game(rules, 2, max_moves=20)
    for thing in (rules, game.position, game, game.result(), *game.position.steps()[:2]):
        assert pickle.loads(pickle.dumps(thing)) == thing
    assert pickle.loads(pickle.dumps(rules)) is rules
