"""Batches whose observations are codes."""

import copy
import pickle

import numpy as np
import pytest

import marsgym

GAMES = ("martian-dice", "martian-risk", "mars-is-ours", "pig")


def legal(mask, draws):
    return np.where(mask, draws.random(mask.shape), -1).argmax(axis=1)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("opponent", [None, "random"])
def test_codes_are_the_numbers(name, opponent):
    game = marsgym.load(name)
    want = game.batch(20, opponent=opponent)
    got = game.batch(20, opponent=opponent, dtype="uint8")
    assert got.observation.dtype == np.uint8
    assert got.observation.nbytes * 5 < want.observation.nbytes * 2
    want.reset(3)
    got.reset(3)
    draws, ends = np.random.default_rng(1), 0
    for _ in range(150):
        assert np.array_equal(game.decode(got.observation), want.observation)
        assert np.array_equal(got.action_mask, want.action_mask)
        last = want.ended
        ends += last.sum()
        assert np.array_equal(
            game.decode(got.final_observation[last]), want.final_observation[last]
        )
        actions = legal(want.action_mask, draws)
        want.step(actions)
        got.step(actions)
    assert ends > 0 or name in ("martian-risk", "mars-is-ours")
    other = copy.copy(got), pickle.loads(pickle.dumps(got))
    for b in other:
        assert b.dtype == np.uint8
        assert np.array_equal(b.observation, got.observation)


def test_vector_environment():
    env = marsgym.make_vec("martian-dice", 6, dtype=np.uint8, opponent=None)
    numbers = marsgym.make_vec("martian-dice", 6, opponent=None)
    obs, info = env.reset(seed=1)
    same, _ = numbers.reset(seed=1)
    draws = np.random.default_rng(1)
    for _ in range(300):
        assert env.observation_space.contains(obs)
        assert np.array_equal(env.game.decode(obs), same)
        actions = legal(info["action_mask"], draws)
        obs, _, _, _, info = env.step(actions)
        same, _, _, _, other = numbers.step(actions)
        if "final_obs" in info:
            i = int(info["_final_obs"].nonzero()[0][0])
            assert np.array_equal(env.game.decode(info["final_obs"][i]), other["final_obs"][i])


def test_refusals():
    game = marsgym.load("martian-dice")
    with pytest.raises(ValueError, match="dtype is float64; want float32 or uint8"):
        game.batch(2, dtype=np.float64)
    with pytest.raises(ValueError, match=r"want \[..., 323\] uint8"):
        game.decode(np.zeros((2, 323), np.float32))
    large = marsgym.load("martian-risk", config={"army_cap": 200})
    with pytest.raises(ValueError, match="cannot be shown as uint8 without loss; use float32"):
        large.batch(2, dtype="uint8")
