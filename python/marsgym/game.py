"""Games, positions and exact solutions."""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import sys
import warnings
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from marsgym import _native
from marsgym._job import run
from marsgym._listing import tabulate
from marsgym._table import CHANCE as CHANCE
from marsgym._table import TERMINAL as TERMINAL
from marsgym._table import Table
from marsgym.batch import Batch, Opponents
from marsgym.evaluation import (
    Evaluation,
    Match,
    Policy,
    StatePolicy,
    TabularPolicy,
    entrants,
)
from marsgym.measure import Chooser, Measurement, measure

_LISTED = 12
"""How many actions an error lists. Chosen: a few lines."""

Rng: TypeAlias = "np.random.Generator | random.Random | int | None"


@dataclass(frozen=True)
class Solution:
    """What is known of a game after it was solved."""

    value: tuple[float, ...]
    """[P] the expected return of each seat at the start, under optimal play."""
    residual: float
    """The largest violation of the optimality equations."""
    facts: dict[str, float]
    """Further figures of the game."""


class Game:
    """A game under one config, opened by :func:`load`. Any thread may use it.

    Attributes:
        id: such as "martian-dice".
        title: for people.
        version: of the rules.
        config: what the rules depend on.
        rules_hash: identifies the rules and their config.
        players: P.
        min_players, max_players: the numbers of players that the game can have.
        action_names: [A].
        observation_fields: names and lengths of the parts of an observation, in order.
        observation_scales: [D] int64. ``np.rint(observation * observation_scales)`` are the
            counts that an observation shows, exactly; 0 marks numbers that are no counts.
        information: "perfect" or "imperfect".
        chance: "deterministic" or "explicit_stochastic".
        utility: "zero_sum", "constant_sum" or "general_sum".
        has_win: whether returns are shares of one win.
        win, loss: the returns of a sole winner and of a loser, where has_win.
        unit: what returns count where not has_win.
        move_limit: the number of decisions after which a batch truncates a game; 0 is none.
        chance_limit: the same for successive chance transitions.
        bots: the bots of the game.
        agents: the agents that need no file, bots included.
        table: the arrays of a game that was listed by this process; None for other games.
    """

    def __init__(
        self,
        id: str | Table,
        players: int | None = None,
        config: dict[str, Any] | None = None,
        *,
        cache: str | None = "auto",
    ) -> None:
        seats = 0 if players is None else _native.number(players, "players", 1, 1000)
        if config is not None and not isinstance(config, dict):
            raise TypeError(f"config is a {type(config).__name__}; want a dict")
        if players is not None and (config or {}).get("players", players) != players:
            raise ValueError(
                f"players is {players}, and config has {config!r}; give the number once"
            )
        text = None if config is None else _native.text(json.dumps(config), "config")
        self.table = id if isinstance(id, Table) else None
        self._rules: Any = None  # that listed the table in this process
        self._arguments: tuple[Any, ...] = ()
        if not isinstance(id, Table):
            self._arguments = (_native.text(id, "id"), seats, text)
        try:
            self._object = self._open()
        except ValueError as e:
            if "unknown field" not in str(e):
                raise
            known = ", ".join(Game(id).config)
            raise ValueError(f"{e}; the fields of {id} are {known}") from None
        self._origin = (id, players, None if text is None else json.loads(text), cache)
        self._cache = "" if cache is None else _native.text(cache, "cache").decode()
        self._solution: Solution | None = None
        self._code_table: tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]] | None = None
        spec = json.loads(self._object.text)
        if spec["warning"]:
            warnings.warn(spec["warning"], stacklevel=3)  # of load or from_arrays
        self.id: str = spec["id"]
        self.title: str = spec["title"]
        self.version: int = spec["version"]
        self.config: dict[str, Any] = spec["config"]
        self.rules_hash: str = spec["rules_hash"]
        self.players: int = spec["players"]
        self.min_players: int = spec["min_players"]
        self.max_players: int = spec["max_players"]
        self.action_names: tuple[str, ...] = tuple(spec["actions"])
        self.num_actions = len(self.action_names)
        self.observation_size: int = spec["obs_len"]
        self.observation_fields = tuple((f["name"], f["len"]) for f in spec["observation"])
        self.observation_scales = np.array(spec["obs_scales"], np.int64)
        self.observation_scales.setflags(write=False)
        self.information: str = spec["information"]
        self.chance: str = spec["chance"]
        self.utility: str = spec["utility"]
        self.has_win: bool = spec["has_win"]
        self.win: float = spec["win"]
        self.loss: float = spec["loss"]
        self.unit: str = spec["unit"]
        self.move_limit: int = spec["move_limit"]
        self.chance_limit: int = spec["chance_limit"]
        self.bots: tuple[str, ...] = tuple(spec["bots"])
        self.agents: tuple[str, ...] = tuple(spec["agents"])

    @cached_property
    def _pages(self) -> Any:
        return self._native().document("observation", what="the pages of the game")

    @property
    def observation_meanings(self) -> tuple[str, ...]:
        """What each part of an observation means, as the page of the game says; "" for a part that
        only some configs have.
        """
        return tuple(self._pages["meanings"])

    @property
    def observation_notes(self) -> str:
        """What the pages say of all numbers of observations, such as their order in a part."""
        return str(self._pages["notes"])

    @property
    def is_table(self) -> bool:
        """Whether the game is a table: listed by this process, or read from a file."""
        return self.id.endswith(".game")

    def __repr__(self) -> str:
        return f"<marsgym.Game {self.id} for {self.players}, rules {self.rules_hash[:8]}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, self._origin

    def __copy__(self) -> Game:
        return self  # a game never changes

    def __deepcopy__(self, memo: Any) -> Game:
        return self

    def _open(self) -> _native.Object:
        if self.table is not None:
            return self.table.open()
        return _native.Object("open", *self._arguments)

    def _native(self) -> _native.Object:
        """The game in the library of this process."""
        if not self._object.here:  # a fork came between
            self._object, self._solution = self._open(), None
        return self._object

    def _names(self, actions: Iterable[int]) -> str:
        """Actions by number and name, such as "0 (roll), 1 (hold)"."""
        listed, names = list(actions), self.action_names
        known = [f"{a} ({names[a]})" if 0 <= a < len(names) else str(a) for a in listed[:_LISTED]]
        return ", ".join(known) + (f" and {len(listed) - _LISTED} more" if listed[_LISTED:] else "")

    def batch(
        self,
        rows: int,
        *,
        first_row: int = 0,
        opponent: Opponents = None,
        seat: int | str = "random",
        sample: bool = False,
        search_seed: int = 0,
        dtype: npt.DTypeLike = np.float32,
    ) -> Batch:
        """Opens a :class:`Batch`, with its options."""
        return Batch(
            self,
            rows,
            first_row=first_row,
            opponent=opponent,
            seat=seat,
            sample=sample,
            search_seed=search_seed,
            dtype=dtype,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file of a table game, which :func:`load` and ``-game FILE`` of the commands
        open. Its name ends in ``.game``. The file is complete or not there, also after a kill. A
        file that is there is never replaced: one of another table is an error, and one of this
        table stays as it is.
        """
        text = _native.text(path, "path")
        if not text.endswith(b".game"):
            raise ValueError(f"path is {os.fspath(path)!r}; want a name that ends in .game")
        self._native().call("save_game", text)

    def initial(self) -> Position:
        """The position at the start of a game. It may be one of chance."""
        return self._position(self._ask("", "describe", what="initial"))

    def position(self, text: str) -> Position:
        """Reads a position in the game's notation."""
        if text == "":
            raise ValueError("the position is empty; want one in the notation of the game")
        return self._position(self._ask(text, "describe", what="position"))

    def _position(self, info: dict[str, Any]) -> Position:
        legal, returns = tuple(info["legal"]), tuple(map(float, info["returns"]))
        past = tuple((step["position"], step["action"]) for step in info.get("past", ()))
        return Position(self, info["text"], info["player"], legal, returns, past)

    def _own(self, position: Position | str) -> Position:
        """A position of this game."""
        if not isinstance(position, Position):
            return self.position(position)
        if position.game.rules_hash != self.rules_hash:
            raise ValueError(f"{position} is a position of {position.game!r}; want one of {self!r}")
        return position

    def _ask(self, text: str, question: str, argument: int = 0, what: str | None = None) -> Any:
        about = _native.text(text, "position"), question.encode(), argument
        return self._native().document("position", *about, what=what or question)

    def _observe(self, text: str, seat: int) -> npt.NDArray[np.float32]:
        obs = np.zeros(self.observation_size, np.float32)
        seat = _native.number(seat, "seat", 0, self.players - 1)
        self._native().call("observe", text.encode(), seat, _native.address(obs))
        return obs

    def rules(self, lang: str = "en") -> str:
        """The rules, with the settings of this config, as ``cmd/play -rules`` prints them.

        Args:
            lang: a language in which the game is written. Every game is written in English,
                "en"; the error for another language lists the languages.
        """
        return self._words("", "rules", lang)

    def _sentences(self, lang: str) -> dict[str, str]:
        """What tells an agent how to play, with holes such as {0}; see agent.* in the tables of
        messages.
        """
        about = b"", b"agent", _native.text(lang, "lang")
        return dict(self._native().document("words", *about, what="lang"))

    def _words(self, text: str, question: str, argument: str) -> str:
        about = _native.text(text, "position"), question.encode()
        given = _native.text(argument.replace("\0", " "), question)
        return self._native().call("words", *about, given, what=question)

    def _share(self, returns: Iterable[float]) -> tuple[float, ...]:
        """Returns as shares of the win."""
        if not self.has_win:
            raise ValueError(f"{self.title} counts {self.unit}, not wins; see value and options")
        loss, scale = self.loss, self.win - self.loss
        return tuple([(r - loss) / scale for r in returns])

    def _codes(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
        """Where the code of each number starts [D+1], and the numbers that are no counts."""
        if self._code_table is None:
            table = self._native().document("codes", what="dtype='uint8'")
            start, values = np.array(table["start"], np.intp), np.array(table["values"], np.float32)
            self._code_table = start, values
        return self._code_table

    def decode(self, observations: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """The float32 numbers [..., D] of observations [..., C] of a batch with dtype uint8, to
        the bit.

        A number with a scale in ``observation_scales`` is its code over the scale; one with the
        scale 0 is an entry of a table. Most codes take one byte; counts that can be above 255 and
        entries of the table take two, the low one first.
        """
        start, values = self._codes()
        codes = np.asarray(observations)
        if codes.dtype != np.uint8 or codes.shape[-1:] != (start[-1],):
            raise ValueError(
                f"observations have shape {codes.shape} and type {codes.dtype}; "
                f"want [..., {start[-1]}] uint8"
            )
        numbers, scales = codes[..., start[:-1]].astype(np.intp), self.observation_scales
        wide, counts = np.diff(start) == 2, scales > 0
        numbers[..., wide] += codes[..., start[:-1][wide] + 1].astype(np.intp) << 8
        result = np.empty(numbers.shape, np.float32)
        result[..., counts] = numbers[..., counts].astype(np.float32) / scales[counts].astype(
            np.float32
        )
        result[..., ~counts] = values[numbers[..., ~counts]]
        return result

    def solve(self, *, progress: bool | None = None) -> Solution:
        """Solves the game exactly, or loads its solution from the cache. Later calls return
        the same solution at once.

        Args:
            progress: whether to show a progress bar (tqdm); None shows one on a terminal.

        Raises:
            NoSolutionError: the game, or its config, has no exact solution.
        """
        self._native()  # which forgets the solution after a fork
        if self._solution is None:
            task = {"kind": "solve", "cache": self._cache}
            r = run(self, task, [], progress, f"solving {self.title}")
            if r["warning"]:
                import warnings

                warnings.warn(r["warning"], stacklevel=2)
            self._solution = Solution(tuple(r["value"]), r["residual"], r["facts"])
        return self._solution

    def _opponents(self, names: str | list[str]) -> list[str]:
        """The agents in the other seats, by name; it solves the game where they need that."""
        given = [names] if isinstance(names, str) else list(names)
        if self.players == 1:
            return []
        if len(given) not in (1, self.players - 1):
            raise ValueError(
                f"{len(given)} opponents; want one name for all seats, or {self.players - 1}"
            )
        if "exact" in given:
            self.solve()
        return [_native.text(name, "opponents").decode() for name in given]

    def value(self, position: Position | str) -> tuple[float, ...]:
        """The expected return of each seat [P] under optimal play."""
        position = self._own(position)
        self.solve()
        return tuple(self._ask(position.text, "value"))

    def options(self, position: Position | str) -> dict[int, float]:
        """The expected return of the seat to move, for each legal action, if all play
        optimally afterwards.
        """
        position = self._own(position)
        return dict(zip(position.legal_actions, self._values(position), strict=True))

    def _values(self, position: Position) -> list[float]:
        """The values of options, in the order of the legal actions."""
        self.solve()
        n = len(position.legal_actions)
        values = (ctypes.c_double * n)()
        self._native().call("options", position.text.encode(), values, n)
        return values[:]

    def evaluate(
        self,
        policy: Policy,
        against: Policy | list[Policy] = "exact",
        *,
        mistakes: int = 0,
        sample: bool = False,
        batch_size: int = 8192,
        progress: bool | None = None,
    ) -> Evaluation:
        """Computes the exact strength of a policy, over the whole game and not sampled.

        Args:
            policy: a function of observations [n, D] and action masks [n, A], float32 and
                int8, read-only and valid during the call, to the probabilities [n, A] of the
                actions; :class:`Scores`; a :class:`Model`; or a name as for
                :class:`Batch`. It must not depend on earlier calls.
            against: the policy in the other seats, or a list of P-1 of them for the seats
                that follow in the order of play.
            mistakes: how many of the costliest mistakes to list; 0 computes none.
            sample: whether networks opened by name draw their actions.
            batch_size: the largest n.
            progress: whether to show a progress bar (tqdm); None shows one on a terminal.

        Raises:
            NoSolutionError: the game has no exact solution; see :meth:`match`.
            ValueError: the policy returned something else than probabilities.
        """
        self.solve(progress=progress)
        names, policies = entrants(self, policy, against)
        task = {
            "kind": "evaluate",
            "entrants": names,
            "sample": bool(sample),
            "mistakes": _native.number(mistakes, "mistakes", 0, 10**6) if self.has_win else 0,
        }
        r = run(self, task, policies, progress, "evaluating", batch_size)
        return Evaluation.read(self, r)

    def tabulate(self, policy: StatePolicy) -> TabularPolicy:
        """Asks a policy of states for each decision of a game that this process has listed.

        Raises:
            ValueError: the game has no such states, or the policy returned no probabilities.
        """
        if self.table is None or self._rules is None:
            raise ValueError(
                f"{self!r} has no states to ask {policy.name!r} about, since this process has "
                "not listed it; use the game that from_rules or openspiel.table returned"
            )
        probabilities = tabulate(self._rules, self.table, policy.function, policy.name)
        return TabularPolicy(probabilities, policy.name)

    def match(
        self,
        policy: Policy,
        against: Policy | list[Policy],
        games: int = 10_000,
        *,
        seed: int = 0,
        sample: bool = False,
        progress: bool | None = None,
    ) -> Match:
        """Plays a duplicate match, for games without an exact solution: sets of P games with
        the same dice, with the agents in every rotation over the seats.

        Args:
            policy, against, sample, progress: as in :meth:`evaluate`.
            games: the least number of games.
            seed: of the dice and of the actions drawn.
        """
        names, policies = entrants(self, policy, against)
        if any(e["name"] == "exact" and e["policy"] is None for e in names):
            self.solve(progress=progress)
        task = {
            "kind": "match",
            "entrants": names,
            "sample": bool(sample),
            "games": _native.number(games, "games", 1, 2**40),
            "seed": _native.number(seed, "seed", 0, 2**64 - 1),
        }
        return Match.read(run(self, task, policies, progress, "playing"))

    def measure(
        self,
        policy: Chooser,
        games: int = 400,
        *,
        opponents: str | list[str] = "exact",
        seed: int = 0,
        concurrency: int = 1,
        text: bool = False,
        legal: bool = True,
        lang: str = "en",
        retries: int = 0,
        max_calls: int | None = None,
        max_cost: float | None = None,
        file: str | os.PathLike[str] | None = None,
        worst: int = 10,
        name: str | None = None,
        progress: bool | None = None,
    ) -> Measurement:
        """Estimates the strength of a policy in a solved game by its regrets, for policies that
        are too slow for :meth:`evaluate`, such as language models.

        The policy plays games in each seat in turn. What a game adds to the estimate is its
        result without luck: the value of the start, less the regrets of the policy, plus what
        the others gave away. That has the mean of the result and a much smaller variance; see
        the package eval/regret. Decisions without a choice are not asked for.

        Args:
            policy: a function of a :class:`Position`, or of a text, to the number of an action,
                to a text for :meth:`Position.parse_action`, to None, or to an
                :class:`Answer`. It may be async. Where no answer names a legal action, one is
                drawn.
            games: the least number of games.
            opponents: as in :meth:`Position.play_on`.
            seed: of the dice and of the actions drawn. Game i of a seed has the same dice
                whatever the other arguments are.
            concurrency: how many games are played at once. A policy that is not async is then
                called by as many threads.
            text: whether the policy is called with :meth:`Position.describe`.
            legal, lang: of that text.
            retries: how often the policy is asked again after an answer that names no legal
                action.
            max_calls, max_cost: bounds. No call begins at a bound, but the cost of a call counts
                when it has ended. The games under way at a bound are dropped, and the estimate is
                of those that have ended.
            file: where each game is saved when it has ended. The same call goes on with it after
                Ctrl-C, an error or a bound, and after a change of games, retries or bounds.
            worst: how many mistakes to list.
            name: of the policy, in the file; None takes that of the function.
            progress: whether to show a progress bar (tqdm); None shows one on a terminal.

        Raises:
            NoSolutionError: the game has no exact solution; see :meth:`match`.
        """
        return measure(
            self,
            policy,
            games,
            opponents=opponents,
            seed=seed,
            concurrency=concurrency,
            text=text,
            legal=legal,
            lang=lang,
            retries=retries,
            max_calls=max_calls,
            max_cost=max_cost,
            file=file,
            worst=worst,
            name=name,
            progress=progress,
        )


@dataclass(frozen=True)
class Position:
    """A position of a game. It never changes."""

    game: Game
    text: str
    """In the notation of the game; :meth:`Game.position` reads it."""
    player: int
    """The seat to move, CHANCE or TERMINAL."""
    legal_actions: tuple[int, ...]
    """In ascending order; empty where no seat is to move."""
    returns: tuple[float, ...]
    """[P] the return of each seat: zeros before the end."""
    past: tuple[tuple[str, int], ...] = field(default=(), repr=False)
    """Of a position from :meth:`play_on` or :meth:`Game.measure`: the steps that led here, each a
    position and the action there, or -1 for chance. :meth:`describe` says them in words. It is no
    part of what makes positions equal.
    """
    _by: tuple[int, str, int] | None = field(default=None, repr=False)
    """The decision that :meth:`apply` played: the seat, where, and the action."""

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Position)
            and self.text == other.text
            and self.game.rules_hash == other.game.rules_hash
        )

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def is_chance(self) -> bool:
        """Whether chance moves next."""
        return self.player == CHANCE

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.player == TERMINAL

    def apply(self, action: int) -> Position:
        """The position just after an action, before any chance."""
        a = _native.action(action)
        try:
            after = self.game._position(self.game._ask(self.text, "apply", a))
            return replace(after, _by=(self.player, self.text, a))
        except _native.IllegalActionError as e:
            raise self._illegal(a, str(e)) from None

    def _illegal(self, action: int, text: str) -> _native.IllegalActionError:
        """The error of an illegal action, after the text of the library."""
        if self.is_terminal:
            return _native.IllegalActionError(f"{text}: {self} is the end")
        here, name = f"{text}: {self.game._names([action])} in {self}", self.game._names
        if self.is_chance:
            return _native.IllegalActionError(f"{here}, where chance moves; call sample first")
        return _native.IllegalActionError(f"{here}; legal_actions are {name(self.legal_actions)}")

    def outcomes(self) -> list[tuple[float, Position]]:
        """The successors of a position of chance, with their probabilities. There can be
        thousands: :meth:`sample` and :meth:`outcome` list none.
        """
        return [(o["prob"], self.game._position(o)) for o in self.game._ask(self.text, "outcomes")]

    def outcome_probabilities(self) -> npt.NDArray[np.float64]:
        """The probabilities of outcomes, in their order; none where chance does not move."""
        n, size = ctypes.c_int64(), 4096
        while True:
            probs = np.empty(size)
            arguments = self.text.encode(), _native.address(probs), size, ctypes.byref(n)
            self.game._native().call("chance", *arguments, what="outcome_probabilities")
            if n.value <= size:
                return probs[: n.value].copy()
            size = n.value

    def outcome(self, index: int) -> Position:
        """The successor of that index in outcomes."""
        i = _native.number(index, "index", 0, 2**31 - 1)
        return self.game._position(self.game._ask(self.text, "outcome", i))

    def sample(self, rng: Rng = None) -> Position:
        """A successor of a position of chance, sampled.

        Args:
            rng: a generator of NumPy or of the module random, or a seed; None is the
                generator of the module random.
        """
        return self.game._position(self.game._ask(self.text, "sample", _seed(rng)))

    def draw(self, rng: Rng = None) -> tuple[int, Position]:
        """The same with its index in outcomes. It is slower than sample, which does not
        count outcomes.
        """
        drawn = self.game._ask(self.text, "draw", _seed(rng))
        return drawn["index"], self.game._position(drawn)

    def observation(self, seat: int | None = None) -> npt.NDArray[np.float32]:
        """What a seat observes [D]; the seat to move if None."""
        return self.game._observe(self.text, self.player if seat is None else seat)

    def action_mask(self) -> npt.NDArray[np.int8]:
        """1 where an action is legal [A]."""
        mask = np.zeros(self.game.num_actions, np.int8)
        mask[list(self.legal_actions)] = 1
        return mask

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows."""
        from marsgym import _draw

        return _draw.svg(_draw.scene(self))

    def render(self) -> str:
        """The position for people, with colours if standard output is a terminal that shows
        them and NO_COLOR is not set.
        """
        text = str(self.game._ask(self.text, "render"))
        return text if _shows_colours() else _COLOUR.sub("", text)

    def describe_action(self, action: int) -> str:
        """A legal action for people."""
        a = _native.action(action)
        if a not in self.legal_actions:
            raise self._illegal(a, "describe_action: illegal action")
        return str(self.game._ask(self.text, "describe_action", a))

    def describe(
        self,
        seat: int | None = None,
        legal: bool = True,
        lang: str = "en",
        *,
        past: bool = True,
    ) -> str:
        """The position in words, for agents that read, without colours. It says everything that
        the observation says, and calls the reader "you".

        Args:
            seat: who reads; None is the seat to move, or nobody if there is none.
            legal: whether to list the legal actions, by their numbers and names.
            lang: as in :meth:`Game.rules`.
            past: whether to say first what happened since the last decision of the reader, in
                a position from :meth:`play_on` or :meth:`Game.measure`. Dice of which a game
                keeps only what they lead to are shown as dice that lead there, always the same
                ones for a step.
        """
        reader = -1 if seat is None else _native.number(seat, "seat", 0, self.game.players - 1)
        steps = b""
        if past and self.past:
            steps = json.dumps([{"position": p, "action": a} for p, a in self.past]).encode()
        about = self.text.encode(), reader, bool(legal), _native.text(lang, "lang"), steps
        return self.game._native().call("describe", *about)

    def parse_action(self, text: str) -> int | None:
        """The legal action that an answer names, or None.

        The last action that the answer points out counts: in square brackets, braces, tags or
        JSON, on a line of its own, or after a word such as "action:"; there its number counts
        too. If that action is illegal, the answer names none. Without such a mark the last
        legal action that the text names counts. What stands before the end of a thinking block
        does not count. Case does not matter, nor do dashes, underscores and spaces in names.
        """
        if not isinstance(text, str):
            raise TypeError(f"text is {text!r}; want a str")
        text = text.encode(errors="replace").decode()  # without half characters
        action = self.game._words(self.text, "parse", text)
        return int(action) if action else None

    def play_on(
        self,
        rng: Rng = None,
        seat: int | None = None,
        opponents: str | list[str] = "exact",
        *,
        forced: bool = True,
    ) -> Position:
        """The next position in which a seat has a decision, or the end of the game, or where
        ``game.move_limit`` decisions have been played on the way. Chance and the actions of the
        opponents are drawn. The position says in ``past`` what happened.

        Args:
            rng: as in :meth:`sample`.
            seat: the seat; None is the seat to move.
            opponents: the name of the agent in the other seats, or a list of P-1 names for the
                seats that follow in the order of play.
            forced: whether to play decisions of the seat with only one legal action as well.
        """
        who = self.player if seat is None else seat
        who = _native.number(who, "seat", 0, self.game.players - 1)
        how = {
            "seat": who,
            "others": self.game._opponents(opponents),
            "forced": bool(forced),
            "seed": _seed(rng),
        }
        about = _native.text(self.text, "position"), json.dumps(how).encode()
        found = self.game._position(self.game._native().document("play_on", *about))
        if self._by is not None and self._by[0] == who:
            return replace(found, past=(self._by[1:], *found.past))
        return found

    def win(self) -> tuple[float, ...]:
        """[P] the share of the win that each seat expects under optimal play."""
        return self.game._share(self.value())

    def regret(self, action: int) -> float:
        """What an action costs the seat to move, as a share of the win, if all play optimally
        afterwards. It is 0 for the best action.
        """
        a = _native.action(action)
        if a not in self.legal_actions:
            raise self._illegal(a, "regret: illegal action")
        values = self.game._values(self)
        best, own = self.game._share((max(values), values[self.legal_actions.index(a)]))
        return best - own

    def value(self) -> tuple[float, ...]:
        """The expected return of each seat [P] under optimal play."""
        return self.game.value(self)

    def options(self) -> dict[int, float]:
        """See :meth:`Game.options`."""
        return self.game.options(self)


_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def _shows_colours() -> bool:
    """Whether standard output is a terminal that shows colours, see https://no-color.org."""
    dumb = os.environ.get("TERM") == "dumb" or bool(os.environ.get("NO_COLOR"))
    return not dumb and sys.stdout is not None and sys.stdout.isatty()


def _seed(rng: Rng) -> int:
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if rng is None or isinstance(rng, random.Random):
        return (rng or random).getrandbits(63)
    return _native.number(rng, "rng", 0, 2**63 - 1)


_reopened: weakref.WeakValueDictionary[str, Game] = weakref.WeakValueDictionary()


def _reopen(
    id: str | Table, players: int | None, config: dict[str, Any] | None, cache: str | None
) -> Game:
    """The game of a pickle, opened once in a process unless it is a table."""
    if isinstance(id, Table):
        return Game(id, cache=cache)
    key = json.dumps([id, players, config, None if cache is None else os.fspath(cache)])
    game = _reopened.get(key)
    if game is None:
        game = _reopened[key] = Game(id, players, config, cache=cache)
    return game


def opened(
    game: str | Game,
    players: int | None = None,
    config: dict[str, Any] | None = None,
    cache: str | None = "auto",
) -> Game:
    """A game, or the game of an id; players and config belong to an id."""
    if not isinstance(game, Game):
        return Game(game, players, config, cache=cache)
    if players is not None or config is not None:
        raise ValueError(f"players and config are those of {game!r}; leave them out")
    return game


def load(
    id: str,
    players: int | None = None,
    config: dict[str, Any] | None = None,
    *,
    cache: str | None = "auto",
) -> Game:
    """Opens a game.

    Args:
        id: one of :func:`games`, or the path of the file of a table, which has no players and
            config to choose.
        players: the number of players; None takes the number of the config. Where both are
            given they must be equal.
        config: settings of the rules that differ from the default; see the page of the game.
        cache: the folder in which solutions are stored; "auto" is the user's cache folder,
            None neither reads nor writes files.
    """
    return Game(id, players, config, cache=cache)


def games() -> dict[str, str]:
    """The ids of all games, with a few words about each."""
    return {g["id"]: g["about"] for g in _native.document("games")["games"]}
