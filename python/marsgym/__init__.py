"""Reinforcement-learning environments of three Martian games, with exact evaluation.

    import marsgym

    game = marsgym.load("martian-dice")
    game.evaluate(policy)  # any function of observations and masks to probabilities

``marsgym.openspiel.table`` opens any small game of OpenSpiel of perfect information as such a
game, ``from_rules`` a game of your own from a few functions, and ``from_arrays`` one from arrays.

``marsgym.make_vec`` steps thousands of games at once; if gymnasium is installed,
``gymnasium.make("marsgym/MartianDice-v1")`` plays one. The other doors are the modules
``marsgym.pettingzoo``, ``marsgym.sb3``, ``marsgym.openspiel`` and ``marsgym.torch``.
"""

from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from marsgym._native import (
    IllegalActionError,
    ModelNotFoundError,
    NativeError,
    NoSolutionError,
)
from marsgym.batch import Batch
from marsgym.evaluation import Evaluation, Match, Scores, StatePolicy, TabularPolicy
from marsgym.game import CHANCE, TERMINAL, Game, Position, Solution, games, load
from marsgym.measure import Answer, Measurement
from marsgym.model import Model, load_model, save_model
from marsgym.table import TooManyStatesError, from_arrays, from_rules

if _TYPE_CHECKING:
    from typing import Unpack

    from marsgym.gymnasium import VectorEnv, VectorOptions

__version__ = "0.2.0.dev0"

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Answer",
    "Batch",
    "Evaluation",
    "Game",
    "IllegalActionError",
    "Match",
    "Measurement",
    "Model",
    "ModelNotFoundError",
    "NativeError",
    "NoSolutionError",
    "Position",
    "Scores",
    "Solution",
    "StatePolicy",
    "TabularPolicy",
    "TooManyStatesError",
    "from_arrays",
    "from_rules",
    "games",
    "load",
    "load_model",
    "make_vec",
    "save_model",
]


def make_vec(game: str | Game, num_envs: int, **options: "Unpack[VectorOptions]") -> "VectorEnv":
    """Opens many games in lockstep as a ``gymnasium.vector.VectorEnv``, with the options of
    :class:`marsgym.gymnasium.VectorEnv`. The game is a :class:`Game`, or an id as in
    :func:`load` or in Gymnasium.
    """
    from marsgym.gymnasium import make_vec

    return make_vec(game, num_envs, **options)


def __getattr__(name: str) -> _Any:
    if name == "gymnasium":  # imported at its first use, since it needs a recent release
        return _import_module("marsgym.gymnasium")
    raise AttributeError(f"module 'marsgym' has no attribute {name!r}")


if _find_spec("gymnasium") is not None:
    from marsgym._registry import register as _register

    _register()
