#!/usr/bin/env bash
# pettingzoo 1.27.0: after an illegal move, every seat is both terminated and truncated.
#
# TerminateIllegalWrapper is documented to end the game as lost for whoever moved. The API keeps
# two kinds of end apart: a truncated agent was cut off by something outside the game, and its last
# value is bootstrapped. The wrapper sets both flags for all seats, so that a learner which
# bootstraps truncated games hides the loss. A game that ends by its rules sets one flag. Unlike
# jumanji-both-ends, ends by rule and by limit are told apart: only the wrapper's own sets both.
#
# Seen, in tic-tac-toe: after a move onto a taken field, True and True for both seats, reward -1
# for the mover; after three in a row, terminated True and truncated False.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	pettingzoo==1.27.0 gymnasium==1.4.0 pygame-ce==2.5.8 numpy==2.4.6
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

from pettingzoo.classic import tictactoe_v3


def end(moves):
    env = tictactoe_v3.env()
    env.reset(seed=0)
    for move in moves:
        env.step(move)
    return env.rewards, env.terminations, env.truncations


saw = []
for name, moves in ("illegal", (0, 0)), ("three in a row", (0, 3, 1, 4, 2)):
    rewards, terminated, truncated = end(moves)
    print(f"{name}: rewards {rewards}, terminated {terminated}, truncated {truncated}")
    saw.append((list(rewards.values()), all(terminated.values()), all(truncated.values())))
if saw != [([0, -1], True, True), ([1, -1], True, False)]:
    sys.exit("this has changed")
EOF
