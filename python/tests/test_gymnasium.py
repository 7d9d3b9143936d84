import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import marsgym
from marsgym.gymnasium import OBSERVATION_HIGH, Env, env_ids
from tests.test_batch import act


@pytest.mark.parametrize("name", env_ids(lenient=True).values())
@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
def test_check_env(name, mode):
    env = gymnasium.make(name, render_mode=mode)
    check_env(env.unwrapped)
    env.close()


def test_module_is_imported_when_used():
    code = "import marsgym; print(marsgym.gymnasium.env_ids()['pig'])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "marsgym/Pig-v1\n"
    with pytest.raises(AttributeError, match="no attribute 'gym'"):
        _ = marsgym.gym


def test_ids():
    assert env_ids()["martian-dice"] == "marsgym/MartianDice-v1"
    for id, name in env_ids().items():
        assert marsgym.load(id).version == int(name.rsplit("-v", 1)[1])
    registered = {name for name in gymnasium.registry if name.startswith("marsgym/")}
    assert registered == {*env_ids().values(), *env_ids(lenient=True).values()}
    assert env_ids(lenient=True)["martian-dice"] == "marsgym/MartianDice-Lenient-v1"


@pytest.mark.parametrize("id", ["pig", "martian-dice", "mars-is-ours-fast"])
def test_rows_equal_single_environments(id, request):
    """A row of a vector environment plays as the single environment of the same row."""
    rows, steps = 4, 10_000 if request.config.getoption("--full") else 1000
    vector = marsgym.make_vec(id, rows, opponent=None)
    singles = [gymnasium.make(env_ids()[id], opponent=None, row=i) for i in range(rows)]
    rng = np.random.default_rng(1)
    observations, infos = vector.reset(seed=11)
    current = [env.reset(seed=11) for env in singles]
    ended = 0
    for _ in range(steps):
        for i, (obs, info) in enumerate(current):
            assert np.array_equal(obs, observations[i])
            assert np.array_equal(info["action_mask"], infos["action_mask"][i])
            assert info["player"] == infos["player"][i]
        actions = act(vector.batch, rng)
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        for i, env in enumerate(singles):
            obs, reward, *ends, info = env.step(actions[i])
            assert reward == rewards[i]
            assert ends == [terminated[i], truncated[i]]
            assert np.array_equal(info["rewards"], infos["rewards"][i])
            if any(ends):
                ended += 1
                assert infos["_final_obs"][i]
                assert np.array_equal(obs, infos["final_obs"][i])
                assert info["player"] == infos["final_info"]["player"][i]
                obs, info = env.reset()
            elif "final_obs" in infos:
                assert infos["final_obs"][i] is None
            current[i] = obs, info
    assert ended > 10


@pytest.mark.parametrize("id", env_ids())
def test_vector(id):
    env = marsgym.make_vec(id, 8, opponent=None)
    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    assert env.metadata["autoreset_mode"] == env.autoreset_mode == mode
    obs, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    high = 0.0
    for _ in range(300):
        assert env.observation_space.contains(obs)
        for i in range(8):
            assert env.single_action_space.sample(mask=info["action_mask"][i]) >= 0
        actions = act(env.batch, rng)
        acted = info["player"]
        obs, reward, _, _, info = env.step(actions)
        assert np.array_equal(reward, info["rewards"][np.arange(8), acted])
        high = max(high, float(obs.max()))
    assert high <= OBSERVATION_HIGH
    env.close()


def structure(x):
    """The keys, types and shapes of a result."""
    if isinstance(x, dict):
        return {key: structure(value) for key, value in x.items()}
    return x.dtype, x.shape


@pytest.mark.parametrize("opponent", [None, "random"])
def test_infos_have_one_structure(opponent):
    """At a reset, within a game, at its end, and where a game is given up."""
    env = Env("pig", opponent=opponent, illegal_action="lose", config={"target": 20})
    rng, ends = np.random.default_rng(1), 0
    _, info = env.reset(seed=1)
    want = {"player": np.int64(0), "action_mask": np.zeros(2, np.int8)}
    want = structure(want | {"rewards": np.zeros(2, np.float32)})
    assert not info["rewards"].any()
    while ends < 20:
        assert structure(info) == want
        assert list(info) == list(want)
        *_, terminated, _, info = env.step(rng.integers(2))
        if terminated:
            ends += 1
            assert structure(info) == want
            _, info = env.reset()
            assert not info["rewards"].any()


