"""The Gymnasium environments pass the checks of Gymnasium."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import damier.gymnasium
from damier import GAMES, DamierError

ID = damier.gymnasium.ID


@pytest.mark.parametrize("game", GAMES)
def test_the_checks_of_gymnasium(game: str) -> None:
    env = gymnasium.make(ID, game=game, disable_env_checker=True, max_moves=30)
    check_env(env.unwrapped)


def play(env: Any, seed: int) -> list[Any]:
    """Play a game of legal actions; return what it shows."""
    observation, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    found, done = [observation], False
    while not done:
        assert info["action_mask"].any()
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        done = terminated or truncated
        found += [observation, reward, terminated]
    return found


@pytest.mark.parametrize("opponent", ["random", "level:1", "perfect"])
def test_any_player_is_an_opponent(opponent: str) -> None:
    env = gymnasium.make(ID, game="chefa", opponent=opponent, side="random", max_moves=40)
    one, two = play(env, 3), play(env, 3)
    assert len(one) == len(two)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_invalid_input_changes_nothing() -> None:
    env = gymnasium.make(ID, game="chefa")
    raw: Any = env.unwrapped
    with pytest.raises(ResetNeeded):
        raw.step(0)
    with pytest.raises(ResetNeeded):
        raw.render()
    _, info = raw.reset(seed=1)
    for action in (12, -1, 1 << 20, 0.0, True, None):
        with pytest.raises(InvalidAction):
            raw.step(action)
    assert np.array_equal(raw.action_masks(), info["action_mask"].astype(bool))
    raw.close()
    with pytest.raises(ClosedEnvironmentError):
        raw.step(0)
    with pytest.raises(ClosedEnvironmentError):
        raw.render()
    with pytest.raises(DamierError, match="no player"):
        gymnasium.make(ID, game="chefa", opponent="nobody")
    with pytest.raises(ValueError, match="side must be"):
        gymnasium.make(ID, game="chefa", side="white")


def test_a_game_starts_from_a_position() -> None:
    env = gymnasium.make(ID, game="chefa", opponent="perfect")
    text = "b..b./.b.w./...../..w.w/w..b. w -"
    env.reset(options={"position": text})
    raw: Any = env.unwrapped
    assert str(raw.episode.position()) == text
    over = damier.Game(raw.rules).play("a1", "a5", "b1", "b5", "c1", "e4", "d1").position
    with pytest.raises(DamierError, match="over"):
        env.reset(options={"position": str(over)})
    assert str(raw.episode.position()) == text


class FailingPlayer:
    """Player that cannot move."""

    def choose(self, game: Any) -> Any:
        raise RuntimeError("no move")


def test_a_failing_opponent_leaves_no_turn_to_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    env: Any = gymnasium.make(ID, game="chefa").unwrapped
    env.reset(seed=1)
    with monkeypatch.context() as patch:
        patch.setattr(env, "_player", FailingPlayer())
        with pytest.raises(RuntimeError):
            env.step(0)
        with pytest.raises(ResetNeeded):
            env.step(1)
    env.reset(seed=1)
    env.step(0)


@pytest.mark.slow
def test_the_vector_environment() -> None:
    envs = gymnasium.make_vec(ID, num_envs=8, game="chefa", max_moves=15)
    observations, infos = envs.reset(seed=4)
    assert observations in envs.observation_space
    envs.action_space.seed(1)
    ended = 0
    for _ in range(40):
        masks = infos["action_mask"]
        actions = envs.action_space.sample(mask=tuple(masks.astype(np.int8)))
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert observations in envs.observation_space
        assert rewards.shape == terminated.shape == truncated.shape == (8,)
        assert (observations[:, 2] == 0).all()  # White is to move in every game
        assert not rewards[~terminated].any()
        for k in np.flatnonzero(terminated | truncated):
            assert infos["_final_obs"][k]
            assert infos["final_obs"][k].shape == observations[k].shape
            ended += 1
    assert ended >= 8
    with pytest.raises(InvalidAction):
        envs.step(np.full(8, 12))
    with pytest.raises(InvalidAction):
        envs.step(np.zeros(3, np.int64))
    with pytest.raises(InvalidAction, match="every environment"):
        envs.step(np.full(8, -1))
    with pytest.raises(ValueError, match="3 seeds"):
        envs.reset(seed=[1, 2, 3])  # type: ignore[arg-type]  # of several environments
    envs.close()
    with pytest.raises(ClosedEnvironmentError):
        envs.step(np.zeros(8, np.int64))


@pytest.mark.slow
def test_the_vector_environment_is_deterministic_and_counts_episodes() -> None:
    made = [
        RecordEpisodeStatistics(gymnasium.make_vec(ID, num_envs=6, game="chefa", max_moves=20))
        for _ in range(2)
    ]
    spaces = [(envs.observation_space, envs.action_space) for envs in made]
    shown = [envs.reset(seed=9) for envs in made]
    assert data_equivalence(shown[0], shown[1])
    lengths: list[int] = []
    for _ in range(60):
        actions = shown[0][1]["action_mask"].argmax(1)
        results = [envs.step(actions) for envs in made]
        for result in results:  # the times of episodes differ
            result[4].get("episode", {}).pop("t", None)
        assert data_equivalence(results[0], results[1])
        _, rewards, terminated, truncated, infos = results[0]
        assert rewards.dtype == np.float64
        assert terminated.dtype == truncated.dtype == np.bool_
        if (ended := terminated | truncated).any():
            lengths += infos["episode"]["l"][ended].tolist()
        shown = [(result[0], result[4]) for result in results]
    assert lengths
    assert all(0 < length <= 40 for length in lengths)
    assert spaces == [(envs.observation_space, envs.action_space) for envs in made]
    for envs in made:
        envs.close()


@pytest.mark.slow
@pytest.mark.parametrize("action", [12, -1])
def test_an_opponent_that_breaks_the_rules_is_reported(action: int) -> None:
    envs: Any = damier.gymnasium.GameVectorEnv(3, "chefa", opponent=lambda b: np.full(b.n, action))
    envs.reset(seed=1)
    with pytest.raises(DamierError, match=f"Action {action} is not legal"):
        envs.step(np.arange(3))
    with pytest.raises(ResetNeeded):
        envs.step(np.arange(3))
    envs.reset()
    assert not envs.batch.positions[:, :2].any()


def test_players_are_opponents_of_ordinary_vector_environments() -> None:
    envs = gymnasium.make_vec(
        ID, num_envs=2, vectorization_mode="sync", game="chefa", opponent="level:1"
    )
    _, infos = envs.reset(seed=4)
    actions = infos["action_mask"].argmax(1)
    envs.step(actions)
    envs.close()
    with pytest.raises(TypeError, match="sync"):
        gymnasium.make_vec(ID, num_envs=2, game="chefa", opponent="level:1")
