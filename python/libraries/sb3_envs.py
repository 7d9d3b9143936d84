"""Stable-Baselines3 and sb3-contrib with the environments of marsgym."""

import gymnasium
import numpy as np
from cells import GAME, SHORT, cell, kinds, legal, outcome
from gymnasium.wrappers import TimeLimit
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

import marsgym
from marsgym.sb3 import VecEnv

OPTIONS = {"env_kwargs": {"config": SHORT}}


def dummy(rows=4, **options):
    return make_vec_env(GAME, rows, seed=1, **OPTIONS, **options)


def ours(rows=4, **options):
    return VecEnv("pig", rows, seed=1, config=SHORT, **options)


def until_end(env):
    """The observations and infos of the first step that ends a game, and the row where it does."""
    generator = np.random.default_rng(1)
    env.reset()
    while True:
        obs, _, dones, infos = env.step(legal(np.array(get_action_masks(env)), generator))
        if dones.any():
            return obs, infos, int(dones.argmax())


def new(obs):
    return f"scores {obs[:2].tolist()}"


ends = {"make_vec_env": until_end(dummy()), "`marsgym.sb3.VecEnv`": until_end(ours())}
cell(
    "autoreset",
    *(
        f"{name}: the step that ends a game shows the next one: "
        f"{not np.array_equal(obs[i], infos[i]['terminal_observation'])}"
        for name, (obs, infos, i) in ends.items()
    ),
    f"`marsgym.sb3.VecEnv`, NextStep: {outcome(lambda: ours(autoreset_mode='NextStep'))}",
    "PPO of `marsgym.make_vec`: "
    + outcome(lambda: PPO("MlpPolicy", marsgym.make_vec("pig", 4), device="cpu")),
)

envs = {
    "make_vec_env": dummy(),
    "`marsgym.sb3.VecEnv`": ours(),
    "VecNormalize": VecNormalize(ours()),
}
cell(
    "mask",
    "method `action_masks`; found by MaskablePPO in "
    + ", ".join(f"{name} {is_masking_supported(env)}" for name, env in envs.items()),
    *(
        f"{name}: {np.array(get_action_masks(env)).dtype}{list(np.shape(get_action_masks(env)))}"
        for name, env in envs.items()
        if env.reset() is not None
    ),
)


def row(env, i):
    """The game of a row to its end."""
    path, generator = [env.reset()[i]], np.random.default_rng(1)
    while True:
        masks = np.array(get_action_masks(env))
        actions = masks.argmax(axis=1)
        actions[i] = legal(masks[i], generator)
        obs, _, dones, _ = env.step(actions)
        path.append(obs[i])
        if dones[i]:
            return np.concatenate(path[:-1]).tobytes()


def single(seed, row=0):
    env, generator = gymnasium.make(GAME, config=SHORT, row=row), np.random.default_rng(1)
    obs, info = env.reset(seed=seed)
    path = []
    while info["action_mask"].any():
        path.append(obs)
        obs, _, _, _, info = env.step(legal(info["action_mask"], generator))
    return np.concatenate(path).tobytes()


seeded = MaskablePPO("MlpPolicy", ours(), seed=7, device="cpu").get_env()
cell(
    "seed",
    f"row 1 of make_vec_env, seed 1, is a single environment with seed 2: "
    f"{row(dummy(), 1) == single(2)}",
    f"row 1 of `marsgym.sb3.VecEnv`, seed 1, is one with seed 1 and `row=1`: "
    f"{row(ours(), 1) == single(1, 1)}",
    f"`seed=7` of a model seeds the environment: {row(seeded, 0) == single(7)}",
)
cell(
    "final",
    *(f"infos of {name}: {kinds(infos[i])}" for name, (_, infos, i) in ends.items()),
)


def trained(algorithm, env):
    return algorithm("MlpPolicy", env, n_steps=64, batch_size=64, seed=1, device="cpu").learn(256)


lenient = make_vec_env("marsgym/Pig-Lenient-v1", 4, seed=1, **OPTIONS)
masked = trained(MaskablePPO, ours())
cell(
    "illegal",
    f"PPO: {outcome(lambda: trained(PPO, dummy()))}",
    f"PPO, lenient id: {outcome(lambda: trained(PPO, lenient))}",
    f"MaskablePPO: {outcome(lambda: trained(MaskablePPO, dummy()), lambda _: 'plays none')}",
    "its `predict` without masks, in `evaluate_policy` of SB3: "
    + outcome(lambda: evaluate_policy(masked, dummy(), 40, deterministic=False, warn=False)),
)


def limited():
    """One game that a time limit ends at its last step."""
    env, steps, done = DummyVecEnv([lambda: gymnasium.make(GAME, config=SHORT)]), 0, False
    env.seed(1)
    env.reset()
    while not done:
        done = env.step(np.array(env.env_method("action_masks")).argmax(axis=1))[2][0]
        steps += 1
    env = DummyVecEnv([lambda: TimeLimit(gymnasium.make(GAME, config=SHORT), steps)])
    env.seed(1)
    env.reset()
    for _ in range(steps):
        _, _, dones, infos = env.step(np.array(env.env_method("action_masks")).argmax(axis=1))
    return f"done {dones[0]}, `TimeLimit.truncated` {infos[0]['TimeLimit.truncated']}"


cell("both", f"TimeLimit of exactly the game's length: {outcome(limited, str)}")


def lost(env):
    """The rewards of the last step of games, in some hundred steps."""
    generator, rewards = np.random.default_rng(1), []
    env.reset()
    for _ in range(100):
        _, reward, dones, _ = env.step(legal(np.array(get_action_masks(env)), generator))
        rewards += reward[dones].tolist()
    return f"{len(rewards)} games end with the rewards {sorted(set(rewards))}"


cell("waiting", *(f"{name}: {lost(env)}" for name, env in list(envs.items())[:2]))
