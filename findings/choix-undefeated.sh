#!/usr/bin/env bash
# choix 0.4.1: one function rates an undefeated player at 8.4 where its sibling refuses.
#
# opt_pairwise and ilsr_pairwise are both documented to compute the maximum-likelihood estimate of
# one model, and agree on ordinary data. The likelihood has no maximum if a player never lost.
# ilsr_pairwise then raises ValueError. opt_pairwise returns finite ratings, because its alpha
# defaults to 1e-6 where that of ilsr_pairwise is 0: a prior that the caller did not ask for
# decides the answer.
#
# Seen, for a player who beat the second five times, while the second and the third won one game
# each: 8.4, or 9.5 with alpha=1e-7 and 7.0 with 1e-5, against ValueError.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	choix==0.4.1 numpy==2.4.6 scipy==1.17.1
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

import choix

saw = []
games = [(0, 1)] * 5 + [(1, 2), (2, 1)]
try:
    saw.append(choix.ilsr_pairwise(3, games)[0])
except ValueError as error:
    saw.append("ValueError")
    print("ilsr_pairwise:", error)
for alpha in {}, {"alpha": 1e-5}, {"alpha": 1e-7}:
    ratings = choix.opt_pairwise(3, games, **alpha)
    saw.append(round(float(ratings[0]), 1))
    print("opt_pairwise", alpha, ratings.round(2))
if saw != ["ValueError", 8.4, 7.0, 9.5]:
    sys.exit(f"this has changed: {saw}")
EOF
