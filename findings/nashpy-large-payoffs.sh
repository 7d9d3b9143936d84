#!/usr/bin/env bash
# nashpy 0.0.43: vertex_enumeration finds no equilibrium if payoffs are large.
#
# Every finite game has an equilibrium, and multiplying payoffs by a positive number moves none.
# vertex_enumeration, documented to return the Nash equilibria, compares the vertices' slack with
# an absolute tolerance. With payoffs of a few hundred millions, it returns an empty list and no
# warning, where support_enumeration of the same package still returns all three. That function
# has no such tolerance; nashpy-missing-equilibria shows a fault of its own.
#
# Seen, for a coordination game times 1, 1e7, 1e8: 3, 3, 0 equilibria; support_enumeration 3, 3, 3.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	nashpy==0.0.43 numpy==2.4.6 scipy==1.17.1 networkx==3.6.1
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

import nashpy
import numpy

row, column = numpy.array([[3.0, 1], [0, 2]]), numpy.array([[2.0, 1], [0, 3]])
saw = []
for scale in 1, 1e7, 1e8:
    game = nashpy.Game(row * scale, column * scale)
    saw.append((len(list(game.vertex_enumeration())), len(list(game.support_enumeration()))))
    print(f"payoffs times {scale:.0e}: vertices {saw[-1][0]}, supports {saw[-1][1]}")
if saw != [(3, 3), (3, 3), (0, 3)]:
    sys.exit("this has changed")
EOF
