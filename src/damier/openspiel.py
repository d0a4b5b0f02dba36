"""OpenSpiel games: importing this module registers `damier_<game>`; install `damier[openspiel]`.

    import damier.openspiel
    import pyspiel

    game = pyspiel.load_game("damier_<game>(max_moves=200)")

The options of a game are parameters; an empty one has the value of the preset, and `start` is the
position before the first move, by default that of the rules. Actions are the
steps of `damier.batch`, observations its planes, from the side to move. Every state is public, so
the information-state tensor is the observation; the information-state string is the game so far.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from damier.errors import DamierError
from damier.games import GAMES
from damier.position import Rules, load_rules
from damier.research.batch import plane_names
from damier.research.episode import Episode

__all__ = ["PREFIX", "SpielGame", "SpielState", "register"]

MAX_MOVES = 1000  # default; a game without result after so many moves is a draw
_MAX_STEPS = 32  # of a move
PREFIX = "damier_"


def _game_type(name: str) -> Any:
    """Return OpenSpiel's description of a game."""
    options = {option.name: "" for option in GAMES[name].rules.OPTIONS}
    return pyspiel.GameType(
        short_name=PREFIX + name,
        long_name=GAMES[name].texts("en")["name"],
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"preset": "", "max_moves": MAX_MOVES, "start": "", **options},
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # the library has no types
    """A damier game with its options, for OpenSpiel. A subclass sets `name`."""

    name: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        chosen, name = dict(params or {}), self.name
        self.max_moves = int(chosen.get("max_moves", MAX_MOVES))
        if self.max_moves < 1:  # OpenSpiel needs the length of the longest game
            raise DamierError("max-moves-positive", number=self.max_moves)
        options = {
            key: value
            for key, value in chosen.items()
            if key not in ("preset", "max_moves", "start") and value != ""
        }
        self.rules: Rules = load_rules(name, chosen.get("preset") or None, **options)
        text = chosen.get("start", "")
        self.start = self.rules.position(text) if text else self.rules.start()
        info = pyspiel.GameInfo(
            num_distinct_actions=self.rules.step_range,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.max_moves * _MAX_STEPS,
        )
        super().__init__(_game_type(name), info, chosen)

    def new_initial_state(self, state: Any = None) -> SpielState:
        """Return the state at the start."""
        if state is not None:
            raise ValueError("a state of this game is made by playing its actions")
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> PlanesObserver:
        """Return an observer of the planes."""
        if params:
            raise ValueError(f"observation parameters are not supported: {params}")
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return PlanesObserver(self.rules, recall)


class SpielState(pyspiel.State):  # type: ignore[misc]  # the library has no types
    """State of a damier game, for OpenSpiel."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.episode = Episode(game.rules, game.max_moves, game.start)

    def current_player(self) -> int:
        """Return the player to act, or TERMINAL."""
        return int(pyspiel.PlayerId.TERMINAL) if self.episode.over else self.episode.player

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.episode.legal)

    def _apply_action(self, action: int) -> None:
        self.episode.step(action)

    def _action_to_string(self, player: int, action: int) -> str:
        position = self.episode.position()
        if action in self.episode.legal and player == self.episode.player:
            return position.describe(action).text
        return str(action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.episode.over

    def returns(self) -> list[float]:
        """Return the points of both players."""
        return list(self.episode.rewards)

    def __str__(self) -> str:
        return str(self.episode.position())


class PlanesObserver:
    """Observer as in OpenSpiel's `observation.py`; with `recall` its text is the game so far."""

    def __init__(self, rules: Rules, recall: bool) -> None:
        board = rules.board
        shape = len(plane_names(rules)), board.ranks, board.files
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}
        self._recall = recall

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the planes of a state to the tensor."""
        self.dict["observation"][:] = state.episode.planes()

    def string_from(self, state: SpielState, player: int) -> str:
        """Return a state as text: the position, or the steps that led to it."""
        if self._recall:
            return " ".join(map(str, state.episode.steps))
        return str(state)


def register() -> list[str]:
    """Register every game that is not registered yet; return the names of all.

    Call this again after `damier.games.load`.
    """
    known = set(pyspiel.registered_names())
    for name in GAMES:
        if PREFIX + name not in known:
            # A class, which is never freed: the library keeps it until after Python has ended.
            kind = type(f"{name.title()}SpielGame", (SpielGame,), {"name": name})
            pyspiel.register_game(_game_type(name), kind)
    return [PREFIX + name for name in GAMES]


register()
