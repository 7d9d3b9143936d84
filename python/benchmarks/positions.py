"""Measures decisions per CPU-second of random play on single positions.

By Position: legal actions, apply, and sample for chance. By OpenSpiel: the same, with
sample_chance, and by the loop of OpenSpiel's examples, which lists the chance outcomes and
draws one. Choosing actions is measured too.

    python benchmarks/positions.py --game martian-dice
"""

import argparse
import random
import time

import numpy as np
import pyspiel

import marsgym
from marsgym import openspiel

parser = argparse.ArgumentParser()
parser.add_argument("--game", default="martian-dice")
parser.add_argument("--seconds", type=float, default=5)
args = parser.parse_args()


def by_position(rng=random.Random(1)):  # noqa: B008
    """Plays a game and returns its decisions."""
    position, decisions = marsgym_game.initial(), 0
    while not position.is_terminal:
        if position.is_chance:
            position = position.sample(rng)
        else:
            position = position.apply(rng.choice(position.legal_actions))
            decisions += 1
    return decisions


def by_openspiel(rng=random.Random(1)):  # noqa: B008
    """The same with a state of OpenSpiel."""
    state, decisions = spiel_game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.sample_chance(rng))
        else:
            state.apply_action(rng.choice(state.legal_actions()))
            decisions += 1
    return decisions


def by_listing(rng=np.random.default_rng(1)):  # noqa: B008
    """The same, as in OpenSpiel's python/examples/example.py."""
    state, decisions = spiel_game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=probabilities)))
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
            decisions += 1
    return decisions


marsgym_game = marsgym.load(args.game)
spiel_game = pyspiel.load_game(openspiel.spiel_name(args.game))
for play in (by_position, by_openspiel, by_listing):
    play()
    decisions, begin = 0, time.process_time()
    while time.process_time() - begin < args.seconds:
        decisions += play()
    seconds = time.process_time() - begin
    print(f"{play.__name__:12} {decisions / seconds:12,.0f} decisions per CPU-second")
