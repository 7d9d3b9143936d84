"""Many games in lockstep, in NumPy arrays that the library steps in place."""

from __future__ import annotations

import contextlib
import copy
import ctypes
import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from marsgym import _native
from marsgym._job import Questions, drive
from marsgym.evaluation import Asked, Policy, entrant

if TYPE_CHECKING:
    from marsgym.game import Game, Position

_MAX_SEED = 2**64 - 1
_HOLD = -(2**63)  # the action of a row that stays as it is

Opponents: TypeAlias = "Policy | Sequence[Policy] | None"
"""The agents in the seats that the caller does not play."""


class Batch:
    """N games in lockstep. A row whose game has ended starts its next game in the same step.

    Row i of a run draws its dice from a generator of its own, seeded by the seed and the
    number ``first_row + i``: rows split over several batches play the same games.

    The arrays are read-only views of memory that the library writes to: copy what must
    outlive the next call. N rows, D numbers of an observation, A actions, P seats:

    Attributes:
        observation: [N, D] float32, what the player to move observes; with the dtype uint8 [N, C]
            codes, which :meth:`Game.decode` turns into these numbers.
        action_mask: [N, A] int8, 1 where an action is legal.
        player: [N] int8, the seat to move.
        reward: [N, P] float32, of the last step, by seat.
        terminated: [N] bool, the rules ended the game in the last step.
        truncated: [N] bool, a limit of decisions ended it.
        ended: [N] bool, one of the two.
        acted_reward: [N] float64, the reward in the last step of the seat that acted.
        final_observation: as observation, the last one of a game that ended in the last step;
            undefined in other rows.
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
        opponent: Opponents = None,
        seat: int | str = "random",
        sample: bool = False,
        search_seed: int = 0,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        """Opens a batch. Call reset first.

        Args:
            game: the game.
            rows: N.
            first_row: the number of row 0 in its run.
            opponent: the agent in the other seats, a list of P-1 of them for the seats that
                follow in the order of play, or None: the caller plays all seats. An agent is
                a name ("exact", a bot of the game, "search:800", "pretrained", a model file
                or a run folder) or path, a :class:`Model`, or a function as for
                :meth:`Game.evaluate`. For "exact" the game is solved first, which can take
                long where no solution is in the cache. Python calls a function between native
                steps, with all rows at once in which it is to move; it must not depend on
                earlier calls.
            seat: the caller's seat, or "random": drawn for each game.
            sample: whether networks draw their actions instead of taking the best one.
            search_seed: the seed of opponents that search.
            dtype: of observations: float32, or uint8 for codes, which lose nothing and take a
                quarter to a third of the memory. Steps of many rows take less time then.

        Raises:
            ValueError: the dtype is uint8, and observations of the game have no codes.
        """
        self.game = game
        self.dtype = _dtype(dtype)
        compact = self.dtype == np.uint8
        n = self.rows = _native.number(rows, "rows", 1, 2**24)
        first = _native.number(first_row, "first_row", 0, 2**30)
        players, actions = game.players, game.num_actions
        d = int(game._codes()[0][-1]) if compact else game.observation_size
        given: Sequence[Any] = opponent if isinstance(opponent, (list, tuple)) else [opponent]
        if opponent is None:
            given = []
        elif players == 1 and given:
            raise ValueError(f"opponent is {opponent!r}, and {game!r} has no other seats")
        elif len(given) not in (1, players - 1) or (players > 1 and not given):
            raise ValueError(
                f"opponent is empty or too long: {len(given)} opponents; want one, "
                f"{players - 1} for the seats that follow, or None"
            )
        self._policies: list[Asked] = []
        opponents = [entrant(game, p, self._policies, "opponent") for p in given]
        if any(e["name"] == "exact" and e["policy"] is None for e in opponents):
            game.solve()
        place = seat
        if isinstance(seat, str):
            if seat != "random":
                raise ValueError(f"seat is {seat!r}; want 'random', or 0 to {players - 1}")
            place = -1
        else:
            place = _native.number(seat, "seat", 0, players - 1)
        seats = {
            "opponents": opponents,
            "seat": place,
            "sample": bool(sample),
            "seed": _native.number(search_seed, "search_seed", 0, _MAX_SEED),
            "compact": bool(compact),
        }
        self._options = {
            "first_row": first,
            "opponent": opponent,
            "seat": seat,
            "sample": sample,
            "search_seed": search_seed,
            "dtype": self.dtype,
        }
        # Chosen, above what a row of any game takes: arrays, their copies, states.
        size = 8 * (2 * d + actions + 2 * players) + 64
        _native.make_room(n, size + (4096 if opponents else 1024))
        self._arrays: dict[str, npt.NDArray[Any]] = {
            "obs": np.zeros((n, d), self.dtype),
            "mask": np.zeros((n, actions), np.int8),
            "player": np.zeros(n, np.int8),
            "action": np.zeros(n, np.int64),
            "reward": np.zeros((n, players), np.float32),
            "terminated": np.zeros(n, np.bool_),
            "truncated": np.zeros(n, np.bool_),
            "final_obs": np.zeros((n, d), self.dtype),
            "final_player": np.zeros(n, np.int8),
            "acted_reward": np.zeros(n, np.float64),
            "ended": np.zeros(n, np.bool_),
        }
        buffers = _native.Buffers(**{k: _native.address(a) for k, a in self._arrays.items()})
        self._object = _native.Object(
            "batch", n, first, json.dumps(seats).encode(), ctypes.byref(buffers), of=game._native()
        )
        self._object.keep = self._arrays  # the library writes to them
        self._action = self._arrays["action"]
        self._ended, self._work = ctypes.c_int(), _native.HANDLE()
        self._step, self._text = _native.function("step"), ctypes.c_void_p()
        self._results = tuple(map(ctypes.byref, (self._ended, self._work, self._text)))
        self._questions = Questions(game, min(n, 8192) if self._policies else 1)
        self._lock = threading.RLock()
        self._mask_name = "action_mask"  # where the caller finds the masks
        self._begun = False  # reset or restore has succeeded
        self._asking = False  # a policy of the caller plays in a call in progress

        def view(name: str) -> npt.NDArray[Any]:
            v = self._arrays[name].view()
            v.flags.writeable = False
            return v

        self.observation: npt.NDArray[Any] = view("obs")
        self.action_mask: npt.NDArray[np.int8] = view("mask")
        self.player: npt.NDArray[np.int8] = view("player")
        self.reward: npt.NDArray[np.float32] = view("reward")
        self.terminated: npt.NDArray[np.bool_] = view("terminated")
        self.truncated: npt.NDArray[np.bool_] = view("truncated")
        self.final_observation: npt.NDArray[Any] = view("final_obs")
        self.final_player: npt.NDArray[np.int8] = view("final_player")
        self.acted_reward: npt.NDArray[np.float64] = view("acted_reward")
        self.ended: npt.NDArray[np.bool_] = view("ended")
        self._first = self.observation[0], self.action_mask[0], self.reward[0]

    @contextlib.contextmanager
    def _use(self, what: str) -> Iterator[_native.Object]:
        """Gives the batch to a call of this thread."""
        self._object.check(what)  # before the lock, which a fork may have left closed
        with self._lock:
            if self._asking:
                raise RuntimeError(f"{what}: a policy cannot use the batch in which it plays")
            yield self._object

    def _play(self, what: str, *arguments: Any) -> int:
        """Makes a call that can take long, during which policies play."""
        object, work = self._object, self._work
        object.check(what)
        with self._lock:
            if self._asking:
                raise RuntimeError(f"{what}: a policy cannot use the batch in which it plays")
            try:
                object.call(what, *arguments, self._ended, work)
                return self._drive(what) if work.value else self._ended.value
            finally:
                if work.value:
                    self._end()

    def _drive(self, what: str) -> int:
        """Answers the questions of the job that a call has begun, and returns its result."""
        self._asking = True
        job = _native.Object.job(self._work.value)
        return int(drive(job, self._questions, self._policies, what))

    def _end(self) -> None:
        """Releases the job of a call, which ends if it is in progress."""
        self._asking = False
        _native.call("release", self._work)
        self._work.value = 0

    def reset(self, seed: int) -> None:
        """Seeds all generators and starts a game in every row."""
        seed = _native.number(seed, "seed", 0, _MAX_SEED)
        self._object.check("reset")
        with self._lock:
            self._begun = False
            self._play("reset", seed)
            self._begun = True

    def step(self, actions: npt.ArrayLike, *, hold: npt.NDArray[np.bool_] | None = None) -> int:
        """Plays an action in every row and returns the number of games that ended.

        Args:
            actions: [N] integers.
            hold: [N] true in rows that stay as they are, whatever their actions.

        Raises:
            IllegalActionError: an action is illegal.

        After an exception no row has changed. After KeyboardInterrupt the step was played in
        all rows or in none: reset then.
        """
        a = np.asarray(actions)
        if a.shape != (self.rows,) or a.dtype.kind not in "iu":
            raise ValueError(
                f"actions have shape {a.shape} and type {a.dtype}; want {self.rows} integers"
            )
        self._object.check("step")
        with self._lock:
            np.copyto(self._action, a, casting="same_kind")
            np.maximum(self._action, _HOLD + 1, out=self._action)  # _HOLD stands for no action
            if hold is not None:
                np.copyto(self._action, _HOLD, where=hold)
            try:
                return self._play("step")
            except _native.IllegalActionError as e:
                raise self._illegal() or e from None

    def _step_one(self, action: int) -> int:
        """Is ``step([action])`` of a batch of one row, at a third of the cost, for an action
        that _native.action has returned: it checks neither the rows nor the number.
        """
        object, work = self._object, self._work
        handle = object._handle
        if handle is None or object._forks != _native._forks:
            object.check("step")
        with self._lock:
            if self._asking:
                raise RuntimeError("step: a policy cannot use the batch in which it plays")
            self._action[0] = action
            try:
                code = self._step(handle, *self._results)
                if code:
                    _native.answer(code, self._text, "step")
                return self._drive("step") if work.value else self._ended.value
            except _native.IllegalActionError as e:
                raise self._illegal() or e from None
            finally:
                if work.value:
                    self._end()

    def _illegal(self) -> _native.IllegalActionError | None:
        """The error of the first illegal action of a step; None if all are legal."""
        actions, most = self._action, self.game.num_actions - 1
        known = (actions >= 0) & (actions <= most)
        legal = known & (self.action_mask[np.arange(self.rows), np.clip(actions, 0, most)] != 0)
        for row in np.flatnonzero(~(legal | (actions == _HOLD)))[:1]:
            where = f"row {row}, action" if self.rows > 1 else "action"
            at = f"{self._mask_name}[{row}]" if self.rows > 1 else self._mask_name
            name, range = self.game._names, "" if known[row] else f": actions are 0 to {most}"
            return _native.IllegalActionError(
                f"step: {where} {name([actions[row]])}: illegal action{range}; legal are "
                f"{name(np.flatnonzero(self.action_mask[row]))}; the mask is {at}"
            )
        return None

    def next(self, row: int, position: Position | str | None = None) -> None:
        """Starts another game in a row, without seeding; with a position, from there on. The
        caller's seat, where it is random, is drawn anew.

        Raises:
            ValueError: from the position, the game ends before the caller's first decision.
        """
        n = _native.number(row, "row", 0, self.rows - 1)
        if position is None:
            self.begin([n])
        else:
            self._play("place", n, self.game._own(position).text.encode())

    def begin(self, rows: Iterable[Any], seeds: Iterable[Any] | None = None) -> None:
        """Starts another game in some rows.

        Args:
            rows: [K] their numbers.
            seeds: [K] seeds that their generators get as by reset; None goes on with the
                generators.
        """
        r = np.array([_native.number(i, "row", 0, self.rows - 1) for i in rows], np.int64)
        s = None
        if seeds is not None:
            s = np.array([_native.number(x, "seed", 0, _MAX_SEED) for x in seeds], np.uint64)
        if s is not None and s.shape != r.shape:
            raise ValueError("rows and seeds have different shapes; want a seed for each row")
        at = None if s is None else _native.address(s)
        self._play("begin", len(r), _native.address(r), at)

    def position(self, row: int, *, final: bool = False) -> Position:
        """The position of a row or, with final, the last one of the game that ended there
        in the last step.

        It has the actions of the game, see relabel.
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
        with self._use("position") as object:
            return object.document("row", n, int(final))

    def save(self) -> bytes:
        """All that resuming needs: states, counts and generators."""
        with self._use("save") as object:
            return object.saved_state()

    def restore(self, state: bytes) -> None:
        """Restores what save returned for a batch of the same game and size. After an error
        the batch must be reset.
        """
        if not isinstance(state, bytes):
            raise TypeError(f"state is a {type(state).__name__}; want bytes")
        with self._use("restore") as object:
            self._begun = False
            object.call("restore", state, len(state))
            self._begun = True

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or what is read from a pickle, is an independent batch in the same state."""
        state = None
        with self._use("copy") as object:
            if self._begun:
                results = {k: a.copy() for k, a in self._arrays.items() if k not in _SHOWN}
                ended = [int(i) for i in np.flatnonzero(self.ended)]
                finals = [(i, self.position(i, final=True).text) for i in ended]
                state = object.saved_state(), results, finals
        arguments = type(self), self.game, self.rows, self._options, state
        return _copied, arguments, {"_mask_name": self._mask_name}

    def close(self) -> None:
        """Releases the batch, after a step in progress. The arrays stay, with what they held."""
        if self._object.here:
            with self._lock:
                if self._asking:
                    raise RuntimeError("close: a policy cannot close the batch in which it plays")
                self._object.close()

    def __repr__(self) -> str:
        return f"<marsgym.Batch of {self.rows} rows of {self.game!r}>"

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Owner:
    """An environment that owns a batch. A copy of any kind is an independent environment in the
    same state, and so is what is read from a pickle.
    """

    game: Game

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # a shallow copy would step the same batch

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} of {self.game!r}>"


def _dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """The dtype of observations."""
    given = np.dtype(dtype)
    if given not in (np.float32, np.uint8):
        raise ValueError(f"dtype is {given}; want float32 or uint8")
    return given


# What restoring a state writes.
_SHOWN = ("obs", "mask", "player")


def _copied(
    cls: type[Batch],
    game: Game,
    rows: int,
    options: dict[str, Any],
    state: tuple[bytes, dict[str, npt.NDArray[Any]], list[tuple[int, str]]] | None,
) -> Batch:
    batch = cls(game, rows, **options)
    if state is not None:
        saved, results, finals = state
        batch.restore(saved)
        for name, values in results.items():
            np.copyto(batch._arrays[name], values)
        for row, text in finals:
            batch._object.call("final", row, text.encode())
    return batch
