"""PyTorch: a network of the shape that model files hold."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch

from marsgym.evaluation import Probabilities, Scores
from marsgym.game import Game
from marsgym.model import Model


class MLP(torch.nn.Module):
    """A multilayer perceptron with ReLU and two heads. :func:`marsgym.save_model` writes its
    ``state_dict()``.
    """

    def __init__(
        self,
        game: Game,
        hidden: Sequence[int] = (128, 128),
        head: Literal["logits", "score"] = "logits",
    ) -> None:
        """Creates a network with PyTorch's default weights.

        Args:
            game: that it plays.
            hidden: widths of the layers.
            head: "logits" has one output for each action of a decision, "score" one for an
                afterstate.
        """
        super().__init__()
        if head not in ("logits", "score"):
            raise ValueError(f"head is {head!r}; want 'logits' or 'score'")
        self.head = head
        widths = [game.observation_size, *hidden]
        self.body = torch.nn.ModuleList(
            torch.nn.Linear(a, b) for a, b in itertools.pairwise(widths)
        )
        name, outputs = ("policy", game.num_actions) if head == "logits" else ("score", 1)
        self.add_module(name, torch.nn.Linear(widths[-1], outputs))
        self.value = torch.nn.Linear(widths[-1], game.players)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits [n, A] or scores [n], and values [n, P], for observations [n, D]."""
        x = observations
        for layer in self.body:
            x = torch.relu(layer(x))
        if self.head == "score":
            return self.get_submodule("score")(x)[:, 0], self.value(x)
        return self.get_submodule("policy")(x), self.value(x)

    def policy_function(self, greedy: bool = True) -> Scores | Probabilities:
        """The network as a policy for :meth:`marsgym.Game.evaluate`: its best action, or with
        greedy False its distribution.
        """

        def outputs(observations: npt.NDArray[np.float32]) -> torch.Tensor:
            device = self.value.weight.device
            with torch.no_grad():
                return self(torch.tensor(observations, device=device))[0]

        def probabilities(
            observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]
        ) -> npt.NDArray[np.float32]:
            legal = torch.tensor(masks, device=self.value.weight.device) != 0
            logits = outputs(observations).masked_fill(~legal, -torch.inf)
            if greedy:
                best = logits.argmax(dim=1)
                return torch.nn.functional.one_hot(best, masks.shape[1]).float().cpu().numpy()
            return logits.softmax(dim=1).cpu().numpy()

        if self.head == "score":
            return Scores(lambda observations: outputs(observations).cpu().numpy(), greedy)
        return probabilities


def from_model(model: Model) -> MLP:
    """The network of a model file."""
    hidden = [len(model.tensors[f"body.{i}.bias"]) for i in range(model.layers())]
    net = MLP(model.game(), hidden, model.head)
    net.load_state_dict({k: torch.tensor(v) for k, v in model.tensors.items()})
    return net
