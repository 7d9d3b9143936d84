"""Copies of all kinds are independent games in the same state; handles are never shared."""

import copy
import multiprocessing
import pickle

import cloudpickle
import gymnasium
import numpy as np
import pytest

import marsgym
from marsgym import _native, pettingzoo
from marsgym.gymnasium import Env, VectorEnv
from tests.test_batch import act, contents, same


def by_pickle(x):
    return pickle.loads(pickle.dumps(x))


def by_cloudpickle(x):
    return pickle.loads(cloudpickle.dumps(x))


WAYS = [copy.copy, copy.deepcopy, by_pickle, by_cloudpickle]


def uniform(observations, masks):
    return masks / masks.sum(axis=1, keepdims=True)


def play_batch(batch, steps=60):
    rng, seen = np.random.default_rng(1), []
    for _ in range(steps):
        batch.step(act(batch, rng))
        seen += [*contents(batch), batch.ended.copy(), batch.acted_reward.copy()]
        seen += [batch.position(int(i), final=True).text for i in np.flatnonzero(batch.ended)]
    return seen


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("id", marsgym.games())
@pytest.mark.parametrize("opponent", [None, "random", "search:20", uniform])
def test_batches(id, opponent, way):
    if opponent == "search:20" and id != "pig":
        pytest.skip("slow")
    game = marsgym.load(id)
    batch = game.batch(3, opponent=opponent, first_row=5)
    assert way(batch).rows == 3  # before the first game
    batch.reset(1)
    play_batch(batch, 40)
    before = contents(batch)
    other = way(batch)
    assert same(before, contents(other))
    assert np.array_equal(batch.final_observation, other.final_observation)
    want = play_batch(other)
    assert same(before, contents(batch))
    other.close()
    assert same(want, play_batch(batch))
    batch.close()
    with pytest.raises(ValueError, match="copy: the batch is closed"):
        way(batch)


def test_a_copy_knows_the_game_that_ended():
    batch = marsgym.load("pig", config={"target": 2}).batch(4, opponent="greedy")
    batch.reset(1)
    while not batch.ended.any():
        batch.step(act(batch, np.random.default_rng(1)))
    row = int(np.flatnonzero(batch.ended)[0])
    other = copy.copy(batch)
    batch.step(act(batch, np.random.default_rng(1)))
    assert other.position(row, final=True).is_terminal


def play_env(env, steps=60):
    seen = []
    for _ in range(steps):
        mask = env.unwrapped.action_masks()
        if not mask.any():
            env.reset()
            mask = env.unwrapped.action_masks()
        obs, reward, terminated, truncated, info = env.step(int(np.flatnonzero(mask)[0]))
        seen += [obs, reward, terminated, truncated, info["action_mask"], info["rewards"]]
        seen.append(env.unwrapped.position.text)
    return seen


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("opponent", [None, "random"])
@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("wrapped", [True, False])
def test_environments(way, opponent, begun, wrapped):
    if wrapped and way is copy.copy:
        pytest.skip("a shallow copy of a wrapper of Gymnasium shares its environment")
    env = Env("pig", opponent=opponent)
    if wrapped:
        env = gymnasium.make("marsgym/Pig-v1", opponent=opponent)
        env = gymnasium.wrappers.RecordEpisodeStatistics(env)
    if begun:
        env.reset(seed=1)
        play_env(env, 37)
    else:
        env.np_random  # noqa: B018 (draws the seed, so that both have one)
    other = way(env)
    if not begun:
        assert same([env.reset()[0]], [other.reset()[0]])
    want = play_env(other)
    other.close()
    assert same(want, play_env(env))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("copied", [True, False])
def test_vector_environments(way, copied):
    env = VectorEnv("pig", 4, config={"target": 10}, opponent="random", copy=copied)
    env.reset(seed=1)

    def play(env):
        rng, seen = np.random.default_rng(1), []
        for _ in range(60):
            obs, reward, *_, info = env.step(act(env.batch, rng))
            ended = info.get("_final_obs", np.zeros(4, bool))
            seen += [obs.copy(), reward.copy()]
            seen += [info["final_obs"][i].copy() for i in np.flatnonzero(ended)]
        return seen

    play(env)
    other = way(env)
    want = play(other)
    other.close()
    assert same(want, play(env))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", [pettingzoo.env, pettingzoo.raw_env])
def test_pettingzoo(way, make):
    env = make("pig")
    if way is copy.copy and make is pettingzoo.env:
        pytest.skip("a shallow copy of a wrapper of PettingZoo shares its environment")

    def play(env):
        seen = []
        for _ in range(60):
            obs, reward, terminated, truncated, _ = env.last()
            seen += [env.agent_selection, obs["observation"], reward, terminated, truncated]
            if terminated or truncated:
                env.reset()
            else:
                env.step(int(np.flatnonzero(obs["action_mask"])[0]))
        return seen

    env.reset(seed=1)
    play(env)
    other = way(env)
    want = play(other)
    other.close()
    assert same(want, play(env))


@pytest.mark.parametrize("way", WAYS)
def test_stable_baselines(way):
    sb3 = pytest.importorskip("marsgym.sb3")
    env = sb3.VecEnv("pig", 4, seed=1)
    env.reset()

    def play(env):
        rng, seen = np.random.default_rng(1), []
        for _ in range(60):
            obs, rewards, dones, _ = env.step(act(env.vector.batch, rng))
            seen += [obs, rewards, dones]
        return seen

    play(env)
    other = way(env)
    want = play(other)
    other.close()
    assert same(want, play(env))


@pytest.mark.parametrize("way", WAYS)
def test_games_and_positions(way):
    game = marsgym.load("pig", 3, {"target": 20}, cache=None)
    other = way(game)
    assert (other.id, other.players, other.config) == (game.id, game.players, game.config)
    position = way(game.initial())
    assert position == game.initial()
    assert position.game.rules_hash == game.rules_hash
    assert way(marsgym.Scores(uniform)) == marsgym.Scores(uniform)


@pytest.mark.parametrize("way", WAYS)
def test_handles_are_not_copied(way):
    batch = marsgym.load("pig").batch(1)
    for handle in (batch._object, batch.game._object):
        with pytest.raises(TypeError, match="copy or pickle the object that holds it"):
            way(handle)


def test_a_smuggled_handle_is_refused():
    """Handles of another process, of other objects, and of closed ones give an error."""
    batch = marsgym.load("pig").batch(1)
    batch.reset(1)
    thief = object.__new__(marsgym.Batch)
    thief.__dict__.update(batch.__dict__)
    handle = batch._object._handle
    batch.close()
    for call in (lambda: thief.step([0]), lambda: thief.position(0), lambda: thief.save()):
        with pytest.raises(ValueError, match="the batch is closed"):
            call()
    for wrong in (handle, 0, 1, 2**63 - 1):
        with pytest.raises(ValueError, match="save: the batch is closed"):
            _native.call("save", wrong, None, None)
    with pytest.raises(ValueError, match="the object is a game; want a batch"):
        _native.call("save", batch.game._object._handle, None, None)


def play_in_child(data, queue):
    queue.put(play_batch(pickle.loads(data)))


def test_another_process():
    batch = marsgym.load("martian-dice").batch(3, opponent="greedy")
    batch.reset(1)
    play_batch(batch)
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=play_in_child, args=(pickle.dumps(batch), queue))
    process.start()
    got = queue.get(timeout=120)
    process.join()
    for a, b in zip(got, play_batch(batch), strict=True):
        assert np.array_equal(a, b)
