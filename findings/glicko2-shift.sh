#!/usr/bin/env bash
# glicko2 2.1.0: adding 800 points to everybody's rating changes deviation and volatility.
#
# Glicko-2 knows differences of ratings only, so the zero of the scale is arbitrary. The package
# says that it implements Glicko-2, but its equation of the volatility holds the square of the
# rating where Glickman's text (step 5, the function f) holds the square of the rating deviation.
# His worked example has the rating 1500, where the wrong term is 0 and the result looks right.
#
# Seen, after twenty periods of three games, all won and all lost in turn: gain 5.45, deviation
# 52.83, volatility .06041 from 1500, but 5.41, 52.76, .05999 from 2300. The volatility then hardly
# moves for anybody who is far from 1500.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	glicko2==2.1.0
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

import glicko2


def play(start):
    player = glicko2.Player(start, 200, 0.06)
    for period in range(20):
        player.update_player([start] * 3, [100] * 3, [period % 2] * 3)
    return round(player.rating - start, 2), round(player.rd, 2), round(player.vol, 5)


saw = play(1500), play(2300)
for start, (gain, deviation, volatility) in zip((1500, 2300), saw):
    print(f"from {start}: gain {gain}, deviation {deviation}, volatility {volatility}")
if saw != ((5.45, 52.83, 0.06041), (5.41, 52.76, 0.05999)):
    sys.exit("this has changed")
EOF
