"""Q-learning with a table, by self-play of two seats in a game whose returns sum to zero."""

import numpy as np
from common import arguments, clock, report

import marsgym

args = arguments("pig", envs=256, rate=0.05, explore=0.1)
rng = np.random.default_rng(args.seed)
env = marsgym.make_vec(args.game, args.envs, opponent=None)
game = env.game
assert game.players == 2
assert game.utility == "zero_sum"
numbers: dict[bytes, int] = {}
table = np.zeros((1 << 20, game.num_actions))


def rows(observations):
    """The rows of the table for observations [n, D]."""
    return np.array([numbers.setdefault(o.tobytes(), len(numbers)) for o in observations])


def greedy(state, masks):
    return np.where(masks, table[state], -np.inf).argmax(axis=1)


obs, info = env.reset(seed=args.seed)
state, running, steps = rows(obs), clock(args.seconds), 0
while running():
    masks, player = info["action_mask"], info["player"]
    noise = np.where(masks, rng.random(masks.shape), -1)
    explores = rng.random(args.envs) < args.explore
    action = np.where(explores, noise.argmax(axis=1), greedy(state, masks))
    obs, reward, terminated, truncated, info = env.step(action)
    after = rows(obs)
    best = np.where(info["action_mask"], table[after], -np.inf).max(axis=1)
    best = np.where(
        info["player"] == player, best, -best
    )  # what is good for one is bad for the other
    target = reward + np.where(terminated | truncated, 0, best)
    np.add.at(table, (state, action), args.rate * (target - table[state, action]))
    if len(numbers) > len(table) - args.envs:
        table = np.concatenate([table, np.zeros_like(table)])
    state, steps = after, steps + args.envs


def policy(observations, masks):
    known = [numbers.get(o.tobytes(), -1) for o in observations]
    values = np.where(np.array(known)[:, None] >= 0, table[known], 0.0)
    return np.eye(game.num_actions)[np.where(masks, values, -np.inf).argmax(axis=1)]


report("Q-learning with a table, self-play", args, game, policy, steps)
