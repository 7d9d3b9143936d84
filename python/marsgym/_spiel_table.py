"""Games of OpenSpiel as tables, and its policies and bots as policies of them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Hashable, Sequence
from hashlib import blake2b
from typing import Any, Final

import pyspiel
from open_spiel.python.observation import make_observation

from marsgym._listing import LIMIT, Listing, Rules
from marsgym.evaluation import StatePolicy
from marsgym.game import CHANCE, TERMINAL, Game
from marsgym.table import listed_game

_CHECKED_MOVES: Final = (1000, 20_000)
"""How many moves of random games are compared with a table: one for each state, within these
bounds. Chosen: at most some tenths of a second."""

_LONG: Final = 64
"""The length of a text above which its digest is kept, which takes less memory. Chosen."""

_MOST_ACTIONS: Final = 1 << 16

_OVER: Final = int(pyspiel.PlayerId.TERMINAL)
"""The player of OpenSpiel at the end of a game."""


class StateKeyError(ValueError):
    """Equal keys stand for different states."""


def table(
    game: str | pyspiel.Game,
    key: Callable[[pyspiel.State], Hashable] | None = None,
    *,
    observe: Callable[[pyspiel.State, int], Sequence[float]] | None = None,
    texts: bool = True,
    limit: int = LIMIT,
    memory: int | None = None,
    progress: bool | None = None,
    cache: str | None = "auto",
) -> Game:
    """Lists a sequential game of perfect information as a :class:`marsgym.Game`, with or without
    chance, for any number of players.

    The table has no history: states with equal keys are one state, however many moves reach them.
    So a limit of moves that the key does not hold, such as ``horizon`` of Pig, is not part of the
    table. Random games then compare the table with the game.

    Args:
        game: of OpenSpiel, or its name, such as "connect_four(rows=4,columns=4)".
        key: what later play depends on. By default it is the seat to move and ``str(state)``; in
            games with rewards before the end also the returns so far. Some texts hold more than
            later play depends on, such as the number of moves: then a key of yours gives a
            smaller table. Others hold less; that is an error, and needs a key.
        observe: what a seat observes; by default ``state.observation_tensor(seat)``, with the
            seat to move where states look alike otherwise.
        texts: whether states are shown as ``str(state)``; not above a million states.
        limit: the largest number of states.
        memory: how many bytes the listing may take; None is 70 % of what is free.
        progress: whether to show a progress bar (tqdm); None shows one on a terminal.
        cache: as in :func:`marsgym.load`.

    Raises:
        ValueError: the game has simultaneous moves, hidden information or sampled chance.
        TooManyStatesError: there are more states than limit, or than memory holds.
        StateKeyError: states with equal keys have other legal actions or successors.
    """
    spiel = pyspiel.load_game(game) if isinstance(game, str) else game
    refuse(spiel)
    rules = _rules(spiel, key, observe, texts)
    about = f"{spiel} of OpenSpiel"
    made, listing = listed_game(rules, limit, memory, progress, cache, about)
    _check(spiel, rules, listing)
    return made


def refuse(spiel: pyspiel.Game) -> None:
    """Raises ValueError for games that are no tables."""
    kind, of = spiel.get_type(), pyspiel.GameType
    why = None
    if kind.dynamics != of.Dynamics.SEQUENTIAL:
        why = f"its moves are {kind.dynamics.name.lower()}; want a sequential game"
    elif kind.information != of.Information.PERFECT_INFORMATION:
        why = f"it is a game of {kind.information.name.lower()}; want perfect information"
    elif kind.chance_mode == of.ChanceMode.SAMPLED_STOCHASTIC:
        why = "its chance is sampled; want a game that lists the outcomes of chance"
    elif spiel.num_distinct_actions() > _MOST_ACTIONS:
        why = f"it has {spiel.num_distinct_actions():,} actions; want at most {_MOST_ACTIONS:,}"
    if why is not None:
        raise ValueError(f"{spiel} cannot be listed: {why}")


def _rules(
    spiel: pyspiel.Game,
    key: Callable[[pyspiel.State], Hashable] | None,
    observe: Callable[[pyspiel.State, int], Sequence[float]] | None,
    texts: bool,
) -> Rules:
    kind, state = spiel.get_type(), pyspiel.State
    rewarded = kind.reward_model == pyspiel.GameType.RewardModel.REWARDS
    remedy = "try a smaller game"
    if key is None:
        start = str(spiel.new_initial_state())
        remedy = (
            "try a smaller game or, if the text of a state holds more than later play depends "
            f"on, pass key, a function of the state. The first text is {start!r}"
        )
    if observe is None and kind.provides_observation_tensor:
        observe = _observer(spiel)
    return Rules(
        name=re.sub(r"[^a-z0-9_]+", "-", str(spiel).lower()).strip("-")[:64],
        players=spiel.num_players(),
        initial=spiel.new_initial_state(),
        current_player=_current_player,
        legal_actions=state.legal_actions,
        child=state.child,
        chance_outcomes=state.chance_outcomes,
        returns=state.returns,
        key=key or (_key_with_returns if rewarded else _key),
        observe=observe,
        observe_parameter="observe",
        text=str if texts else None,
        action_text=state.action_to_string if texts else None,
        num_actions=spiel.num_distinct_actions(),
        remedy=remedy,
    )


def _current_player(state: pyspiel.State) -> int:
    who: int = state.current_player()
    return TERMINAL if who == _OVER else who


def _observer(spiel: pyspiel.Game) -> Callable[[pyspiel.State, int], Any]:
    """What observation_tensor returns, in an array that the next call overwrites."""
    observation = make_observation(spiel)
    set_from, tensor = observation.set_from, observation.tensor

    def observe(state: pyspiel.State, seat: int) -> Any:
        set_from(state, seat)
        return tensor

    return observe


def _key(state: pyspiel.State) -> str | bytes:
    text = f"{state.current_player()} {state!s}"
    return text if len(text) <= _LONG else _digest(text)


def _key_with_returns(state: pyspiel.State) -> str | bytes:
    return _digest(f"{state.current_player()} {state.returns()} {state}")


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def _check(spiel: pyspiel.Game, rules: Rules, listing: Listing) -> None:
    """Raises StateKeyError if random games do not follow the table."""
    t, rng, moves = listing.table, random.Random(0), 0
    least, most = _CHECKED_MOVES
    while moves < min(max(least, len(t)), most):
        state = rules.initial
        n, begun = 0, moves
        while True:
            who, start, count = int(t.player[n]), int(t.first[n]), int(t.count[n])
            here = rules.current_player(state)
            if here == TERMINAL != who and len(state.history()) >= spiel.max_game_length():
                break  # by a limit of moves, which the key does not hold
            if here != who:
                raise _differs(rules, state, f"player {here} is to move instead of {who}")
            moves += 1
            if who >= 0:
                legal = state.legal_actions()
                actions = t.action[start : start + count].tolist()
                if legal != actions:
                    raise _differs(rules, state, f"legal actions are {legal} instead of {actions}")
                i = rng.randrange(len(legal))
                state, want = state.child(legal[i]), {int(t.next[start + i])}
            elif who == CHANCE:
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state = state.child(rng.choices(outcomes, weights)[0])
                want = set(t.outcome[start : start + count].tolist())
            else:
                returns = t.returns[start].tolist()
                if list(state.returns()) != returns:
                    raise _differs(rules, state, f"returns are {state.returns()}, not {returns}")
                break
            n = listing.numbers.get(rules.key(state), -1)
            if n not in want:
                raise _differs(rules, state, "the last move leads to another state")
        if moves - begun <= 1:
            return  # a game without moves


def _differs(rules: Rules, state: pyspiel.State, what: str) -> StateKeyError:
    return StateKeyError(
        f"{rules.name}: states with the same key differ: after {state.history_str()} {what}, "
        f"where the text is {str(state)!r}. Pass key, a function of the state that holds all that "
        "later play depends on, such as lambda state: (str(state), state.move_number())"
    )


def policy(given: Any) -> StatePolicy:
    """A policy or bot of OpenSpiel, or a function, as a policy for games that were listed from
    OpenSpiel in this process. It is asked once for each state, with the history by which the
    listing reached the state first.

    Args:
        given: a policy of OpenSpiel in Python or C++; a bot, or a list of one for each seat; or a
            function of a ``pyspiel.State`` that returns an action, or the probabilities of actions
            as a dict or as pairs. A bot without a policy plays the action of its ``step`` with
            probability 1.
    """
    if isinstance(given, (list, tuple)):
        bots = [policy(bot).function for bot in given]
        return StatePolicy(lambda state: bots[state.current_player()](state), _name(given[0]))
    if hasattr(given, "action_probabilities"):
        return StatePolicy(given.action_probabilities, _name(given))
    if hasattr(given, "step"):
        if hasattr(given, "provides_policy") and given.provides_policy():
            return StatePolicy(given.get_policy, _name(given))
        return StatePolicy(given.step, _name(given))
    if not callable(given):
        raise TypeError(f"{given!r} is no policy, bot or function of a pyspiel.State")
    return StatePolicy(given, _name(given))


def _name(given: Any) -> str:
    return str(getattr(given, "__name__", type(given).__name__))
