"""RLlib: PPO by the id of an environment, one by one and as a batch, masks, and OpenSpielEnv."""

import os

import gymnasium
import numpy as np
import pyspiel
import pytest
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.env.wrappers.open_spiel import OpenSpielEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import marsgym.openspiel

os.environ["RAY_raylet_start_wait_time_s"] = "300"  # noqa: SIM112 (the machine may be busy)
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
register_env("pig", lambda config: gymnasium.make("marsgym:marsgym/Pig-Lenient-v1"))
for name in ("marsgym:marsgym/Pig-Lenient-v1", "pig"):
    algorithm = (
        PPOConfig()
        .environment(name)
        .env_runners(num_env_runners=1, num_envs_per_env_runner=4)
        .training(train_batch_size_per_learner=512, minibatch_size=128, num_epochs=2)
        .build_algo()
    )
    result = algorithm.train()
    runners = result["env_runners"]
    assert -1 <= runners["episode_return_mean"] <= 1, runners
    assert np.isfinite(result["learners"]["default_policy"]["total_loss"])
    algorithm.stop()

# The last observation of a finished game shows its end, where a seat has the target.
register_env("batch", lambda config: marsgym.make_vec("pig", config["num_envs"], **config["of"]))
fields = marsgym.load("pig").observation_fields
scores = [name.startswith("score") for name, size in fields for _ in range(size)]
lenient = {"illegal_action": "random"}
for name, config in (
    ("marsgym:marsgym/Pig-Lenient-v1", {}),
    ("batch", {"of": lenient | {"autoreset_mode": "NextStep"}}),
):
    runner = SingleAgentEnvRunner(
        config=PPOConfig()
        .environment(name, env_config=config)
        .env_runners(num_envs_per_env_runner=4, gym_env_vectorize_mode="vector_entry_point")
    )
    episodes = [e for e in runner.sample(num_episodes=30, random_actions=True) if e.is_done]
    assert len(episodes) >= 30
    assert all(e.get_observations()[-1][scores].max() >= 1 for e in episodes)
    assert {abs(e.get_return()) for e in episodes} == {1.0}
    runner.stop()
config = PPOConfig().environment("batch", env_config={"of": lenient})
config.env_runners(gym_env_vectorize_mode="vector_entry_point")
with pytest.raises(ValueError, match="pass autoreset_mode='NextStep'"):
    SingleAgentEnvRunner(config=config)

# Masks inside the observation: the ids that refuse illegal actions train.
for mode in ("sync", "vector_entry_point"):
    algorithm = (
        PPOConfig()
        .environment("marsgym:marsgym/Pig-v1", env_config={"mask_in_observation": True})
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4, gym_env_vectorize_mode=mode)
        .training(train_batch_size_per_learner=512, minibatch_size=128, num_epochs=2)
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [32]}
            )
        )
        .build_algo()
    )
    assert np.isfinite(algorithm.train()["learners"]["default_policy"]["total_loss"])
    algorithm.stop()
ray.shutdown()

env = OpenSpielEnv(pyspiel.load_game('marsgym_pig(config={"target": 20})'))
env.reset(seed=1)
rng = np.random.default_rng(1)
total, ended = 0.0, False
while not ended:
    state = env.state
    if state.is_chance_node():
        actions, probabilities = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(actions, p=probabilities)))
        continue
    action = int(rng.choice(state.legal_actions()))
    _, rewards, terminated, _, _ = env.step({state.current_player(): action})
    ended = terminated["__all__"]
    total += sum(rewards.values())
assert state.is_terminal()
