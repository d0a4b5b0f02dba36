"""The OpenSpiel games pass its simulation, and its algorithms play and learn them."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from absl import flags
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import generate_playthrough, mcts, tabular_qlearner

import damier
import damier.openspiel
from damier import GAMES, Game, Rules, solve
from damier.batch import Batch

flags.FLAGS.mark_as_parsed()  # the playthrough tool has options
ROOT = Path(__file__).parents[2]
PLAYTHROUGHS = ROOT / "tests" / "data" / "playthroughs"
PRESETS = [(game, preset) for game in GAMES for preset in GAMES[game].rules.PRESETS]


def load(game: str, **parameters: Any) -> Any:
    """Return a game of OpenSpiel."""
    return pyspiel.load_game(f"damier_{game}", parameters)


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_the_simulation_of_openspiel(game: str, preset: str) -> None:
    pyspiel.random_sim_test(load(game, preset=preset, max_moves=12), 1, True, True)


# OpenSpiel formats tensors with a class that NumPy 2.5 deprecates.
@pytest.mark.filterwarnings("ignore:The chararray class:DeprecationWarning")
@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_playthroughs_are_as_stored(game: str, preset: str) -> None:
    """`python -m tests.research.test_openspiel` writes them again."""
    stored = (PLAYTHROUGHS / f"{game}_{preset}.txt").read_text("utf-8")
    text, _ = generate_playthrough.replay(PLAYTHROUGHS / f"{game}_{preset}.txt")
    assert text == stored


def playthrough(game: str, preset: str) -> str:
    """Return a playthrough of a few moves."""
    name = f"damier_{game}(max_moves=3,preset={preset})"
    return str(generate_playthrough.playthrough(name, action_sequence=None, seed=1))


def test_states_equal_those_of_a_batch() -> None:
    batch = Batch(damier.load_rules("seega"), 1, 8, planes=True, masks=True, compiled=False)
    game = load("seega")
    state = game.new_initial_state()
    while not batch.terminated[0]:
        assert state.legal_actions() == np.flatnonzero(batch.masks[0]).tolist()
        assert state.current_player() == batch.player[0]
        assert state.observation_tensor(0) == batch.planes.reshape(-1).tolist()
        action = batch.sample()
        state = state.clone() if random.random() < 0.2 else state
        state.apply_action(int(action[0]))
        batch.step(action)
    assert state.is_terminal()
    assert state.returns() == batch.rewards[0].tolist()
    again = game.deserialize_state(state.serialize())
    assert str(again) == str(state)


def test_symbols_of_moves_and_invalid_input() -> None:
    state = load("chefa").new_initial_state()
    assert state.action_to_string(0, 0) == "a1"
    assert state.string_to_action("b1") == 1
    for action in (12, -1, 9 << 6):
        with pytest.raises((ValueError, pyspiel.SpielError)):
            state.apply_action(action)
    assert str(state) == str(damier.load_rules("chefa").start())
    with pytest.raises((ValueError, pyspiel.SpielError)):
        load("chefa", colour="red")
    with pytest.raises(ValueError, match="limit of moves must be positive"):
        load("chefa", max_moves=0)


def test_a_plug_in_is_registered_after_loading(tapatan: Rules) -> None:
    assert f"damier_{tapatan.name}" in damier.openspiel.register()
    pyspiel.random_sim_test(load("tapatan", max_moves=20), 1, True, True)


def test_the_process_ends_normally() -> None:
    done = subprocess.run([sys.executable, "-c", "import damier.openspiel"], check=False)
    assert done.returncode == 0


def test_tree_search_beats_random_play() -> None:
    game = load("fanorona", board="3x3", max_moves=40)
    rng = np.random.RandomState(2)
    points = 0.0
    for number in range(4):
        searcher = mcts.MCTSBot(game, 2, 25, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
        bots = [searcher, pyspiel.make_uniform_random_bot(1 - number % 2, number)]
        if number % 2:
            bots.reverse()
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(bots[state.current_player()].step(state))
        points += state.returns()[number % 2]
    assert points >= 3


# Endings that White wins in two moves of its own, by few of its first moves.
ENDINGS = (
    "..w../.w.../.b.bb/.w.../w.b.. w -",
    "..w../...../.b..b/w.bw./.w..b w -",
)


@pytest.mark.parametrize("text", ENDINGS)
def test_a_learner_learns_an_ending(text: str) -> None:
    """Tabular Q-learning against perfect defence finds the shortest win."""
    rules = damier.load_rules("chefa")
    game = load("chefa", start=text, max_moves=3)
    environment = rl_environment.Environment(game)
    np.random.seed(1)
    learner = tabular_qlearner.QLearner(0, game.num_distinct_actions(), step_size=0.5)
    replies: dict[str, int] = {}

    def play(evaluation: bool) -> float:
        time_step = environment.reset()
        while not time_step.last():
            if time_step.observations["current_player"] == 0:
                action = learner.step(time_step, is_evaluation=evaluation).action
            else:
                here = str(environment.get_state)
                if here not in replies:
                    replies[here] = solve.probe_moves(Game(rules.position(here)))[0][0].steps[0]
                action = replies[here]
            time_step = environment.step([action])
        learner.step(time_step, is_evaluation=evaluation)
        return float(time_step.rewards[0])

    first = play(evaluation=True)
    for _ in range(700):
        play(evaluation=False)
    assert [play(evaluation=True) for _ in range(5)] == [1.0] * 5
    assert first < 1


if __name__ == "__main__":
    PLAYTHROUGHS.mkdir(exist_ok=True)
    for name in PRESETS:
        (PLAYTHROUGHS / f"{name[0]}_{name[1]}.txt").write_text(playthrough(*name), "utf-8")
