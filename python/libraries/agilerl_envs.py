"""AgileRL's vector environments and DQN with the environments of marsgym."""

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import DQN
from agilerl.utils.utils import create_population, make_vect_envs
from cells import GAME, HOLD, SHORT, cell, legal, outcome, until_end
from ends import BothEnds

LENIENT = "marsgym:marsgym/Pig-Lenient-v1"
STRICT = f"marsgym:{GAME}"


def vector(name=STRICT):
    return make_vect_envs(name, num_envs=4, should_async_vector=False, config=SHORT)


env = vector()
obs, rewards, terminated, truncated, info = until_end(env)
after = env.step(legal(info["action_mask"] | terminated[:, None], np.random.default_rng(1)))
row = int(terminated.argmax())
cell(
    "autoreset",
    f"`make_vect_envs` gives {env.metadata['autoreset_mode'].name}: the end shows the last "
    f"position {bool(obs[row][:2].max() >= 1)}, the next step a new game "
    f"{bool(after[0][row][:2].max() < 1)}",
)
torch.manual_seed(1)
(agent,) = create_population(
    algo="DQN",
    observation_space=env.single_observation_space,
    action_space=env.single_action_space,
    net_config={"encoder_config": {"hidden_size": [8]}},
    INIT_HP={"BATCH_SIZE": 32, "LR": 1e-3, "LEARN_STEP": 4, "TAU": 1e-2},
    population_size=1,
    num_envs=4,
)
first, info = env.reset(seed=1)
mask = info["action_mask"]
chosen = [
    agent.get_action(first, epsilon, action_mask=mask) for epsilon in (0, 1) for _ in range(50)
]
legal_ones = [mask[np.arange(4), np.asarray(actions)].all() for actions in chosen]


def target(double):
    """The value that DQN gives to the state after action 0: the root of its squared error."""
    space = gymnasium.spaces.Box(0, 1, (1,))
    dqn = DQN(space, gymnasium.spaces.Discrete(3), gamma=1.0, double=double)
    for network in (dqn.actor, dqn.actor_target):
        *_, weight, bias = network.parameters()  # of the last layer
        weight.data.zero_()
        bias.data.copy_(torch.tensor([0.0, 1.0, 100.0]))
    x = torch.zeros(1, 1)
    return dqn.update(x, x.long(), x, x, x).item() ** 0.5


cell(
    "mask",
    f'`get_action(action_mask=info["action_mask"])`: legal in {sum(map(bool, legal_ones))} of '
    f"{len(legal_ones)} calls",
    "DQN learns without a mask; a next state with the values 0, 1 and 100 counts as "
    f"{target(True):g}, without double Q-learning as {target(False):g}",
)


def single(seed):
    return gymnasium.make(GAME, config=SHORT).reset(seed=seed)[0].tolist()


cell(
    "seed",
    "row i of `make_vect_envs`, `reset(seed=20)`, is a single environment with seed 20 + i: "
    f"{env.reset(seed=20)[0].tolist() == [single(20 + i) for i in range(4)]}",
)
cell("final", f"infos of the step that ends a game: {', '.join(sorted(info))}")


def hold(name):
    env = vector(name)
    env.reset(seed=1)
    env.step(np.full(4, HOLD))


cell(
    "illegal",
    f"by id: {outcome(lambda: hold(STRICT))}",
    f"Lenient: {outcome(lambda: hold(LENIENT))}",
)
both = make_vect_envs(
    make_env=lambda: BothEnds(gymnasium.make(GAME, config=SHORT)),
    num_envs=4,
    should_async_vector=False,
)
_, _, ends, cuts, _ = until_end(both)
row = int(ends.argmax())
cell("both", f"terminated {bool(ends[row])}, truncated {bool(cuts[row])}, passed as they are")
generator, lasts = np.random.default_rng(1), []
_, info = env.reset(seed=1)
held = np.zeros(4, bool)
for _ in range(100):
    _, rewards, terminated, _, info = env.step(
        legal(info["action_mask"] | held[:, None], generator)
    )
    lasts += rewards[terminated].tolist()
    held = terminated
cell("waiting", f"{len(lasts)} games end with the rewards {sorted(set(lasts))}")