@pytest.mark.parametrize("opponent", [None, "random"])
@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_infos_of_batches_have_one_structure(mode, opponent):
    n, config = 3, {"target": 20}
    env = marsgym.make_vec("pig", n, opponent=opponent, autoreset_mode=mode, config=config)
    rng, ends = np.random.default_rng(1), 0
    _, info = env.reset(seed=1)
    want = structure(info)
    assert not info["rewards"].any()
    for k in range(100):
        acted = env.batch.player.copy()
        _, reward, terminated, truncated, info = env.step(act(env.batch, rng))
        ended = terminated | truncated
        ends += int(ended.sum())
        last = {k: info.pop(k) for k in list(info) if "final" in k}
        assert structure(info) == want
        assert bool(last) == (mode == "SameStep" and ended.any())
        assert info["rewards"][np.arange(n), acted].tolist() == reward.tolist()
        if last:
            final = last["final_info"]
            assert structure(final) == structure({k: info[k] for k in final})
            assert [x is not None for x in last["final_obs"]] == ended.tolist()
            for mask in (last["_final_obs"], last["_final_info"], final["_player"]):
                assert mask.tolist() == ended.tolist()
            assert not final["action_mask"].any()
            assert np.array_equal(final["rewards"][ended], info["rewards"][ended])
        if k % 10 == 9:
            _, info = env.reset(options={"reset_mask": np.array([True, False, True])})
            assert structure(info) == want
            assert not info["rewards"].any()
    assert ends > 5


def test_masks_in_observations():
    """The observation holds the mask of the info beside the numbers."""
    options = {"opponent": None, "config": {"target": 20}}
    name = "marsgym/Pig-Lenient-v1"
    check_env(gymnasium.make(name, mask_in_observation=True, **options).unwrapped)
    plain, env = (Env("pig", mask_in_observation=m, **options) for m in (False, True))
    want, (obs, info) = plain.reset(seed=1), env.reset(seed=1)
    rng, ends = np.random.default_rng(1), 0
    while ends < 10:
        assert env.observation_space.contains(obs)
        assert np.array_equal(obs["observations"], want[0])
        assert np.array_equal(obs["action_mask"], info["action_mask"])
        assert obs["action_mask"] is not info["action_mask"]
        assert structure(info) == structure(want[-1])
        action = rng.choice(np.flatnonzero(obs["action_mask"]))
        want, (obs, _, terminated, _, info) = plain.step(action), env.step(action)
        if terminated:
            ends += 1
            assert not obs["action_mask"].any()
            assert np.array_equal(obs["observations"], want[0])
            want, (obs, info) = plain.reset(), env.reset()


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_masks_in_observations_of_batches(mode):
    options = {"opponent": None, "autoreset_mode": mode, "config": {"target": 20}}
    plain, env = (
        marsgym.make_vec("pig", 3, mask_in_observation=m, **options) for m in (False, True)
    )
    want, (obs, info) = plain.reset(seed=1), env.reset(seed=1)
    rng, ends = np.random.default_rng(1), 0
    while ends < 10:
        assert env.observation_space.contains(obs)
        assert np.array_equal(obs["observations"], want[0])
        assert np.array_equal(obs["action_mask"], info["action_mask"])
        assert obs["action_mask"] is not info["action_mask"]
        actions = act(env.batch, rng)
        want, (obs, _, terminated, _, info) = plain.step(actions), env.step(actions)
        ends += int(terminated.sum())
        for i in np.flatnonzero(terminated) if mode == "SameStep" else ():
            last = info["final_obs"][i]
            assert env.single_observation_space.contains(last)
            assert np.array_equal(last["observations"], want[-1]["final_obs"][i])
            assert not last["action_mask"].any()


def test_copy():
    for copy in (True, False):
        env = marsgym.make_vec("pig", 4, opponent=None, copy=copy)
        obs, info = env.reset(seed=1)
        before = obs.copy(), info["action_mask"].copy()
        env.step(np.zeros(4, np.int64))
        same = np.array_equal(obs, before[0]) and np.array_equal(info["action_mask"], before[1])
        assert same == copy


def test_vector_with_opponent():
    env = marsgym.make_vec("marsgym/Pig-v1", 32, opponent="greedy", config={"target": 30})
    _, info = env.reset(seed=1)
    total, games = 0.0, 0
    for _ in range(400):
        seat = info["player"]
        _, reward, terminated, truncated, info = env.step(act(env.batch, np.random.default_rng(1)))
        assert not truncated.any()
        assert np.array_equal(info["player"][~terminated], seat[~terminated])
        total, games = total + float(reward.sum()), games + int(terminated.sum())
    assert games > 100
    assert total < 0, "greedy beats random play"
    text = marsgym.make_vec("pig", 2, render_mode="ansi")
    text.reset(seed=1)
    assert len(text.render()) == 2


def test_wrappers():
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(marsgym.make_vec("pig", 8))
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    episodes = 0
    for _ in range(400):
        *_, info = env.step(act(env.unwrapped.batch, rng))
        episodes += int(info.get("_episode", np.zeros(1)).sum())
    assert episodes > 0


def play(env, seed, steps=300):
    rng = np.random.default_rng(seed)
    obs, info = env.reset(seed=seed)
    seen = [obs]
    for _ in range(steps):
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        obs, reward, terminated, truncated, info = env.step(action)
        seen.append(np.append(obs, reward))
        if terminated or truncated:
            assert not info["action_mask"].any()
            obs, info = env.reset()
            seen.append(obs)
    return seen


