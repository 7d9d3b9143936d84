"""TorchRL: its checker, a collector, and its wrappers of Gymnasium, PettingZoo and OpenSpiel."""

import pettingzoo
import torch
from torchrl.collectors import Collector
from torchrl.envs import GymEnv, GymWrapper, OpenSpielEnv, PettingZooWrapper, check_env_specs

import marsgym.openspiel
import marsgym.pettingzoo

torch.manual_seed(1)
env = GymEnv("marsgym/Pig-Lenient-v1")
check_env_specs(env)
collector = Collector(env, None, frames_per_batch=200, total_frames=1000)
frames, ended, rewards = 0, 0, set()
for batch in collector:
    frames += batch.numel()
    ended += int(batch["next", "done"].sum())
    rewards |= set(batch["next", "reward"].flatten().tolist())
collector.shutdown()
assert frames == 1000
assert ended > 3
assert rewards <= {-1.0, 0.0, 1.0}, rewards

vector = marsgym.make_vec("pig", 4, illegal_action="random")
env = GymWrapper(vector)
rollout = env.rollout(300, break_when_any_done=False)["next"]
fields = vector.game.observation_fields
scores = [name.startswith("score") for name, size in fields for _ in range(size)]
last = rollout["observation"][rollout["done"].squeeze(-1)]
assert len(last) > 5
assert (last[:, scores].max(dim=-1).values >= 1).all(), "the last observations are of an end"

for raw in (marsgym.pettingzoo.env("pig"), pettingzoo.make("aec", "marsgym/martian_dice-v1")):
    env = PettingZooWrapper(raw, use_mask=True)
    check_env_specs(env)
    rollout = env.rollout(2000)
    assert rollout["next", "done"].any()
    total = sum(float(rollout["next", group, "reward"].sum()) for group in env.group_map)
    assert abs(total) < 1e-6, total
collector = Collector(
    PettingZooWrapper(marsgym.pettingzoo.env("pig"), use_mask=True),
    None,
    frames_per_batch=100,
    total_frames=400,
)
assert sum(batch.numel() for batch in collector) == 400
collector.shutdown()

env = OpenSpielEnv("marsgym_pig")
check_env_specs(env)
rollout = env.rollout(2000)
assert rollout["next", "done"].any()
