"""Measures decisions per CPU-second from Python, beside environments of others.

Each way plays whole games, resets included, by legal actions that are drawn before: the clock
runs while it steps and reads what a learner reads. All ways take turns, and the medians count.

Batches are compared with the library alone: the same steps of the Go batch, which the others
add Python to. EnvPool's classic environments are measured too where it is installed.

    GOMAXPROCS=1 python benchmarks/speed.py --game pig
    GOMAXPROCS=1 python benchmarks/speed.py --game pig --short
"""

import argparse
import statistics
import time

import gymnasium
import numpy as np
from pettingzoo.classic import tictactoe_v3

import marsgym
from marsgym import pettingzoo
from marsgym.gymnasium import env_ids

parser = argparse.ArgumentParser()
parser.add_argument("--game", default="pig")
parser.add_argument("--rows", type=int, default=1024, help="of the batches")
parser.add_argument("--steps", type=int, default=200, help="of a batch in a turn")
parser.add_argument("--decisions", type=int, default=20_000, help="of one game in a turn")
parser.add_argument("--rounds", type=int, default=15)
parser.add_argument("--short", action="store_true", help="one game only, for some seconds")
args = parser.parse_args()
if args.short:
    args.decisions, args.rounds = 3000, 5
rng = np.random.default_rng(1)


def legal(masks):
    return np.where(masks, rng.random(masks.shape, np.float32), -1).argmax(axis=1)


def batch(step, choose):
    """A function that measures the CPU-seconds of a decision in a batch."""

    def run():
        seconds = 0.0
        for _ in range(args.steps):
            actions = choose()
            begin = time.process_time()
            step(actions)
            seconds += time.process_time() - begin
        return seconds / args.steps / args.rows

    return run


def vector(copy):
    env = marsgym.make_vec(args.game, args.rows, opponent=None, copy=copy)
    env.reset(seed=1)
    return batch(env.step, lambda: legal(env.batch.action_mask))


def library():
    rows = marsgym.load(args.game).batch(args.rows)
    rows.reset(1)

    def choose():
        rows._action[:] = legal(rows.action_mask)

    return batch(lambda _: rows._object.call("step", rows._ended, rows._work), choose)


def single(id, mask, **options):
    """The same for one game of Gymnasium; mask takes the legal actions from an info."""
    env = gymnasium.make(id, disable_env_checker=True, **options).unwrapped
    draws = rng.random(args.decisions).tolist()

    def script(seed):
        """Legal actions of games from a seed on, drawn as they are played."""
        _, info = env.reset(seed=seed)
        actions = []
        for x in draws:
            choices = mask(info)
            actions.append(int(choices[int(x * len(choices))]))
            _, _, terminated, truncated, info = env.step(actions[-1])
            if terminated or truncated:
                _, info = env.reset()
        return actions

    scripts = [script(seed) for seed in range(args.rounds)]

    def run():
        seed = len(scripts) - 1
        actions = scripts.pop()
        env.reset(seed=seed)
        step = env.step
        begin = time.process_time()
        for action in actions:
            _, _, terminated, truncated, _ = step(action)
            if terminated or truncated:
                env.reset()
        return (time.process_time() - begin) / args.decisions

    return run


def aec(env):
    """The same for one game of PettingZoo: last and step of its own wrappers."""
    draws = rng.random(args.decisions).tolist()

    def games(choose):
        k = 0
        env.reset(seed=1)
        while True:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            if k == args.decisions:
                return
            env.step(choose(k, observation["action_mask"]))
            k += 1

    actions = []

    def draw(k, mask):
        choices = np.flatnonzero(mask)
        actions.append(int(choices[int(draws[k] * len(choices))]))
        return actions[-1]

    games(draw)  # the same games follow

    def run():
        begin = time.process_time()
        games(lambda k, _: actions[k])
        return (time.process_time() - begin) / args.decisions

    return run


def masked(info):
    return np.flatnonzero(info["action_mask"])


def newest(name):
    return max(id for id in gymnasium.registry if id.startswith(name))


ways = {
    "Env.step": single(env_ids()[args.game], masked, opponent=None),
    "CartPole-v1 of Gymnasium": single("CartPole-v1", lambda info: (0, 1)),
    "Taxi of Gymnasium": single(newest("Taxi-v"), masked),
    "pettingzoo.env": aec(pettingzoo.env(args.game)),
    "tictactoe_v3 of PettingZoo": aec(tictactoe_v3.env()),
}
if not args.short:
    ways |= {
        "the library alone": library(),
        "make_vec, copy=False": vector(False),
        "make_vec": vector(True),
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
            ways[f"EnvPool {name}"] = batch(pool.step, choose)
results = {name: [] for name in ways}
for _ in range(args.rounds):
    for name, way in ways.items():
        results[name].append(way())
medians = {name: statistics.median(seconds) for name, seconds in results.items()}
print(f"{'':30} decisions per CPU-second      µs   spread")
for name, second in medians.items():
    spread = (max(results[name]) - min(results[name])) / second
    print(f"{name:30} {1 / second:24,.0f} {second * 1e6:7.2f} {spread:8.0%}")


def compare(name, other):
    """The median of the ratios of a turn: what the machine does besides falls out."""
    ratios = [b / a for a, b in zip(results[name], results[other], strict=True)]
    print(f"{name} makes {statistics.median(ratios):.2f} times the decisions of {other}")


compare("Env.step", "CartPole-v1 of Gymnasium")
compare("Env.step", "Taxi of Gymnasium")
compare("pettingzoo.env", "tictactoe_v3 of PettingZoo")
if not args.short:
    compare("make_vec, copy=False", "the library alone")
    compare("make_vec", "the library alone")
