#!/usr/bin/env bash
# jumanji 1.1.2: through its Gymnasium wrapper, every game ends both terminated and truncated.
#
# Gymnasium's contract keeps the two apart: truncated means that a limit cut the game, and its last
# state still has a value. JumanjiToGymWrapper reports truncated for every last step, also when the
# snake has hit a wall. Whoever bootstraps truncated games bootstraps from lost ones; whoever looks
# at terminated first never bootstraps, because a time limit sets that as well: the
# wrapper takes truncated from whether the step is the last, and terminated from its discount, 0.
#
# Seen: Snake run against a wall, and Snake at its time limit of 2: terminated and truncated, both.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
# Without flax and others, which jumanji and esquilax require but this does not load.
pip() { python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile "$@"; }
pip jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6 chex==0.1.92 dm-env==1.6 gymnasium==1.3.0 \
	matplotlib==3.11.2 huggingface-hub==2.4.0 jax-tqdm==0.4.0 requests==2.34.2
pip --no-deps jumanji==1.1.2 esquilax==2.1.0
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

import numpy
from jumanji.environments import Snake
from jumanji.wrappers import JumanjiToGymWrapper


def end(env, choose):
    env = JumanjiToGymWrapper(env)
    observation, _ = env.reset(seed=1)
    terminated = truncated = False
    while not (terminated or truncated):
        action = numpy.int32(choose(observation))
        observation, _, terminated, truncated, _ = env.step(action)
    return terminated, truncated


saw = (
    end(Snake(), lambda observation: 0),  # straight on, into the wall
    end(Snake(time_limit=2), lambda observation: observation["action_mask"].argmax()),
)
print("hit a wall (terminated, truncated):", saw[0], "time limit:", saw[1])
if saw != ((True, True), (True, True)):
    sys.exit("this has changed")
EOF
