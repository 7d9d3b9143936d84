"""Networks in model files."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from marsgym import _native
from marsgym.evaluation import Probabilities, Scores
from marsgym.game import Game

_TIE: Final = 1e-12  # game.Tie: logits this close are equal, and the lowest action wins


@dataclass(frozen=True)
class Model:
    """A multilayer perceptron with ReLU, as model files hold it."""

    game_id: str
    config: dict[str, Any]
    """Of the game."""
    players: int
    head: Literal["logits", "score"]
    """Whether the policy head has a logit for each action of a decision, or one score for an
    afterstate."""
    values: Literal["", "shares"]
    """What the value head means: expected returns by seat from the mover's on, or logits of
    the shares of the win."""
    tensors: dict[str, npt.NDArray[np.float32]]
    """body.I.weight [out, in], body.I.bias [out], then the same of policy or score, and of
    value."""
    info: dict[str, Any]
    """Algorithm, value_target, play, seed, steps, games, iterations, exact and matches; see
    :func:`save_model`. What is not known has the default that it has there."""
    table: str | None = None
    """The file of the table, if the game is one."""

    def __repr__(self) -> str:
        shape = f"{self.layers()} layers, {sum(t.size for t in self.tensors.values()):,} weights"
        return f"<marsgym.Model of {self.game_id} for {self.players}, {self.head}, {shape}>"

    def layers(self) -> int:
        """The number of hidden layers."""
        return sum(name.startswith("body.") and name.endswith(".bias") for name in self.tensors)

    def game(self) -> Game:
        """Opens the game that the model plays."""
        return Game(self.table or self.game_id, config=self.config)

    def forward(self, observations: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The outputs of the policy head [n, A], or [n, 1] for scores, and of the value head
        [n, P], for observations [n, D], in their precision: float32 or float64.
        """
        x, i, t = observations, 0, self.tensors
        while f"body.{i}.weight" in t:
            x = np.maximum(x @ t[f"body.{i}.weight"].T + t[f"body.{i}.bias"], np.float32(0))
            i += 1
        policy = "score" if self.head == "score" else "policy"
        return (
            x @ t[policy + ".weight"].T + t[policy + ".bias"],
            x @ t["value.weight"].T + t["value.bias"],
        )

    def probabilities(
        self,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        greedy: bool = True,
    ) -> npt.NDArray[np.float64]:
        """The policy of a model with logits: its best action, ties to the lowest one, or with
        greedy False the softmax of the logits of the legal actions, computed in float64.
        """
        if self.head != "logits":
            raise ValueError("the model scores afterstates; use scores()")
        inputs = observations if greedy else observations.astype(np.float64)
        logits = np.where(masks != 0, self.forward(inputs)[0], -np.inf)
        highest = logits.max(axis=1, keepdims=True)
        if not greedy:
            terms = np.exp(logits - highest)
            return np.asarray(terms / terms.sum(axis=1, keepdims=True))
        best = (logits >= highest - _TIE).argmax(axis=1)
        probs = np.zeros(logits.shape)
        probs[np.arange(len(best)), best] = 1
        return probs

    def policy(self, greedy: bool = True) -> Scores | Probabilities:
        """The policy of the model: its best action, or with greedy False its distribution, by
        whichever head it has.
        """
        if self.head == "score":
            return self.scores(greedy)
        return functools.partial(self.probabilities, greedy=greedy)

    def scores(self, greedy: bool = True) -> Scores:
        """The policy of a model that scores afterstates: the best one or, with greedy False, the
        softmax of their scores, computed in float64.
        """
        if self.head != "score":
            raise ValueError("the model has logits; use probabilities")

        def score(observations: npt.NDArray[np.float32]) -> npt.NDArray[Any]:
            inputs = observations if greedy else observations.astype(np.float64)
            return self.forward(inputs)[0][:, 0]

        return Scores(score, greedy)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file."""
        save_model(path, self.game(), self.tensors, values=self.values, **self.info)


def load_model(path: str | os.PathLike[str]) -> Model:
    """Reads a model file, or the model of a run folder."""
    object = _native.Object("load_model", _native.text(path, "path"))
    info = json.loads(object.text)
    shapes = [t["shape"] for t in info["tensors"]]
    data = np.zeros(sum(int(np.prod(s)) for s in shapes), np.float32)
    object.call("weights", _native.address(data), data.size)
    tensors, at = {}, 0
    for t in info["tensors"]:
        size = int(np.prod(t["shape"]))
        tensors[t["name"]] = data[at : at + size].reshape(t["shape"])
        at += size
    net = info["net"]
    known: dict[str, Any] = {"algorithm": "", "value_target": "", "play": ""}
    known |= {"seed": 0, "steps": 0, "games": 0, "iterations": 0}
    known |= {"exact": None, "matches": None}
    return Model(
        info["game"],
        info["config"],
        net["players"],
        net["head"],
        net.get("values", ""),
        tensors,
        {k: info.get(k, default) for k, default in known.items()},
        os.path.abspath(info["table"]) if "table" in info else None,
    )


def save_model(
    path: str | os.PathLike[str],
    game: Game,
    tensors: Mapping[str, Any],
    *,
    values: Literal["", "shares"] = "",
    algorithm: str = "",
    value_target: Literal["", "decision", "afterstate", "turn_start"] = "",
    play: str = "",
    seed: int = 0,
    steps: int = 0,
    games: int = 0,
    iterations: int = 0,
    exact: Mapping[str, float] | None = None,
    matches: Mapping[str, Mapping[str, float]] | None = None,
) -> None:
    """Writes a model file that ``cmd/eval`` and ``cmd/play`` take as an agent.

    Args:
        path: of the file, which is replaced.
        game: that the network plays.
        tensors: as in :class:`Model`; the ``state_dict()`` of a :class:`marsgym.torch.MLP`,
            for example. Other real numbers that NumPy has are rounded to float32.
        values: what the value head means; see :class:`Model`.
        algorithm: that trained it.
        value_target: the states whose values it was trained on, which searches need to know.
        play: how a released network plays, such as "search:800"; "" is by its policy head.
        seed, steps, games, iterations: of the training.
        exact: win_first, win_second and exploitability, if they are known.
        matches: by opponent, the win, low and high of the share of the games that it won, and the
            number of games, if they are known.
    """
    if not isinstance(tensors, Mapping):
        raise TypeError(f"tensors are a {type(tensors).__name__}; want a dict, by name")
    arrays = {name: _array(name, t) for name, t in tensors.items()}
    head = "score" if "score.weight" in arrays else "logits"
    layers, inputs = 0, game.observation_size
    hidden: list[int] = []
    order: list[tuple[str, tuple[int, ...]]] = []
    while f"body.{layers}.weight" in arrays:
        width = arrays[f"body.{layers}.weight"].shape[0]
        order += [(f"body.{layers}.weight", (width, inputs)), (f"body.{layers}.bias", (width,))]
        hidden.append(width)
        layers, inputs = layers + 1, width
    outputs = [("score", 1)] if head == "score" else [("policy", game.num_actions)]
    for name, width in [*outputs, ("value", game.players)]:
        order += [(name + ".weight", (width, inputs)), (name + ".bias", (width,))]
    names = [name for name, _ in order]
    if set(names) != set(arrays):
        raise ValueError(f"the tensors are {sorted(arrays)}; want {names}")
    for name, shape in order:
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has shape {arrays[name].shape}; want {shape}")
    data = np.concatenate([arrays[name].ravel() for name in names])
    info = {
        "net": {"hidden": hidden, "head": head, "values": values},
        "algorithm": algorithm,
        "value_target": value_target,
        "play": play,
        "seed": _native.number(seed, "seed", 0, 2**64 - 1),
        "steps": _native.number(steps, "steps", 0, 2**62),
        "games": _native.number(games, "games", 0, 2**62),
        "iterations": _native.number(iterations, "iterations", 0, 2**62),
        "exact": None if exact is None else dict(exact),
        "matches": None if matches is None else {k: dict(v) for k, v in matches.items()},
    }
    game._native().call(
        "save_model",
        _native.text(path, "path"),
        json.dumps(info).encode(),
        _native.address(data),
        data.size,
    )


def _array(name: str, tensor: Any) -> npt.NDArray[np.float32]:
    """The numbers of a tensor of NumPy or PyTorch."""
    remedy = ".astype('float32')"
    if hasattr(tensor, "detach"):
        tensor, remedy = tensor.detach().cpu(), ".float()"
        try:
            tensor = tensor.numpy()
        except (TypeError, RuntimeError):  # NumPy has no such type
            raise TypeError(f"{name} is {tensor.dtype}; want float32, as by {remedy}") from None
    array = np.asarray(tensor)
    if array.dtype.kind == "c":
        raise TypeError(f"{name} is {array.dtype}; want real numbers, such as its .real")
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} is {array.dtype}; want float32, as by {remedy}")
    with np.errstate(over="ignore"):
        rounded = np.ascontiguousarray(array, np.float32)
    for index in np.argwhere(~np.isfinite(rounded))[:1]:
        at = tuple(map(int, index))
        raise ValueError(f"{name}{list(at)} is {rounded[at]} as float32; want finite numbers")
    return rounded
