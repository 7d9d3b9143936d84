"""OpenSpiel's own algorithms: MCTS, tabular Q-learning, policy values, best responses, and an
exploitability that is ours to 1e-9.
"""

import json

import numpy as np
import pyspiel
from open_spiel.python import policy as policies
from open_spiel.python import rl_agent_policy, rl_environment
from open_spiel.python.algorithms import (
    best_response,
    evaluate_bots,
    expected_game_score,
    exploitability,
    mcts,
    tabular_qlearner,
)
from open_spiel.python.bots import uniform_random

import marsgym
import marsgym.openspiel

# A game that is finite, so that algorithms which walk its whole tree end.
config = {"start_hand": 1, "start_junk": 0}
game = pyspiel.load_game("marsgym_mars_is_ours_fast", {"config": json.dumps(config)})
ours = marsgym.load("mars-is-ours-fast", config=config, cache=None)
pass_ = ours.action_names.index("pass")


class Passes(policies.Policy):
    """Passes so many times as often as it plays another action."""

    def __init__(self, weight):
        super().__init__(game, [0, 1])
        self.weight = weight

    def action_probabilities(self, state, player_id=None):
        weights = {a: self.weight if a == pass_ else 1.0 for a in state.legal_actions()}
        return {a: w / sum(weights.values()) for a, w in weights.items()}

    def probabilities(self, observations, masks):
        weights = masks.astype(float)
        weights[:, pass_] *= self.weight
        return weights / weights.sum(axis=1, keepdims=True)


for weight in (1.0, 3.0):
    policy = Passes(weight)
    result = ours.evaluate(policy.probabilities)
    theirs = exploitability.exploitability(game, policy)
    print("exploitability", result.exploitability, theirs / 2)
    assert abs(result.exploitability - theirs / (ours.win - ours.loss)) < 1e-9
    root = game.new_initial_state()
    values = expected_game_score.policy_value(root, [policy, policy])
    assert abs(sum(values)) < 1e-9
    for seat in (0, 1):
        response = best_response.BestResponsePolicy(game, seat, policy)
        assert response.value(game.new_initial_state()) >= values[seat] - 1e-12
    assert abs(theirs - exploitability.nash_conv(game, policy) / 2) < 1e-12

pig = pyspiel.load_game("marsgym_pig", {"config": json.dumps({"target": 10})})
rng = np.random.RandomState(1)
bots = [
    mcts.MCTSBot(pig, 1.4, 30, mcts.RandomRolloutEvaluator(1, rng), random_state=rng),
    uniform_random.UniformRandomBot(1, rng),
]
returns = np.array(
    [evaluate_bots.evaluate_bots(pig.new_initial_state(), bots, rng) for _ in range(20)]
)
assert set(np.abs(returns).ravel()) == {1.0}
print("MCTS wins", np.mean(returns[:, 0] > 0))
assert returns[:, 0].mean() > 0

environment = rl_environment.Environment(
    pig, observation_type=rl_environment.ObservationType.OBSERVATION
)
environment.seed(1)
agents = [tabular_qlearner.QLearner(player_id=i, num_actions=2, step_size=0.1) for i in range(2)]
for _ in range(100):
    step = environment.reset()
    while not step.last():
        agent = agents[step.observations["current_player"]]
        step = environment.step([agent.step(step).action])
    for agent in agents:
        if agent._prev_info_state is not None:  # a game can end before the second seat has moved
            agent.step(step)
learnt = rl_agent_policy.JointRLAgentPolicy(pig, dict(enumerate(agents)), use_observation=True)
state = pig.new_initial_state()
while state.is_chance_node():
    state.apply_action(state.chance_outcomes()[0][0])
assert sum(learnt.action_probabilities(state).values()) == 1
assert all(len(agent._q_values) > 5 for agent in agents)
