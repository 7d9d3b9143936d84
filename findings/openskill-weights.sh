#!/usr/bin/env bash
# openskill 6.2.0: a team-mate whose weight is larger by a millionth gains twice as much.
#
# The method rate takes weights as the contributions of the players of a team. It rescales those of
# each team so that the smallest becomes 1 and the largest 2. Nearly equal weights therefore count
# like 1 and 1000, and a player of weight 0 is rated like one who played the whole game. TrueSkill
# scales each player's share by the weight itself, and weight 0 changes nothing. Only
# weight_bounds=None, an argument of the model, turns the scaling off.
#
# Seen: two equal players win; gains 1.96 and 1.96 with weights 1 and 1, but 1.96 and 3.93 with 1
# and 1.000001, with 1 and 1000, and with 0 and 1.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	openskill==6.2.0
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

from openskill.models import PlackettLuce

model = PlackettLuce()


def gains(weights):
    teams = [[model.rating(), model.rating()], [model.rating(), model.rating()]]
    winners, _ = model.rate(teams, weights=[weights, [1, 1]])
    return [round(player.mu - 25, 2) for player in winners]


saw = {str(w): gains(w) for w in ([1, 1], [1, 1.000001], [1, 1000], [0, 1])}
for weights, gain in saw.items():
    print(f"weights {weights}: gains {gain}")
if list(saw.values()) != [[1.96, 1.96]] + [[1.96, 3.93]] * 3:
    sys.exit("this has changed")
EOF
