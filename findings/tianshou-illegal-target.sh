#!/usr/bin/env bash
# tianshou 2.0.1: DQN without double Q-learning learns from the values of illegal actions.
#
# A policy is documented to leave out the actions that the mask of an observation rules out. With
# double Q-learning, the default, the target of a step takes the best legal action of the next
# state. With is_double=False it takes the best of all actions.
#
# Seen: the next state has the values 0, 1 and, for an illegal action, 100. The policy chooses the
# second action. The value of the state is 1 with is_double=True, and 100 with is_double=False.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
	tianshou==2.0.1 torch==2.15.0 numpy==2.4.6 gymnasium==1.4.0
"$dir/venv/bin/python" -W ignore - <<'EOF'
import sys

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, ReplayBuffer
from tianshou.utils.torch_utils import policy_within_training_step


class Values(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.values = torch.nn.Parameter(torch.tensor([0.0, 1.0, 100.0]))

    def forward(self, obs, state=None, info=None):
        return self.values.expand(len(obs), 3), state


saw = []
state = Batch(obs=np.zeros(1), mask=np.array([True, True, False]))
for double in (True, False):
    policy = DiscreteQLearningPolicy(model=Values(), action_space=gymnasium.spaces.Discrete(3))
    optim = AdamOptimizerFactory(lr=1e-3)
    dqn = DQN(policy=policy, optim=optim, gamma=1.0, is_double=double)
    buffer = ReplayBuffer(1)
    end = {"terminated": False, "truncated": False, "info": {}}
    buffer.add(Batch(obs=state, act=0, rew=0.0, obs_next=state, **end))
    saw.append(int(policy(buffer[np.array([0])]).act[0]))
    with policy_within_training_step(policy):
        saw.append(dqn.update(buffer, sample_size=0).loss ** 0.5)  # its only error, of action 0
print("saw", saw)
if saw != [1, 1.0, 1, 100.0]:
    sys.exit("this has changed")
EOF
