"""PettingZoo's wrappers and conversions with the AEC environment of marsgym."""

import warnings

import numpy as np
from cells import HOLD, SHORT, cell, kinds, legal, outcome
from pettingzoo.utils import conversions, wrappers
from pettingzoo.utils.wrappers import MultiEpisodeEnv

import marsgym.pettingzoo

AGENTS = ["player_0", "player_1"]


def raw():
    return marsgym.pettingzoo.raw_env("pig", config=SHORT)


def env():
    return marsgym.pettingzoo.env("pig", config=SHORT)


def theirs():
    wrapped = wrappers.TerminateIllegalWrapper(raw(), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


def play(aec, seed):
    """What each seat gets of a game by last(), and the last observations and infos."""
    aec.reset(seed=seed)
    generator, got, seen, mover = np.random.default_rng(3), dict.fromkeys(AGENTS, 0.0), {}, None
    for agent in aec.agent_iter(1000):
        observation, reward, terminated, truncated, info = aec.last()
        got[agent] += reward
        if terminated or truncated:
            seen[agent] = observation, info
            aec.step(None)
        else:
            mover = agent
            aec.step(legal(observation["action_mask"], generator))
    return got, seen, mover


def ended():
    """An environment whose game has just ended."""
    aec, generator = env(), np.random.default_rng(1)
    aec.reset(seed=1)
    while not any(aec.terminations.values()):
        aec.step(legal(aec.last()[0]["action_mask"], generator))
    return aec


def multi():
    aec, generator = MultiEpisodeEnv(env(), num_episodes=10), np.random.default_rng(1)
    aec.reset(seed=1)
    got, ends = dict.fromkeys(AGENTS, 0.0), 0
    for agent in aec.agent_iter(10_000):
        observation, reward, terminated, truncated, _ = aec.last()
        got[agent] += abs(reward)
        if terminated or truncated:
            ends += 1
            aec.step(None)
        else:
            aec.step(legal(observation["action_mask"], generator))
    return f"{ends} ends, and last() shows the result of {[int(x) for x in got.values()]} games"


aec = ended()
cell(
    "autoreset",
    f"none: after the end `agents` is {aec.agents}",
    f"an action other than None then: {outcome(lambda: aec.step(0))}",
    f"MultiEpisodeEnv of 10 games: {outcome(multi, str)}",
)

aec = env()
aec.reset(seed=1)
masks = {agent: aec.observe(agent)["action_mask"].tolist() for agent in AGENTS}
cell(
    "mask",
    f'`observation["action_mask"]`, zeros for who is not to move: {list(masks.values())}',
    f"`infos` hold {aec.infos['player_0']}",
)


def moves(seeds):
    aec, found = env(), []
    for seed in seeds:
        _, seen, _ = play(aec, seed)
        found.append(np.concatenate([seen[a][0]["observation"] for a in AGENTS]).tobytes())
    return found


one, two = moves([5, None]), moves([5, None])
cell(
    "seed",
    f"`reset(seed=5)` twice gives the same game: {one[0] == two[0]}",
    f"`reset()` goes on, the same in both: {one[1] == two[1]}, another game: {one[0] != one[1]}",
)

_, seen, _ = play(env(), 1)
observation, info = seen["player_0"]
cell(
    "final",
    f"last() of each seat: {kinds(observation)}, mask {observation['action_mask'].tolist()}",
    f"info {info}",
)


def illegal(make):
    aec = make()
    aec.reset(seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        aec.step(HOLD)
    return aec


def result(aec):
    return f"rewards {list(aec.rewards.values())}"


def ends(aec):
    return f"terminated {set(aec.terminations.values())}, truncated {set(aec.truncations.values())}"


cell(
    "illegal",
    f"`env`: {outcome(lambda: illegal(env), result)}",
    f"`raw_env`: {outcome(lambda: illegal(raw))}",
    f"TerminateIllegalWrapper of `raw_env`: {outcome(lambda: illegal(theirs), result)}",
)
cell(
    "both",
    f"after an illegal action: {ends(illegal(env))}",
    f"by TerminateIllegalWrapper: {ends(illegal(theirs))}",
)


def parallel():
    env = conversions.turn_based_aec_to_parallel(raw())
    generator, got = np.random.default_rng(1), dict.fromkeys(AGENTS, 0.0)
    observations = env.reset(seed=1)[0]
    while env.agents:
        actions = {a: int(legal(observations[a]["action_mask"], generator)) for a in env.agents}
        for a in env.agents:
            if not observations[a]["action_mask"].any():
                actions[a] = None
        observations, rewards, *_ = env.step(actions)
        for agent, reward in rewards.items():
            got[agent] += reward
    return f"rewards {list(got.values())}"


games = [play(env(), seed) for seed in range(20)]
waiting = [got[a] for got, _, mover in games for a in AGENTS if a != mover]
cell(
    "waiting",
    f"last() after the end gives the seat that did not move {sorted(set(waiting))} in 20 games",
    f"turn_based_aec_to_parallel: {outcome(parallel, str)}",
)
