"""Gymnasium environments; install `damier[gymnasium]`.

    import damier.gymnasium  # registers damier/Game-v0

    env = gymnasium.make("damier/Game-v0", game="…", opponent="level:3")
    envs = gymnasium.make_vec("damier/Game-v0", num_envs=1024, game="…")

One agent plays against any damier player. Actions are the steps of `damier.batch` and observations
its planes, from the side to move; `info["action_mask"]` has 1 for each legal action.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, InvalidAction, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv

from damier.errors import DamierError
from damier.players import Player, player
from damier.position import Position, Rules, load_rules
from damier.research.batch import NO_STEP, Batch, plane_names
from damier.research.episode import Episode

__all__ = ["ID", "GameEnv", "GameVectorEnv", "LegalActions", "observation_space", "random_policy"]

ID = "damier/Game-v0"
SIDES = ("w", "b", "random")
Policy = Callable[[Batch], npt.NDArray[np.int64]]


class LegalActions(spaces.Discrete):
    """Space of all actions, whose samples are legal in the current position of an environment.

    After `seed` they are legal at the start, so that a seeded sample can follow a reset.
    """

    def __init__(self, size: int, start: tuple[int, ...]) -> None:
        super().__init__(size)
        self.legal = self._start = start

    def seed(self, seed: int | None = None) -> int:
        """Seed the random numbers."""
        self.legal = self._start
        return super().seed(seed)

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Return a random action, legal unless the caller gives a mask or probabilities."""
        if mask is not None or probability is not None or not self.legal:
            return super().sample(mask, probability)
        return np.int64(self.np_random.choice(self.legal))


def observation_space(rules: Rules) -> Any:
    """Return the space of the observation planes."""
    board = rules.board
    return spaces.Box(0, 1, (len(plane_names(rules)), board.ranks, board.files), np.uint8)


