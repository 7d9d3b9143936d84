#!/usr/bin/env bash
# shimmy 2.0.1: Kuhn poker is cut off before its last decision, with the result 0 for both seats.
#
# OpenSpielCompatibilityV0 truncates a game that is longer than its max_game_length. It counts the
# chance nodes, too; OpenSpiel documents that its bound does not count them. Two cards are dealt in
# Kuhn poker, whose bound is three decisions, so that the count passes the bound at the first one.
# No game of Kuhn poker ends in a draw.
#
# Seen: 20 of 20 games truncated, with the rewards 0 and 0; OpenSpiel ends none of them at 0.
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
import pyspiel
from shimmy import OpenSpielCompatibilityV0

cut, draws = 0, 0
for seed in range(20):
    env, rng = OpenSpielCompatibilityV0(game_name="kuhn_poker"), np.random.default_rng(seed)
    env.reset(seed=seed)
    got, ends = 0.0, set()
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        got += abs(reward)
        over = terminated or truncated
        if over:
            ends.add((bool(terminated), bool(truncated)))
        env.step(None if over else int(rng.choice(np.flatnonzero(info["action_mask"]))))
    cut += ends == {(False, True)} and got == 0

    state = pyspiel.load_game("kuhn_poker").new_initial_state()
    while not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions())))
    draws += state.returns() == [0, 0]
print(f"shimmy cuts {cut} of 20 games off at 0; OpenSpiel ends {draws} of 20 at 0")
if (cut, draws) != (20, 0):
    sys.exit("this has changed")
EOF
