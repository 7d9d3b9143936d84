"""Measures decisions per CPU-second, and the CPU time of a step, from Python.

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


def measure(step, choose):
    """Returns a function that measures the CPU-seconds of a step."""

    def run():
        seconds = 0.0
        for _ in range(args.steps):
            action = choose()
            begin = time.process_time()
            step(action)
            seconds += time.process_time() - begin
        return seconds / args.steps

    return run


def vector(copy):
    env = marsgym.make_vec(args.game, args.rows, opponent=None, copy=copy)
    env.reset(seed=1)
    return measure(env.step, lambda: legal(env.batch.action_mask))


def library():
    batch = marsgym.load(args.game).batch(args.rows)
    batch.reset(1)

    def choose():
        batch._action[:] = legal(batch.action_mask)

    handle, ended = batch._handle, batch._ended
    return measure(lambda _: _native.call("step", handle, ended), choose)


def single():
    env = gymnasium.make(env_ids()[args.game], opponent=None).unwrapped
    env.reset(seed=1)

    def step(action):
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()

    return measure(step, lambda: legal(env.batch.action_mask)[0])


def aec():
    env = pettingzoo.raw_env(args.game)
    env.reset(seed=1)

    def step(action):
        env.step(action)
        if env._ended:
            env.reset()
        env.last()

    return measure(step, lambda: legal(env.batch.action_mask)[0])


ways = {
    "the library alone": library(),
    "make_vec, copy=False": vector(False),
    "make_vec, copy=True": vector(True),
}
games_of_one_row = {"gymnasium.make, no opponent": single(), "PettingZoo, step and last": aec()}
ways |= games_of_one_row
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
        ways[f"EnvPool {name}"] = measure(pool.step, choose)
results = {name: [] for name in ways}
for _ in range(args.rounds):
    for name, way in ways.items():
        results[name].append(way())
print(f"{'':30} decisions per CPU-second   of the library   µs a step")
whole = args.rows / statistics.median(results["the library alone"])
for name, seconds in results.items():
    second = statistics.median(seconds)
    rate = (1 if name in games_of_one_row else args.rows) / second
    print(f"{name:30} {rate:24,.0f} {rate / whole:16.1%} {second * 1e6:11.1f}")