class GameEnv(gymnasium.Env[npt.NDArray[np.uint8], Any]):
    """Single-agent environment: the agent plays `side` against `opponent`, any damier player.

    The reward is 1, 0 or -1 at the end. An action that is not legal raises InvalidAction and
    changes nothing. `reset(options={"position": text})` starts from a position.
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 4}  # noqa: RUF012  as in every environment  as in Gymnasium

    def __init__(
        self,
        game: str,
        preset: str | None = None,
        *,
        opponent: str = "random",
        side: str = "w",
        max_moves: int = 0,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.rules = load_rules(game, preset, **options)
        if side not in SIDES:
            raise ValueError(f"side must be one of {', '.join(SIDES)}, not {side!r}")
        player(opponent)  # raises an error now if there is no such player
        self.render_mode = render_mode
        self.observation_space = observation_space(self.rules)
        start = Episode(self.rules).legal
        self.action_space = self._actions = LegalActions(self.rules.step_range, start)
        self._opponent, self._side, self._max_moves = opponent, side, max_moves
        self._player: Player | None = None
        self._agent = 0
        self._closed = False
        self.episode: Episode | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Start a new game; the seed also determines the opponent's random numbers."""
        super().reset(seed=seed)
        if self._closed:
            raise ClosedEnvironmentError("the environment is closed")
        if seed is not None or self._player is None:
            self._player = player(self._opponent, int(self.np_random.integers(1 << 31)))
        text = (options or {}).get("position")
        start: Position | None = None if text is None else self.rules.position(text)
        self._agent = {"w": 0, "b": 1}.get(self._side, -1)
        if self._agent < 0:
            self._agent = int(self.np_random.integers(2))
        episode = Episode(self.rules, self._max_moves, start)
        if episode.over:
            raise DamierError("over")
        self.episode = episode
        self._reply()
        return self._observe(episode)

    def step(self, action: Any) -> tuple[npt.NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Play a step of the agent and, after its move, the opponent's moves."""
        if self._closed:
            raise ClosedEnvironmentError("the environment is closed")
        episode = self.episode
        if episode is None or episode.over:
            raise ResetNeeded("call reset() before step()")
        try:
            episode.step(action)
        except TypeError as error:
            raise InvalidAction(f"an action is an integer, not {action!r}") from error
        except DamierError as error:
            message = f"action {action} is not legal here; see info['action_mask']"
            raise InvalidAction(message) from error
        self._reply()
        observation, info = self._observe(episode)
        reward = episode.rewards[self._agent]
        ended = episode.over and not episode.truncated
        if self.render_mode == "human":
            self.render()
        return observation, reward, ended, episode.truncated, info

    def _reply(self) -> None:
        """Let the opponent play until the agent is to act; if it fails, `reset` is needed."""
        episode, self.episode = self.episode, None
        assert episode is not None
        assert self._player is not None
        while not episode.over and episode.player != self._agent:
            episode.play(self._player.choose(episode.game()))
        self.episode = episode

    def _observe(self, episode: Episode) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        self._actions.legal = episode.legal
        return episode.planes(), {"action_mask": episode.mask()}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the mask of the legal actions, under the name that MaskablePPO looks for."""
        if self.episode is None:
            raise ResetNeeded("call reset() before action_masks()")
        return self.episode.mask().astype(bool)

    def render(self) -> Any:
        """Return the drawn board, or print it."""
        if self._closed:
            raise ClosedEnvironmentError("the environment is closed")
        if self.episode is None:
            raise ResetNeeded("call reset() before render()")
        drawn = self.episode.position().draw()
        if self.render_mode == "human":
            print(drawn)
            return None
        return drawn

    def close(self) -> None:
        """Close the environment; it cannot be used any more."""
        self._closed = True


def random_policy(batch: Batch) -> npt.NDArray[np.int64]:
    """Choose a random legal action in each game of a batch."""
    return batch.sample()


class GameVectorEnv(VectorEnv[npt.NDArray[np.uint8], npt.NDArray[np.int64], Any]):
    """Vector environment on a batch: the agent plays White in all games against a policy.

    `opponent` is a function from a `Batch` to one action for each game, by default random steps.
    Finished games start again in the same call (`AutoresetMode.SAME_STEP`); their last observation
    is in `infos["final_obs"]`. `infos["action_mask"]` has the legal actions. For an opponent that
    is a damier player use `make_vec(..., vectorization_mode="sync")`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        game: str = "",
        preset: str | None = None,
        *,
        opponent: Policy = random_policy,
        max_moves: int = 0,
        seed: int = 0,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.rules = load_rules(game, preset, **options)
        if not callable(opponent):
            raise TypeError('a player needs vectorization_mode="sync"; here pass a function')
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.single_observation_space = observation_space(self.rules)
        self.single_action_space = spaces.Discrete(self.rules.step_range)
        self.observation_space = gymnasium.vector.utils.batch_space(
            self.single_observation_space, num_envs
        )
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self._opponent = opponent
        self.batch = Batch(
            self.rules,
            num_envs,
            seed,
            planes=True,
            masks=True,
            auto_reset=False,
            max_moves=max_moves,
        )
        self._started = False

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Start every game again."""
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed")
        if isinstance(seed, (list, tuple)):
            if len(seed) != self.num_envs:
                raise ValueError(f"{len(seed)} seeds for {self.num_envs} environments")
            seed = seed[0]
        super().reset(seed=seed)
        self.batch.reset(seed)
        self._started = True
        self._reply(self._outcome())
        return self._observe()

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Any, npt.NDArray[np.float64], Any, Any, dict[str, Any]]:
        """Play a step of the agent in each game and, after its moves, the opponent's."""
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed")
        if not self._started:
            raise ResetNeeded("call reset() before step()")
        try:
            if (np.asarray(actions) == NO_STEP).any():
                raise InvalidAction("every environment needs an action")
            self.batch.step(actions)
        except (TypeError, ValueError) as error:
            raise InvalidAction(str(error)) from error
        outcome = self._outcome()
        self._reply(outcome)
        rewards, terminated, truncated = outcome
        ended = terminated | truncated
        infos: dict[str, Any] = {}
        if ended.any():
            last = np.empty(self.num_envs, object)
            for k in np.flatnonzero(ended):
                last[k] = self.batch.planes[k].copy()
            infos = {"final_obs": last, "_final_obs": ended.copy()}
            self.batch.reset(where=ended)
            self._reply(self._outcome())
        observation, shown = self._observe()
        return observation, rewards, terminated, truncated, shown | infos

    def _outcome(self) -> tuple[Any, Any, Any]:
        """Return the agent's rewards and the ends of the last step, as new arrays."""
        batch = self.batch
        rewards = batch.rewards[:, 0].astype(np.float64)
        return rewards, batch.terminated.copy(), batch.truncated.copy()

    def _reply(self, outcome: tuple[Any, Any, Any]) -> None:
        """Let the opponent play where it is to act; add what happens to the outcome.

        If the opponent fails, `reset` is needed.
        """
        batch, self._started = self.batch, False
        while (waiting := (batch.player == 1) & ~batch.over).any():
            actions = np.where(waiting, self._opponent(batch), NO_STEP)
            if (idle := waiting & (actions == NO_STEP)).any():
                raise DamierError("batch-action", action=NO_STEP, number=int(idle.argmax()))
            batch.step(actions)
            for total, more in zip(outcome, self._outcome(), strict=True):
                total += more
        self._started = True

    def _observe(self) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        return self.batch.planes.copy(), {"action_mask": self.batch.masks.astype(np.int8)}

    def close_extras(self, **kwargs: Any) -> None:
        """Close the batch."""
        self.batch.close()


if ID not in gymnasium.registry:
    gymnasium.register(
        ID,
        entry_point="damier.gymnasium:GameEnv",
        vector_entry_point="damier.gymnasium:GameVectorEnv",
    )
