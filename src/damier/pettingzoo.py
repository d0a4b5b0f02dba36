"""PettingZoo environments (AEC): `damier.pettingzoo.env(game)`; install `damier[pettingzoo]`.

The agents are `player_0` (White) and `player_1` (Black). An action is a step, the same number as in
`damier.batch`; a move of several steps is several turns of the same agent. An observation has
`observation`, the planes of `damier.batch` from the side to move, and `action_mask`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from damier.position import load_rules
from damier.research.batch import plane_names
from damier.research.episode import Episode

__all__ = ["AGENTS", "env", "raw_env"]

AGENTS = ("player_0", "player_1")


def env(game: str, **options: Any) -> Any:
    """Return an environment with PettingZoo's usual wrappers.

    An illegal action ends the game with reward -1 for the agent that chose it.
    """
    made: Any = raw_env(game, **options)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class raw_env(AECEnv, EzPickle):  # type: ignore[misc]  # noqa: N801  the library's name, untyped
    """Environment without wrappers: an illegal action raises DamierError and changes nothing.

    Parameters are the game's `preset` and options, `max_moves` (0: no limit) and `render_mode`.
    """

    def __init__(
        self,
        game: str,
        preset: str | None = None,
        *,
        max_moves: int = 0,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        EzPickle.__init__(
            self, game, preset, max_moves=max_moves, render_mode=render_mode, **options
        )
        self.metadata = {
            "name": f"damier_{game}_v0",
            "render_modes": ["ansi", "human"],
            "is_parallelizable": False,
        }
        if render_mode not in (None, "ansi", "human"):
            raise ValueError(f"render_mode must be ansi or human, not {render_mode!r}")
        self.rules = load_rules(game, preset, **options)
        self.render_mode = render_mode
        self._max_moves = max_moves
        self.possible_agents = list(AGENTS)
        board = self.rules.board
        shape = (len(plane_names(self.rules)), board.ranks, board.files)
        size = self.rules.step_range
        self.action_spaces: dict[str, Any] = {agent: spaces.Discrete(size) for agent in AGENTS}
        self.observation_spaces: dict[str, Any] = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, np.uint8),
                    "action_mask": spaces.Box(0, 1, (size,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self.episode = Episode(self.rules, max_moves)

    def observation_space(self, agent: str) -> Any:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; the games have no chance, so the seed has no effect."""
        self.episode = Episode(self.rules, self._max_moves)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, Any] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.episode.player]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return planes and mask; the mask of an agent that is not to act is 0 everywhere."""
        acts = agent == self.agent_selection
        mask = self.episode.mask() if acts else np.zeros(self.rules.step_range, np.int8)
        return {"observation": self.episode.planes(), "action_mask": mask}

    def state(self) -> Any:
        """Return the planes of the current position."""
        return self.episode.planes()

    def step(self, action: Any) -> None:
        """Play a step of the selected agent."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.episode.step(action)
        self._cumulative_rewards[agent] = 0
        episode = self.episode
        self.rewards = dict(zip(AGENTS, map(int, episode.rewards), strict=True))
        if episode.over:
            ended = self.truncations if episode.truncated else self.terminations
            ended.update(dict.fromkeys(AGENTS, True))
        else:
            self.agent_selection = AGENTS[episode.player]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return the drawn board, or print it."""
        drawn = self.episode.position().draw()
        if self.render_mode == "human":
            print(drawn)
            return None
        return drawn

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
