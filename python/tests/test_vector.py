"""VectorEnv as Gymnasium's own vector environments are: autoreset, seeds, masks, wrappers."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

import marsgym
from marsgym.gymnasium import VectorEnv, env_ids
from tests.test_batch import act

MODES = [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP]


@pytest.mark.parametrize("opponent", [None, "greedy"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("id", ["pig", "martian-dice"])
def test_equals_gymnasiums_own(id, mode, opponent):
    """A batch is what SyncVectorEnv makes of single environments, with seeds and masks."""
    n, name = 4, env_ids()[id]
    batch = gymnasium.make_vec(name, n, opponent=opponent, autoreset_mode=mode)
    assert isinstance(batch, VectorEnv)
    single = SyncVectorEnv(
        [lambda i=i: gymnasium.make(name, row=i, opponent=opponent) for i in range(n)],
        autoreset_mode=mode,
    )
    assert batch.metadata["autoreset_mode"] == single.metadata["autoreset_mode"] == mode
    assert batch.autoreset_mode == single.autoreset_mode == mode
    rng = np.random.default_rng(1)

    def same(a, b):
        (obs, *results, info), (obs_b, *results_b, info_b) = a, b
        assert np.array_equal(obs, obs_b)
        for x, y in zip(results, results_b, strict=True):
            assert np.array_equal(x, y)
        ended = ~info_b["action_mask"].any(axis=1)  # of rows that the next step ignores
        assert np.array_equal(info["player"], info_b["player"])
        assert np.array_equal(info["action_mask"][~ended], info_b["action_mask"][~ended])
        assert info["action_mask"][ended].all()
        if mode == AutoresetMode.SAME_STEP and "final_obs" in info_b:
            for i in np.flatnonzero(info_b["_final_obs"]):
                assert np.array_equal(info["final_obs"][i], info_b["final_obs"][i])
                for key, last in info_b["final_info"].items():
                    assert np.array_equal(info["final_info"][key][i], last[i])
        return info["action_mask"]

    seeds = [7, 8, 7, 9]
    mask = same(batch.reset(seed=seeds), single.reset(seed=seeds))
    ended = 0
    for k in range(600):
        actions = np.where(mask, rng.random(mask.shape), -1).argmax(axis=1)
        a, b = batch.step(actions), single.step(actions)
        ended += int((a[2] | a[3]).sum())
        mask = same(a, b)
        if k % 100 == 50:
            rows = np.array([True, k % 200 == 50, False, False])
            obs, info = batch.reset(seed=seeds, options={"reset_mask": rows})
            want, _ = single.reset(seed=seeds, options={"reset_mask": rows})
            assert np.array_equal(obs, want)
            mask = info["action_mask"]
    assert ended > 3


def test_one_seed_with_a_mask():
    """With one seed, the rows that are reset play as after a reset of all rows."""
    env, whole = marsgym.make_vec("pig", 3), marsgym.make_vec("pig", 3)
    env.reset(seed=1)
    rows = np.array([False, True, False])
    obs, info = env.reset(seed=5, options={"reset_mask": rows})
    want, wanted = whole.reset(seed=5)
    rng = np.random.default_rng(1)
    for _ in range(50):
        assert np.array_equal(obs[1], want[1])
        actions = act(whole.batch, rng)
        actions[~rows] = info["action_mask"][~rows].argmax(axis=1)
        obs, _, _, _, info = env.step(actions)
        want, *_ = whole.step(np.where(rows, actions, wanted["action_mask"].argmax(axis=1)))
        wanted["action_mask"] = whole.batch.action_mask


def test_seeds_that_are_none():
    """They are drawn: from the seeds that are given, or else anew."""
    resets = [marsgym.make_vec("martian-dice", 8).reset(seed=[None] * 8)[0] for _ in range(2)]
    assert not np.array_equal(*resets)
    resets = [marsgym.make_vec("martian-dice", 2).reset(seed=[1, None])[0] for _ in range(2)]
    assert np.array_equal(*resets)


@pytest.mark.parametrize("lenient", [False, True])
def test_make_vec_is_the_batch(lenient):
    """Every id opens the batch, with the opponent that a single environment has."""
    for id, name in env_ids(lenient=lenient).items():
        env = gymnasium.make_vec(name, 3)
        assert isinstance(env, VectorEnv)
        assert env.spec.id == name
        assert env.spec.kwargs["num_envs"] == 3
        assert env.game.rules_hash == marsgym.load(id).rules_hash
        again = gymnasium.make_vec(env.spec)
        assert again.num_envs == 3
        env.reset(seed=1)
        again.reset(seed=1)
        rng = np.random.default_rng(1)
        for _ in range(20):
            actions = act(env.batch, rng)
            assert np.array_equal(env.step(actions)[0], again.step(actions)[0])
    assert marsgym.make_vec("pig", 2).spec.id == "marsgym/Pig-v1"
    assert marsgym.make_vec("marsgym/Pig-Lenient-v1", 2).illegal_action == "random"


def test_default_modes():
    """Gymnasium's function has Gymnasium's mode, in which all its programs expect a game of
    theirs; ours has the mode of the batch.
    """
    name = "marsgym/Pig-v1"
    for sync in (None, "sync"):
        env = gymnasium.make_vec(name, 2, vectorization_mode=sync)
        assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    for game in ("pig", name):
        assert marsgym.make_vec(game, 2).autoreset_mode == AutoresetMode.SAME_STEP
    assert VectorEnv("pig", 2).autoreset_mode == AutoresetMode.SAME_STEP


def test_rllib_gets_no_observation_of_another_game():
    """RLlib registers a function that opens a batch under a name of its own, and expects
    NEXT_STEP; with another mode it would go wrong in silence.
    """
    name = "rllib-single-agent-env-v0"
    for mode in ("SameStep", "NextStep"):
        make = lambda num_envs, mode=mode: marsgym.make_vec("pig", num_envs, autoreset_mode=mode)  # noqa: E731
        gymnasium.register(name, vector_entry_point=make)
        try:
            if mode == "SameStep":
                with pytest.raises(ValueError, match="pass autoreset_mode='NextStep'"):
                    gymnasium.make_vec(name, 2)
            else:
                assert gymnasium.make_vec(name, 2).spec.id == name
        finally:
            del gymnasium.registry[name]


def test_default_opponent():
    """make, make_vec and marsgym.make_vec play against random opponents."""
    name = "marsgym/Pig-v1"
    same_step = gymnasium.make_vec(name, 8, autoreset_mode="SameStep")
    for env in (same_step, marsgym.make_vec("pig", 8)):
        _, info = env.reset(seed=1)
        rng = np.random.default_rng(1)
        losses = 0
        for _ in range(300):
            seat = info["player"]
            _, reward, terminated, _, info = env.step(act(env.batch, rng))
            assert np.array_equal(info["player"][~terminated], seat[~terminated])
            losses += int((reward < 0).sum())
        assert losses > 0, "a loss by the opponent's move is seen"
    solitaire = marsgym.make_vec("martian-dice", 2, players=1)
    solitaire.reset(seed=1)


@pytest.mark.parametrize("mode", MODES)
def test_lenient(mode):
    """Any action is played, and legal ones are played as they are."""
    strict = gymnasium.make_vec("marsgym/Pig-v1", 64, autoreset_mode=mode)
    env = gymnasium.make_vec("marsgym/Pig-Lenient-v1", 64, autoreset_mode=mode)
    env.action_space.seed(1)
    _, info = env.reset(seed=1)
    strict.reset(seed=1)
    for _ in range(20):
        actions = info["action_mask"].argmax(axis=1)
        obs, *_, info = env.step(actions)
        assert np.array_equal(obs, strict.step(actions)[0])
    ended = 0
    for _ in range(200):
        *_, terminated, _, _ = env.step(env.action_space.sample())
        ended += int(terminated.sum())
    assert ended > 10
    for actions in (np.full(64, -1), np.full(64, 99, np.int32), np.full(64, -(2**63))):
        env.step(actions)
    with pytest.raises(ValueError, match="want 64 integers"):
        env.step(np.zeros(3, np.int64))
    one, two = (marsgym.make_vec("marsgym/Pig-Lenient-v1", 8) for _ in range(2))
    one.reset(seed=3)
    two.reset(seed=3)
    for _ in range(50):
        assert np.array_equal(one.step(np.ones(8, int))[0], two.step(np.ones(8, int))[0])


@pytest.mark.parametrize("mode", MODES)
def test_copy(mode):
    """Without copies the contents are the same."""
    envs = [marsgym.make_vec("pig", 8, autoreset_mode=mode, copy=c) for c in (True, False)]
    for env in envs:
        env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(300):
        actions = act(envs[0].batch, rng)
        (obs, *results, info), (obs_b, *results_b, info_b) = (env.step(actions) for env in envs)
        assert np.array_equal(obs, obs_b)
        assert all(np.array_equal(x, y) for x, y in zip(results, results_b, strict=True))
        assert np.array_equal(info["action_mask"], info_b["action_mask"])
        if "final_obs" in info:
            for i in np.flatnonzero(info["_final_obs"]):
                assert np.array_equal(info["final_obs"][i], info_b["final_obs"][i])
                info_b["final_obs"][i] = None  # as a wrapper may


WRAPPERS = {
    "NormalizeObservation": wrappers.NormalizeObservation,
    "FlattenObservation": wrappers.FlattenObservation,
    "DtypeObservation": lambda env: wrappers.DtypeObservation(env, np.float64),
    "RecordEpisodeStatistics": wrappers.RecordEpisodeStatistics,
    "NormalizeReward": wrappers.NormalizeReward,
    "DictInfoToList": wrappers.DictInfoToList,
    "ClipReward": lambda env: wrappers.ClipReward(env, -0.5, 0.5),
}


# Box compares the bounds of float32 with those of float64.
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("name", WRAPPERS)
def test_wrappers(name):
    env = gymnasium.make_vec("marsgym/Pig-Lenient-v1", 8, autoreset_mode="NextStep")
    env = WRAPPERS[name](env)
    obs, _ = env.reset(seed=1)
    env.action_space.seed(1)
    ended = 0
    for _ in range(200):
        obs, reward, terminated, *_ = env.step(env.action_space.sample())
        assert env.observation_space.shape == obs.shape
        assert np.isfinite(obs).all()
        assert np.isfinite(reward).all()
        ended += int(terminated.sum())
    assert ended > 5


@pytest.mark.parametrize("mode", MODES)
def test_record_episode_statistics(mode):
    """The returns and lengths of the wrapper are those of the games."""
    env = wrappers.RecordEpisodeStatistics(marsgym.make_vec("pig", 4, autoreset_mode=mode))
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    episodes = 0
    for _ in range(400):
        _, reward, _, _, info = env.step(act(env.unwrapped.batch, rng))
        for i in np.flatnonzero(info.get("_episode", np.zeros(4))):
            episodes += 1
            assert info["episode"]["r"][i] == reward[i] != 0
    assert episodes > 10


def test_attributes():
    env = marsgym.make_vec("pig", 3)
    env.reset(seed=1)
    assert env.get_attr("game") == (env.game,) * 3
    assert env.get_attr("render_mode") == (None,) * 3
    assert env.get_attr("autoreset_mode") == (AutoresetMode.SAME_STEP,) * 3
    assert np.array_equal(np.stack(env.call("action_masks")), env.action_masks())
    env.set_attr("illegal_action", "random")
    env.set_attr("illegal_action", ["random"] * 3)
    assert env.get_attr("illegal_action") == ("random",) * 3
    env.step([1, 1, 1])
    with pytest.raises(ValueError, match="3 equal ones"):
        env.set_attr("illegal_action", ["raise", "random", "raise"])
    with pytest.raises(AttributeError, match="nothing"):
        env.get_attr("nothing")


def test_bad_options():
    with pytest.raises(ValueError, match="SAME_STEP or NEXT_STEP"):
        marsgym.make_vec("pig", 2, autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(ValueError, match="illegal_action"):
        marsgym.make_vec("pig", 2, illegal_action="lose")
    for name in ("pig", "marsgym/Pig-v1"):
        with pytest.raises(TypeError, match=r"vectorization_mode is 'sync'; .* gymnasium.make_vec"):
            marsgym.make_vec(name, 2, vectorization_mode="sync")
    other = lambda num_envs, **_: gymnasium.make_vec("CartPole-v1", num_envs)  # noqa: E731
    gymnasium.register("other-v0", vector_entry_point=other)
    with pytest.raises(ValueError, match="'other-v0' is not a game of marsgym; want one of"):
        marsgym.make_vec("other-v0", 2)
    del gymnasium.registry["other-v0"]
    with pytest.raises(TypeError, match="oponent"):
        marsgym.make_vec("pig", 2, oponent="random")
    VectorEnv.__new__(VectorEnv).close()  # as Gymnasium does if opening fails


def test_statistics_of_old_gymnasium(monkeypatch):
    """RecordEpisodeStatistics before 1.4 miscounts with SAME_STEP: make_vec says so."""
    monkeypatch.setattr(gymnasium, "__version__", "1.3.0")
    with pytest.warns(UserWarning, match="leaves out the first decision of each game"):
        marsgym.make_vec("pig", 2)
    with pytest.warns(UserWarning, match="leaves out the first decision of each game"):
        marsgym.make_vec(marsgym.load("pig"), 2)
    marsgym.make_vec("pig", 2, autoreset_mode="NextStep")
    gymnasium.make_vec("marsgym/Pig-v1", 2)
