"""Many games in lockstep, in NumPy arrays that the library steps in place."""

from __future__ import annotations

import ctypes
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from marsgym import _native

if TYPE_CHECKING:
    from marsgym.game import Game, Position

_MAX_SEED = 2**64 - 1
_HOLD = -(2**63)  # the action of a row that stays as it is


class Batch:
    """N games in lockstep. A row whose game has ended starts its next game in the same step.

    Row i of a run draws its dice from a generator of its own, seeded by the seed and the
    number ``first_row + i``: rows split over several batches play the same games.

    The arrays are read-only views of memory that the library writes to: copy what must
    outlive the next call. N rows, D numbers of an observation, A actions, P seats:

    Attributes:
        observation: [N, D] float32, what the player to move observes.
        action_mask: [N, A] int8, 1 where an action is legal.
        player: [N] int8, the seat to move.
        reward: [N, P] float32, of the last step, by seat.
        terminated: [N] bool, the rules ended the game in the last step.
        truncated: [N] bool, a limit of decisions ended it.
        ended: [N] bool, one of the two.
        acted_reward: [N] float64, of the last step, that of the seat that acted.
        final_observation: [N, D] float32, the last observation of a game that ended in the
            last step; undefined in other rows.
        final_player: [N] int8, the seat that observes it: the one that was to move, or,
            if the game is over, the one that moved last.

    With opponents the caller has one seat, and each step plays on until that seat is to
    move again, in this game or the next.
    """

    def __init__(
        self,
        game: Game,
        rows: int,
        *,
        first_row: int = 0,
        opponent: str | list[str] | None = None,
        seat: int | str = "random",
        sample: bool = False,
        search_seed: int = 0,
    ) -> None:
        """Opens a batch. Call reset first.

        Args:
            game: the game.
            rows: N.
            first_row: the number of row 0 in its run.
            opponent: the agent in the other seats ("exact", a bot of the game, "search:800",
                "pretrained", a model file or a run folder), a list of P-1 of them for the
                seats that follow in the order of play, or None: the caller plays all seats.
            seat: the caller's seat, or "random": drawn for each game.
            sample: whether networks draw their actions instead of taking the best one.
            search_seed: the seed of opponents that search.
        """
        self.game = game
        n = self.rows = _native.number(rows, "rows", 1, 2**24)
        first = _native.number(first_row, "first_row", 0, 2**30)
        players, actions, d = game.players, game.num_actions, game.observation_size
        if isinstance(opponent, str):
            opponent = [opponent]
        if not isinstance(opponent, (list, tuple, type(None))):
            raise TypeError(f"opponent is {opponent!r}; want the name of an agent, or a list")
        if opponent is not None and len(opponent) == 0 and players > 1:
            raise ValueError(f"opponent is empty; want {players - 1} agents, or None")
        opponents = [str(x) for x in opponent or []]
        if "exact" in opponents:
            game.solve()
        if isinstance(seat, str):
            if seat != "random":
                raise ValueError(f"seat is {seat!r}; want 'random', or 0 to {players - 1}")
            seat = -1
        else:
            seat = _native.number(seat, "seat", 0, players - 1)
        seats = {
            "opponents": opponents,
            "seat": seat,
            "sample": bool(sample),
            "seed": _native.number(search_seed, "search_seed", 0, _MAX_SEED),
        }
        self._arrays: dict[str, npt.NDArray[Any]] = {
            "obs": np.zeros((n, d), np.float32),
            "mask": np.zeros((n, actions), np.int8),
            "player": np.zeros(n, np.int8),
            "action": np.zeros(n, np.int64),
            "reward": np.zeros((n, players), np.float32),
            "terminated": np.zeros(n, np.bool_),
            "truncated": np.zeros(n, np.bool_),
            "final_obs": np.zeros((n, d), np.float32),
            "final_player": np.zeros(n, np.int8),
            "acted_reward": np.zeros(n, np.float64),
            "ended": np.zeros(n, np.bool_),
        }
        buffers = _native.Buffers(**{k: _native.address(a) for k, a in self._arrays.items()})
        self._object = _native.Object(
            "batch", game._handle, n, first, json.dumps(seats).encode(), ctypes.byref(buffers)
        )
        self._action = self._arrays["action"]
        self._ended = ctypes.c_int()

        def view(name: str) -> npt.NDArray[Any]:
            v = self._arrays[name].view()
            v.flags.writeable = False
            return v

        self.observation: npt.NDArray[np.float32] = view("obs")
        self.action_mask: npt.NDArray[np.int8] = view("mask")
        self.player: npt.NDArray[np.int8] = view("player")
        self.reward: npt.NDArray[np.float32] = view("reward")
        self.terminated: npt.NDArray[np.bool_] = view("terminated")
        self.truncated: npt.NDArray[np.bool_] = view("truncated")
        self.final_observation: npt.NDArray[np.float32] = view("final_obs")
        self.final_player: npt.NDArray[np.int8] = view("final_player")
        self.acted_reward: npt.NDArray[np.float64] = view("acted_reward")
        self.ended: npt.NDArray[np.bool_] = view("ended")

    @property
    def _handle(self) -> int:
        handle = self._object.handle
        if handle is None:
            raise ValueError("the batch is closed")
        return handle

    def reset(self, seed: int) -> None:
        """Seeds all generators and starts a game in every row."""
        _native.call("reset", self._handle, _native.number(seed, "seed", 0, _MAX_SEED))

    def step(self, actions: npt.ArrayLike, *, hold: npt.NDArray[np.bool_] | None = None) -> int:
        """Plays an action in every row and returns the number of games that ended.

        Args:
            actions: [N] integers.
            hold: [N] true in rows that stay as they are, whatever their actions.

        Raises:
            IllegalActionError: an action is illegal; no row has changed.
        """
        a = np.asarray(actions)
        if a.shape != (self.rows,) or a.dtype.kind not in "iu":
            raise ValueError(
                f"actions have shape {a.shape} and type {a.dtype}; want {self.rows} integers"
            )
        np.copyto(self._action, a, casting="same_kind")
        if hold is not None:
            np.copyto(self._action, _HOLD, where=hold)
        _native.call("step", self._handle, self._ended)
        return self._ended.value

    def begin(self, rows: npt.ArrayLike, seeds: npt.ArrayLike | None = None) -> None:
        """Starts another game in some rows.

        Args:
            rows: [K] their numbers.
            seeds: [K] seeds that their generators get as by reset; None goes on with the
                generators.
        """
        r = np.ascontiguousarray(rows, np.int64)
        s = None if seeds is None else np.ascontiguousarray(seeds, np.uint64)
        if r.ndim != 1 or (s is not None and s.shape != r.shape):
            raise ValueError("rows and seeds have different shapes; want a seed for each row")
        at = None if s is None else _native.address(s)
        _native.call("begin", self._handle, len(r), _native.address(r), at)

    def next(self, row: int) -> None:
        """Starts another game in a row, without seeding."""
        _native.call("next", self._handle, _native.number(row, "row", 0, self.rows - 1))

    def position(self, row: int, *, final: bool = False) -> Position:
        """The position of a row or, with final, the last one of the game that ended there
        in the last step.

        Its actions are those of the game, see relabel.
        """
        return self.game._position(self._row(row, final))

    def relabel(self, row: int) -> npt.NDArray[np.int32]:
        """For each action of this batch [A] the action of ``position(row)`` that it stands
        for. They differ in games with symmetries, where the batch shows one of several
        positions that differ in labels only.
        """
        label = self._row(row, False)["relabel"]
        return np.array(range(self.game.num_actions) if label is None else label, np.int32)

    def _row(self, row: int, final: bool) -> Any:
        n = _native.number(row, "row", 0, self.rows - 1)
        return _native.document("row", self._handle, n, int(final))

    def save(self) -> bytes:
        """All that resuming needs: states, counts and generators."""
        return _native.saved_state(self._handle)

    def restore(self, state: bytes) -> None:
        """Restores what save returned for a batch of the same game and size. After an error
        the batch must be reset.
        """
        if not isinstance(state, bytes):
            raise TypeError(f"state is a {type(state).__name__}; want bytes")
        _native.call("restore", self._handle, state, len(state))

    def close(self) -> None:
        """Releases the batch. The arrays stay, with what they held."""
        self._object.close()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
