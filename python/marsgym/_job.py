"""Work of the library that lasts, asks Python what its policies do, and can be interrupted."""

from __future__ import annotations

import ctypes
import json
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from marsgym import _native
from marsgym.evaluation import Probabilities, Scores

if TYPE_CHECKING:
    from marsgym.game import Game

_WAIT = 100
"""Milliseconds of a poll, after which Python looks for Ctrl-C. Chosen."""


class _Bar:
    """A progress bar, where tqdm is installed."""

    def __init__(self, show: bool | None, description: str) -> None:
        self._bar = None
        if show or (show is None and sys.stderr.isatty()):
            try:
                from tqdm.auto import tqdm
            except ImportError:
                if show:
                    raise
                return
            form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}"
            self._bar = tqdm(total=1.0, desc=description, leave=False, bar_format=form)

    def update(self, done: float) -> None:
        if self._bar is not None:
            self._bar.n = min(done, 1.0)
            self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def run(
    game: Game,
    task: dict[str, Any],
    policies: list[Probabilities | Scores],
    progress: bool | None,
    description: str,
    batch_size: int = 8192,
) -> Any:
    """Does a task and returns its result. An exception of a policy, or KeyboardInterrupt,
    ends the task.
    """
    n = _native.number(batch_size, "batch_size", 1, 2**20) if policies else 1
    obs = np.zeros((n, game.observation_size), np.float32)
    mask = np.zeros((n, game.num_actions), np.int8)
    shown_obs, shown_mask = obs.view(), mask.view()
    shown_obs.flags.writeable = shown_mask.flags.writeable = False
    job = _native.Object("job", game._handle, json.dumps(task).encode())
    bar = _Bar(progress, description)
    found = _native.Progress()
    try:
        while True:
            text = _native.call(
                "poll",
                job.handle,
                _WAIT,
                n,
                _native.address(obs),
                _native.address(mask),
                ctypes.byref(found),
            )
            if found.state == 2:
                return json.loads(text)
            bar.update(found.done)
            if found.state == 1:
                policy, rows = policies[found.policy], found.rows
                if isinstance(policy, Scores):
                    given = policy.function(shown_obs[:rows])
                else:
                    given = policy(shown_obs[:rows], shown_mask[:rows])
                want = (rows,) if isinstance(policy, Scores) else (rows, game.num_actions)
                values = np.ascontiguousarray(given, np.float64)
                if values.shape != want:
                    raise ValueError(f"the policy returned shape {values.shape}; want {want}")
                _native.call("answer", job.handle, _native.address(values))
    finally:
        bar.close()
        job.close()
