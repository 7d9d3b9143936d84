"""OpenSpiel: the games as Python games with explicit chance.

Importing this module registers ``marsgym_pig`` and the other games, with dashes as underscores;
``pyspiel.load_game("marsgym_pig(players=2)")`` opens one. The parameter ``config`` is JSON.
"""

from __future__ import annotations

import functools
import json
from typing import Any, Final

import numpy as np
import pyspiel

from marsgym.game import CHANCE, Game, Position, games

MAX_CHANCE_OUTCOMES: Final = 4096
"""A bound of the successors of a chance position. A roll of thirteen dice has 2,380."""


def _type(id: str, game: Game) -> pyspiel.GameType:
    information, utility = pyspiel.GameType.Information, pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name="marsgym_" + id.replace("-", "_"),
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=getattr(pyspiel.GameType.ChanceMode, game.chance.upper()),
        information=getattr(information, game.information.upper() + "_INFORMATION"),
        utility=getattr(utility, game.utility.upper()),
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=game.min_players,
        max_num_players=game.max_players,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": 0, "config": ""},
    )


def _info(game: Game) -> pyspiel.GameInfo:
    length = game.move_limit or game.chance_limit
    total = game.win + (game.players - 1) * game.loss if game.has_win else None
    return pyspiel.GameInfo(
        num_distinct_actions=game.num_actions,
        max_chance_outcomes=MAX_CHANCE_OUTCOMES,
        num_players=game.players,
        min_utility=game.loss if game.has_win else -float(length),
        max_utility=game.win if game.has_win else 0.0,
        utility_sum=total,
        max_game_length=length,
    )


class SpielGame(pyspiel.Game):
    """A game of marsgym under a config."""

    def __init__(self, id: str, params: dict[str, Any] | None = None) -> None:
        """Opens a game; params are ``players`` and ``config``."""
        params = params or {}
        try:
            config = json.loads(params["config"]) if params.get("config") else None
        except json.JSONDecodeError as e:
            raise ValueError(f"config is {params['config']!r}; want JSON: {e}") from None
        self.game = Game(id, params.get("players") or None, config)
        self.outcomes = functools.lru_cache(maxsize=100_000)(_outcomes)
        super().__init__(_type(id, self.game), _info(self.game), params)

    def new_initial_state(self) -> SpielState:
        """The state at the start of a game."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """What a player observes; everything is public."""
        return Observer(self.game)


def _outcomes(position: Position) -> list[tuple[float, Position]]:
    return position.outcomes()


class SpielState(pyspiel.State):
    """A position of a game. A chance action is the index of an outcome."""

    def __init__(self, game: SpielGame) -> None:
        """Starts a game."""
        super().__init__(game)
        self.outcomes = game.outcomes
        self.position = game.game.initial()

    def current_player(self) -> int:
        """The seat to move, or pyspiel.PlayerId.CHANCE or TERMINAL."""
        p = self.position
        if p.player >= 0:
            return p.player
        return int(pyspiel.PlayerId.CHANCE if p.player == CHANCE else pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.position.legal_actions)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Indices and probabilities of the outcomes."""
        return [(i, p) for i, (p, _) in enumerate(self.outcomes(self.position))]

    def _apply_action(self, action: int) -> None:
        if self.position.is_chance:
            self.position = self.outcomes(self.position)[action][1]
        else:
            self.position = self.position.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}"
        return self.position.game.action_names[action]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.is_terminal

    def returns(self) -> list[float]:
        """The return of each seat."""
        return list(self.position.returns)

    def __str__(self) -> str:
        return self.position.text


class Observer:
    """Observations of a state, as the environments give them."""

    def __init__(self, game: Game) -> None:
        """Allocates the tensor [D]."""
        self.tensor = np.zeros(game.observation_size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Writes what a player observes to the tensor."""
        self.tensor[:] = state.position.observation(player)

    def string_from(self, state: SpielState, player: int) -> str:
        """The position: everything is public."""
        return str(state)


def _class(id: str) -> type[SpielGame]:
    class Registered(SpielGame):
        __doc__ = SpielGame.__doc__

        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(id, params)

    return Registered


for _id in games():
    pyspiel.register_game(_type(_id, Game(_id)), _class(_id))
