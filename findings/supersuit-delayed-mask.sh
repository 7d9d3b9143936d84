#!/usr/bin/env bash
# supersuit 3.11.0: delay_observations_v0 delays the action mask, too, and begins with all ones.
#
# The wrapper is documented to delay what is observed. PettingZoo documents action_mask as the
# actions that are legal now, for the agent to sample from. The wrapper takes observations with a
# mask on purpose, and hands the old mask to the agent, so that an agent which obeys its mask makes
# illegal moves.
#
# Seen, in tic-tac-toe with a delay of one: the first mask allows all nine fields in the first two
# decisions, and a game of the lowest allowed fields ends with an illegal move at its second one.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	supersuit==3.11.0 pettingzoo==1.27.0 pygame-ce==2.5.8 gymnasium==1.4.0 numpy==2.4.6
cd "$dir"
"$dir/venv/bin/python" -W ignore - <<'EOF'
import sys

import supersuit
from pettingzoo.classic import tictactoe_v3

env = supersuit.delay_observations_v0(tictactoe_v3.env(), 1)
env.reset(seed=1)
moves, shown = [], []
for agent in env.agent_iter():
    observation, reward, terminated, truncated, _ = env.last()
    if terminated or truncated:
        break
    shown.append(int(observation["action_mask"].sum()))
    moves.append(int(observation["action_mask"].argmax()))
    env.step(moves[-1])
print("fields that the masks allow", shown, "moves", moves, "rewards", dict(env.rewards))
if shown[:2] != [9, 9] or moves != [0, 0] or sorted(env.rewards.values()) != [-1, 0]:
    sys.exit("this has changed")
EOF
