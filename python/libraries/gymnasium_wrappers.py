"""Gymnasium's vector environments and wrappers with the environments of marsgym."""

import warnings

import gymnasium
import numpy as np
from cells import GAME, HOLD, SHORT, cell, kinds, legal, outcome, until_end
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit
from gymnasium.wrappers import vector as wrappers

import marsgym


def episodes(mode):
    """Whether RecordEpisodeStatistics of a vector environment counts what was played."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        vec = marsgym.make_vec("pig", 4, config=SHORT, autoreset_mode=mode)
    env, generator = wrappers.RecordEpisodeStatistics(vec), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    lengths, held, right = np.zeros(4, int), np.zeros(4, bool), []
    for _ in range(200):
        _, _, terminated, truncated, info = env.step(legal(info["action_mask"], generator))
        lengths = np.where(held, 0, lengths + 1)
        ended = terminated | truncated
        if ended.any():
            right += (info["episode"]["l"] == lengths)[ended].tolist()
        lengths[ended & (mode == "SameStep")] = 0
        held = ended & (mode == "NextStep")
    return f"lengths of {sum(right)} of {len(right)} games right, {len(warned)} warnings of marsgym"


def observing(mode):
    vec = marsgym.make_vec("pig", 4, config=SHORT, autoreset_mode=mode)
    return wrappers.NormalizeObservation(vec)


made = gymnasium.make_vec(GAME, 4, config=SHORT)
cell(
    "autoreset",
    f"`gymnasium.make_vec` gives {made.metadata['autoreset_mode'].name}",
    *(
        f"RecordEpisodeStatistics, {m}: {outcome(lambda m=m: episodes(m), str)}"
        for m in ("NextStep", "SameStep")
    ),
    *(
        f"NormalizeObservation, {m}: {outcome(lambda m=m: observing(m))}"
        for m in ("NextStep", "SameStep")
    ),
)

env = gymnasium.make(GAME, config=SHORT)
_, info = env.reset(seed=1)
mask = info["action_mask"]
flat = gymnasium.wrappers.FlattenObservation(
    gymnasium.make(GAME, config=SHORT, mask_in_observation=True)
)
env.action_space.seed(1)
cell(
    "mask",
    '`action_space.sample(mask)` with `info["action_mask"]` gives a legal action: '
    f"{mask[env.action_space.sample(mask)] == 1}",
    "with a mask of bool: " + outcome(lambda: env.action_space.sample(mask.astype(bool)), str),
    "FlattenObservation of `mask_in_observation` begins with the mask: "
    f"{flat.reset(seed=1)[0][:2].tolist()}",
)


def first(seed, row=0):
    env = gymnasium.make(GAME, config=SHORT, row=row)
    obs, info = env.reset(seed=seed)
    generator, path = np.random.default_rng(1), [obs]
    for _ in range(20):
        obs, _, terminated, _, info = env.step(legal(info["action_mask"], generator))
        path.append(obs)
        if terminated:
            break
    return np.concatenate(path).tobytes()


def row(vec, i):
    obs, info = vec.reset(seed=5)
    generator, path = np.random.default_rng(1), [obs[i]]
    for _ in range(20):
        actions = legal(info["action_mask"], np.random.default_rng(0))
        actions[i] = legal(info["action_mask"][i], generator)
        obs, _, terminated, _, info = vec.step(actions)
        path.append(obs[i])
        if terminated[i]:
            break
    return np.concatenate(path).tobytes()


sync = gymnasium.make_vec(GAME, 4, vectorization_mode="sync", config=SHORT)
cell(
    "seed",
    "row 1 of SyncVectorEnv, seed 5, is a single environment with seed 6: "
    f"{row(sync, 1) == first(6)}",
    "row 1 of our vector environment is one with seed 5 and `row=1`: "
    f"{row(made, 1) == first(5, 1)}",
)


keys = {}
for mode in ("SameStep", "NextStep"):
    games = [lambda: gymnasium.make(GAME, config=SHORT)] * 4
    keys[mode] = until_end(gymnasium.vector.SyncVectorEnv(games, autoreset_mode=mode))[-1].keys()
ours = {m: until_end(marsgym.make_vec("pig", 4, config=SHORT, autoreset_mode=m))[-1] for m in keys}
cell(
    "final",
    f"SAME_STEP: {kinds({k: v for k, v in ours['SameStep'].items() if 'final' in k})}",
    *(f"{m}: SyncVectorEnv has the same keys as ours: {keys[m] == ours[m].keys()}" for m in keys),
)

lenient = gymnasium.make("marsgym/Pig-Lenient-v1", config=SHORT)
env.reset(seed=1), lenient.reset(seed=1)
cell("illegal", outcome(lambda: env.step(HOLD)), f"Lenient: {outcome(lambda: lenient.step(HOLD))}")


def play(env, seed):
    generator, length = np.random.default_rng(seed), 0
    _, info = env.reset(seed=seed)
    while True:
        length += 1
        _, reward, *ends, info = env.step(legal(info["action_mask"], generator))
        if any(ends):
            return length, reward, ends, info


length = play(gymnasium.make(GAME, config=SHORT), 1)[0]
limited = RecordEpisodeStatistics(
    TimeLimit(gymnasium.make(GAME, config=SHORT), max_episode_steps=length)
)
_, _, ends, info = play(limited, 1)
cell(
    "both",
    f"TimeLimit of exactly the game's length gives terminated {ends[0]}, truncated {ends[1]}",
    f"RecordEpisodeStatistics counts {info['episode']['l']} of {length} decisions",
)

games = [play(gymnasium.make(GAME, config=SHORT), seed) for seed in range(20)]
lost = [reward for _, reward, _, info in games if info["rewards"][info["player"]] < 0]
cell("waiting", f"reward of the last step in {len(lost)} lost games of 20: {sorted(set(lost))}")
