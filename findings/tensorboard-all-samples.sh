#!/usr/bin/env bash
# tensorboard 2.21.0: the number that keeps all samples of a tag shows none of them.
#
# For EventAccumulator, which reads the files, a size of 0 is documented to store all events, and the
# start of the data server also translates 0 samples into all. But TensorBoard with
# --samples_per_plugin scalars=0 lists the tags and sends no point of them, without a warning: its
# scalars plugin asks for 0 points of what was kept.
#
# Seen, for 2,000 points of one tag: 2,000 from EventAccumulator with 0; from TensorBoard 1,000 by
# default, 2,000 with scalars=2000, and 0 with scalars=0, both with and without --load_fast.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	tensorboard==2.21.0 numpy==2.4.6 setuptools==80.9.0
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import json
import sys
import time
from urllib.request import urlopen

from tensorboard import program
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

writer = EventFileWriter("run")
for step in range(2000):
    value = Summary.Value(tag="reward", simple_value=step)
    writer.add_event(Event(step=step, wall_time=step, summary=Summary(value=[value])))
writer.close()


def shown(*options):
    """How many points TensorBoard sends once it has read the whole file."""
    board = program.TensorBoard()
    board.configure(argv=[None, "--logdir", "run", "--port", "0", *options])
    url = board.launch() + "data/plugin/scalars/"
    for _ in range(60):
        time.sleep(1)
        tags = json.load(urlopen(url + "tags"))
        if tags:
            points = json.load(urlopen(url + "scalars?run=.&tag=reward"))
            if not points or points[-1][1] == 1999:
                return len(points)
    sys.exit("TensorBoard did not read the file within a minute; run it again")


events = EventAccumulator("run", size_guidance={"scalars": 0}).Reload()
saw = [len(events.Scalars("reward")), shown()]
saw += [shown("--samples_per_plugin", f"scalars={n}") for n in (2000, 0)]
saw.append(shown("--samples_per_plugin", "scalars=0", "--load_fast", "false"))
print("EventAccumulator with 0; TensorBoard by default, with 2000, 0, 0 and --load_fast false:", saw)
if saw != [2000, 1000, 2000, 0, 0]:
    sys.exit("this has changed")
EOF
