"""sb3-contrib: MaskablePPO by id, with its callback that evaluates."""

import sys

import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3.common.env_util import make_vec_env

import marsgym
from marsgym.sb3 import VecEnv, policy

folder = sys.argv[1]
for env in (make_vec_env("marsgym/Pig-v1", 8, seed=1), VecEnv("pig", 8, seed=1)):
    callback = MaskableEvalCallback(
        make_vec_env("marsgym/Pig-v1", 4, seed=2), eval_freq=256, n_eval_episodes=20,
        log_path=folder, best_model_save_path=folder, verbose=0,
    )  # fmt: skip
    model = MaskablePPO("MlpPolicy", env, n_steps=128, batch_size=256, seed=1, device="cpu")
    model.learn(8 * 128 * 8, callback=callback)
    results = np.load(folder + "/evaluations.npz")["results"]
    assert results.shape == (4, 20)
    assert set(results.ravel()) <= {-1.0, 1.0}
    assert model.logger.name_to_value["train/loss"] == model.logger.name_to_value["train/loss"]
    best = MaskablePPO.load(folder + "/best_model", device="cpu")
    game = marsgym.load("pig")
    exact = game.evaluate(policy(best), against="random")
    estimate = (callback.best_mean_reward + 1) / 2
    print("wins", estimate, "exactly", exact.win)
    assert abs(exact.win - estimate) < 0.35  # three standard deviations of the estimate
