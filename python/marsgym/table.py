"""Games of your own, from a few functions or from arrays: any game whose states can be listed."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from marsgym import _native
from marsgym._listing import LIMIT, Listing, Rules, list_states
from marsgym._listing import TooManyStatesError as TooManyStatesError
from marsgym._table import Table
from marsgym.game import Game

_S = TypeVar("_S", bound=Hashable)

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def from_rules(
    *,
    name: str,
    players: int,
    initial_state: _S,
    current_player: Callable[[_S], int],
    legal_actions: Callable[[_S], Iterable[int]],
    apply_action: Callable[[_S, Any], _S],
    returns: Callable[[_S], Sequence[float]],
    chance_outcomes: Callable[[_S], Iterable[tuple[Any, float]]] | None = None,
    observation_tensor: Callable[[_S, int], Sequence[float]] | None = None,
    text: Callable[[_S], str] | None = None,
    action_text: Callable[[int], str] | None = None,
    num_actions: int | None = None,
    limit: int = LIMIT,
    memory: int | None = None,
    progress: bool | None = None,
    cache: str | None = "auto",
) -> Game:
    """Lists a game of perfect information, which functions describe in the words of OpenSpiel.

    The functions are pure. A state is any hashable value, and holds everything that later play
    depends on: equal states are one.

    Args:
        name: of the game: lower-case letters, digits, "-" and "_".
        players: P.
        initial_state: at the start of a game.
        current_player: the seat to move, 0 to P-1, CHANCE or TERMINAL.
        legal_actions: where a seat is to move: at least one, from 0 to 65,535.
        apply_action: the state after an action, or after an outcome of chance.
        returns: at the end, the return of each seat [P].
        chance_outcomes: where chance moves, its outcomes and their probabilities. An outcome is
            whatever apply_action takes.
        observation_tensor: what a seat observes, [D] numbers, in any state. Where seats are to
            move, equal observations should mean equal legal actions and values; where they do not,
            the seat to move is added. None shows the number of the state.
        text: of a state, for people; None has numbers.
        action_text: of an action; None has numbers.
        num_actions: A; None is one more than the highest action.
        limit: the largest number of states.
        memory: how many bytes the listing may take; None is 70 % of what is free.
        progress: whether to show a progress bar (tqdm); None shows one on a terminal.
        cache: as in :func:`marsgym.load`.

    Raises:
        TooManyStatesError: there are more states than limit, or than memory holds.
        ValueError: the functions do not describe a game; the error names the state.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"name is {name!r}; want 1 to 64 of a-z, 0-9, - and _, not first - or _")

    def no_chance(state: _S) -> Iterable[tuple[Any, float]]:
        raise ValueError(f"current_player({state!r}) is CHANCE; pass chance_outcomes")

    rules = Rules(
        name=name,
        players=_native.number(players, "players", 1, 127),
        initial=initial_state,
        current_player=current_player,
        legal_actions=lambda state: sorted(legal_actions(state)),
        child=apply_action,
        chance_outcomes=chance_outcomes or no_chance,
        returns=returns,
        key=lambda state: state,
        observe=observation_tensor,
        observe_parameter="observation_tensor",
        text=text,
        action_text=None if action_text is None else lambda state, action: action_text(action),
        num_actions=num_actions,
        remedy="make the game smaller, or leave out of a state what later play does not depend on",
    )
    return listed_game(rules, limit, memory, progress, cache)[0]


def listed_game(
    rules: Rules,
    limit: int,
    memory: int | None,
    progress: bool | None,
    cache: str | None,
    about: str = "",
) -> tuple[Game, Listing]:
    """The game of a listing."""
    listing = list_states(rules, limit, memory, progress)
    table = listing.table.replace(about=about)
    try:
        game = Game(table, cache=cache)
    except ValueError as e:
        found = re.search(r"state (\d+)", str(e))
        if found is None:
            raise
        key = next(k for k, n in listing.numbers.items() if n == int(found[1]))
        raise ValueError(f"{e}. State {found[1]} is {key!r}") from None
    game._rules = rules
    return game, Listing(table, listing.numbers)


