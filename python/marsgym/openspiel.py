"""OpenSpiel: its games as games of marsgym, and ours as Python games with explicit chance.

:func:`table` lists a game of OpenSpiel, so that it can be solved and policies evaluated exactly;
:func:`policy` wraps a policy or a bot of OpenSpiel for it.

Importing this module registers ``marsgym_pig`` and the other games, with dashes as underscores;
``pyspiel.load_game("marsgym_pig(players=2)")`` opens one. The parameter ``config`` is JSON. The
text of a game has it with per cent signs in place of commas, brackets and equals signs, and is
read again by ``pyspiel.load_game``.
"""

from __future__ import annotations

import json
import urllib.parse
from typing import Any, Final

import numpy as np
import pyspiel

from marsgym._spiel_table import StateKeyError as StateKeyError
from marsgym._spiel_table import policy as policy
from marsgym._spiel_table import table as table
from marsgym.game import CHANCE, Game, Position, Rng, games

MAX_CHANCE_OUTCOMES: Final = 4096
"""A bound of the successors of a chance position. A roll of thirteen dice has 2,380."""


class SpielError(pyspiel.SpielError, ValueError):
    """An illegal action, or a parameter that is no config."""


def spiel_name(id: str) -> str:
    """The name of a game in OpenSpiel."""
    return "marsgym_" + id.replace("-", "_")


def _type(id: str, game: Game) -> pyspiel.GameType:
    information, utility = pyspiel.GameType.Information, pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=spiel_name(id),
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


def _config(text: str) -> Any:
    """The config of a parameter: JSON, as it is or with per cent signs."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as e:
        try:
            return json.loads(urllib.parse.unquote(text))
        except json.JSONDecodeError:
            raise SpielError(f"config is {text!r}; want JSON: {e}") from None


class SpielGame(pyspiel.Game):
    """A game of marsgym under a config."""

    def __init__(self, id: str, params: dict[str, Any] | None = None) -> None:
        """Opens a game; params are ``players`` and ``config``."""
        params = dict(params or {})
        config = None
        if params.get("config"):
            config = _config(params["config"])
            text = json.dumps(config, separators=(",", ":"))
            params["config"] = urllib.parse.quote(text, safe='{}:" ')
        try:
            self.game = Game(id, params.get("players") or None, config)
        except (ValueError, TypeError) as e:
            raise SpielError(str(e)) from None
        self.chance = _Chance()
        super().__init__(_type(id, self.game), _info(self.game), params)

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_game, (str(self),)

    def new_initial_state(self, state: Any = None) -> SpielState:
        """The state at the start of a game, or that of a struct, or of a dict, as ``to_struct``
        returns it. Only its position is needed.
        """
        return SpielState(self, state)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """What a player observes; everything is public."""
        return Observer(self.game)


class _Chance:
    """The lists of chance outcomes by their probabilities: many positions share one."""

    def __init__(self) -> None:
        self.lists: dict[bytes, list[tuple[int, float]]] = {}

    def outcomes(self, position: Position) -> list[tuple[int, float]]:
        """Indices and probabilities of the outcomes of a position."""
        probabilities = position.outcome_probabilities()
        key = probabilities.tobytes()
        if key not in self.lists:
            if len(self.lists) == 1000:
                self.lists.clear()
            self.lists[key] = list(enumerate(probabilities.tolist()))
        return self.lists[key]


class SpielState(pyspiel.State):
    """A position of a game. A chance action is the index of an outcome."""

    def __init__(self, game: SpielGame, state: Any = None) -> None:
        """Starts a game, at the state of a struct or a dict if one is given."""
        super().__init__(game)
        self.position = game.game.initial() if state is None else _struct_position(game.game, state)
        self._start = None if state is None else self.position.text
        self._drawn: tuple[int, Position] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._start is None:
            return _read_state, (pyspiel.serialize_game_and_state(self.get_game(), self),)
        return _replay, (str(self.get_game()), self._start, self.history())

    def current_player(self) -> int:
        """The seat to move, or pyspiel.PlayerId.CHANCE or TERMINAL."""
        p = self.position
        if p.player >= 0:
            return p.player
        return int(pyspiel.PlayerId.CHANCE if p.player == CHANCE else pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.position.legal_actions)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Indices and probabilities of the outcomes. There can be thousands:
        :meth:`sample_chance` draws one without this list.
        """
        return list(self.get_game().chance.outcomes(self.position))

    def sample_chance(self, rng: Rng = None) -> int:
        """Draws a chance outcome, for ``apply_action``.

        Args:
            rng: as in :meth:`marsgym.Position.sample`.
        """
        self._drawn = self.position.draw(rng)
        return self._drawn[0]

    def _apply_action(self, action: int) -> None:
        drawn, self._drawn = self._drawn, None
        try:
            if not self.position.is_chance:
                self.position = self.position.apply(action)
            elif drawn is not None and drawn[0] == action:
                self.position = drawn[1]
            else:
                self.position = self.position.outcome(action)
        except ValueError as e:
            raise SpielError(str(e)) from None

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}"
        names = self.position.game.action_names
        return names[action] if 0 <= action < len(names) else f"action {action}"

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.is_terminal

    def returns(self) -> list[float]:
        """The return of each seat."""
        return list(self.position.returns)

    def __str__(self) -> str:
        return self.position.text

    # OpenSpiel 2.0 makes to_struct, to_json, action_to_struct, apply_action_struct and
    # to_observation_struct of these. Older releases do not call them.

    def _to_struct(self) -> dict[str, Any]:
        return _struct(self.position)

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        return self._to_struct()  # everything is public

    def _action_to_struct(self, player: int, action: int) -> dict[str, Any]:
        if player == pyspiel.PlayerId.CHANCE:
            return {"outcome": action}
        return {"action": self._action_to_string(player, action)}

    def _struct_to_actions(self, struct: dict[str, Any]) -> list[int]:
        names = self.position.game.action_names
        if self.position.is_chance and isinstance(struct.get("outcome"), int):
            return [struct["outcome"]]
        if not self.position.is_chance and struct.get("action") in names:
            return [names.index(struct["action"])]
        want = '{"outcome": 0}' if self.position.is_chance else f'{{"action": "{names[0]}"}}'
        raise SpielError(f"the action is {struct}; want one such as {want}")


