"""Minari: its collector records games with their infos, and masks inside of observations."""

import os
import sys

os.environ["MINARI_DATASETS_PATH"] = sys.argv[1]

import gymnasium
import minari
import numpy as np

import marsgym  # noqa: F401 (registers the games)

for inside in (False, True):
    env = gymnasium.make("marsgym/Pig-v1", mask_in_observation=inside)
    env = minari.DataCollector(env, record_infos=True)
    rng, games = np.random.default_rng(1), 5
    for seed in range(games):
        _, info = env.reset(seed=seed)
        ended = False
        while not ended:
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            *_, terminated, truncated, info = env.step(action)
            ended = terminated or truncated
    data = env.create_dataset(f"pig/random-{int(inside)}-v0")
    episodes = list(data.iterate_episodes())
    assert len(episodes) == games
    for episode in episodes:
        n = len(episode.actions)
        assert {k: len(v) for k, v in episode.infos.items()} == dict.fromkeys(
            ("player", "action_mask", "rewards"), n + 1
        )
        assert abs(episode.rewards[-1]) == abs(episode.infos["rewards"][-1]).max() == 1
        masks = episode.observations["action_mask"] if inside else episode.infos["action_mask"]
        assert masks[np.arange(n), episode.actions].all()
        assert not masks[-1].any()
