"""Stable-Baselines3: a VecEnv over one batch, with action masks for MaskablePPO, and trained
models as policies.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import gymnasium
import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.vec_env import VecEnv as BaseVecEnv

from marsgym.batch import Owner
from marsgym.evaluation import Probabilities
from marsgym.game import Game
from marsgym.gymnasium import VectorEnv, VectorOptions

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

_Floats: TypeAlias = npt.NDArray[np.float32]


class VecEnv(Owner, BaseVecEnv):
    """N games, in each of which the agent has one seat and opponents the others.

    All rows are one :class:`marsgym.Batch`. MaskablePPO of sb3-contrib finds the masks by
    :meth:`action_masks`.

    Observations are [N, D] float32, rewards [N] float32: the return of the agent's seat at the
    end of a game.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        seed: int | None = None,
        **options: Unpack[VectorOptions],
    ) -> None:
        """Opens the games.

        Args:
            game, num_envs: as in :class:`marsgym.gymnasium.VectorEnv`, with its options.
            seed: of the first reset; None draws one.
        """
        self.vector = VectorEnv(game, num_envs, **options)
        if options.get("opponent", "") is None and self.vector.game.players > 1:
            raise ValueError("opponent is None; want agents for the other seats")
        if self.vector.autoreset_mode != gymnasium.vector.AutoresetMode.SAME_STEP:
            raise ValueError("autoreset_mode is not SAME_STEP, which Stable-Baselines3 needs")
        if not self.vector.copy:
            raise ValueError("copy is False; Stable-Baselines3 needs copies, which it stores later")
        self.render_mode = self.vector.render_mode
        super().__init__(
            num_envs, self.vector.single_observation_space, self.vector.single_action_space
        )
        self.seed(seed)
        self._actions: npt.NDArray[Any] = np.zeros(num_envs, np.int64)

    @property
    def game(self) -> Game:  # type: ignore[override]
        """The game."""
        return self.vector.game

    def reset(self) -> npt.NDArray[np.float32]:
        """Starts a game in every row."""
        seed = self._seeds[0]
        self._reset_seeds()
        self._reset_options()
        return self.vector.reset(seed=seed)[0]

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Takes the actions [N] of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[_Floats, _Floats, npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Plays the step."""
        obs, rewards, terminated, truncated, info = self.vector.step(self._actions)
        infos: list[dict[str, Any]] = [
            {"TimeLimit.truncated": ended} for ended in truncated.tolist()
        ]
        dones = terminated | truncated
        for i in np.flatnonzero(dones):
            infos[i]["terminal_observation"] = info["final_obs"][i]
        return obs, rewards.astype(np.float32), dones, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """True where an action is legal [N, A]."""
        return self.vector.batch.action_mask.astype(np.bool_)

    def close(self) -> None:
        """Releases the games."""
        self.vector.close()

    def has_attr(self, attr_name: str) -> bool:
        """Whether rows have an attribute."""
        return attr_name == "action_masks" or hasattr(self.vector, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of some rows, which all have the same."""
        return [getattr(self.vector, attr_name)] * len(self._rows(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raises an error: rows share their attributes."""
        raise NotImplementedError("the rows of a batch share their attributes")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """The rows of a method of this class or of the vector environment."""
        owner = self if method_name == "action_masks" else self.vector
        result = getattr(owner, method_name)(*method_args, **method_kwargs)
        return [result[i] for i in self._rows(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Any = None
    ) -> list[bool]:
        """Rows have no wrappers."""
        return [False] * len(self._rows(indices))

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """The rows as pixels, with the render mode "rgb_array"."""
        images = self.vector.render() if self.render_mode == "rgb_array" else None
        return [None] * self.num_envs if images is None else list(images)

    def _rows(self, indices: int | Iterable[int] | None) -> list[int]:
        return list(self._get_indices(indices))


def policy(model: BaseAlgorithm, *, deterministic: bool = True) -> Probabilities:
    """A model of PPO, A2C, TRPO, MaskablePPO, DQN or QR-DQN as a policy, for
    :meth:`marsgym.Game.evaluate` and as an opponent. It chooses legal actions only, also if the
    model knows no masks. Observations are normalised as in the model's VecNormalize.

    Args:
        model: the model. One that was trained with VecNormalize and loaded needs that
            environment: see its ``set_env``.
        deterministic: whether the best legal action is chosen, the lowest of equal ones. Else
            the probabilities of the model are set to 0 where an action is illegal, and divided
            by their sum.
    """
    net: Any = model.policy  # whose kinds share few methods
    name = type(model).__name__
    categorical = hasattr(net, "get_distribution")
    if categorical and "lstm_states" in inspect.signature(net.get_distribution).parameters:
        raise TypeError(f"{name} depends on earlier observations; want a model without memory")
    values = next((x for x in ("q_net", "quantile_net") if hasattr(net, x)), "")
    if not isinstance(model.action_space, gymnasium.spaces.Discrete) or not (categorical or values):
        raise TypeError(f"{name} has neither probabilities nor values of actions")
    if not (categorical or deterministic):
        raise ValueError(f"{name} has values of actions; want deterministic=True")

    def outputs(observations: _Floats, masks: npt.NDArray[np.int8]) -> torch.Tensor:
        seen: Any = np.array(observations)
        if isinstance(model.observation_space, gymnasium.spaces.Dict):
            seen = {"action_mask": np.array(masks), "observations": seen}
        normalised = model.get_vec_normalize_env()
        tensors, _ = net.obs_to_tensor(
            seen if normalised is None else normalised.normalize_obs(seen)
        )
        if categorical:
            return net.get_distribution(tensors).distribution.logits
        found = getattr(net, values)(tensors)
        return found if values == "q_net" else found.mean(dim=1)

    def probabilities(
        observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.float64]:
        net.set_training_mode(False)
        with torch.no_grad():
            found = outputs(observations, masks).double().cpu().numpy()
        found = np.where(masks != 0, found, -np.inf)
        if deterministic:
            return np.eye(masks.shape[1])[found.argmax(axis=1)]
        probs = np.exp(found - found.max(axis=1, keepdims=True))
        return probs / probs.sum(axis=1, keepdims=True)

    return probabilities
