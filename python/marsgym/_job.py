"""Work of the library that lasts, asks Python what its policies do, and can be interrupted."""

from __future__ import annotations

import ctypes
import json
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from marsgym import _native
from marsgym.evaluation import Asked, Scores

if TYPE_CHECKING:
    from marsgym.game import Game

_WAIT = 100
"""Milliseconds of a poll, after which Python looks for Ctrl-C. Chosen."""


def _in_notebook() -> bool:
    """Whether a notebook runs this code: its standard error is no terminal, yet shows bars."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


_SILENCE = 5.0
"""Seconds after which work without a progress bar says what it does. Chosen."""


class Bar:
    """A progress bar, where tqdm is installed and somebody sees it. Elsewhere long work writes
    one line to standard error, unless progress is False.
    """

    def __init__(self, show: bool | None, description: str) -> None:
        self._bar, self._description, self._begun = None, description, time.monotonic()
        self._says = show is None
        if show or (show is None and (sys.stderr.isatty() or _in_notebook())):
            try:
                from tqdm.auto import tqdm
            except ImportError:
                if show:
                    raise
                return
            self._says = False
            form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}"
            self._bar = tqdm(total=1.0, desc=description, leave=False, bar_format=form)

    def update(self, done: float, detail: str = "") -> None:
        """Shows the fraction done, and a detail such as a count."""
        if self._bar is not None:
            self._bar.n = min(done, 1.0)
            if detail:
                self._bar.set_description_str(f"{self._description}: {detail}", refresh=False)
            self._bar.refresh()
        elif self._says and time.monotonic() - self._begun >= _SILENCE:
            self._says = False
            print(
                f"marsgym: {self._description}: {detail or f'{done:.0%}'} after {_SILENCE:.0f} s",
                file=sys.stderr,
                flush=True,
            )

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class Questions:
    """Memory for the questions of jobs to policies: at most n decisions at once."""

    def __init__(self, game: Game, n: int) -> None:
        self.game, self.n = game, n
        self.obs = np.zeros((n, game.observation_size), np.float32)
        self.mask = np.zeros((n, game.num_actions), np.int8)
        self.shown_obs, self.shown_mask = self.obs.view(), self.mask.view()
        self.shown_obs.flags.writeable = self.shown_mask.flags.writeable = False


def drive(
    job: _native.Object,
    questions: Questions,
    policies: list[Asked],
    what: str,
    bar: Bar | None = None,
) -> Any:
    """Waits for the end of a job, whose questions policies answer, and returns its result.
    After an exception of a policy, or KeyboardInterrupt, the caller closes the job.
    """
    q, found = questions, _native.Progress()
    address = _native.address
    while True:
        text = job.call(
            "poll", _WAIT, q.n, address(q.obs), address(q.mask), ctypes.byref(found), what=what
        )
        if found.state == 2:
            return json.loads(text)
        if bar is not None:
            bar.update(found.done)
        if found.state == 1:
            policy, rows = policies[found.policy], found.rows
            if isinstance(policy, Scores):
                given = policy.function(q.shown_obs[:rows])
            else:
                given = policy(q.shown_obs[:rows], q.shown_mask[:rows])
            want = (rows,) if isinstance(policy, Scores) else (rows, q.game.num_actions)
            values = np.ascontiguousarray(given, np.float64)
            if values.shape != want:
                raise ValueError(f"{what}: the policy returned shape {values.shape}; want {want}")
            job.call("answer", address(values), what=what)


def run(
    game: Game,
    task: dict[str, Any],
    policies: list[Asked],
    progress: bool | None,
    description: str,
    batch_size: int = 8192,
) -> Any:
    """Does a task and returns its result. An exception of a policy, or KeyboardInterrupt,
    ends the task.
    """
    n = _native.number(batch_size, "batch_size", 1, 2**20)
    questions = Questions(game, n if policies else 1)
    job = _native.Object("job", json.dumps(task).encode(), of=game._native())
    bar = Bar(progress, description)
    try:
        return drive(job, questions, policies, task["kind"], bar)
    finally:
        bar.close()
        job.close()
