#!/usr/bin/env bash
# trueskill 0.4.5: the order in which teams are listed changes ratings if some of them tie.
#
# rate takes ranks, and equal ranks are a draw, so a result and its players fix the outcome. The
# package compares only neighbours in a sorted list. Teams of one rank keep the order of the call,
# and whoever is listed first is compared with the team above. openskill 6.2.0 returns the same
# ratings for every order.
#
# Seen, for ranks 0, 1, 1, 3 over all 24 orders: ratings differ by up to .0288 and by 0 in
# openskill; without ties, by 0 in both.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	trueskill==0.4.5 openskill==6.2.0
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import itertools
import sys

import trueskill
from openskill.models import PlackettLuce

players = [(20, 8), (25, 3), (30, 8), (27, 5)]


def spread(rating, rate, ranks):
    found = [[] for _ in players]
    for order in itertools.permutations(range(4)):
        teams = [[rating(*players[i])] for i in order]
        for i, team in zip(order, rate(teams, ranks=[ranks[i] for i in order])):
            found[i].append(team[0].mu)
    return round(max(max(mus) - min(mus) for mus in found), 4)


model = PlackettLuce()
saw = [
    [spread(trueskill.Rating, trueskill.rate, ranks),
     spread(lambda mu, sigma: model.rating(mu, sigma), model.rate, ranks)]
    for ranks in ([0, 1, 1, 3], [0, 1, 2, 3])
]
print(f"with a tie: trueskill {saw[0][0]}, openskill {saw[0][1]}; without: {saw[1]}")
if not (saw[0][0] > 0.02 and saw[0][1] < 1e-9 and max(saw[1]) < 1e-9):
    sys.exit("this has changed")
EOF
