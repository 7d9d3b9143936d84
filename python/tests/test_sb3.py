import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import gymnasium
from sb3_contrib import QRDQN, MaskablePPO, RecurrentPPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C, DQN, PPO, SAC
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

import marsgym
from marsgym.sb3 import VecEnv, policy
from tests.test_batch import act


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

    def by_hand(observations, masks):
        actions, _ = model.predict(observations, action_masks=masks != 0, deterministic=True)
        return np.eye(game.num_actions)[actions]

    result = game.evaluate(policy(model))
    assert result.win > game.evaluate("random").win + 0.1
    assert result.win == pytest.approx(game.evaluate(by_hand).win, abs=1e-12)
    model.save(tmp_path / "model")
    single = gymnasium.make("marsgym/Pig-v1", opponent="random", config={"target": 20})
    MaskablePPO("MlpPolicy", single, n_steps=32, batch_size=32, device="cpu").learn(64)


def decisions(game, n=40):
    batch, rng = game.batch(n), np.random.default_rng(1)
    batch.reset(1)
    for _ in range(10):
        batch.step(act(batch, rng))
    return batch.observation, batch.action_mask


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("algorithm", [PPO, A2C, MaskablePPO, DQN, QRDQN])
def test_policy(algorithm, deterministic):
    """The policy of an untrained model is what the model predicts where that is legal."""
    game = marsgym.load("martian-dice")
    env = gymnasium.make("marsgym/MartianDice-v1")
    model = algorithm("MlpPolicy", env, seed=1, device="cpu")
    values = algorithm in (DQN, QRDQN)
    if values and not deterministic:
        with pytest.raises(ValueError, match="has values of actions; want deterministic=True"):
            policy(model, deterministic=False)
        return
    obs, masks = decisions(game)
    probs = policy(model, deterministic=deterministic)(obs, masks)
    assert not probs[masks == 0].any()
    assert np.allclose(probs.sum(axis=1), 1, atol=1e-12)
    given = {"action_masks": masks != 0} if algorithm is MaskablePPO else {}
    best, _ = model.predict(np.array(obs), deterministic=True, **given)
    legal = masks[np.arange(len(best)), best] != 0
    assert legal.any()
    assert np.array_equal(probs.argmax(axis=1)[legal], best[legal])
    if not values:
        tensors, _ = model.policy.obs_to_tensor(np.array(obs))
        want = model.policy.get_distribution(tensors).distribution.probs.detach().numpy() * masks
        want /= want.sum(axis=1, keepdims=True)
        assert np.array_equal(probs.argmax(axis=1), want.argmax(axis=1))
        assert deterministic or np.allclose(probs, want, atol=1e-6)


def test_policy_sees_what_the_model_saw():
    """Normalised observations, and masks inside of them."""
    game = marsgym.load("pig", config={"target": 20})
    obs, masks = decisions(game)
    env = VecEnv("pig", 4, config={"target": 20}, illegal_action="random", seed=1)
    env = VecNormalize(env)
    model = PPO("MlpPolicy", env, n_steps=16, seed=1, device="cpu")
    model.learn(64)
    want, _ = model.predict(env.normalize_obs(np.array(obs)), deterministic=True)
    other, _ = model.predict(np.array(obs), deterministic=True)
    probs, legal = policy(model)(obs, masks), masks.all(axis=1)
    assert np.array_equal(probs.argmax(axis=1)[legal], want[legal])
    assert not np.array_equal(want[legal], other[legal])
    inside = gymnasium.make("marsgym/Pig-Lenient-v1", mask_in_observation=True)
    model = PPO("MultiInputPolicy", inside, seed=1, device="cpu")
    seen = {"action_mask": np.array(masks), "observations": np.array(obs)}
    want, _ = model.predict(seen, deterministic=True)
    assert np.array_equal(policy(model)(obs, masks).argmax(axis=1)[legal], want[legal])
    marsgym.load("pig").match(policy(model), "random", 4)


def test_models_without_a_policy():
    env = gymnasium.make("marsgym/Pig-Lenient-v1")
    with pytest.raises(TypeError, match="RecurrentPPO depends on earlier observations"):
        policy(RecurrentPPO("MlpLstmPolicy", env, device="cpu"))
    with pytest.raises(TypeError, match="SAC has neither probabilities nor values of actions"):
        policy(SAC("MlpPolicy", "Pendulum-v1", device="cpu"))


def test_bad_options():
    with pytest.raises(ValueError, match="opponent is None"):
        VecEnv("pig", 2, opponent=None)
    with pytest.raises(ValueError, match="copy is False"):
        VecEnv("pig", 2, copy=False)
    VecEnv("martian-dice", 2, opponent=None, players=1)


@pytest.mark.full
def test_game_of_openspiel():
    """An agent trained on a game of OpenSpiel: exact strength, and 20,000 games, agree."""
    pytest.importorskip("pyspiel")
    import torch

    from marsgym import openspiel

    torch.set_num_threads(1)
    game = openspiel.table("tic_tac_toe", cache=None, progress=False)
    env = VecEnv(game, 16, opponent="random", seed=1)
    model = MaskablePPO("MlpPolicy", env, n_steps=128, seed=1, device="cpu")
    model.learn(10_000)
    agent = policy(model)
    exact = game.evaluate(agent, against="random")
    match = game.match(agent, "random", games=20_000, seed=1)
    error = (exact.win * (1 - exact.win) / 20_000) ** 0.5  # at least that of games with draws
    print(exact.win, match.win[0], error, game.evaluate(agent).exploitability)
    assert exact.win > 0.7
    assert match.win[0] == pytest.approx(exact.win, abs=3 * error)
