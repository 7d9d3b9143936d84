"""Lists the states of a game, breadth first, as the arrays of a table game."""

from __future__ import annotations

import math
import os
import random
import warnings
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marsgym import _native
from marsgym._job import Bar
from marsgym._table import CHANCE, TERMINAL, Table

LIMIT: Final = 20_000_000
"""The default limit of states. Chosen: such a game takes some 8 GB while it is listed."""

_BLOCK: Final = 4096
"""How many states are listed between two looks at the limits. Chosen."""

_FREE_SHARE: Final = 0.7
"""The share of the free memory that a listing may take. Chosen: the library copies the arrays."""

_TEXTS: Final = 1_000_000
"""The number of states above which texts are dropped. Chosen: a board takes some 100 bytes."""

_DEPTHS: Final = (12, 24, 48, 96)
"""The numbers of moves after which random games are compared. Chosen."""

_TRIAL: Final = 128
"""The number of random games after which it is known how long games last. Chosen."""

_DOUBT: Final = 10.0
"""Minus the logarithm of the probability that a game within the limit is refused early."""


_MOST: Final = 65_535
"""The largest number of an action, and of the actions or outcomes of a state: 16 bits."""

_SUM: Final = 1e-4
"""How far the probabilities of a policy may be from 1, as for policies of observations."""


class TooManyStatesError(ValueError):
    """A game has more states than a table may have, or than fit in memory."""


@dataclass
class Rules:
    """The functions of a game that a listing calls. They are pure."""

    name: str
    players: int
    initial: Any
    current_player: Callable[[Any], int]
    """The seat to move, CHANCE or TERMINAL."""
    legal_actions: Callable[[Any], Sequence[int]]
    """In ascending order."""
    child: Callable[[Any, Any], Any]
    """The state after an action, or after an outcome of chance."""
    chance_outcomes: Callable[[Any], Iterable[tuple[Any, float]]]
    returns: Callable[[Any], Sequence[float]]
    key: Callable[[Any], Hashable]
    """States with equal keys are one state of the table."""
    observe: Callable[[Any, int], Sequence[float]] | None
    """What a seat observes [D]."""
    observe_parameter: str
    """What the user calls observe."""
    text: Callable[[Any], str] | None
    action_text: Callable[[Any, int], str] | None
    """Of a legal action in a state; states of one seat give the same."""
    num_actions: int | None
    """A; None is one more than the highest action."""
    remedy: str
    """What the user can do if there are too many states."""


@dataclass
class Listing:
    """A table, and the number of each state by its key."""

    table: Table
    numbers: dict[Hashable, int]


def list_states(rules: Rules, limit: int, memory: int | None, progress: bool | None) -> Listing:
    """Lists the states that can be reached from the initial one. State n is the n-th that was
    reached, with the fewest moves first.

    Args:
        rules: of the game.
        limit: the largest number of states.
        memory: how many bytes the listing may take; None is a share of what is free.
        progress: whether to show a progress bar (tqdm); None shows one on a terminal.

    Raises:
        TooManyStatesError: the states exceed a limit.
    """
    limit = _native.number(limit, "limit", 1, 2**32 - 1)
    bar = Bar(progress, f"listing {rules.name}")
    try:
        _refuse_early(rules, limit)
        return _list(rules, _Limits(rules, limit, memory), bar)
    finally:
        bar.close()


class _Limits:
    """Raises TooManyStatesError where a listing exceeds a limit."""

    def __init__(self, rules: Rules, states: int, memory: int | None) -> None:
        self.rules, self.states = rules, states
        self.memory = _FREE_SHARE * _native.free_memory() if memory is None else float(memory)
        self.before = _resident()

    def check(self, listed: int, reached: int) -> None:
        if reached > self.states:
            raise _refusal(self.rules, f"more than {self.states:,} states")
        used = _resident() - self.before
        if used > self.memory:
            raise _refusal(
                self.rules,
                f"too many states for the memory: {reached:,} took {used / 1e9:.1f} GB, and "
                f"{reached - listed:,} of them still lead to others",
            )


def _refusal(rules: Rules, what: str) -> TooManyStatesError:
    return TooManyStatesError(f"{rules.name} has {what}; {rules.remedy}")


