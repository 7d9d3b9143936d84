"""A run of cmd/train for trackers, sent while it is written."""

import json
import subprocess
import sys
from pathlib import Path

from marsgym.track import main

ROOT = Path(__file__).parents[4]


def train(folder):
    """Trains two seeds, and returns the folder of the first."""
    out = Path(folder) / "trial of O'Hara"
    labels = ["-name", "base", "-tags", "a,b c", "-seeds", "2"]
    small = Path(folder) / "pig.json"
    small.write_text('{"target": 20}')
    settings = ["-game", "pig", "-game-config", small, "-steps", "20000", "-out", out]
    subprocess.run(["go", "run", "./cmd/train", *settings, *labels], cwd=ROOT, check=True)
    return min(out.glob("*/config.json")).parent


def send(run, to):
    """Sends a run in two parts, the first of which ends within a line, and then once more. It
    returns the metrics.
    """
    path = run / "metrics.jsonl"
    text = path.read_bytes()
    lines = text.splitlines(keepends=True)
    assert len(lines) > 4
    path.write_bytes(b"".join(lines[:3]) + lines[3][:9])
    assert main([str(run), "--to", to]) == 0
    path.write_bytes(text)
    assert main([str(run), "--to", to, "--follow"]) == 0
    assert main([str(run), "--to", to]) == 0
    return [json.loads(line) for line in lines]


folder = sys.argv[1]
