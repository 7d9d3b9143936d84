#!/usr/bin/env bash
# shimmy 2.0.1: reset forgets the parameters of the game that it was given.
#
# OpenSpielCompatibilityV0 is documented to take a loaded game as env, or a name with a config. Its
# reset loads the game again by its name alone, so a game that was loaded with parameters is played
# with the default ones, and the spaces follow. PettingZoo's environments keep their arguments.
#
# Seen: connect_four with three rows and three columns has six rows and seven columns after reset,
# and seven actions instead of three.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile --no-deps \
	shimmy==2.0.1 open_spiel==2.0.2 pettingzoo==1.27.0 gymnasium==1.4.0 numpy==2.4.6 \
	cloudpickle==3.1.3 typing_extensions==4.16.0 farama-notifications==0.0.6
cd "$dir"
"$dir/venv/bin/python" -W ignore - <<'EOF'
import sys

import pyspiel
from shimmy import OpenSpielCompatibilityV0

game = pyspiel.load_game("connect_four(rows=3,columns=3,x_in_row=3)")
env = OpenSpielCompatibilityV0(env=game)
before = int(env.action_space("player_0").n)
env.reset(seed=1)
after = int(env.action_space("player_0").n)
print(f"actions before reset {before}, after reset {after}")
if (before, after) != (3, 7):
    sys.exit("this has changed")
EOF
