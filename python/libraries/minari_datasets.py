"""Minari's collector with the environments of marsgym."""

import os
import tempfile

FOLDER = tempfile.TemporaryDirectory()
os.environ["MINARI_DATASETS_PATH"] = FOLDER.name

import gymnasium
import minari
import numpy as np
from cells import GAME, HOLD, SHORT, cell, legal, outcome
from gymnasium.wrappers import TimeLimit

import marsgym


def collect(env, name, games=5):
    """A data set of some games, and the info at the end of each."""
    env = minari.DataCollector(env, record_infos=True)
    generator, infos = np.random.default_rng(1), []
    for seed in range(games):
        _, info = env.reset(seed=seed)
        ended = False
        while not ended:
            _, _, terminated, truncated, info = env.step(legal(info["action_mask"], generator))
            ended = terminated or truncated
        infos.append(info)
    return list(env.create_dataset(f"pig/{name}-v0").iterate_episodes()), infos


def single(**options):
    return gymnasium.make(GAME, config=SHORT, **options)


episodes, infos = collect(single(), "random")
first = episodes[0]
n = len(first.actions)


def automatic():
    """Steps on after the end of a game."""
    env = minari.DataCollector(single())
    _, info = env.reset(seed=1)
    ended = False
    while not ended:
        _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
    env.step(0)


cell(
    "autoreset",
    f"none, a single environment; a step after the end: {outcome(automatic)}",
    "DataCollector of `marsgym.make_vec`: "
    + outcome(lambda: minari.DataCollector(marsgym.make_vec("pig", 2))),
)
inside, _ = collect(single(mask_in_observation=True), "inside")
masks = first.infos["action_mask"]
cell(
    "mask",
    f'`infos["action_mask"]` {masks.dtype}{list(masks.shape)} for {n} actions, '
    f"row i is the mask of action i: {bool(masks[np.arange(n), first.actions].all())}",
    "with `mask_in_observation`: "
    f"{inside[0].observations['action_mask'].dtype}"
    f"{list(inside[0].observations['action_mask'].shape)}",
)
again, _ = collect(single(), "again")
same = [
    np.array_equal(a.observations, b.observations) for a, b in zip(episodes, again, strict=True)
]
cell("seed", f"`reset(seed=)` of the collector; the same games again: {all(same)}")
cell(
    "final",
    f"observations {list(first.observations.shape)} for {n} actions; the last one is the end: "
    f"{bool(first.observations[-1][:2].max() >= 1)}",
    f"infos: {', '.join(f'{k} {v.dtype}{list(v.shape)}' for k, v in sorted(first.infos.items()))}",
)


def illegal():
    """An episode in which an illegal action was refused, and then a legal one played."""
    env = minari.DataCollector(single())
    _, info = env.reset(seed=1)
    error, ended, played = outcome(lambda: env.step(HOLD)), False, []
    while not ended:
        played.append(int(info["action_mask"].argmax()))
        _, _, ended, _, info = env.step(played[-1])
    (episode,) = env.create_dataset("pig/illegal-v0").iterate_episodes()
    return f"{error}; it records the actions that were played: {played == episode.actions.tolist()}"


cell("illegal", outcome(illegal, str))
limited, _ = collect(TimeLimit(single(), n), "limited", 1)
cell(
    "both",
    f"TimeLimit of exactly the game's length: terminations {limited[0].terminations[-1]}, "
    f"truncations {limited[0].truncations[-1]}",
)
lost = [
    float(episode.rewards[-1])
    for episode, info in zip(episodes, infos, strict=True)
    if info["rewards"][info["player"]] < 0
]
cell(
    "waiting", f"the last reward of {len(lost)} lost games of {len(episodes)}: {sorted(set(lost))}"
)
