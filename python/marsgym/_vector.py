"""The vector environment of :mod:`marsgym.gymnasium`, and what both environments share."""

from __future__ import annotations

import re
import warnings
from typing import Any, Final, Literal, TypedDict, Unpack

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector.utils import batch_space

from marsgym import _draw, _native
from marsgym._registry import env_ids
from marsgym.batch import Batch, Opponents, Owner
from marsgym.game import Game, Position, opened

try:
    from gymnasium.vector import AutoresetMode
except ImportError:
    raise ImportError(
        f"the environments of marsgym need gymnasium 1.1 or later, and {gymnasium.__version__} "
        "is installed; run: pip install 'gymnasium>=1.1'"
    ) from None

OBSERVATION_HIGH: Final = 64.0
"""The upper bound of the observations of all games but tables. They are shares and flags from 0 to
1 but for some counts of at most 255 over at least 5, and scores over a target of at least 2."""


def observation_box(game: Game) -> gymnasium.spaces.Box:
    """The space of the observations of a game."""
    low, high, shape = 0.0, OBSERVATION_HIGH, (game.observation_size,)
    if game.is_table:
        low, high = -np.inf, np.inf
        if game.table is not None and game.table.observation is not None:
            seen = game.table.observation
            low, high = float(seen.min(initial=0)), float(seen.max(initial=0))
    return gymnasium.spaces.Box(low, high, shape, np.float32)


def spaces_of(
    game: Game, masks: bool, codes: int | None = None
) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
    """The spaces of a game, with observations of that many codes or else of numbers."""
    box, actions = gymnasium.spaces.Box, game.num_actions
    observation: gymnasium.Space[Any]
    observation = observation_box(game) if codes is None else box(0, 255, (codes,), np.uint8)
    if masks:
        mask = box(0, 1, (actions,), np.int8)
        observation = gymnasium.spaces.Dict({"action_mask": mask, "observations": observation})
    return observation, gymnasium.spaces.Discrete(actions)


class VectorOptions(TypedDict, total=False):
    """The options of :class:`VectorEnv`."""

    players: int | None
    config: dict[str, Any] | None
    cache: str | None
    opponent: Opponents
    seat: int | str
    sample: bool
    search_seed: int
    first_row: int
    dtype: npt.DTypeLike
    illegal_action: Literal["raise", "random"]
    mask_in_observation: bool
    autoreset_mode: AutoresetMode | str
    copy: bool
    render_mode: str | None


def make_vec(game: str | Game, num_envs: int, **options: Unpack[VectorOptions]) -> VectorEnv:
    """Opens a :class:`VectorEnv` of a game, or of its id in marsgym or in Gymnasium, with the
    autoreset mode SAME_STEP unless another is given.
    """
    if isinstance(game, Game):
        made = VectorEnv(game, num_envs, **options)
        _warn_of_statistics(made.autoreset_mode)
        return made
    given: Any = {"autoreset_mode": AutoresetMode.SAME_STEP.value, **options}
    if "vectorization_mode" in given:
        raise TypeError(
            f"vectorization_mode is {given['vectorization_mode']!r}; marsgym.make_vec opens a "
            "marsgym.gymnasium.VectorEnv. For a vector environment of single ones use "
            "gymnasium.make_vec with the id of Gymnasium"
        )
    env: Any = gymnasium.make_vec(env_ids().get(game, game), num_envs, **given)
    if not isinstance(env, VectorEnv):
        env.close()
        raise ValueError(f"{game!r} is not a game of marsgym; want one of {list(env_ids())}")
    return env


def vector_env(
    game: str,
    num_envs: int,
    *,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    **options: Any,
) -> VectorEnv:
    """Opens the :class:`VectorEnv` of :func:`gymnasium.make_vec`, with the autoreset mode that
    Gymnasium's own vector environments have, and that RLlib expects without looking.
    """
    _warn_of_statistics(AutoresetMode(autoreset_mode))
    return VectorEnv(game, num_envs, autoreset_mode=autoreset_mode, **options)


