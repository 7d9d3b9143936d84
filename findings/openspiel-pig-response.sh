#!/usr/bin/env bash
# open_spiel 2.0.2: in Pig the best response to a policy earns less than the policy itself.
#
# TabularBestResponseMDP computes best responses for games of perfect information too. It merges
# states that look alike, and so takes an observation for a state. Pig's observation does not say
# whose turn it is, nor how many turns are left before the horizon. No error says so. A best response
# earns at least what the policy earns in its seat, so NashConv is never below 0.
#
# Seen: the uniform policy earns 0.1406 in seat 0, and a best response to it earns 0.0 there. NashConv
# is -0.2101.
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

game = pyspiel.load_game("pig(winscore=6,horizon=8)")
policy = pyspiel.UniformPolicy()  # must outlive the responses
responses = pyspiel.TabularBestResponseMDP(game, policy)
found = responses.nash_conv()
print("policy", found.on_policy_values, "best response", found.br_values)
print("NashConv", found.nash_conv)
if not (found.br_values[0] < found.on_policy_values[0] and found.nash_conv < -0.2):
    sys.exit("this has changed")
EOF
