"""An agent of one's own, scored exactly: the rule for Pig to hold at 20 points, or to win."""

import numpy as np
from common import arguments, report

import marsgym

args = arguments("pig", hold=20)
game = marsgym.load(args.game)
target = game.config["target"]
names = [name for name, length in game.observation_fields for _ in range(length)]
total = names.index("turn total, over target")
score = names.index("score by seat from the viewer's, over target")
hold = game.action_names.index("hold")


def policy(observations, masks):
    counts = np.rint(observations * game.observation_scales)
    points, turn = counts[:, score], counts[:, total]
    holds = (turn >= args.hold) | (points + turn >= target)
    probs = np.zeros(masks.shape)
    probs[np.arange(len(probs)), np.where(holds & (masks[:, hold] != 0), hold, 1 - hold)] = 1
    return probs


report(f"hold at {args.hold}", args, game, policy, 0)
for mistake in game.evaluate(policy, mistakes=3).mistakes:
    cost = format(mistake["cost"], "#.3g")
    print(f"{cost}  {mistake['position']}: {mistake['action']}, not {mistake['best']}")
