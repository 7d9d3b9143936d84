"""Shimmy's AEC environment of OpenSpiel's games with the games of marsgym."""

import json

import numpy as np
import pyspiel
from cells import HOLD, SHORT, cell, legal, outcome
from shimmy import OpenSpielCompatibilityV0

import marsgym.openspiel  # noqa: F401 (registers the games)

CONFIG = {"config": json.dumps(SHORT)}


def env():
    return OpenSpielCompatibilityV0(game_name="marsgym_pig", config=CONFIG)


def play(aec, seed, number=3):
    """What each seat gets by last(), the last steps, the seat that moved last, and the returns."""
    aec.reset(seed=seed)
    got, last, mover = dict.fromkeys(aec.possible_agents, 0.0), {}, None
    generator = np.random.default_rng(number)
    for agent in aec.agent_iter(10_000):
        observation, reward, terminated, truncated, info = aec.last()
        got[agent] += reward
        if terminated or truncated:
            last[agent] = observation, terminated, truncated, info
            aec.step(None)
        else:
            mover = agent
            aec.step(legal(info["action_mask"], generator))
    return got, last, mover, aec.game_state


aec = env()
_, last, _, state = play(aec, 1)
cell("autoreset", f"none: after the end `agents` is {aec.agents}")

aec = env()
aec.reset(seed=1)
cell(
    "mask",
    f'`info["action_mask"]`: {[aec.infos[a]["action_mask"].tolist() for a in aec.agents]}',
    f"the observation is {aec.observe('player_0').dtype}{list(aec.observe('player_0').shape)}",
)

texts = [str(play(env(), seed)[3]) for seed in (5, 5, 6)]
own = OpenSpielCompatibilityV0(env=pyspiel.load_game("marsgym_pig", CONFIG))
own.reset(seed=1)
cell(
    "seed",
    f"`reset(seed=5)` twice gives the same game: {texts[0] == texts[1]}, "
    f"seed 6 another: {texts[0] != texts[2]}",
    "`reset` of `OpenSpielCompatibilityV0(env=game)` keeps the config of the game: "
    f"{'target' in str(own._env)}; of `game_name=, config=`: {'target' in str(aec._env)}",
)

same = [
    np.allclose(observation, state.position.observation(int(agent[-1])))
    for agent, (observation, *_) in last.items()
]
cell(
    "final",
    f"last() after the end shows the last position: {same}",
    f"info {next(iter(last.values()))[3]}",
)


def illegal():
    aec = env()
    aec.reset(seed=1)
    aec.step(HOLD)


cell("illegal", outcome(illegal))

games = [play(env(), seed, seed) for seed in range(20)]
ends = {
    (terminated, truncated)
    for _, last, _, _ in games
    for _, terminated, truncated, _ in last.values()
}
cell("both", f"terminated, truncated of 20 games: {sorted(ends)}")
waiting = [
    (got[agent], state.returns()[int(agent[-1])])
    for got, _, mover, state in games
    for agent in got
    if agent != mover
]
cell(
    "waiting",
    f"last() gives it {sorted({got for got, _ in waiting})} where its return is "
    f"{sorted({value for _, value in waiting})}",
)