def _warn_of_statistics(mode: AutoresetMode) -> None:
    """Warns where Gymnasium's wrapper would miscount without an error."""
    release = tuple(int(n) for n in re.findall(r"\d+", gymnasium.__version__)[:2])
    if mode == AutoresetMode.SAME_STEP and release < (1, 4):
        warnings.warn(
            "autoreset_mode is SAME_STEP, with which RecordEpisodeStatistics of gymnasium "
            f"{gymnasium.__version__} leaves out the first decision of each game and its reward; "
            "if you use it, install gymnasium 1.4 or pass autoreset_mode='NextStep'",
            stacklevel=3,
        )


class VectorEnv(Owner, gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many games in lockstep, each row a whole game of all seats.

    In each row the seat ``info["player"]`` acts. With opponents, which by default play at
    random, the caller acts for one seat in each row, see :class:`marsgym.Batch`; with
    ``opponent=None``, for all seats.

    Shapes, with N rows, D numbers of an observation, A actions, P seats:

    - observations: [N, D] float32, of the seat to move; with the dtype uint8 [N, C] codes, see
      :meth:`marsgym.Game.decode`. With ``mask_in_observation`` a dict of these,
      ``observations``, and ``action_mask``.
    - rewards: [N] float64, the reward of the seat that has just acted. The rewards of all seats
      are in ``info["rewards"]``: the seat that loses by the other's move gets its reward
      there only.
    - ``info["player"]`` [N] int64, the seat to move; ``info["action_mask"]`` [N, A] int8, 1
      where an action is legal; ``info["rewards"]`` [N, P] float32, of the step, by seat,
      and zeros after a reset.
    - With the autoreset mode SAME_STEP a row whose game has ended shows the first
      observation of the next game. The infos of a step in which a game ended hold more:
      ``info["final_obs"]`` [N] objects has the last observation of each such game, an array
      [D] or, with mask_in_observation, a dict, and
      ``info["final_info"]`` its last info: ``player`` is the seat that observes, which is
      the one that was to move or, if the rules ended the game, the one that acted last;
      ``action_mask`` is zero, and ``rewards`` are those of the step. All are set where
      ``info["_final_obs"]`` is true.
    - With NEXT_STEP such a row shows the last observation. The next step ignores its action,
      for which the mask is 1 everywhere, shows the next game and has the reward 0. The games
      are the same in both modes.

    But for these, the infos of reset and step have the same keys.

    An illegal action raises IllegalActionError and changes nothing, or plays a random one.

    With ``copy=False`` observations, masks, rewards and ends are read-only views that the
    next step overwrites.
    """

    __module__ = "marsgym.gymnasium"  # where users find it

    metadata: dict[str, Any] = {
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        players: int | None = None,
        config: dict[str, Any] | None = None,
        cache: str | None = "auto",
        opponent: Opponents = "random",
        seat: int | str = "random",
        sample: bool = False,
        search_seed: int = 0,
        first_row: int = 0,
        dtype: npt.DTypeLike = np.float32,
        illegal_action: Literal["raise", "random"] = "raise",
        mask_in_observation: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        """Opens the games.

        Args:
            game: a :class:`marsgym.Game`, or an id as in :func:`marsgym.load`.
            players, config, cache: as in :func:`marsgym.load`.
            num_envs: N.
            opponent, seat, sample, search_seed, first_row, dtype: as in :class:`marsgym.Batch`.
                A game for one has no opponents.
            illegal_action: what an illegal action does: "raise" raises IllegalActionError and
                changes nothing, "random" plays a legal one drawn from ``np_random`` instead.
            mask_in_observation: whether an observation is a dict of ``action_mask`` and
                ``observations``, for RLlib and others that look for masks there.
            autoreset_mode: SAME_STEP or NEXT_STEP.
            copy: whether results are copies.
            render_mode: None, "ansi", or "rgb_array", for which Pillow draws.
        """
        self.illegal_action = choice("illegal_action", illegal_action, ("raise", "random"))
        mode = AutoresetMode(autoreset_mode)
        if mode == AutoresetMode.DISABLED:
            raise ValueError("autoreset_mode is DISABLED; want SAME_STEP or NEXT_STEP")
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self.game = opened(game, players, config, cache)
        self.batch = Batch(
            self.game,
            num_envs,
            first_row=first_row,
            opponent=opponent if self.game.players > 1 else None,
            seat=seat,
            sample=sample,
            search_seed=search_seed,
            dtype=dtype,
        )
        self.batch._mask_name = 'info["action_mask"]'
        self.num_envs = self.batch.rows
        self.copy = bool(copy)
        self.render_mode = render_mode_of(render_mode)
        self.mask_in_observation = bool(mask_in_observation)
        codes = self.batch.observation.shape[1] if self.batch.dtype == np.uint8 else None
        spaces = spaces_of(self.game, self.mask_in_observation, codes)
        self.single_observation_space, self.single_action_space = spaces
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._all = np.ones(self.num_envs, np.bool_)
        self._all.flags.writeable = False
        self._spec: EnvSpec | None = None
        self._ended: npt.NDArray[np.bool_] | None = None  # rows that the next step holds

    @property
    def autoreset_mode(self) -> AutoresetMode:
        """SAME_STEP or NEXT_STEP, as in ``metadata``."""
        mode: AutoresetMode = self.metadata["autoreset_mode"]
        return mode

    @property
    def spec(self) -> EnvSpec | None:
        """How Gymnasium opened the environment; None without it."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        rllib = spec is not None and spec.id.startswith("rllib-")
        if rllib and self.autoreset_mode == AutoresetMode.SAME_STEP:
            raise ValueError(
                "autoreset_mode is SAME_STEP, and RLlib would take the first observation of the "
                "next game for the last one of a game; pass autoreset_mode='NextStep'"
            )
        self._spec = spec

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Seeds all rows and starts a game in each.

        Args:
            seed: of all rows, each of which has a generator of its own, or a list of N seeds;
                None draws one, or with a mask goes on with the generators.
            options: ``reset_mask`` [N] is true in the rows to reset; the others stay as they
                are.
        """
        options = options or {}
        if options.keys() - {"reset_mask"}:
            raise ValueError(f"options are {options!r}; want none, or 'reset_mask'")
        mask = options.get("reset_mask")
        if mask is not None:
            mask = np.asarray(mask)
            if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
                raise ValueError(
                    f"reset_mask is {mask!r}; want {self.num_envs} bools, at least one true"
                )
        if isinstance(seed, (list, tuple, np.ndarray)):
            if len(seed) != self.num_envs:
                raise ValueError(f"seed has {len(seed)} numbers; want {self.num_envs}")
            if given := [_seed(s) for s in seed if s is not None]:
                self.np_random = np.random.default_rng(given)
            seeds = [self._draw() if s is None else _seed(s) for s in seed]
            if mask is None:
                self.batch.reset(seeds[0])
        elif mask is None:
            super().reset(seed=None if seed is None else _seed(seed))
            self.batch.reset(self._draw() if seed is None else _seed(seed))
            seeds = None
        else:
            seeds = None if seed is None else [_seed(seed)] * self.num_envs
        if mask is not None or seeds is not None:
            rows = np.flatnonzero(self._all if mask is None else mask)
            self.batch.begin(rows, None if seeds is None else np.array(seeds, np.uint64)[rows])
        self._ended = None if mask is None or self._ended is None else self._ended & ~mask
        rewards = np.zeros((self.num_envs, self.game.players), np.float32)
        return self._observe(rewards)

    def _draw(self) -> int:
        return int(self.np_random.integers(2**63))

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[
        Any,
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Plays an action [N] in every row."""
        b = self.batch
        if self.illegal_action == "random":
            actions = self._legal(np.asarray(actions))
        games_ended = b.step(actions, hold=self._ended)
        ended = self._result(b.ended) if games_ended else None
        self._ended = None
        if games_ended and self.autoreset_mode == AutoresetMode.NEXT_STEP:
            self._ended, ended = b.ended.copy(), None
        obs, info = self._observe(self._result(b.reward), ended)
        return (
            obs,
            self._result(b.acted_reward),
            self._result(b.terminated),
            self._result(b.truncated),
            info,
        )

    def _legal(self, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The actions, with random legal ones in place of illegal ones."""
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            return actions  # an error of the batch
        mask = self.batch.action_mask
        legal = (actions >= 0) & (actions < self.game.num_actions)
        legal[legal] = mask[legal, actions[legal]] != 0
        illegal = np.flatnonzero(~legal)
        if len(illegal):
            draws = self.np_random.random((len(illegal), self.game.num_actions))
            actions = actions.astype(np.int64)
            actions[illegal] = np.where(mask[illegal], draws, -1).argmax(axis=1)
        return actions

    def _observe(
        self, rewards: npt.NDArray[np.float32], ended: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """The observations, those of the last position in rows that the next step holds; and
        the infos, with the rewards [N, P] of the step and the rows where a game ended in it.
        """
        b, held = self.batch, self._ended
        player = b.player.astype(np.int64)
        if held is None:
            obs, mask = self._result(b.observation), self._result(b.action_mask)
        else:
            obs, mask = b.observation.copy(), b.action_mask.copy()
            obs[held], player[held], mask[held] = (
                b.final_observation[held],
                b.final_player[held],
                1,
            )
        info = self._info(player, mask, rewards, self._all)
        if ended is not None:  # only then, as in Gymnasium; TorchRL fails otherwise
            final = np.empty(self.num_envs, dtype=object)  # of None
            rows, none = ended.nonzero()[0], np.zeros(mask.shape, np.int8)
            for i, last in zip(rows.tolist(), b.final_observation[rows], strict=True):
                final[i] = self._observation(last, none[i]) if self.mask_in_observation else last
            info["final_obs"] = final
            seat = b.final_player.astype(np.int64)
            info["final_info"] = self._info(seat, none, rewards, ended)
            info["_final_obs"] = info["_final_info"] = ended
        return self._observation(obs, mask), info

    def _observation(self, obs: npt.NDArray[Any], mask: npt.NDArray[np.int8]) -> Any:
        if not self.mask_in_observation:
            return obs
        return {"action_mask": self._result(mask), "observations": obs}

    def _info(
        self,
        player: npt.NDArray[np.int64],
        mask: npt.NDArray[np.int8],
        rewards: npt.NDArray[np.float32],
        rows: npt.NDArray[np.bool_],
    ) -> dict[str, Any]:
        return {
            "player": player,
            "_player": rows,
            "action_mask": mask,
            "_action_mask": rows,
            "rewards": rewards,
            "_rewards": rows,
        }

    def _result(self, a: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return a.copy() if self.copy else a

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """True where an action is legal [N, A]."""
        mask = self.batch.action_mask.astype(np.bool_)
        if self._ended is not None:
            mask[self._ended] = True
        return mask

    def render(self) -> tuple[Any, ...] | None:
        """The position of each row as text or as pixels [height, width, 3]."""
        if self.render_mode is None:
            return None
        ended = ~self._all if self._ended is None else self._ended
        return tuple(
            picture(self.batch.position(i, final=bool(ended[i])), self.render_mode)
            for i in range(self.num_envs)
        )

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method once for all rows and returns what it gives for each: the rows of a
        result that has N of them, or else the result itself.
        """
        value = getattr(self, name)
        if callable(value):
            value = value(*args, **kwargs)
        if isinstance(value, (tuple, list, np.ndarray)) and len(value) == self.num_envs:
            return tuple(value)
        return (value,) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute, for each row."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute. All rows share it, so a list must hold equal values."""
        if isinstance(values, (list, tuple)):
            if len(values) != self.num_envs or any(v != values[0] for v in values):
                raise ValueError(
                    f"values are {values!r}; want one value, or {self.num_envs} equal ones, "
                    "since the rows of a batch share their attributes"
                )
            values = values[0]
        setattr(self, name, values)

    def close_extras(self, **kwargs: Any) -> None:
        """Releases the batch."""
        if hasattr(self, "batch"):  # else opening it failed, and Gymnasium before 1.3 closes it
            self.batch.close()


def choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; want one of {choices}")
    return value


def _seed(value: Any) -> int:
    return _native.number(value, "seed", 0, 2**64 - 1)


def render_mode_of(mode: str | None) -> str | None:
    if mode not in (None, "ansi", "rgb_array"):
        raise ValueError(f"render_mode is {mode!r}; want None, 'ansi' or 'rgb_array'")
    return mode


def picture(position: Position, mode: str) -> Any:
    return position.render() if mode == "ansi" else _draw.pixels(_draw.scene(position))
