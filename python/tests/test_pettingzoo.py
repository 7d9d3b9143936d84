import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils import wrappers

import marsgym
from marsgym import pettingzoo

# A dict with a mask is what PettingZoo prescribes, and its test warns of.
pytestmark = pytest.mark.filterwarnings("ignore:Observation (space for|is not)")

GAMES = list(marsgym.games())


def test_registry():
    pettingzoo_make = pytest.importorskip("pettingzoo", "1.27").make
    assert pettingzoo.env_ids()["martian-dice"] == "marsgym/martian_dice-v1"
    for id, name in pettingzoo.env_ids().items():
        env = pettingzoo_make("aec", name, render_mode="ansi")
        env.reset(seed=1)
        assert env.unwrapped.game.rules_hash == marsgym.load(id).rules_hash
        assert env.render()
        assert env.metadata["name"] == name.removeprefix("marsgym/").replace("-v", "_v")


def test_illegal_action():
    """As in PettingZoo's own games, an illegal action ends the game."""
    env = pettingzoo.env("pig", players=3)
    env.reset(seed=1)
    before = env.unwrapped.batch.save()
    env.step(1)  # a turn begins with a roll
    assert env.unwrapped.batch.save() == before
    rewards = {}
    for agent in env.agent_iter():
        _, rewards[agent], terminated, _, _ = env.last()
        assert terminated
        env.step(None)
    assert rewards == {"player_0": -1, "player_1": 0, "player_2": 0}
    env.reset()
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(2)


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("id", ["pig", "mars-is-ours-fast", "martian-risk-tiny"])
def test_wrapper(id):
    """The wrapper does what those of PettingZoo do, errors included."""
    stack = wrappers.TerminateIllegalWrapper(pettingzoo.raw_env(id), illegal_reward=-1)
    stack = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(stack))
    envs, rng = (pettingzoo.env(id), stack), np.random.default_rng(1)
    shown = ("rewards", "terminations", "truncations", "infos", "agents", "_cumulative_rewards")

    def same(name, *arguments):
        """Whether both give the same, and no error."""
        results = set()
        for env in envs:
            try:
                result = getattr(env, name)
                text = repr(result(*arguments) if callable(result) else result)
                results.add((True, text.replace("0.0", "0")))  # they have rewards of both types
            except (Exception, SystemExit) as e:
                results.add((False, f"{type(e)} {e}"))
        assert len(results) == 1, (name, results)
        return results.pop()[0]

    assert same("__str__")
    for name in shown[:-1]:
        assert not same(name)
    for name, *arguments in (("last",), ("step", 0), ("observe", "player_0"), ("state",)):
        assert not same(name, *arguments)
    forfeits = 0
    for game in range(10):
        assert same("reset", game if game % 3 == 0 else None)
        for k in range(200):
            assert all(same(name) for name in (*shown, "agent_selection", "last", "state"))
            if k < 10:
                assert all(same("observe", agent) for agent in stack.agents)
            observation, _, terminated, truncated, _ = stack.last()
            if terminated or truncated:
                assert not same("step", 0)
                assert not same("step", 10**6)
                assert same("step", None)
                if not stack.agents:
                    assert same("step", None)  # warns
                    break
                continue
            for wrong in (None, -1, 10**6, "0", 0.0):
                assert not same("step", wrong)
            mask, forfeit = observation["action_mask"], game % 2 == 0 and k > game
            choices = mask == 0 if forfeit and not mask.all() else mask
            forfeits += int(not mask.all() and forfeit)
            assert same("step", int(rng.choice(np.flatnonzero(choices))))
    assert forfeits > 2
    assert len({env.unwrapped.batch.save() for env in envs}) == 1


@pytest.mark.parametrize("id", GAMES)
def test_state(id):
    """The state is what the agent to move observes."""
    env, rng = pettingzoo.env(id), np.random.default_rng(1)
    env.reset(seed=1)
    assert env.state_space.contains(env.state())
    for agent in env.agent_iter(50):
        obs, _, terminated, truncated, _ = env.last()
        assert env.state_space.contains(env.state())
        if terminated or truncated:
            env.step(None)
            continue
        assert np.array_equal(env.state(), env.observe(agent)["observation"])
        env.step(rng.choice(np.flatnonzero(obs["action_mask"])))


@pytest.mark.parametrize("id", GAMES)
def test_api(id):
    api_test(pettingzoo.env(id), num_cycles=1000)


def test_api_for_many_seats():
    api_test(pettingzoo.env("martian-dice", players=5), num_cycles=2000)


def test_seed():
    seed_test(lambda: pettingzoo.env("martian-dice"), num_cycles=500)
    seed_test(lambda: pettingzoo.env("mars-is-ours"), num_cycles=500)


def test_render(capsys):
    render_test(lambda **options: pettingzoo.env("martian-dice", **options))
    env = pettingzoo.env("pig", render_mode="human")
    env.reset(seed=1)
    env.step(0)
    assert capsys.readouterr().out


def test_rewards_and_observations():
    env = pettingzoo.raw_env("pig", players=3, config={"target": 20})
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="call reset first"):
        env.unwrapped.step(0)
    env.reset(seed=1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        obs, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        if terminated or truncated:
            assert not obs["action_mask"].any()
            seat = int(agent[-1])
            position = env.unwrapped.position
            assert position.is_terminal
            assert np.array_equal(obs["observation"], position.observation(seat))
            env.step(None)
            continue
        others = [a for a in env.agents if a != agent]
        assert not any(env.observe(a)["action_mask"].any() for a in others)
        env.step(rng.choice(np.flatnonzero(obs["action_mask"])))
    assert sorted(total.values()) == [-0.5, -0.5, 1.0]
    before = env.unwrapped.batch.save()
    env.reset()
    with pytest.raises(marsgym.IllegalActionError, match=r"action 1 \(hold\): illegal action"):
        env.step(1)
    assert env.unwrapped.batch.save() == before
