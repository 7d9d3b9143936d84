"""Gymnasium: a vector environment of games in lockstep, and single environments.

Importing :mod:`marsgym` registers ``marsgym/MartianDice-v1`` and the other games; the number
is the version of the game's rules.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector.utils import batch_space

from marsgym import _native
from marsgym.batch import Batch
from marsgym.game import Game, Position

OBSERVATION_HIGH: Final = 64.0
"""The upper bound of all observations. They are shares and flags from 0 to 1 but for some
counts of at most 255 over at least 5, and scores over a target of at least 2."""


def _spaces(game: Game) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
    shape = (game.observation_size,)
    return (
        gymnasium.spaces.Box(0.0, OBSERVATION_HIGH, shape, np.float32),
        gymnasium.spaces.Discrete(game.num_actions),
    )


def env_ids() -> dict[str, str]:
    """The Gymnasium id of each game, by the id of the game."""
    games = _native.document("games")["games"]
    camel = {g["id"]: "".join(map(str.capitalize, g["id"].split("-"))) for g in games}
    return {g["id"]: f"marsgym/{camel[g['id']]}-v{g['version']}" for g in games}


def register() -> None:
    """Registers all games with Gymnasium."""
    for id, name in env_ids().items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point="marsgym.gymnasium:Env", kwargs={"game": id})


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many games in lockstep, each row a whole game of all seats.

    In each row the seat ``info["player"]`` acts. Without opponents the caller acts for all
    seats; with them, for one seat in each row, see :class:`marsgym.Batch`.

    Shapes, with N rows, D numbers of an observation, A actions, P seats:

    - observations: [N, D] float32, of the seat to move.
    - rewards: [N] float64, that of the seat that has just acted. The rewards of all seats
      are in ``info["rewards"]``: the seat that loses by the other's move gets its reward
      there only.
    - ``info["player"]`` [N] int8, the seat to move; ``info["action_mask"]`` [N, A] int8, 1
      where an action is legal; ``info["rewards"]`` [N, P] float32, of the step, by seat.
    - Autoreset is SAME_STEP: a row whose game has ended shows the first observation of the
      next game. ``info["final_obs"]`` [N] objects then holds the last observation [D] of the
      game, and ``info["final_info"]["player"]`` [N] the seat that observes it: the one that
      was to move or, if the rules ended the game, the one that acted last. Both are set
      where ``info["_final_obs"]`` is true.

    An illegal action raises IllegalActionError and changes nothing.

    With ``copy=False`` arrays are read-only views that the next step overwrites, and
    ``info["final_obs"]`` has undefined contents where ``info["_final_obs"]`` is false.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["ansi"],
        "autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: str,
        num_envs: int,
        *,
        players: int | None = None,
        config: dict[str, Any] | None = None,
        cache: str | None = "auto",
        opponent: str | list[str] | None = None,
        seat: int | str = "random",
        sample: bool = False,
        search_seed: int = 0,
        first_row: int = 0,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        """Opens the games.

        Args:
            game: its id, as in :func:`marsgym.load` or in Gymnasium.
            players, config, cache: as in :func:`marsgym.load`.
            num_envs: N.
            opponent, seat, sample, search_seed, first_row: as in :class:`marsgym.Batch`.
            copy: whether results are copies.
            render_mode: None or "ansi".
        """
        ids = {name: id for id, name in env_ids().items()}
        self.game = Game(ids.get(game, game), players, config, cache=cache)
        self.batch = Batch(
            self.game,
            num_envs,
            first_row=first_row,
            opponent=opponent,
            seat=seat,
            sample=sample,
            search_seed=search_seed,
        )
        self.num_envs = self.batch.rows
        self.copy = bool(copy)
        self.render_mode = _render_mode(render_mode)
        self.single_observation_space, self.single_action_space = _spaces(self.game)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._final = np.empty(self.num_envs, dtype=object)
        for i in range(self.num_envs):
            self._final[i] = self.batch.final_observation[i]
        self._all = np.ones(self.num_envs, np.bool_)
        self._all.flags.writeable = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Seeds all rows and starts a game in each.

        Args:
            seed: of all rows, each of which has a generator of its own; None draws one.
            options: none are known.
        """
        if options:
            raise ValueError(f"options are {options!r}; want none")
        if seed is not None:
            seed = _native.number(seed, "seed", 0, 2**64 - 1)
        super().reset(seed=seed)
        self.batch.reset(int(self.np_random.integers(2**63)) if seed is None else seed)
        return self._result(self.batch.observation), self._info()

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[
        npt.NDArray[np.float32],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Plays an action [N] in every row."""
        b = self.batch
        games_ended = b.step(actions)
        info = self._info()
        info["rewards"], info["_rewards"] = self._result(b.reward), self._all
        if games_ended:
            ended, final = self._result(b.ended), self._final
            if self.copy:
                final = np.full(self.num_envs, None, dtype=object)
                for i in np.flatnonzero(ended):
                    final[i] = b.final_observation[i].copy()
            info["final_obs"], info["_final_obs"] = final, ended
            info["final_info"] = {"player": self._result(b.final_player), "_player": ended}
            info["_final_info"] = ended
        return (
            self._result(b.observation),
            self._result(b.acted_reward),
            self._result(b.terminated),
            self._result(b.truncated),
            info,
        )

    def _info(self) -> dict[str, Any]:
        b = self.batch
        return {
            "player": self._result(b.player),
            "_player": self._all,
            "action_mask": self._result(b.action_mask),
            "_action_mask": self._all,
        }

    def _result(self, a: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return a.copy() if self.copy else a

    def render(self) -> tuple[str, ...] | None:
        """The position of each row as text."""
        if self.render_mode is None:
            return None
        return tuple(self.batch.position(i).render() for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Releases the batch."""
        self.batch.close()


class Env(gymnasium.Env[npt.NDArray[np.float32], np.int64]):
    """One game, of which the agent has one seat and opponents the others.

    - Observations are [D] float32, what the agent's seat observes where it is to move; the
      last one of a game is what it observes at the end.
    - ``info["action_mask"]`` [A] int8 is 1 where an action is legal, ``info["player"]`` the
      agent's seat, and ``info["rewards"]`` [P] float32 the rewards of the step by seat. At
      the end of a game no action is legal.
    - The reward is that of the agent's seat: the return of the game at its end, else 0.

    With ``opponent=None`` the caller acts for all seats: ``info["player"]`` is the seat to
    move, and the reward that of the seat that has just acted.

    Resetting without a seed goes on with the generators of the last game.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(
        self,
        game: str,
        *,
        players: int | None = None,
        config: dict[str, Any] | None = None,
        cache: str | None = "auto",
        opponent: str | list[str] | None = "random",
        seat: int | str = "random",
        sample: bool = False,
        search_seed: int = 0,
        row: int = 0,
        illegal_action: Literal["raise", "random", "lose"] = "raise",
        render_mode: str | None = None,
    ) -> None:
        """Opens a game.

        Args:
            game: its id.
            players, config, cache: as in :func:`marsgym.load`.
            opponent, seat, sample, search_seed: as in :class:`marsgym.Batch`. A game for one
                has no opponents.
            row: the number of the game in its run: row i of a :class:`VectorEnv` with the
                same seed plays the same games.
            illegal_action: what an illegal action does: "raise" raises IllegalActionError and
                changes nothing, "random" plays a legal one drawn from ``np_random`` instead,
                and "lose" ends the game as lost.
            render_mode: None or "ansi".
        """
        choices = ("raise", "random", "lose")
        if illegal_action not in choices:
            raise ValueError(f"illegal_action is {illegal_action!r}; want one of {choices}")
        self.game = Game(game, players, config, cache=cache)
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
        self.illegal_action = illegal_action
        self.render_mode = _render_mode(render_mode)
        self.observation_space, self.action_space = _spaces(self.game)
        self._state: Literal["new", "playing", "ended", "forfeited"] = "new"

    @property
    def position(self) -> Position:
        """The current position or, at the end of a game, its last one."""
        return self.batch.position(0, final=self._state == "ended")

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Starts a game.

        Args:
            seed: of the dice and of the opponents; None goes on with the generators of the
                last game, or draws a seed before the first one.
            options: none are known.
        """
        super().reset(seed=seed)
        if options:
            raise ValueError(f"options are {options!r}; want none")
        if seed is not None or self._state == "new":
            self.batch.reset(int(self.np_random.integers(2**63)) if seed is None else seed)
        elif self._state != "ended":  # else the batch has started the next game
            self.batch.next(0)
        self._state = "playing"
        return self.batch.observation[0].copy(), self._info(self.batch.action_mask[0].copy())

    def step(
        self, action: np.int64 | int
    ) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Plays an action, and the opponents' until the agent is to move again."""
        if self._state != "playing":
            raise gymnasium.error.ResetNeeded("no game is in progress; call reset first")
        b = self.batch
        a = _native.number(action, "action", -(2**31), 2**31 - 1)
        acted = int(b.player[0])
        if self.illegal_action != "raise" and not (
            0 <= a < self.game.num_actions and b.action_mask[0, a]
        ):
            if self.illegal_action == "lose":
                return self._forfeit(acted)
            a = int(self.np_random.choice(np.flatnonzero(b.action_mask[0])))
        b.step(np.array([a], np.int32))
        terminated, truncated = bool(b.terminated[0]), bool(b.truncated[0])
        if terminated or truncated:
            self._state = "ended"
            obs, player = b.final_observation[0].copy(), int(b.final_player[0])
            mask = np.zeros(self.game.num_actions, np.int8)
            info = {"player": player, "action_mask": mask}
        else:
            obs, info = b.observation[0].copy(), self._info(b.action_mask[0].copy())
        info["rewards"] = b.reward[0].copy()
        return obs, float(b.reward[0, acted]), terminated, truncated, info

    def _forfeit(
        self, seat: int
    ) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Ends the game as lost by a seat; the others share the win."""
        self._state = "forfeited"
        game = self.game
        share = 1 / (game.players - 1)
        won = game.loss + share * (game.win - game.loss)
        rewards = np.full(game.players, won, np.float32)
        rewards[seat] = game.loss
        info = self._info(np.zeros(game.num_actions, np.int8))
        return (
            self.batch.observation[0].copy(),
            float(game.loss),
            True,
            False,
            info | {"rewards": rewards},
        )

    def _info(self, mask: npt.NDArray[np.int8]) -> dict[str, Any]:
        return {"player": int(self.batch.player[0]), "action_mask": mask}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """True where an action is legal [A], as MaskablePPO of sb3-contrib asks for it."""
        mask = self.batch.action_mask[0].astype(np.bool_)
        return mask if self._state == "playing" else np.zeros_like(mask)

    def render(self) -> str | None:
        """The position as text."""
        return None if self.render_mode is None else self.position.render()

    def close(self) -> None:
        """Releases the game."""
        self.batch.close()


def _render_mode(mode: str | None) -> str | None:
    if mode not in (None, "ansi"):
        raise ValueError(f"render_mode is {mode!r}; want None or 'ansi'")
    return mode
