#!/usr/bin/env bash
# elote 1.5.1: with Glicko, the chances of two players to beat each other add up to 1.086.
#
# expected_score is documented as the probability to win against a competitor, so the two
# probabilities of a pair should add up to 1, and do for Elo and Glicko-Boost. GlickoCompetitor and
# Glicko2Competitor discount only the opponent's deviation, as the update of a rating needs it. A
# forecast needs both deviations, as Glickman's text on Glicko says under its prediction.
#
# Seen, for 1200 with deviation 50 against 1500 with deviation 350: .239 and .846. Elo: .151, .849.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	elote==1.5.1
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

from elote import EloCompetitor, Glicko2Competitor, GlickoBoostCompetitor, GlickoCompetitor

saw = []
for kind in EloCompetitor, GlickoBoostCompetitor, GlickoCompetitor, Glicko2Competitor:
    deviations = ({}, {}) if kind is EloCompetitor else ({"initial_rd": 50}, {"initial_rd": 350})
    low = kind(initial_rating=1200, **deviations[0])
    high = kind(initial_rating=1500, **deviations[1])
    chances = low.expected_score(high), high.expected_score(low)
    saw.append(round(sum(chances), 3))
    print(f"{kind.__name__}: {chances[0]:.3f} + {chances[1]:.3f} = {saw[-1]}")
if saw != [1, 1, 1.086, 1.086]:
    sys.exit("this has changed")
EOF
