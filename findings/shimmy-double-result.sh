#!/usr/bin/env bash
# shimmy 2.0.1: the seat that does not make the last move gets its result twice.
#
# OpenSpielCompatibilityV0 turns a game of OpenSpiel into an AEC environment of PettingZoo, whose
# last() is documented to return what an agent has been rewarded since it acted last. At the end of
# a game the wrapper leaves the rewards of the step in place when the first agent leaves, and adds
# them up again for the other one. The returns of OpenSpiel itself, for the same moves, are 1 and -1.
#
# Seen, in tic-tac-toe: returns 1 and -1 become 1 and -2 if the first seat wins, and -1 and 2 if the
# second does: the second seat, which leaves last, always has twice its result.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile --no-deps \
	shimmy==2.0.1 open_spiel==2.0.2 pettingzoo==1.27.0 gymnasium==1.4.0 numpy==2.4.6 \
	cloudpickle==3.1.3 typing_extensions==4.16.0 farama-notifications==0.0.6
cd "$dir"
"$dir/venv/bin/python" -W ignore - <<'EOF'
import sys

import numpy as np
from shimmy import OpenSpielCompatibilityV0

saw = set()
for seed in range(10):
    env, rng = OpenSpielCompatibilityV0(game_name="tic_tac_toe"), np.random.default_rng(seed)
    env.reset(seed=seed)
    got = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        got[agent] += reward
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(info["action_mask"]))))
    saw.add((tuple(env.game_state.returns()), tuple(got.values())))
for returns, got in sorted(saw):
    print("returns", returns, "rewards by last()", got)
if saw != {((1, -1), (1, -2)), ((-1, 1), (-1, 2)), ((0, 0), (0, 0))}:
    sys.exit("this has changed")
EOF
