"""AgileRL: DQN with its own vector environments and training loop."""

import numpy as np
import torch
from agilerl.algorithms import DQN
from agilerl.components.data import Transition
from agilerl.components.replay_buffer import ReplayBuffer
from agilerl.utils.utils import create_population, make_vect_envs

import marsgym

if __name__ == "__main__":
    torch.manual_seed(1)
    num_envs = 4
    env = make_vect_envs("marsgym/Pig-Lenient-v1", num_envs=num_envs)
    (agent,) = create_population(
        algo="DQN",
        observation_space=env.single_observation_space,
        action_space=env.single_action_space,
        net_config={"encoder_config": {"hidden_size": [32]}},
        INIT_HP={"BATCH_SIZE": 32, "LR": 1e-3, "LEARN_STEP": 4, "TAU": 1e-2},
        population_size=1,
        num_envs=num_envs,
    )
    assert isinstance(agent, DQN)
    memory = ReplayBuffer(max_size=2000)
    obs, _ = env.reset(seed=1)
    losses, ended = [], 0
    for _ in range(300):
        action = agent.get_action(obs, 0.3)
        next_obs, reward, terminated, truncated, _ = env.step(action)
        ended += int((terminated | truncated).sum())
        transition = Transition(
            obs=obs, action=action, reward=reward, next_obs=next_obs, done=terminated
        ).to_tensordict()
        transition.batch_size = [num_envs]
        memory.add(transition)
        if len(memory) >= 128:
            losses.append(agent.learn(memory.sample(32)))
        obs = next_obs
    assert ended > 3
    assert np.isfinite(losses).all()
    fitness = agent.test(env, max_steps=200, loop=1)
    assert np.isfinite(fitness)
    env.close()
    print("AgileRL", marsgym.__version__, "losses", losses[0], losses[-1])
