"""Environments of one game step by a short way; a plain way over Batch.step is its oracle."""

import ctypes
import gc
import hashlib
import os
import pickle

import gymnasium
import numpy as np
import pytest

import marsgym
from marsgym.gymnasium import Env, env_ids
from tests.test_robust import run, uniform


class Plain(Env):
    """The same environment by Batch.step and NumPy."""

    def step(self, action):
        if self._state != "playing":
            raise gymnasium.error.ResetNeeded("no game is in progress; call reset first")
        batch = self.batch
        acted = batch.player[0]
        batch.step(np.array([marsgym._native.action(action)], np.int32))
        terminated, truncated = bool(batch.terminated[0]), bool(batch.truncated[0])
        obs, player, mask = batch.observation, batch.player, batch.action_mask
        if terminated or truncated:
            self._state = "ended"
            obs, player = batch.final_observation, batch.final_player
            mask = np.zeros_like(mask)
        info = {"player": np.int64(player[0]), "action_mask": mask[0].copy()}
        info["rewards"] = batch.reward[0].copy()
        return obs[0].copy(), float(batch.reward[0, acted]), terminated, truncated, info


def digest(result):
    """All that a result holds, with its types."""
    sha = hashlib.sha256()
    *values, info = result
    for x in [*values, *info, *info.values()]:
        x = np.asarray(x)
        sha.update(f"{type(x)} {x.dtype} {x.shape}".encode() + x.tobytes())
    return sha.hexdigest()


def attempt(call, *arguments):
    try:
        return digest(call(*arguments))
    except Exception as e:
        return type(e), str(e)


OPPONENTS = {"none": None, "random": "random", "function": uniform, "search": "search:2"}
WRONG = (None, "0", 0.0, True, np.array([0]), -1, 9999, 2**31, 2**70, -(2**63), np.int64(-(2**63)))


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("id", env_ids())
def test_the_short_way_equals_the_plain_one(id, opponent):
    """Games, their ends, and errors, after which nothing has changed."""
    slow = opponent in ("function", "search")
    way = {"opponent": OPPONENTS[opponent], "config": {"target": 10} if id == "pig" else None}
    envs = [cls(id, **way) for cls in (Env, Plain)]
    rng, ends, steps = np.random.default_rng(1), 0, 60 if slow else 600
    assert len({attempt(env.step, 0) for env in envs}) == 1
    results = [env.reset(seed=7) for env in envs]
    for k in range(steps):
        assert len({digest(r) for r in results}) == 1
        mask = results[0][-1]["action_mask"]
        if k % 10 == 0:
            illegal = np.flatnonzero(mask == 0)[:1].tolist()
            for wrong in (*WRONG, *illegal):
                errors = {attempt(env.step, wrong) for env in envs}
                assert len(errors) == 1
                assert isinstance(errors.pop(), tuple)
        action = rng.choice(np.flatnonzero(mask))
        given = (int(action), action, action.astype(np.int16))[k % 3]
        results = [env.step(given) for env in envs]
        assert all(type(r[1]) is float and type(r[2]) is type(r[3]) is bool for r in results)
        if results[0][2] or results[0][3]:
            ends += 1
            assert len({digest(r) for r in results}) == 1
            assert len({attempt(env.step, 0) for env in envs}) == 1
            results = [env.reset() for env in envs]
    assert len({env.batch.save() for env in envs}) == 1
    assert ends > 0 or id != "pig"
    copies = [pickle.loads(pickle.dumps(env)) for env in envs]
    action = int(results[0][-1]["action_mask"].argmax())
    assert len({digest(env.step(action)) for env in [*envs, *copies]}) == 1
    for env in envs:
        env.reset()
        env.close()
    assert [attempt(env.step, 0) for env in envs] == [(ValueError, "step: the batch is closed")] * 2


def test_results_are_not_reused():
    env = Env("pig", opponent=None)
    _, before = env.reset(seed=1)
    obs, *_, info = env.step(0)
    kept = obs.copy(), {k: v.copy() for k, v in info.items()}
    env.step(int(info["action_mask"].argmax()))
    assert np.array_equal(obs, kept[0])
    assert all(np.array_equal(info[k], kept[1][k]) for k in info)
    for array in (obs, info["action_mask"], info["rewards"], before["rewards"]):
        array[...] = 1
    assert not env.step(int(env.action_masks().argmax()))[-1]["rewards"].any()


