import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import gymnasium
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecMonitor

import marsgym
from marsgym.sb3 import VecEnv


@pytest.mark.parametrize("id", marsgym.games())
def test_check_env(id):
    check_env(marsgym.gymnasium.Env(id, illegal_action="random"))


def test_vec_env_is_the_batch():
    env, twin = (
        VecEnv("pig", 8, opponent="greedy", seed=3),
        marsgym.make_vec("pig", 8, opponent="greedy"),
    )
    obs, (want, info) = env.reset(), twin.reset(seed=3)
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(300):
        assert np.array_equal(obs, want)
        masks = get_action_masks(env)
        assert np.array_equal(masks, info["action_mask"] != 0)
        actions = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
        obs, rewards, dones, infos = env.step(actions)
        want, twin_rewards, terminated, truncated, info = twin.step(actions)
        assert np.array_equal(rewards, twin_rewards)
        assert np.array_equal(dones, terminated | truncated)
        for i in np.flatnonzero(dones):
            ended += 1
            assert np.array_equal(infos[i]["terminal_observation"], info["final_obs"][i])
    assert ended > 5
    assert is_masking_supported(env)
    env.close()


def test_maskable_ppo(tmp_path):
    env = VecMonitor(VecEnv("pig", 16, opponent="random", config={"target": 20}, seed=1))
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=256, seed=1, device="cpu")
    model.learn(16 * 64 * 12)
    game = marsgym.load("pig", config={"target": 20})

    def policy(observations, masks):
        actions, _ = model.predict(observations, action_masks=masks != 0, deterministic=True)
        return np.eye(game.num_actions)[actions]

    assert game.evaluate(policy).win > game.evaluate("random").win + 0.1
    model.save(tmp_path / "model")
    single = gymnasium.make("marsgym/Pig-v1", opponent="random", config={"target": 20})
    MaskablePPO("MlpPolicy", single, n_steps=32, batch_size=32, device="cpu").learn(64)


def test_bad_options():
    with pytest.raises(ValueError, match="opponent is None"):
        VecEnv("pig", 2, opponent=None)
    with pytest.raises(ValueError, match="copy is False"):
        VecEnv("pig", 2, copy=False)
    VecEnv("martian-dice", 2, opponent=None, players=1)
