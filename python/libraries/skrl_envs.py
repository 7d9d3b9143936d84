"""skrl's wrapper of Gymnasium with the environments of marsgym."""

import logging

import gymnasium
import numpy as np
import torch
from cells import GAME, HOLD, SHORT, cell, kind, legal, outcome
from ends import BothEnds
from skrl import config
from skrl.envs.wrappers.torch import wrap_env

import marsgym

logging.disable()


def vector(mode="SameStep", **options):
    return wrap_env(marsgym.make_vec("pig", 4, config=SHORT, autoreset_mode=mode, **options))


def single():
    return gymnasium.make(GAME, config=SHORT)


def played(env, steps=200):
    """Steps as an agent of skrl records them: where each begins, and how it ends."""
    generator, found = np.random.default_rng(1), []
    obs, info = env.reset()
    for _ in range(steps):
        actions = torch.as_tensor(legal(info["action_mask"], generator)).reshape(-1, 1)
        after, rewards, terminated, truncated, info = env.step(actions)
        found.append((obs, rewards, terminated, truncated, info))
        obs, info = env.reset() if env.num_envs == 1 and terminated.any() else (after, info)
    return found


def beginning_at_ends(mode):
    starts = torch.cat([obs for obs, *_ in played(vector(mode))])
    return (
        f"{int((starts[:, :2] >= 1).any(dim=1).sum())} of {len(starts)} recorded steps begin there"
    )


config.torch.key = 5
cell(
    "autoreset",
    "both, without a check. No step should begin where a game has ended; SameStep: "
    f"{beginning_at_ends('SameStep')}",
    f"NextStep: {beginning_at_ends('NextStep')}",
)
_, info = vector().reset()
cell("mask", f'nowhere; `info["action_mask"]` passes through, {kind(info["action_mask"])}')


one = wrap_env(single()).reset()[0].flatten().tolist() == single().reset(seed=5)[0].tolist()
many = marsgym.make_vec("pig", 4, config=SHORT).reset(seed=5)[0].tolist()
cell(
    "seed",
    f"`skrl.config.torch.key` of 5 seeds the first reset of a single environment: {one}, and of a "
    f"vector environment: {vector().reset()[0].tolist() == many}",
)
ended = next(info for *_, terminated, _, info in played(vector()) if terminated.any())
cell("final", f"SameStep: `info` passes through, with {kind(ended['final_obs'])} `final_obs`")


def hold(env):
    env.reset()
    env.step(torch.full((env.num_envs, 1), HOLD))


cell(
    "illegal",
    f"a vector environment: {outcome(lambda: hold(vector()))}",
    f"`illegal_action='random'`: {outcome(lambda: hold(vector(illegal_action='random')))}",
)
both = next(step for step in played(wrap_env(BothEnds(single()))) if step[2].any())
cell("both", f"terminated {both[2].item()}, truncated {both[3].item()}, passed as they are")
rewards = torch.cat([rewards[terminated] for _, rewards, terminated, *_ in played(vector())])
cell("waiting", f"{len(rewards)} games end with the rewards {sorted(set(rewards.tolist()))}")