@pytest.mark.parametrize("opponent", ["exact", "greedy", "random", "search:20"])
def test_opponents(opponent):
    name, config = "marsgym/Pig-v1", {"target": 20}
    a, b, c = (
        play(gymnasium.make(name, opponent=opponent, config=config), seed) for seed in (1, 1, 2)
    )
    assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    assert len(a) != len(c) or not all(np.array_equal(x, y) for x, y in zip(a, c, strict=True))


def test_pretrained_opponent():
    env = gymnasium.make("marsgym/MartianDice-v1", opponent="pretrained", seat=1)
    play(env, 1)
    assert env.unwrapped.batch.player[0] == 1


def test_illegal_action():
    name = "marsgym/Pig-v1"
    env = gymnasium.make(name, seat=0)
    with pytest.raises(gymnasium.error.ResetNeeded, match="no game is in progress"):
        env.unwrapped.step(0)
    env.reset(seed=1)
    with pytest.raises(marsgym.IllegalActionError, match=r"action 1 \(hold\): illegal action"):
        env.step(1)  # a turn begins with a roll
    for action in (None, "0", 0.0, np.array([0])):
        with pytest.raises(TypeError, match="want an integer"):
            env.step(action)
    env.step(0)
    env = gymnasium.make(name, seat=0, illegal_action="random")
    env.reset(seed=1)
    env.step(1)
    assert str(env.unwrapped.position) != str(env.unwrapped.game.initial())
    env = gymnasium.make(name, players=3, seat=0, illegal_action="lose")
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(1)
    assert (reward, terminated) == (-0.5, True)
    assert info["rewards"].tolist() == [-0.5, 0.25, 0.25]
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset first"):
        env.step(0)
    _, info = env.reset()
    assert info["action_mask"].tolist() == [1, 0]


def test_reset_in_a_game():
    env = gymnasium.make("marsgym/MartianDice-v1", opponent=None)
    first, _ = env.reset(seed=1)
    for _ in range(3):
        again, info = env.reset()
        assert info["player"] in (0, 1)
    assert not np.array_equal(first, again), "the dice are not those of the first game"


def test_solitaire():
    env = gymnasium.make("marsgym/MartianDice-v1", players=1, illegal_action="random")
    check_env(env.unwrapped)


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({"render_mode": "human"}, "want None, 'ansi' or 'rgb_array'"),
        ({"illegal_action": "ignore"}, "illegal_action"),
        ({"seat": 5}, "seat is 5"),
        ({"players": 1, "config": {}}, "players is 1"),
        ({"opponent": "nobody"}, "unknown agent"),
    ],
)
def test_bad_arguments(options, want):
    from marsgym.gymnasium import Env

    with pytest.raises(ValueError, match=want):
        Env("pig", **options)


def test_bad_reset():
    env = marsgym.make_vec("pig", 2)
    with pytest.raises(ValueError, match="reset first"):
        env.reset(options={"reset_mask": np.ones(2, np.bool_)})
    for options in ({"start": 1}, {"reset_mask": [0, 1]}, {"reset_mask": np.zeros(2, np.bool_)}):
        with pytest.raises(ValueError, match="want"):
            env.reset(seed=1, options=options)
    for seed in ("1", ["1", 2], [1.5, 2]):
        with pytest.raises((TypeError, ValueError), match="seed"):
            env.reset(seed=seed)
    with pytest.raises(ValueError, match="want 2"):
        env.reset(seed=[1])


def test_reset_after_a_reset_that_failed():
    def opponent(observations, masks):
        if fail:
            raise ZeroDivisionError
        return masks / masks.sum(axis=1, keepdims=True)

    fail, env = False, Env("pig", opponent=opponent, seat=1)
    env.reset(seed=1)
    fail = True
    with pytest.raises(ZeroDivisionError):
        env.reset(seed=2)
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset first"):
        env.step(0)
    fail = False
    env.reset()
    env.step(0)


@pytest.mark.parametrize("opponent", [None, "random"])
def test_reset_to_a_position(opponent):
    env = Env("pig", opponent=opponent, seat=1)
    start = env.game.position("7-3@1")
    for position in (start, "7-3@1"):
        for seed in (1, None):
            env.reset(seed=seed, options={"position": position})
            assert env.position == start
            assert env.step(0)[0].shape == (env.game.observation_size,)
    for wrong in ({"position": "nonsense"}, {"positions": start}, {"position": None, "x": 1}):
        with pytest.raises(ValueError, match=r"position"):
            env.reset(options=wrong)
    env.reset(seed=1)
    while not env.step(1 if env.action_masks()[1] else 0)[2]:
        pass
    with pytest.raises(ValueError, match="no decision follows"):
        env.reset(options={"position": env.position})


def test_reset_to_a_position_where_the_opponent_wins():
    env = Env("pig", config={"target": 20}, opponent="greedy", seat=1)
    env.reset(seed=1)
    before = env.batch.save()
    with pytest.raises(ValueError, match="before the learner's first decision"):
        env.reset(options={"position": "18-3@0"})
    assert env.batch.save() == before
    env.step(0)