def test_an_opponent_cannot_use_its_environment():
    def meddle(observations, masks):
        with pytest.raises(RuntimeError, match="step: a policy cannot use the batch in which it"):
            env.step(0)
        calls.append(len(masks))
        return uniform(observations, masks)

    calls = []
    env = Env("pig", opponent=meddle, seat=0)
    env.reset(seed=1)
    while not calls:
        env.step(int(env.action_masks()[1]))


def test_an_opponent_that_fails():
    """The step has changed nothing, and can be taken again."""

    def broken(observations, masks):
        if fail:
            raise ZeroDivisionError
        return uniform(observations, masks)

    def play():
        nonlocal state
        while True:
            state = env.batch.save()
            env.step(int(env.action_masks()[1]))

    fail, state, env = False, b"", Env("pig", opponent=broken, seat=0)
    for seed in range(3):
        env.reset(seed=seed)
        fail = True
        with pytest.raises(ZeroDivisionError):
            play()
        assert env.batch.save() == state
        fail = False
        env.step(int(env.action_masks()[1]))


class Allocated(ctypes.Structure):
    """The result of mallinfo2 of glibc."""

    _fields_ = [(f"field{i}", ctypes.c_size_t) for i in range(7)] + [("used", ctypes.c_size_t)]
    _fields_ += [("free", ctypes.c_size_t), ("releasable", ctypes.c_size_t)]


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="needs glibc 2.33")
def test_errors_are_freed():
    """The library allocates the text of each error."""
    count = ctypes.CDLL(None).mallinfo2
    count.restype = Allocated
    env = Env("pig")
    env.reset(seed=1)

    def used(errors):
        for _ in range(errors):
            with pytest.raises(marsgym.IllegalActionError, match=r"action 1 \(hold\)"):
                env.step(1)
        gc.collect()
        return count().used

    before = used(100)
    assert used(1000) - before < 20_000, "a text has about 60 bytes"


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="needs fork and memfd")
def test_fork():
    done = run("""
        import os
        from marsgym.gymnasium import Env
        from marsgym.pettingzoo import env
        single, aec = Env("pig"), env("pig")
        single.reset(seed=1)
        aec.reset(seed=1)
        if os.fork() == 0:
            for x in (single, aec):
                try:
                    x.step(0)
                except RuntimeError as e:
                    print(e, flush=True)
            os._exit(0)
        assert os.wait()[1] == 0
        single.step(0)
        aec.step(0)
        print("played")
    """)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [x.startswith("step: this process was forked after the batch") for x in lines] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("make", "mask"),
    [
        (lambda: marsgym.load("pig").batch(1), "action_mask"),
        (lambda: Env("pig"), 'info["action_mask"]'),
        (lambda: pickle.loads(pickle.dumps(Env("pig"))), 'info["action_mask"]'),
        (lambda: marsgym.make_vec("pig", 1), 'info["action_mask"]'),
    ],
)
def test_illegal_actions_are_named(make, mask):
    x = make()
    x.reset(seed=1) if hasattr(x, "batch") else x.reset(1)
    single = isinstance(x, Env)
    for action, named in (
        (1, "1 (hold): illegal action;"),
        (2, "2: illegal action: actions are 0"),
    ):
        with pytest.raises(marsgym.IllegalActionError) as info:
            x.step(action if single else [action])
        text = str(info.value)
        assert text.startswith(f"step: action {named}")
        assert text.endswith(f"; legal are 0 (roll); the mask is {mask}")


def test_illegal_actions_of_rows_and_positions_are_named():
    batch = marsgym.load("mars-is-ours").batch(2)
    batch.reset(1)
    with pytest.raises(
        marsgym.IllegalActionError,
        match=r"^step: row 1, action -1: .* legal are 2 \(place-e2\), .* and \d+ more; the mask is "
        r"action_mask\[1\]$",
    ):
        batch.step([batch.action_mask[0].argmax(), -1])
    start = marsgym.load("pig").initial()
    for call in (start.apply, start.describe_action):
        with pytest.raises(
            marsgym.IllegalActionError,
            match=r"illegal action: 1 \(hold\) in 0-0@0; legal_actions are 0 \(roll\)$",
        ):
            call(1)
    for call in (start.apply, start.describe_action):
        for value in ("roll", None, 1.5, True):
            with pytest.raises(TypeError, match=rf"^action is {value!r}; want an integer$"):
                call(value)
    with pytest.raises(marsgym.IllegalActionError, match=r"where chance moves; call sample first$"):
        start.apply(0).apply(0)
