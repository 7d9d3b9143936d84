"""Weights & Biases offline: a run is sent in parts, and nothing twice."""

import json
import struct
from pathlib import Path

from tracked import folder, send, train
from wandb.proto import wandb_internal_pb2 as pb


def records(path):
    """The records of an offline run: blocks of 32 KiB as in LevelDB, after a header of 7 bytes."""
    data, at, parts = path.read_bytes(), 7, b""
    while at + 7 <= len(data):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        _, size, kind = struct.unpack("<IHB", data[at : at + 7])
        parts += data[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):  # whole, or the last part
            record = pb.Record()
            record.ParseFromString(parts)
            parts = b""
            yield record


run = train(folder)
lines = send(run, "wandb")
files = sorted(Path("wandb").glob("offline-run-*/*.wandb"))
assert len(files) == 2, "nothing was new at the third time"
found, about = [], []
for record in (record for file in files for record in records(file)):
    if record.HasField("history"):
        items = record.history.item
        row = {"/".join(i.nested_key) or i.key: json.loads(i.value_json) for i in items}
        found.append((row["_step"], row["learning_rate"], row["steps"]))
    elif record.HasField("run"):
        about.append(record.run)
assert found == [(line["steps"], line["learning_rate"], line["steps"]) for line in lines]
assert len({run.run_id for run in about}) == 1
assert about[0].display_name == f"base-{run.name}"
assert about[0].run_group == "trial of O'Hara"
assert list(about[0].tags) == ["a", "b c"]
config = {c.key: json.loads(c.value_json) for c in about[0].config.update}
assert (config["game"], config["train.seed"]) == ("pig", 1)
