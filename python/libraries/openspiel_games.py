"""OpenSpiel's rl_environment and vector environment with the games of marsgym."""

import json

import numpy as np
import pyspiel
from cells import HOLD, SHORT, cell, outcome
from open_spiel.python import rl_environment, vector_env
from open_spiel.python.rl_agent import StepOutput

import marsgym.openspiel  # noqa: F401 (registers the games)

OBSERVATION = rl_environment.ObservationType.OBSERVATION


def env(seed=1):
    game = pyspiel.load_game("marsgym_pig", {"config": json.dumps(SHORT)})
    made = rl_environment.Environment(game, observation_type=OBSERVATION)
    made.seed(seed)
    return made


def move(step, generator):
    """A random legal action for a time step."""
    seat = step.observations["current_player"]
    actions = step.observations["legal_actions"][seat]
    return [int(generator.choice(actions))]


def play(environment, generator):
    """The last step of a game, and who moved last."""
    step = environment.reset()
    while not step.last():
        mover = step.observations["current_player"]
        step = environment.step(move(step, generator))
    return step, mover


environment, generator = env(), np.random.default_rng(1)
play(environment, generator)
after = environment.step([HOLD])


def vector(reset):
    """The kinds of the steps around the end of a game."""
    rows, generator, kinds = vector_env.SyncVectorEnv([env()]), np.random.default_rng(1), []
    (step,) = rows.reset()
    while len(kinds) < 2:
        seat = step.observations["current_player"]
        actions = step.observations["legal_actions"][seat] if seat >= 0 else [HOLD]
        output = StepOutput(action=int(generator.choice(actions)), probs=None)
        (step,), _, (done,), _ = rows.step([output], reset_if_done=reset)
        if done or kinds:
            kinds.append(step.step_type.name)
    return f"steps from the end on: {', '.join(kinds)}"


cell(
    "autoreset",
    f"`step` after the end ignores its action and returns {after.step_type.name}",
    f"SyncVectorEnv, `reset_if_done=False`: {outcome(lambda: vector(False), str)}",
    f"SyncVectorEnv, `reset_if_done=True`: {outcome(lambda: vector(True), str)}",
)

step = env().reset()
cell(
    "mask",
    f'`observations["legal_actions"]`, a list for each seat: {step.observations["legal_actions"]}',
)


def scores(seed):
    generator, environment, found = np.random.default_rng(3), env(seed), []
    for _ in range(5):
        step, _ = play(environment, generator)
        found += step.observations["info_state"][0]
    return found


cell(
    "seed",
    f"`Environment.seed`: five games twice the same: {scores(5) == scores(5)}, "
    f"with another seed: {scores(5) == scores(6)}",
)

step, _ = play(env(), np.random.default_rng(1))
cell(
    "final",
    f"the step {step.step_type.name} holds observations of {len(step.observations['info_state'])} "
    f"seats, rewards {step.rewards}, discounts {step.discounts}",
    f"legal actions {step.observations['legal_actions']}, "
    f"current player {pyspiel.PlayerId(step.observations['current_player']).name}",
)


def illegal():
    environment = env()
    environment.reset()
    environment.step([HOLD])


cell("illegal", outcome(illegal))
cell(
    "both",
    f"a time step has {', '.join(step._fields)}: no truncation",
)

games, environment, generator = [], env(), np.random.default_rng(1)
for _ in range(20):
    step, mover = play(environment, generator)
    games.append(step.rewards[1 - mover])
cell("waiting", f"`rewards` of the last step give it {sorted(set(games))} in 20 games")
