"""Tianshou's environments, collector and DQN with the environments of marsgym."""

import gymnasium
import numpy as np
import torch
from cells import GAME, HOLD, SHORT, cell, outcome
from ends import BothEnds
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Batch, Collector, ReplayBuffer, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.torch_utils import policy_within_training_step

import marsgym.pettingzoo


def single(**options):
    return gymnasium.make(GAME, config=SHORT, **options)


def pair():
    return PettingZooEnv(marsgym.pettingzoo.env("pig", config=SHORT))


def ended(env):
    """The observations, ends and row of the first step that ends a game."""
    env.seed(1)
    _, infos = env.reset()
    while True:
        actions = np.array([int(info["action_mask"].argmax()) for info in infos])
        obs, _, terminated, truncated, infos = env.step(actions)
        if terminated.any():
            return obs, terminated, truncated, int(terminated.argmax())


rows = DummyVectorEnv([single] * 2)
obs, _, _, row = ended(rows)
batch = DummyVectorEnv([lambda: marsgym.make_vec("pig", 2, config=SHORT)])
cell(
    "autoreset",
    f"none: DummyVectorEnv shows the end: {bool(obs[row][:2].max() >= 1)}; another step there: "
    f"{outcome(lambda: rows.step(np.array([0]), id=np.array([row])))}",
    "DummyVectorEnv takes `marsgym.make_vec` of two rows for one game with observations "
    f"{outcome(lambda: list(batch.reset()[0][0].shape), str)}",
)
begun, _ = pair().reset(seed=1)


class Values(torch.nn.Module):
    """A network with the same values in each state: 100 is the illegal action's."""

    def __init__(self):
        super().__init__()
        self.values = torch.nn.Parameter(torch.tensor([0.0, 1.0, 100.0]))

    def forward(self, obs, state=None, info=None):
        """The values, and the state of a recurrent network."""
        return self.values.expand(len(obs), 3), state


def target(is_double):
    """The value that DQN gives to the state after action 0: the root of its squared error."""
    policy = DiscreteQLearningPolicy(model=Values(), action_space=gymnasium.spaces.Discrete(3))
    algorithm = DQN(
        policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, is_double=is_double
    )
    state = Batch(obs=np.zeros(1, np.float32), mask=np.array([True, True, False]))
    step = {"act": 0, "rew": 0.0, "terminated": False, "truncated": False, "info": {}}
    buffer = ReplayBuffer(1)
    buffer.add(Batch(obs=state, obs_next=state, **step))
    with policy_within_training_step(policy):
        return algorithm.update(buffer, sample_size=0).loss ** 0.5


cell(
    "mask",
    f"PettingZooEnv: `obs.mask`, {list(map(bool, begun['mask']))}",
    "DQN, a next state with the values 0, 1 and, for an illegal action, 100 counts as "
    f"{target(True):g}, without double Q-learning as {target(False):g}",
)


def scores(seed):
    envs = DummyVectorEnv([single] * 3)
    envs.seed(seed)
    return envs.reset()[0].tolist()


def seeded(i):
    """The first observation of the second game: `reset` comes after `seed`, which resets too."""
    env = single()
    env.reset(seed=20 + i)
    return env.reset()[0].tolist()


cell(
    "seed",
    "`seed(20)` and `reset` of DummyVectorEnv start in row i the first game of a single "
    "environment with seed 20 + i: "
    f"{scores(20) == [single().reset(seed=20 + i)[0].tolist() for i in range(3)]}",
    f"they start its second game: {scores(20) == [seeded(i) for i in range(3)]}",
)

np.random.seed(1)  # noqa: NPY002 (Tianshou draws from it)
envs, buffer = DummyVectorEnv([pair] * 2), VectorReplayBuffer(4000, 2)
algorithm = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=envs.action_space[0])
envs.seed(1)
collector = Collector(algorithm, envs, buffer)
collector.reset()
collector.collect(n_episode=20)
data, _ = buffer.sample(0)
last = data.obs_next.obs[data.terminated]
cell(
    "final",
    f"`obs_next` of a collected step: {int((last[:, :2].max(axis=1) >= 1).sum())} of {len(last)} "
    "last ones are an end",
)
strict, other = single(), pair()
strict.reset(seed=1)
other.reset(seed=1)
cell(
    "illegal",
    f"by id: {outcome(lambda: strict.step(HOLD))}",
    f"PettingZooEnv: {outcome(lambda: other.step(HOLD), lambda r: f'rewards {r[1]}')}",
)
_, terminated, truncated, row = ended(DummyVectorEnv([lambda: BothEnds(single())]))
cell("both", f"terminated {terminated[row]}, truncated {truncated[row]}, passed as they are")
moved = data.obs.agent_id[data.terminated]
waiting = [
    float(rewards[1 - int(agent[-1])])
    for agent, rewards in zip(moved, data.rew[data.terminated], strict=True)
]
cell(
    "waiting",
    f"the reward of a step is a list of all seats; at the end of {len(waiting)} games the seat "
    f"that did not move has {sorted(set(waiting))}",
    f"its own last step has {sorted({float(x) for x in data.rew[~data.terminated].ravel()})}",
)
