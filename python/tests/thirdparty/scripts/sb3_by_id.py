"""Stable-Baselines3: PPO and DQN choose their environment by its id."""

import numpy as np
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

from marsgym.gymnasium import Env, env_ids

name = "marsgym/Pig-Lenient-v1"
for id in env_ids():
    check_env(Env(id, illegal_action="random"))

for algorithm, steps in ((PPO, 4096), (DQN, 2000)):
    model = algorithm("MlpPolicy", name, seed=1, device="cpu")
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(steps)
    after = [p.detach() for p in model.policy.parameters()]
    assert all(p.isfinite().all() for p in after)
    assert any((p != q).any() for p, q in zip(before, after, strict=True))
    returns, lengths = evaluate_policy(
        model, make_vec_env(name, 4, seed=2), 20, deterministic=False, return_episode_rewards=True
    )
    assert set(returns) <= {-1.0, 1.0}, returns
    assert min(lengths) > 1
    print(algorithm.__name__, "wins", np.mean(np.array(returns) > 0))
