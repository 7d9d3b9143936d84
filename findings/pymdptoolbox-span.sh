#!/usr/bin/env bash
# pymdptoolbox 4.0-b3: ValueIteration returns 1 where its optimal value function is 100.
#
# The attribute V is documented as the optimal value function. ValueIteration stops as soon as the
# last change is nearly the same in every state, which is enough for the policy. The values may
# then lack almost everything: the iteration has only begun. PolicyIteration of the same package
# returns the right values. Its criterion looks at differences between states, not at the values.
#
# Seen, for two states that earn 1 and 1.00001 per step for ever, discount .99: 1 after one iteration,
# and 100 from PolicyIteration.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	pymdptoolbox==4.0b3 numpy==2.4.6 scipy==1.17.1
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

import mdptoolbox.mdp
import numpy

moves = numpy.array([[[0.0, 1], [1, 0]], [[1.0, 0], [0, 1]]])  # action, state, next state
earned = numpy.array([[1, 1], [1.00001, 1.00001]])  # state, action
saw = []
for solver in mdptoolbox.mdp.ValueIteration, mdptoolbox.mdp.PolicyIteration:
    found = solver(moves, earned, 0.99)
    found.run()
    saw.append((round(float(found.V[0]), 1), found.iter))
    print(f"{solver.__name__}: value {saw[-1][0]} after {found.iter} iterations")
if [value for value, _ in saw] != [1, 100]:
    sys.exit("this has changed")
EOF
