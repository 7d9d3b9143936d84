"""SuperSuit's wrappers with the environments of marsgym."""

import gymnasium
import numpy as np
import supersuit
from cells import GAME, HOLD, SHORT, cell, kind, legal, outcome, until_end
from gymnasium.wrappers import TimeLimit
from pettingzoo.utils import conversions

import marsgym.pettingzoo


def single(**options):
    return gymnasium.make(GAME, config=SHORT, **options)


def aec():
    return marsgym.pettingzoo.env("pig", config=SHORT)


def first(wrap, env):
    wrapped = wrap(env)
    wrapped.reset(seed=1)
    return wrapped.last()[0]


vec = supersuit.gym_vec_env_v0(single(), 3)
obs, _, terminated, _, info = until_end(vec)
row = int(terminated.argmax())
cell(
    "autoreset",
    f"`gym_vec_env_v0` is {type(vec.unwrapped).__name__} in "
    f"{vec.metadata['autoreset_mode'].name}: the step that ends a game shows its end: "
    f"{obs[row][:2].max() >= 1}",
)
cell(
    "mask",
    *(
        f"`{name}` of the AEC environment: {outcome(lambda wrap=wrap: first(wrap, aec()), kind)}"
        for name, wrap in {
            "frame_stack_v1": lambda e: supersuit.frame_stack_v1(e, 2),
            "dtype_v0": lambda e: supersuit.dtype_v0(e, np.float64),
            "clip_reward_v0": supersuit.clip_reward_v0,
            "max_observation_v0": lambda e: supersuit.max_observation_v0(e, 2),
            "delay_observations_v0": lambda e: supersuit.delay_observations_v0(e, 1),
        }.items()
    ),
)


def row_obs(i):
    return supersuit.gym_vec_env_v0(single(), 3).reset(seed=20)[0][i].tolist()


cell(
    "seed",
    "row i of `gym_vec_env_v0`, seed 20, is a single environment with seed 20 + i: "
    f"{all(row_obs(i) == single().reset(seed=20 + i)[0].tolist() for i in range(3))}",
)
cell("final", f"infos of the step that ends a game: {', '.join(sorted(info))}")


def delayed():
    """Whether a delayed mask is the mask of the moment, over a game."""
    raw = marsgym.pettingzoo.raw_env("pig", config=SHORT)
    env, generator, same = supersuit.delay_observations_v0(raw, 1), np.random.default_rng(1), []
    env.reset(seed=1)
    for agent in env.agent_iter(1000):
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            break
        mask = raw.observe(agent)["action_mask"]
        same.append(bool((observation["action_mask"] == mask).all()))
        env.step(int(legal(mask, generator)))
    return f"the current mask in {sum(same)} of {len(same)} decisions"


def repeated(wrap):
    """Plays legal actions of a single environment through a wrapper that repeats them."""
    env, generator = wrap(single()), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    for _ in range(20):
        _, _, terminated, _, info = env.step(int(legal(info["action_mask"], generator)))
        if terminated:
            _, info = env.reset()
    return "accepts"


env = supersuit.clip_reward_v0(single())
env.reset(seed=1)
cell(
    "illegal",
    f"through `clip_reward_v0`: {outcome(lambda: env.step(HOLD))}",
    f"`sticky_actions_v0` of legal actions: "
    f"{outcome(lambda: repeated(lambda e: supersuit.sticky_actions_v0(e, 0.5)))}",
    f"`frame_skip_v0` of legal actions: "
    f"{outcome(lambda: repeated(lambda e: supersuit.frame_skip_v0(e, 2)))}",
    f"`delay_observations_v0` of `raw_env` shows {outcome(delayed, str)}",
)


def limited():
    """One game that a time limit ends at its last step."""
    env, steps, ended = single(), 0, False
    _, info = env.reset(seed=1)
    while not ended:
        _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
        steps += 1
    env = supersuit.clip_reward_v0(TimeLimit(single(), steps))
    _, info = env.reset(seed=1)
    for _ in range(steps):
        _, _, *ends, info = env.step(int(info["action_mask"].argmax()))
    return f"terminated {ends[0]}, truncated {ends[1]}"


cell("both", f"TimeLimit of exactly the game's length: {outcome(limited, str)}")


def credited():
    """The rewards of one game as a vector environment with a row for each seat."""
    raw = marsgym.pettingzoo.raw_env("pig", config=SHORT)
    vec = supersuit.pettingzoo_env_to_vec_env_v1(conversions.turn_based_aec_to_parallel(raw))
    generator, ended = np.random.default_rng(1), False
    obs = vec.reset(seed=1)[0]
    while not ended:
        actions = [int(legal(mask, generator)) if mask.any() else 0 for mask in obs["action_mask"]]
        obs, rewards, terminated, *_ = vec.step(np.array(actions))
        ended = terminated.any()
    return f"rewards {rewards.tolist()}"


cell("waiting", f"rows of `pettingzoo_env_to_vec_env_v1`, one a seat: {outcome(credited, str)}")