_DRAWN = frozenset({"at", "anchor", "outline", "actions"})
"""What pictures alone need of the cells of a scene."""


def _struct(position: Position) -> dict[str, Any]:
    """A position as data: its notation, and what the seats and the table have."""
    scene = position.game._ask(position.text, "scene") or {}
    places, drawn = scene.get("places", []), scene.get("map")
    if drawn:
        scene["map"] = {k: drawn[k] for k in ("cells", "borders", "groups", "kinds") if k in drawn}
        places = places + drawn["cells"]
    for cell in places:
        for name in _DRAWN & cell.keys():
            del cell[name]
    scene.pop("player", None)
    return {"position": position.text, "current_player": position.player, **scene}


def _struct_position(game: Game, state: Any) -> Position:
    """The position of a struct or a dict."""
    if not isinstance(state, dict) and not hasattr(state, "to_dict"):
        raise SpielError(f"the state is {state!r}; want a dict or what to_struct returns")
    fields = state if isinstance(state, dict) else state.to_dict()
    try:
        position = game.position(fields["position"])
    except KeyError:
        raise SpielError("the state has no position; want one as to_struct returns it") from None
    except (TypeError, ValueError) as e:
        raise SpielError(str(e)) from None
    if fields.get("current_player", position.player) != position.player:
        raise SpielError(
            f"current_player is {fields['current_player']}; in {position} it is {position.player}"
        )
    return position


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


def _read_game(text: str) -> SpielGame:
    return pyspiel.load_game(text)


def _read_state(text: str) -> SpielState:
    return pyspiel.deserialize_game_and_state(text)[1]


def _replay(game: str, start: str, history: list[int]) -> SpielState:
    """The state after the actions of a history from a position."""
    state = pyspiel.load_game(game).new_initial_state({"position": start})
    for action in history:
        state.apply_action(action)
    return state


def _class(id: str) -> type[SpielGame]:
    class Registered(SpielGame):
        __doc__ = SpielGame.__doc__

        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(id, params)

    return Registered


for _id in games():
    pyspiel.register_game(_type(_id, Game(_id)), _class(_id))
