#!/usr/bin/env bash
# tensorboardX 2.6.5: a second writer in the same folder erases the first one's events.
#
# SummaryWriter is documented to write an event file into its folder, and TensorBoard reads all
# files of a folder as one run; that is how a resumed run goes on. The file's name holds the host
# and the second. A writer that opens within the same second gets the same name and empties the
# file. TensorBoard's own writer adds the process and a counter.
#
# Seen: steps 0 and 1, closed, then 2 and 3 within the same second: one file, steps 2 and 3. A
# second later: two files, all four steps.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	tensorboardX==2.6.5 tensorboard==2.21.0 numpy==2.4.6 setuptools==80.9.0
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import os
import sys
import tempfile
import time

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboardX import SummaryWriter


def resume(pause):
    folder = tempfile.mkdtemp(dir=".")
    begun = time.time()
    for steps in (0, 1), (2, 3):
        writer = SummaryWriter(folder)
        for step in steps:
            writer.add_scalar("reward", step, step)
        writer.close()
        if steps[0] == 0:
            pause(begun)
    same = int(begun) == int(time.time())
    events = EventAccumulator(folder)
    events.Reload()
    return same, len(os.listdir(folder)), [event.step for event in events.Scalars("reward")]


for _ in range(20):  # until both fall into one second
    time.sleep(1 - time.time() % 1)
    saw = resume(lambda begun: None)
    if saw[0]:
        break
else:
    sys.exit("the machine is too slow: no two writers within a second; run it again")
later = resume(lambda begun: time.sleep(1.1))
print(f"same second: {saw[1]} file, steps {saw[2]}; a second later: {later[1]} files, {later[2]}")
if saw != (True, 1, [2, 3]) or later != (False, 2, [0, 1, 2, 3]):
    sys.exit("this has changed")
EOF
