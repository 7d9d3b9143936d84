#!/usr/bin/env bash
# nashpy 0.0.43: support_enumeration returns no equilibrium of an ordinary random game.
#
# It is documented to return the Nash equilibria of a game; every game has one, and almost every
# random game is not degenerate. The last test of a pair of strategies compares payoffs for
# equality to the last bit, so rounding rejects true equilibria. The package then warns that the
# game is degenerate, which it is not. vertex_enumeration of the same package finds them: it
# compares with a tolerance, whose fault nashpy-large-payoffs shows.
#
# Seen, among 60 random games of 3 by 3: two without any equilibrium and three with two of three.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	nashpy==0.0.43 numpy==2.4.6 scipy==1.17.1 networkx==3.6.1
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys
import warnings

import nashpy
import numpy

warnings.simplefilter("ignore")  # the false warning of degenerate games
rng = numpy.random.default_rng(0)
none = fewer = 0
for number in range(60):
    row, column = rng.normal(size=(2, 3, 3))
    game = nashpy.Game(row, column)
    found, true = (len(list(f())) for f in (game.support_enumeration, game.vertex_enumeration))
    if found < true:
        print(f"game {number}: {found} of {true}")
    none += found == 0
    fewer += found < true
print(f"{fewer} of 60 games lack equilibria, {none} have none at all")
if not 0 < none <= fewer <= 10:
    sys.exit("this has changed")
EOF
