#!/usr/bin/env bash
# stormpy 2.0.0: the sound bounds of a probability have width 0 and exclude the true one.
#
# Indexing a result by a state is documented to return its value with sound lower and upper bounds
# on the actual value. For chains that storm solves by eliminating states, the bounds are the
# floating-point result itself, rounding included, even in the environment for sound methods. A
# model built with rational numbers has the true answer.
#
# Seen, for a wait that ends with probability 1e-6 per step in a win (.6) or a loss (.4): both
# bounds are 0.6000000000493599, and the rational model says 3/5.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	stormpy==2.0.0
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys
from fractions import Fraction

import stormpy

with open("wait.prism", "w") as file:
    file.write("""dtmc
module wait
  s : [0..2] init 0;
  [] s=0 -> 0.999999:(s'=0) + 0.0000006:(s'=1) + 0.0000004:(s'=2);
  [] s>0 -> 1:(s'=s);
endmodule
label "win" = s=1;
""")
program = stormpy.parse_prism_program("wait.prism")
formulas = stormpy.parse_properties('P=? [F "win"]', program)
model = stormpy.build_model(program, formulas)
found = stormpy.model_checking(model, formulas[0], environment=stormpy.environments.sound())
bounded = found[model.initial_states[0]]
rational = stormpy.build_model[stormpy.Rational](program, formulas)
answer = stormpy.model_checking(rational, formulas[0]).get_value(rational.initial_states[0])
print(f"bounds {bounded.lower!r} to {bounded.upper!r}, exact answer {answer}")
inside = Fraction(bounded.lower) <= Fraction(3, 5) <= Fraction(bounded.upper)
if inside or bounded.lower != bounded.upper or str(answer) != "3/5":
    sys.exit("this has changed")
EOF
