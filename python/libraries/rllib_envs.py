"""RLlib's environment runner with the environments of marsgym."""

import logging

import gymnasium
from cells import SHORT, cell, outcome
from ends import BothEnds
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import marsgym

logging.disable()
STRICT, LENIENT = "marsgym:marsgym/Pig-v1", "marsgym:marsgym/Pig-Lenient-v1"
HOW = ("sync", "vector_entry_point")


def runner(name, how="sync", seed=1, **config):
    made = PPOConfig().environment(name, env_config=config).debugging(seed=seed)
    made = made.env_runners(num_envs_per_env_runner=4, gym_env_vectorize_mode=how)
    if "mask_in_observation" in config:
        model = {"head_fcnet_hiddens": [8]}
        spec = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=model)
        made = made.rl_module(rl_module_spec=spec)
    return SingleAgentEnvRunner(config=made)


def episodes(name, *args, **config):
    """Some games of random actions or, where it has masks, of those of a new network."""
    used = runner(name, *args, **config)
    random = "mask_in_observation" not in config
    found = [e for e in used.sample(num_episodes=20, random_actions=random) if e.is_done]
    used.stop()
    return found


def ended(found):
    """How many of the last observations show the end of a game."""
    right = sum(bool(e.get_observations()[-1][:2].max() >= 1) for e in found)
    return f"the last observation is an end in all games: {right == len(found) > 0}"


def batch(config):
    return marsgym.make_vec(
        "pig", config["num_envs"], config=SHORT, illegal_action="random",
        autoreset_mode=config["mode"],
    )  # fmt: skip


register_env("batch", batch)
cell(
    "autoreset",
    *(
        f"by id, {how}: {outcome(lambda how=how: ended(episodes(LENIENT, how, config=SHORT)), str)}"
        for how in HOW
    ),
    *(
        f"`register_env` of `marsgym.make_vec`, {mode}: "
        f"{outcome(lambda mode=mode: ended(episodes('batch', HOW[1], mode=mode)), str)}"
        for mode in ("NextStep", "SameStep")
    ),
)


def masked():
    first = episodes(STRICT, config=SHORT, mask_in_observation=True)[0]
    return f"{', '.join(sorted(first.get_observations(0)))}; no illegal action in 20 games"


found = episodes(LENIENT, config=SHORT)
cell(
    "mask",
    f"ActionMaskingTorchRLModule reads it from the observation: {outcome(masked, str)}",
    f"infos of an episode: {', '.join(sorted(found[0].get_infos()[0]))}",
)


def first(how, seed):
    used = runner(LENIENT, how, seed, config=SHORT)
    found = [e.get_observations()[0].tolist() for e in used.sample(num_timesteps=4)]
    used.stop()
    return found


cell(
    "seed",
    *(
        f"`debugging(seed=1)`, {how}: two runners begin alike: "
        f"{outcome(lambda how=how: first(how, 1) == first(how, 1), str)}, with another seed: "
        f"{outcome(lambda how=how: first(how, 1) == first(how, 5), str)}"
        for how in HOW
    ),
)
one = found[0]
cell(
    "final",
    "an episode has as many observations and infos as actions, and "
    f"{len(one.get_observations()) - len(one)} and {len(one.get_infos()) - len(one)} more",
    f"legal actions at its end: {int(one.get_infos()[-1]['action_mask'].sum())}",
)
illegal = [
    info["action_mask"][action] == 0
    for episode in found
    for info, action in zip(episode.get_infos(), episode.get_actions(), strict=False)
]
cell(
    "illegal",
    f"by id: {outcome(lambda: len(episodes(STRICT, config=SHORT)))}",
    f"Lenient: {outcome(lambda: len(episodes(LENIENT, config=SHORT)))}; episodes keep illegal "
    f"actions: {any(illegal)}",
)


register_env("both", lambda config: BothEnds(gymnasium.make(LENIENT, config=SHORT)))


def both():
    ends = {(bool(e.is_terminated), bool(e.is_truncated)) for e in episodes("both")}
    return f"is_terminated, is_truncated of an episode: {sorted(ends)}"


cell("both", outcome(both, str))
lost = [float(e.get_return()) for e in found if e.get_infos()[-1]["rewards"].min() < 0]
cell("waiting", f"returns of the agent's seat in its games: {sorted(set(lost))}")
