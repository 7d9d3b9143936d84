"""Measures decisions per CPU-second from Python, with observations and masks.

Actions are legal ones at random; choosing them is not measured. All ways are measured in
turns, and the medians printed, beside a call of the library alone: that is the Go batch.
EnvPool's classic environments are measured too where it is installed.

    GOMAXPROCS=1 python benchmarks/speed.py --game martian-dice --rows 1024
"""

import argparse
import statistics
import time

import gymnasium
import numpy as np

import marsgym
from marsgym import _native, pettingzoo
from marsgym.gymnasium import env_ids

parser = argparse.ArgumentParser()
parser.add_argument("--game", default="martian-dice")
parser.add_argument("--rows", type=int, default=1024)
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--rounds", type=int, default=15)
args = parser.parse_args()
rng = np.random.default_rng(1)


def legal(masks):
    return np.where(masks, rng.random(masks.shape, np.float32), -1).argmax(axis=1)


def measure(step, choose, decisions):
    """Returns a function that measures decisions per CPU-second."""

    def run():
        seconds = 0.0
        for _ in range(args.steps):
            action = choose()
            begin = time.process_time()
            step(action)
            seconds += time.process_time() - begin
        return decisions * args.steps / seconds

    return run


def vector(copy):
    env = marsgym.make_vec(args.game, args.rows, copy=copy)
    env.reset(seed=1)
    return measure(env.step, lambda: legal(env.batch.action_mask), args.rows)


def library():
    batch = marsgym.load(args.game).batch(args.rows)
    batch.reset(1)

    def choose():
        batch._action[:] = legal(batch.action_mask)

    handle, ended = batch._handle, batch._ended
    return measure(lambda _: _native.call("step", handle, ended), choose, args.rows)


def single():
    env = gymnasium.make(env_ids()[args.game], opponent=None).unwrapped
    env.reset(seed=1)

    def step(action):
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()

    return measure(step, lambda: legal(env.batch.action_mask)[0], 1)


def aec():
    env = pettingzoo.raw_env(args.game)
    env.reset(seed=1)

    def step(action):
        env.step(action)
        if env._ended:
            env.reset()
        env.last()

    return measure(step, lambda: legal(env.batch.action_mask)[0], 1)


ways = {
    "the library alone": library(),
    "make_vec, copy=False": vector(False),
    "make_vec, copy=True": vector(True),
    "gymnasium.make, no opponent": single(),
    "PettingZoo, step and last": aec(),
}
try:
    import envpool
except ImportError:
    print("EnvPool is not installed")
else:
    for name in ("CartPole-v1", "Acrobot-v1"):
        pool = envpool.make(name, env_type="gymnasium", num_envs=args.rows, num_threads=1)
        pool.reset()
        n = pool.action_space.n
        choose = lambda n=n: rng.integers(n, size=args.rows).astype(np.int32)  # noqa: E731
        ways[f"EnvPool {name}"] = measure(pool.step, choose, args.rows)
results = {name: [] for name in ways}
for _ in range(args.rounds):
    for name, way in ways.items():
        results[name].append(way())
whole = statistics.median(results["the library alone"])
for name, rates in results.items():
    rate = statistics.median(rates)
    print(f"{name:30} {rate:14,.0f} decisions per CPU-second  {rate / whole:6.1%}")
