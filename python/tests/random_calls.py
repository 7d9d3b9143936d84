"""Makes random calls of the package: copies, pickles, threads, closed objects, wrong types.

Any exception is fine but NativeError; a crash, a text of the Go runtime and growing memory are
not. test_robust.py runs it:

    python -m tests.random_calls 10000
"""

import copy
import gc
import pickle
import random
import sys
import threading

import cloudpickle
import numpy as np

import marsgym
from marsgym import pettingzoo
from marsgym.gymnasium import Env, VectorEnv
from tests.test_robust import resident, uniform

rng = random.Random(1)
noise = np.random.default_rng(1)

JUNK = [
    None, True, -1, 0, 1, 2**31, 2**63, 2**64, 2**70, 1.5, float("nan"), "", "x", "\0", "é" * 100,
    "\udc80", b"x", [], [1], [0] * 4, {}, {"a": 1}, object(), np.zeros(3), np.zeros(4, np.int64),
    np.zeros((4, 2), np.int8)[:, 0], np.int64(-5), np.int64(2), np.bool_(True), lambda: 0, uniform,
    "random", "greedy", "exact", "search:3", "/dev/null", "pig", "0-0@0", "7-3@1",
]  # fmt: skip


def junk():
    return rng.choice(JUNK)


# Small ones, since solutions take memory.
SMALL = {"target": 20}
GAMES = [
    marsgym.load("pig", config=SMALL, cache=None),
    marsgym.load("martian-dice", config={"dice": 4, "target": 5}, cache=None),
    marsgym.load("mars-is-ours-fast"),
]
OPPONENTS = [None, "random", "greedy", "search:3", uniform, marsgym.Scores(lambda o: o[:, 0])]


def fresh():
    game = rng.choice(GAMES)
    opponent = rng.choice(OPPONENTS)
    x = rng.choice([
        lambda: game.batch(4, opponent=opponent),
        lambda: Env(game.id, opponent=opponent, illegal_action=rng.choice(["raise", "random"])),
        lambda: VectorEnv(game.id, 4, opponent=opponent, copy=rng.random() < 0.5),
        lambda: pettingzoo.raw_env(game.id),
        lambda: pettingzoo.env(game.id),
        game.initial,
    ])()  # fmt: skip
    if rng.random() < 0.9 and hasattr(x, "reset"):
        x.reset(seed=rng.randrange(100))
    return x


pool = [fresh() for _ in range(6)]

METHODS = [
    "reset", "step", "next", "begin", "position", "relabel", "save", "restore", "close", "render",
    "action_masks", "last", "observe", "apply", "outcomes", "outcome", "sample", "draw", "value",
    "outcome_probabilities", "observation", "action_mask", "describe_action", "__repr__", "__str__",
    "_repr_svg_", "__reduce__", "options",
]  # fmt: skip


def method(x):
    name = rng.choice(METHODS)
    arguments = [junk() for _ in range(rng.randrange(3))]
    if name == "restore" and rng.random() < 0.5:
        arguments = [rng.choice(pool).save()]
    getattr(x, name)(*arguments)


def play(x):
    batch = x if isinstance(x, marsgym.Batch) else x.unwrapped.batch
    mask = batch.action_mask
    action = np.where(mask, noise.random(mask.shape), -1).argmax(axis=1)
    x.step(action if isinstance(x, (marsgym.Batch, VectorEnv)) else int(action[0]))


def duplicate(x):
    way = rng.choice([
        copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: pickle.loads(cloudpickle.dumps(x)),
    ])  # fmt: skip
    pool[rng.randrange(len(pool))] = way(x)


def together(x):
    def several():
        for _ in range(3):
            attempt(rng.choice([play, method, duplicate]), x)

    threads = [threading.Thread(target=several) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def arguments(_):
    game = rng.choice(GAMES)
    rng.choice([
        lambda: marsgym.load(junk(), junk(), junk(), cache=junk()),
        lambda: game.batch(junk(), opponent=junk(), seat=junk(), search_seed=junk()),
        lambda: game.batch(4, opponent=[junk(), junk()], first_row=junk()),
        lambda: game.position(junk()).apply(junk()),
        lambda: game.match(junk(), junk(), 3, seed=junk()),
        lambda: marsgym.load_model(junk()),
        lambda: marsgym.make_vec(junk(), junk(), config=SMALL, opponent=junk()),
        lambda: Env("pig", config=SMALL, opponent=junk(), seat=junk()).reset(seed=junk()),
        lambda: Env("pig").reset(options=junk()),
        lambda: Env("pig", oponent=junk()),
    ])()  # fmt: skip


calls = failed = 0
wrong = []


def attempt(call, x):
    global calls, failed
    calls += 1
    try:
        call(x)
    except Exception as e:
        failed += 1
        text = str(e)
        if isinstance(e, marsgym.NativeError) or "goroutine" in text or "runtime error" in text:
            wrong.append(f"{call.__name__} of {x!r}: {e!r}")


def main(n):
    before = resident()
    while calls < n:
        kind = rng.choices([play, method, duplicate, together, arguments], [6, 6, 2, 1, 3])[0]
        attempt(kind, rng.choice(pool))
        if rng.random() < 0.05:
            pool[rng.randrange(len(pool))] = fresh()
        if calls <= n // 2:
            before = resident()
    if wrong:
        sys.exit("\n".join(wrong))
    gc.collect()
    print(f"{calls} calls, {failed} raised, {(resident() - before) >> 20} MiB more")


if __name__ == "__main__":
    main(int(sys.argv[1]))
