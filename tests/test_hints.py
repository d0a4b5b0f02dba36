"""Drawn positions have something to say: who follows the hints makes progress, and wins."""

import pytest

import damier
from damier import Game
from damier.players import player
from damier.search import analyse, warm
from damier.solve import probe_turns

GAMES, LONGEST = 20, 200


def hinted_game(rules: damier.Rules, seed: int) -> Game:
    """Play a game: the hints have White or Black by turns, level 1 the other side."""
    game, level, mine = Game(rules), player("level:1", seed=seed), "wb"[seed % 2]
    while game.result() is None and game.ply < LONGEST:
        if game.position.side == mine:
            game = game.play(analyse(game, lines=0).turns[0].turn)
        else:
            game = game.play(level.choose(game))
    return game


@pytest.mark.parametrize("name", ["fraha", "badia"])
def test_following_the_hints_of_a_drawn_start_beats_level_1(name: str) -> None:
    rules = damier.game(name)
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


@pytest.mark.parametrize("name", ["fraha", "badia"])
def test_practice_never_goes_before_what_is_proved(name: str) -> None:
    """Turns come by their value first; of drawn ones, those first after which most replies lose."""
    game = Game(damier.game(name))
    level = player("level:2", seed=5)
    while game.result() is None and game.ply < 24:
        valued = analyse(game, lines=0).turns
        known = dict(probe_turns(game))
        assert [known[v.turn].rank for v in valued] == sorted(
            value.rank for value in known.values()
        )
        for v in valued:
            assert (v.risk is not None) == (known[v.turn].outcome == "draw")
        best = [v for v in valued if known[v.turn].rank == known[valued[0].turn].rank]
        if best[0].risk is not None:
            fresh = [v.risk for v in best if not game.occurrences(v.turn.after)]
            assert not fresh or best[0].risk == max(r for r in fresh if r is not None)
        game = game.play(level.choose(game))