def _resident() -> int:
    """The memory of this process in bytes, or 0 where it is not known."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _refuse_early(rules: Rules, limit: int) -> None:
    """Raises TooManyStatesError for most games that are far above the limit, within seconds.

    It plays random games and compares their states after the same number of moves. If m of
    them are all different, then m states drawn from at most n are so with a probability of at
    most exp(-m(m-1)/2n), whatever their distribution.
    """
    enough = math.isqrt(int(2 * _DOUBT * limit)) + 2
    for depth in _DEPTHS:
        rng, seen = random.Random(0), set[Hashable]()
        for games in range(2 * enough):
            if games == _TRIAL and len(seen) < games // 2:
                return  # most games end earlier
            state = _play(rules, depth, rng)
            if state is None:
                continue
            key = rules.key(state)
            if key in seen:
                break
            seen.add(key)
            if len(seen) == enough:
                found = f"{enough:,} random games were in different states after {depth} moves"
                raise _refusal(rules, f"more than {limit:,} states: {found}")


def _play(rules: Rules, moves: int, rng: random.Random) -> Any:
    """The state of a random game after a number of moves, or None if it ends earlier."""
    state = rules.initial
    for _ in range(moves):
        who = rules.current_player(state)
        if who >= 0:
            options, weights = list(rules.legal_actions(state)), None
        elif who == CHANCE:
            listed = list(rules.chance_outcomes(state))
            options, weights = [o for o, _ in listed], [p for _, p in listed]
        else:
            return None
        if not options or (weights is not None and not 0 < sum(weights) < math.inf):
            return None  # an error, which the listing names
        state = rules.child(state, rng.choices(options, weights)[0])
    return state


def _list(rules: Rules, limits: _Limits, bar: Bar) -> Listing:
    current, legal, child, key = (
        rules.current_player,
        rules.legal_actions,
        rules.child,
        rules.key,
    )
    numbers: dict[Hashable, int] = {key(rules.initial): 0}
    player, first, count = array("b"), array("I"), array("H")
    action, following = array("H"), array("I")
    outcome, probability = array("I"), array("d")
    ends: dict[tuple[float, ...], int] = {}
    observations, texts, names = _Observations(rules), _Texts(rules), _ActionTexts(rules)
    layer = [rules.initial]
    while layer:
        reached: list[Any] = []
        for state in layer:
            if len(player) % _BLOCK == 0:
                limits.check(len(player), len(numbers))
                bar.update(len(player) / len(numbers), f"{len(player):,} states")
            who = current(state)
            if not TERMINAL <= who < rules.players:
                raise ValueError(
                    f"the player is {who} in {state}; want 0 to {rules.players - 1}, "
                    f"CHANCE ({CHANCE}) or TERMINAL ({TERMINAL})"
                )
            if who >= 0:
                first.append(len(action))
                actions = legal(state)
                try:
                    action.extend(actions)
                    count.append(len(actions))
                except (TypeError, OverflowError):
                    raise ValueError(
                        f"{state} has {len(actions):,} legal actions from {actions[0]!r} to "
                        f"{actions[-1]!r}; want at most {_MOST:,} integers from 0 to {_MOST:,}"
                    ) from None
                for a in actions:
                    after = child(state, a)
                    k = key(after)
                    n = numbers.get(k)
                    if n is None:
                        n = numbers[k] = len(numbers)
                        reached.append(after)
                    following.append(n)
                names.append(state, who, actions)
            elif who == CHANCE:
                first.append(len(outcome))
                merged: dict[int, float] = {}
                for o, p in rules.chance_outcomes(state):
                    if p == 0:
                        continue
                    after = child(state, o)
                    k = key(after)
                    n = numbers.get(k)
                    if n is None:
                        n = numbers[k] = len(numbers)
                        reached.append(after)
                    merged[n] = merged.get(n, 0.0) + p
                if not 0 < len(merged) <= _MOST:
                    raise ValueError(
                        f"chance leads from {state} to {len(merged):,} states; want 1 to {_MOST:,}"
                    )
                count.append(len(merged))
                outcome.extend(merged)
                probability.extend(merged.values())
            else:
                values = tuple(map(float, rules.returns(state)))
                if len(values) != rules.players:
                    raise ValueError(
                        f"the returns of {state} are {list(values)}; want {rules.players} numbers"
                    )
                first.append(ends.setdefault(values, len(ends)))
                count.append(0)
            player.append(who)
            observations.append(state)
            texts.append(state)
        limits.check(len(player), len(numbers))
        layer = reached
    if rules.num_actions is None:
        rules.num_actions = max(action, default=0) + 1
    table = Table(
        name=rules.name,
        players=rules.players,
        num_actions=rules.num_actions,
        player=_array(player, np.int8),
        first=_array(first, np.uint32),
        count=_array(count, np.uint16),
        action=_array(action, np.uint16),
        next=_array(following, np.uint32),
        outcome=_array(outcome, np.uint32),
        probability=_array(probability, np.float64),
        returns=np.array(list(ends), np.float64).reshape(len(ends), rules.players),
        observation=observations.finish(_array(player, np.int8)),
        state_texts=texts.texts,
        action_texts=names.finish(rules.num_actions),
    )
    return Listing(table, numbers)


def _array(values: array[Any], dtype: Any) -> npt.NDArray[Any]:
    return np.frombuffer(values, dtype) if len(values) else np.zeros(0, dtype)


def _text(given: Any, what: str, of: Any) -> str:
    """A text that a function of the user has returned."""
    if not isinstance(given, str):
        raise ValueError(f"the text of {what}{of} is {given!r}; want a str")
    return given


class _Texts:
    """The texts of states, in order; None if there are none, or too many."""

    def __init__(self, rules: Rules) -> None:
        self.text = rules.text
        self.texts: list[str] | None = None if rules.text is None else []

    def append(self, state: Any) -> None:
        if self.texts is not None:
            self.texts.append(_text(self.text(state), "", state))  # type: ignore[misc]
            if len(self.texts) > _TEXTS:
                self.texts = None


class _ActionTexts:
    """The texts of actions, which can differ by seat."""

    def __init__(self, rules: Rules) -> None:
        self.text = rules.action_text
        self.seen: list[set[int]] = [set() for _ in range(rules.players)]
        self.texts: dict[int, list[str]] = {}

    def append(self, state: Any, who: int, actions: Sequence[int]) -> None:
        if self.text is None or self.seen[who].issuperset(actions):
            return
        for a in actions:
            if a not in self.seen[who]:
                self.seen[who].add(a)
                text = _text(self.text(state, a), "action ", a)
                known = self.texts.setdefault(a, [])
                if text not in known:
                    known.append(text)

    def finish(self, num_actions: int) -> list[str] | None:
        if self.text is None:
            return None
        return ["/".join(self.texts.get(a, [])) for a in range(num_actions)]


class _Observations:
    """What the seats observe in each state [S, P, D], as uint8 where all numbers are integers
    from 0 to 255.
    """

    def __init__(self, rules: Rules) -> None:
        self.observe, self.name, self.players = rules.observe, rules.name, rules.players
        self.parameter = rules.observe_parameter
        self.blocks: list[npt.NDArray[Any]] = []
        self.block: npt.NDArray[np.float32] | None = None  # [_BLOCK, P, D]
        self.filled = 0

    def append(self, state: Any) -> None:
        if self.observe is None:
            return
        if self.block is None:
            shape = np.shape(self.observe(state, 0))
            if len(shape) != 1:
                raise ValueError(f"the observation of {state} has shape {shape}; want [D]")
            self.block = np.empty((_BLOCK, self.players, *shape), np.float32)
        for seat in range(self.players):
            given = self.observe(state, seat)
            if len(given) != self.block.shape[2]:
                raise ValueError(
                    f"the observation of {state} has length {len(given)}; want "
                    f"{self.block.shape[2]}, as in the initial state"
                )
            self.block[self.filled, seat] = given
        self.filled += 1
        if self.filled == _BLOCK:
            self._pack()

    def _pack(self) -> None:
        if self.block is None or self.filled == 0:
            return
        block = self.block[: self.filled]
        with np.errstate(invalid="ignore"):
            small = block.astype(np.uint8)
        self.blocks.append(small if (small == block).all() else block.copy())
        self.filled = 0

    def finish(self, player: npt.NDArray[np.int8]) -> npt.NDArray[Any] | None:
        """The observations. Where states in which a seat is to move look alike, the seat to move is
        added to what is seen; if some still look alike, a warning says so.
        """
        if self.observe is None:
            return None
        self._pack()
        seen = np.concatenate(self.blocks)  # which widens uint8 beside float32
        self.blocks = []
        if (seen == seen[:, :1]).all():
            seen = seen[:, :1]
        decisions = np.flatnonzero(player >= 0)
        movers = player[decisions]
        shown = seen[decisions, movers if seen.shape[1] > 1 else 0]
        views = [hash(row.tobytes()) for row in shown]
        if len(set(views)) == len(views):
            return np.ascontiguousarray(seen)
        mover = (player[:, None] == np.arange(self.players)).astype(seen.dtype)
        mover = np.broadcast_to(mover[:, None], (*seen.shape[:2], self.players))
        different = len(set(zip(views, movers.tolist(), strict=True)))
        if different < len(views):
            warnings.warn(
                f"{self.name}: the {len(views):,} states in which a seat is to move have "
                f"{different:,} different observations, so a policy of observations cannot tell "
                f"all of them apart; pass a function that shows more ({self.parameter})",
                stacklevel=6,
            )
        return np.concatenate([seen, mover], axis=2)


def walk(rules: Rules, table: Table) -> Iterator[tuple[int, Any]]:
    """The states of a listing with their numbers, in order, made anew."""
    player, first, count = table.player, table.first, table.count
    layer, at, known = [rules.initial], 0, 1
    while layer:
        reached: list[Any] = []
        for state in layer:
            yield at, state
            start, n = int(first[at]), int(count[at])
            if player[at] >= 0:
                after = table.next[start : start + n].tolist()
                moves: Iterable[Any] = table.action[start : start + n].tolist()
            elif player[at] == CHANCE:
                after, moves = table.outcome[start : start + n].tolist(), _distinct(rules, state)
            else:
                after, moves = [], []
            if after and max(after) >= known:
                for successor, move in zip(after, moves, strict=True):
                    if successor == known:
                        reached.append(rules.child(state, move))
                        known += 1
            at += 1
        layer = reached


def _distinct(rules: Rules, state: Any) -> list[Any]:
    """The outcomes of a chance state, one for each successor, in the order of the table."""
    by_key: dict[Hashable, Any] = {}
    for o, p in rules.chance_outcomes(state):
        if p != 0:
            by_key.setdefault(rules.key(rules.child(state, o)), o)
    return list(by_key.values())


def tabulate(
    rules: Rules, table: Table, policy: Callable[[Any], Any], name: str
) -> npt.NDArray[np.float64]:
    """The probability of each action [A] under a policy of states. See StatePolicy for what a
    policy returns.
    """
    probabilities = np.zeros(len(table.action))
    for n, state in walk(rules, table):
        if table.player[n] < 0:
            continue
        start = int(table.first[n])
        actions = table.action[start : start + int(table.count[n])].tolist()
        given = policy(state)
        if isinstance(given, Mapping):
            given = given.items()
        elif not isinstance(given, Iterable):
            given = [(given, 1.0)]
        try:
            pairs = [(a, float(p)) for a, p in given]
        except (TypeError, ValueError) as e:
            raise ValueError(
                f"{name} returns {given!r} in {state}; want an action, or the probabilities of "
                "actions as a dict or as pairs (an array of them is a TabularPolicy)"
            ) from e
        total = 0.0
        for a, p in pairs:
            if p != 0 and a not in actions:
                raise ValueError(f"{name} plays {a!r} in {state}; legal actions are {actions}")
            if not 0 <= p <= 1 + _SUM:
                raise ValueError(f"{name} plays {a!r} with probability {p} in {state}")
            total += p
            if p != 0:
                probabilities[start + actions.index(a)] += p
        if not abs(total - 1) <= _SUM:
            raise ValueError(f"the probabilities of {name} in {state} add up to {total}; want 1")
        probabilities[start : start + len(actions)] /= total
    return probabilities
