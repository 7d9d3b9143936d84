#!/usr/bin/env bash
# open_spiel 2.0.2: all positions that are read from JSON have one and the same information state.
#
# An information state is documented to identify what a player knows, and tabular policies, CFR and
# Q-learners use its text as the key. In tic-tac-toe it is the history. A structured state of
# version 2.0, given to new_initial_state, has an empty history, so the text is empty for every
# position, and what is learned at one is used at all others. The observation tells them apart.
#
# Seen, for two different boards with the same seat to move: "" and "" from JSON, "8, 5" and "0, 4"
# after the moves themselves.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	open-spiel==2.0.2 numpy==2.4.6
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

import pyspiel

game = pyspiel.load_game("tic_tac_toe")
played, read = [], []
for moves in (8, 5), (0, 4):
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(move)
    played.append(state)
    read.append(game.new_initial_state(state.to_json()))
for name, states in ("played", played), ("from JSON", read):
    print(name, [state.information_state_string(0) for state in states])
same_boards = [str(a) == str(b) for a, b in zip(played, read)]
differ = read[0].observation_string(0) != read[1].observation_string(0)
if (
    [state.information_state_string(0) for state in played] != ["8, 5", "0, 4"]
    or [state.information_state_string(0) for state in read] != ["", ""]
    or not (all(same_boards) and differ)
):
    sys.exit("this has changed")
EOF
