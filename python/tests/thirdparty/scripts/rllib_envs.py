"""RLlib: PPO by the id of an environment, and its OpenSpielEnv."""

import os

import gymnasium
import numpy as np
import pyspiel
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.wrappers.open_spiel import OpenSpielEnv
from ray.tune.registry import register_env

import marsgym.openspiel  # noqa: F401 (registers the games)

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
