"""Strength by sampled regret, of policies that take positions or text."""

from __future__ import annotations

import asyncio
import inspect
import json
import math
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from marsgym import _native
from marsgym._job import Bar
from marsgym.evaluation import Table

if TYPE_CHECKING:
    from marsgym.game import Game, Position

_WAIT = 20
"""Milliseconds of a poll, after which Python looks for answers and Ctrl-C. Chosen."""


@dataclass(frozen=True)
class Answer:
    """An answer of a policy, with what it cost."""

    action: int | str | None
    """The number of an action, or a text for :meth:`Position.parse_action`; None is no answer."""
    cost: float = 0.0
    """In any unit, such as dollars."""


Given: TypeAlias = "Answer | int | str | None"
Chooser: TypeAlias = "Callable[[Any], Given | Awaitable[Given]]"


@dataclass(frozen=True)
class Measurement:
    """The strength of a policy, estimated by its regrets. Figures are shares of the win."""

    win: float
    """The estimate of the win, averaged over the seats."""
    low: float
    """The lower end of its interval, and high the upper."""
    high: float
    confidence: float
    """The level of the interval: 0.99."""
    few: bool
    """Whether so few sets of games differ that the interval may be too narrow."""
    variance_reduction: float
    """How many times as many games the mean of the results would need for an interval as
    narrow; 0 if the games do not differ."""
    games: int
    """Whole sets of P games, one in each seat."""
    truncated: int
    """How many of the games a limit ended; these count by the value of their last position."""
    stopped: bool
    """Whether max_calls or max_cost has ended the measurement."""
    regret: float
    """The regret in a game."""
    regret_per_decision: float
    decisions: int
    """With more than one legal action."""
    calls: int
    cost: float
    illegal: int
    """Answers that named no legal action."""
    drawn: int
    """Decisions in which an action was drawn, since no answer named a legal one."""
    mistakes: int
    """How many decisions had a regret."""
    worst: Table
    """The mistakes of the highest regret, as dicts that print as a table: game, position, action,
    best, regret."""

    def _repr_html_(self) -> str:
        figures = {k: v for k, v in vars(self).items() if k != "worst"}
        return "".join(t._repr_html_() for t in (Table([figures]), self.worst) if t)

    @classmethod
    def read(cls, r: dict[str, Any]) -> Measurement:
        """Reads the result of a job."""
        names = cls.__dataclass_fields__
        return cls(**{k: r[k] for k in names if k != "worst"}, worst=Table(r["worst"]))


def measure(
    game: Game,
    policy: Chooser,
    games: int,
    *,
    opponents: str | list[str],
    seed: int,
    concurrency: int,
    text: bool,
    legal: bool,
    lang: str,
    retries: int,
    max_calls: int | None,
    max_cost: float | None,
    file: str | os.PathLike[str] | None,
    worst: int,
    name: str | None,
    progress: bool | None,
) -> Measurement:
    """Is :meth:`Game.measure`."""
    if not callable(policy):
        raise TypeError(f"the policy is {policy!r}; want a function of a position or a text")
    try:
        game.solve(progress=progress)
    except _native.NoSolutionError as e:
        raise _native.NoSolutionError(
            f"{e}; measure needs the exact solution, so play a match instead: "
            "game.match(policy, against)"
        ) from None
    most = _native.number(concurrency, "concurrency", 1, 10_000)
    cost = 0.0 if max_cost is None else float(max_cost)
    if not 0 <= cost < math.inf or max_cost == 0:
        raise ValueError(f"max_cost is {max_cost}; want a number above 0")
    task = {
        "kind": "measure",
        "name": name or getattr(policy, "__name__", type(policy).__name__),
        "games": _native.number(games, "games", 1, 10**6),
        "seed": _native.number(seed, "seed", 0, 2**64 - 1),
        "others": game._opponents(opponents),
        "concurrency": most,
        "retries": _native.number(retries, "retries", 0, 1000),
        "max_calls": 0 if max_calls is None else _native.number(max_calls, "max_calls", 1, 2**53),
        "max_cost": cost,
        "file": "" if file is None else _native.text(file, "file").decode(),
        "mistakes": _native.number(worst, "worst", 0, 10**6),
    }

    def ask(position: Position) -> Any:
        """What the policy is called with."""
        return position.describe(legal=legal, lang=lang) if text else position

    job = _native.Object("job", json.dumps(task).encode(), of=game._native())
    bar = Bar(progress, "measuring")
    try:
        with _Callers(policy, most) as callers:
            return Measurement.read(_drive(game, job, callers, ask, bar))
    finally:
        bar.close()
        try:
            job.call("cancel", what="measure")  # the file is closed when this returns
        finally:
            job.close()


def _read(position: Position, given: Given) -> dict[str, Any]:
    """The reply of a policy, whose answer was given."""
    cost = 0.0
    if isinstance(given, Answer):
        if not 0 <= given.cost < math.inf:
            raise ValueError(f"the cost of an answer is {given.cost}; want 0 or more")
        cost = given.cost
        given = given.action
    if isinstance(given, str):
        given = position.parse_action(given)
    elif given is not None and not isinstance(given, (int, np.integer)):
        raise TypeError(
            f"the policy returned {given!r}; want the number of an action, a text, "
            "None or an Answer"
        )
    action = -1 if given is None else int(given)
    return {"action": action if action in position.legal_actions else -1, "cost": cost}


def _drive(
    game: Game, job: _native.Object, callers: _Callers, ask: Callable[[Position], Any], bar: Bar
) -> Any:
    """Answers the inquiries of a job until it ends, and returns its result."""
    open_: dict[Future[Given], tuple[int, Position]] = {}
    while True:
        found = job.document("inquire", 0 if open_ else _WAIT, what="measure")
        if found["result"] is not None:
            return found["result"]
        bar.update(found["done"])
        for q in found["inquiries"]:
            position = game._position(q["position"])
            open_[callers.submit(ask(position))] = q["number"], position
        done, _ = wait(open_, _WAIT / 1000, FIRST_COMPLETED)
        for future in done:
            number, position = open_.pop(future)
            reply = json.dumps(_read(position, future.result())).encode()
            job.call("reply", number, reply, what="measure")


class _Callers:
    """Calls a policy: by an event loop of its own if it is async, by threads if several calls
    are made at once, and otherwise directly.
    """

    def __init__(self, policy: Chooser, most: int) -> None:
        self._policy = policy
        call = getattr(policy, "__call__", policy)  # noqa: B004, of an object it can be async
        self._async = inspect.iscoroutinefunction(policy) or inspect.iscoroutinefunction(call)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._threads: ThreadPoolExecutor | None = None
        if self._async:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
            self._thread.start()
        elif most > 1:
            self._threads = ThreadPoolExecutor(most)

    def __enter__(self) -> _Callers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(_end(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def submit(self, asked: Any) -> Future[Given]:
        """Begins a call."""
        if self._loop is not None:
            return asyncio.run_coroutine_threadsafe(self._wait_for(asked), self._loop)
        if self._threads is not None:
            return self._threads.submit(self._call, asked)
        future: Future[Given] = Future()
        future.set_result(self._call(asked))
        return future

    def _call(self, asked: Any) -> Given:
        given = self._policy(asked)
        if inspect.isawaitable(given):
            if inspect.iscoroutine(given):
                given.close()
            raise TypeError("the policy returned an awaitable; declare it with async def")
        return given

    async def _wait_for(self, asked: Any) -> Given:
        given: Any = self._policy(asked)
        return await given  # type: ignore[no-any-return]


async def _end() -> None:
    """Cancels the other tasks of the loop, and waits for them."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
