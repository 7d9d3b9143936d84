"""Gymnasium: a vector environment of games in lockstep, and single environments.

Importing :mod:`marsgym` registers ``marsgym/MartianDice-v1`` and the other games; the number
is the version of the game's rules. Programs that know no action masks use the lenient ids,
such as ``marsgym/MartianDice-Lenient-v1``: there an illegal action plays a random legal one.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import gymnasium
import numpy as np
import numpy.typing as npt

from marsgym import _native
from marsgym._registry import env_ids as env_ids
from marsgym._registry import register as register
from marsgym._vector import OBSERVATION_HIGH as OBSERVATION_HIGH
from marsgym._vector import VectorEnv as VectorEnv
from marsgym._vector import VectorOptions as VectorOptions
from marsgym._vector import choice, picture, render_mode_of, spaces_of
from marsgym._vector import make_vec as make_vec
from marsgym._vector import observation_box as observation_box
from marsgym._vector import vector_env as vector_env
from marsgym.batch import Batch, Opponents, Owner
from marsgym.game import Game, Position, opened

_SEATS: Final = tuple(np.arange(128))


class Env(Owner, gymnasium.Env[Any, np.int64]):
    """One game, of which the agent has one seat and opponents the others.

    - Observations are [D] float32, what the agent's seat observes where it is to move; the
      last one of a game is what it observes at the end. With ``mask_in_observation`` they
      are dicts of these, ``observations``, and ``action_mask``.
    - ``info["action_mask"]`` [A] int8 is 1 where an action is legal, ``info["player"]`` the
      agent's seat, an np.int64, and ``info["rewards"]`` [P] float32 the rewards of the step
      by seat, which are zeros after a reset. At the end of a game no action is legal.
    - The reward belongs to the agent's seat: the return of the game at its end, else 0.

    With ``opponent=None`` the caller acts for all seats: ``info["player"]`` is the seat to
    move, and the reward belongs to the seat that has just acted.

    Resetting without a seed goes on with the generators of the last game.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}

    def __init__(
        self,
        game: str | Game,
        *,
        players: int | None = None,
        config: dict[str, Any] | None = None,
        cache: str | None = "auto",
        opponent: Opponents = "random",
        seat: int | str = "random",
        sample: bool = False,
        search_seed: int = 0,
        row: int = 0,
        illegal_action: Literal["raise", "random", "lose"] = "raise",
        mask_in_observation: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Opens a game.

        Args:
            game: a :class:`marsgym.Game`, or its id.
            players, config, cache: as in :func:`marsgym.load`.
            opponent, seat, sample, search_seed: as in :class:`marsgym.Batch`. A game for one
                has no opponents.
            row: the number of the game in its run: row i of a :class:`VectorEnv` with the
                same seed plays the same games.
            illegal_action: what an illegal action does: "raise" raises IllegalActionError and
                changes nothing, "random" plays a legal one drawn from ``np_random`` instead,
                and "lose" ends the game as lost.
            mask_in_observation: whether an observation is a dict of ``action_mask`` and
                ``observations``, for RLlib and others that look for masks there.
            render_mode: None, "ansi", or "rgb_array", for which Pillow draws.
        """
        choices = ("raise", "random", "lose")
        self.illegal_action = choice("illegal_action", illegal_action, choices)
        self.game = opened(game, players, config, cache)
        if illegal_action == "lose" and not self.game.has_win:
            raise ValueError(f"illegal_action is 'lose', and {self.game!r} has no win to lose")
        self.batch = Batch(
            self.game,
            1,
            first_row=row,
            opponent=opponent if self.game.players > 1 else None,
            seat=seat,
            sample=sample,
            search_seed=search_seed,
        )
        self.batch._mask_name = 'info["action_mask"]'
        self.render_mode = render_mode_of(render_mode)
        self.mask_in_observation = bool(mask_in_observation)
        self.observation_space, self.action_space = spaces_of(self.game, self.mask_in_observation)
        self._state: Literal["new", "playing", "ended", "forfeited"] = "new"

    @property
    def position(self) -> Position:
        """The current position or, at the end of a game, its last one."""
        return self.batch.position(0, final=self._state == "ended")

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a game.

        Args:
            seed: of the dice and of the opponents; None goes on with the generators of the
                last game, or draws a seed before the first one.
            options: ``position`` is a :class:`Position`, or its text, from which the game
                starts; chance is sampled there, and opponents play until it is your turn.
        """
        super().reset(seed=seed)
        start = (options or {}).get("position")
        if (options or {}).keys() - {"position"}:
            raise ValueError(f"options are {options!r}; want none, or 'position'")
        if seed is not None or self._state == "new":
            self._state = "new"  # also after an error
            self.batch.reset(int(self.np_random.integers(2**63)) if seed is None else seed)
        elif self._state != "ended" and start is None:  # else the batch has started a game
            self.batch.next(0)
        if start is not None:
            self._state = "playing"
            self.batch.next(0, start)
        self._state = "playing"
        b, rewards = self.batch, np.zeros(self.game.players, np.float32)
        return self._result(b.observation[0], b.player.item(), b.action_mask[0].copy(), rewards)

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays an action, and the opponents' until the agent is to move again."""
        if self._state != "playing":
            raise gymnasium.error.ResetNeeded("no game is in progress; call reset first")
        b = self.batch
        a = _native.action(action)
        if self.illegal_action != "raise" and not (
            0 <= a < self.game.num_actions and b.action_mask[0, a]
        ):
            if self.illegal_action == "lose":
                return self._forfeit(int(b.player[0]))
            a = int(self.np_random.choice(np.flatnonzero(b.action_mask[0])))
        if b._step_one(a):
            return self._end()
        obs, mask, rewards = b._first
        result = self._result(obs, b.player.item(), mask.copy(), rewards.copy())
        return result[0], 0.0, False, False, result[1]

    def _end(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The result of a step that ended the game."""
        self._state = "ended"
        b, mask = self.batch, np.zeros(self.game.num_actions, np.int8)
        seat, rewards = b.final_player.item(), b.reward[0].copy()
        obs, info = self._result(b.final_observation[0], seat, mask, rewards)
        return obs, b.acted_reward.item(), b.terminated.item(), b.truncated.item(), info

    def _forfeit(self, seat: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Ends the game as lost by a seat; the others share the win."""
        self._state = "forfeited"
        game, b = self.game, self.batch
        share = 1 / (game.players - 1)
        won = game.loss + share * (game.win - game.loss)
        rewards = np.full(game.players, won, np.float32)
        rewards[seat] = game.loss
        mask = np.zeros(game.num_actions, np.int8)
        obs, info = self._result(b.observation[0], b.player.item(), mask, rewards)
        return obs, float(game.loss), True, False, info

    def _result(
        self,
        obs: npt.NDArray[np.float32],
        seat: int,
        mask: npt.NDArray[np.int8],
        rewards: npt.NDArray[np.float32],
    ) -> tuple[Any, dict[str, Any]]:
        """An observation, which is copied, and an info."""
        info = {"player": _SEATS[seat], "action_mask": mask, "rewards": rewards}
        if self.mask_in_observation:
            return {"action_mask": mask.copy(), "observations": obs.copy()}, info
        return obs.copy(), info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """True where an action is legal [A], as MaskablePPO of sb3-contrib asks for it."""
        mask = self.batch.action_mask[0].astype(np.bool_)
        return mask if self._state == "playing" else np.zeros_like(mask)

    def render(self) -> Any:
        """The position as text or as pixels [height, width, 3]."""
        return None if self.render_mode is None else picture(self.position, self.render_mode)

    def close(self) -> None:
        """Releases the game."""
        self.batch.close()
