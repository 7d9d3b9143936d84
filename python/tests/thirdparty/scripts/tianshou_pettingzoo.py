"""Tianshou 2: DQN against a random agent by its PettingZooEnv, and by a Gymnasium id."""

import gymnasium
import numpy as np
import pettingzoo
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import marsgym.pettingzoo  # noqa: F401 (registers the games)

np.random.seed(1)  # noqa: NPY002 (Tianshou draws from it)
torch.manual_seed(1)


def learner(space, actions):
    net = Net(state_shape=space.shape, action_shape=actions.n, hidden_sizes=[64, 64])
    policy = DiscreteQLearningPolicy(
        model=net, action_space=actions, observation_space=space, eps_training=0.1
    )
    optim = AdamOptimizerFactory(lr=1e-3)
    return DQN(policy=policy, optim=optim, n_step_return_horizon=3, target_update_freq=100)


def train(algorithm, make, returns):
    envs, tests = DummyVectorEnv([make] * 4), DummyVectorEnv([make] * 4)
    buffer = VectorReplayBuffer(5000, 4)
    result = algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=Collector(algorithm, envs, buffer, exploration_noise=True),
            test_collector=Collector(algorithm, tests),
            max_epochs=1,
            epoch_num_steps=1000,
            collection_step_num_env_steps=50,
            test_step_num_episodes=10,
            batch_size=64,
            update_step_num_gradient_steps_per_sample=0.1,
            multi_agent_return_reduction=returns,
        )
    )
    assert result.train_step >= 1000
    assert -1 <= result.best_reward <= 1
    assert all(p.isfinite().all() for p in algorithm.parameters())


def make():
    return PettingZooEnv(pettingzoo.make("aec", "marsgym/mars_is_ours_fast-v2"))


env = make()
dqn = learner(env.observation_space["observation"], env.action_space)
random = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
train(
    MultiAgentOffPolicyAlgorithm(algorithms=[random, dqn], env=env),
    make,
    lambda returns: returns[:, 1],
)

env = gymnasium.make("marsgym/MarsIsOursFast-Lenient-v2")
dqn = learner(env.observation_space, env.action_space)
train(dqn, lambda: gymnasium.make("marsgym/MarsIsOursFast-Lenient-v2"), None)
