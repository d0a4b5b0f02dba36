"""The PettingZoo environments pass the tests of PettingZoo."""

import pickle
import sys
import time
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, seed_test

import damier
import damier.pettingzoo
from damier import GAMES, DamierError
from damier.batch import Batch

PRESETS = [(game, preset) for game in GAMES for preset in GAMES[game].rules.PRESETS]


class Warnings:
    """Stand-in for the module `warnings`: other threads change the filters of the real one."""

    def __init__(self) -> None:
        self.messages: set[str] = set()

    def warn(self, message: str, *_: object, **__: object) -> None:
        """Keep a message."""
        self.messages.add(message)


# A dictionary with a mask is what the library's own games observe, and it warns about them too.
EXPECTED = {
    "Observation space for each agent probably should be gymnasium.spaces.box or"
    " gymnasium.spaces.discrete",
    "Observation is not a NumPy array",
}


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_the_api_of_pettingzoo(game: str, preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    warnings = Warnings()
    monkeypatch.setattr(sys.modules["pettingzoo.test.api_test"], "warnings", warnings)
    api_test(damier.pettingzoo.env(game, preset=preset, max_moves=20), num_cycles=60)
    assert warnings.messages <= EXPECTED


def test_seeds() -> None:
    seed_test(lambda: damier.pettingzoo.env("chefa", max_moves=12), num_cycles=40)


def test_the_benchmark_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It lasts five seconds of a clock; this one is fast."""
    begin = time.time()
    clock = time.perf_counter()
    monkeypatch.setattr(time, "time", lambda: begin + 20 * (time.perf_counter() - clock))
    performance_benchmark(damier.pettingzoo.env("chefa", max_moves=30))
    assert "turns per second" in capsys.readouterr().out


def test_a_game_to_its_end_equals_a_batch() -> None:
    batch = Batch(damier.load_rules("chefa"), 1, 5, planes=True, masks=True, compiled=False)
    env = damier.pettingzoo.env("chefa")
    env.reset(seed=1)
    steps = 0
    while not batch.terminated[0]:
        observation, reward, terminated, truncated, _ = env.last()
        assert (reward, terminated, truncated) == (0, False, False)
        assert np.array_equal(observation["observation"], batch.planes[0])
        assert np.array_equal(observation["action_mask"], batch.masks[0])
        assert env.agent_selection == f"player_{batch.player[0]}"
        action = batch.sample()
        env.step(int(action[0]))
        batch.step(action)
        steps += 1
    assert steps > 8
    assert [env.rewards[agent] for agent in ("player_0", "player_1")] == batch.rewards[0].tolist()
    assert all(env.terminations.values())


def test_an_illegal_action_loses_or_raises() -> None:
    env = damier.pettingzoo.env("chefa")
    env.reset()
    env.step(12)
    assert env.rewards == {"player_0": -1, "player_1": 0}
    raw = damier.pettingzoo.raw_env("chefa")
    raw.reset()
    raw.step(0)
    before = raw.observe("player_1")
    for action in (0, 12, -1, 9 << 6):
        with pytest.raises(DamierError):
            raw.step(action)
    for other in (None, 1.0, True, "1"):
        with pytest.raises(TypeError):
            raw.step(other)
    assert np.array_equal(raw.observe("player_1")["action_mask"], before["action_mask"])
    env.reset()
    with pytest.raises(AssertionError):
        env.step(9 << 6)
    with pytest.raises(DamierError, match="no option"):
        damier.pettingzoo.env("chefa", colour="red")
    with pytest.raises(DamierError, match="limit of moves"):
        damier.pettingzoo.env("chefa", max_moves=-1)


def test_environments_pickle_and_draw() -> None:
    env: Any = pickle.loads(pickle.dumps(damier.pettingzoo.raw_env("seega", render_mode="ansi")))
    env.reset()
    assert "a1" in env.render() or "1" in env.render()