def from_arrays(
    *,
    name: str,
    players: int,
    player: npt.ArrayLike,
    first: npt.ArrayLike,
    count: npt.ArrayLike,
    action: npt.ArrayLike,
    next: npt.ArrayLike,
    returns: npt.ArrayLike,
    outcome: npt.ArrayLike = (),
    probability: npt.ArrayLike = (),
    observation: npt.ArrayLike | None = None,
    state_texts: Sequence[str] | None = None,
    action_texts: Sequence[str] | None = None,
    num_actions: int | None = None,
    about: str = "",
    move_limit: int = 0,
    cache: str | None = "auto",
) -> Game:
    """Opens a game whose S states are in arrays, as a program in C++ or JAX can write them. State
    0 is the initial one.

    Args:
        name: of the game: lower-case letters, digits, "-" and "_".
        players: P.
        player: [S] the seat to move, CHANCE or TERMINAL.
        first: [S] where a seat is to move, the index of its first action in action and next;
            where chance moves, that of its first outcome in outcome and probability; at the end,
            the row of returns, which states may share.
        count: [S] the number of actions or outcomes; 0 at the end.
        action: [A] the legal actions, ascending in each state.
        next: [A] the state after each of them.
        returns: [R, P] the returns of each seat.
        outcome: [O] the states after chance, each once in a chance state.
        probability: [O] their probabilities.
        observation: [S, P, D], or [S, 1, D] where all seats see the same, uint8 or float32; None
            shows the number of the state.
        state_texts: [S], for people.
        action_texts: by the number of the action.
        num_actions: None is one more than the highest action.
        about: a line about the game.
        move_limit: the number of decisions after which a batch truncates a game; 0 is none, or
            10,000 where a state can come up twice in a game.
        cache: as in :func:`marsgym.load`.

    Raises:
        ValueError: the arrays do not describe a game; the error names the state.
    """
    actions = _integers("action", action, np.uint16, 1)
    seen = None
    if observation is not None:
        given = np.asarray(observation)
        seen = _owned(given, np.uint8 if given.dtype == np.uint8 else np.float32)
        if seen.ndim != 3 or seen.shape[1] not in (1, players):
            raise ValueError(
                f"observation has shape {seen.shape}; want [S, {players}, D] or [S, 1, D]"
            )
    table = Table(
        name=name,
        players=players,
        num_actions=int(actions.max(initial=0)) + 1 if num_actions is None else num_actions,
        player=_integers("player", player, np.int8, 1),
        first=_integers("first", first, np.uint32, 1),
        count=_integers("count", count, np.uint16, 1),
        action=actions,
        next=_integers("next", next, np.uint32, 1),
        outcome=_integers("outcome", outcome, np.uint32, 1),
        probability=_owned(probability, np.float64),
        returns=_owned(returns, np.float64),
        observation=seen,
        state_texts=None if state_texts is None else list(state_texts),
        action_texts=None if action_texts is None else list(action_texts),
        about=about,
        move_limit=move_limit,
    )
    return Game(table, cache=cache)


def _integers(name: str, values: npt.ArrayLike, dtype: Any, dimensions: int) -> npt.NDArray[Any]:
    """Integers as an array of a type that holds them all."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, dtype)
    if array.dtype.kind not in "iu" or array.ndim != dimensions:
        raise ValueError(
            f"{name} is an array of {array.dtype} with {array.ndim} dimensions; want "
            f"{dimensions}, of integers"
        )
    limits = np.iinfo(dtype)
    if array.min() < limits.min or array.max() > limits.max:
        raise ValueError(
            f"{name} has numbers from {array.min()} to {array.max()}; want {limits.min} to "
            f"{limits.max}"
        )
    return _owned(array, dtype)


def _owned(values: npt.ArrayLike, dtype: Any) -> npt.NDArray[Any]:
    """A copy that nobody can change, since a game never changes."""
    array = np.array(values, dtype, order="C")
    array.setflags(write=False)
    return array
