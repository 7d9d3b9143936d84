import json
import shutil
import sys
import threading

import pytest

from marsgym.track import Run, main, send, values


class Memory:
    """A tracker that keeps what it is sent."""

    def __init__(self):
        self.steps, self.opened, self.finished = [], 0, 0

    def last(self, run):
        return max(self.steps, default=-1)

    def open(self, run):
        self.opened += 1

    def log(self, step, values):
        assert values["steps"] == step
        self.steps.append(step)

    def finish(self):
        self.finished += 1


def folder(path, steps=300, **labels):
    path.mkdir(parents=True)
    config = {"game": "pig", "game_config": {"players": 2, "target": 100}, **labels}
    config["train"] = {"steps": steps, "ppo": {"horizon": 4}}
    (path / "config.json").write_text(json.dumps(config))
    return path


def lines(*steps):
    return "".join(json.dumps({"steps": n, "exact": {"win_first": n / 1000}}) + "\n" for n in steps)


def test_names(tmp_path):
    """A run is named for its folder, and runs of several seeds or settings share a group."""
    run = Run(folder(tmp_path / "runs" / "pig-2-001"))
    assert (run.name, run.group, run.tags) == ("pig-2-001", "", [])
    run = Run(folder(tmp_path / "runs" / "b", name="base", group="g", tags=["x"]))
    assert (run.name, run.group, run.tags) == ("base", "g", ["x"])
    path = folder(tmp_path / "seeds" / "000", name="base")
    (tmp_path / "seeds" / "sweep.json").touch()
    assert (Run(path).name, Run(path).group) == ("base-000", "seeds")
    settings = {"game": "pig", "players": 2, "train.steps": 300, "train.ppo.horizon": 4}
    assert Run(path).settings() == settings


def test_parts(tmp_path):
    """What is new is sent, but no line that is not whole, and no tracker is opened for nothing."""
    path, memory = folder(tmp_path / "run"), Memory()
    assert send(Run(path), memory) == 0
    metrics = path / "metrics.jsonl"
    metrics.write_text(lines(100, 200) + lines(300)[:9])
    assert send(Run(path), memory) == 2
    assert send(Run(path), memory) == 0
    metrics.write_text(lines(100, 200, 300))
    assert send(Run(path), memory) == 1
    assert (memory.steps, memory.opened, memory.finished) == ([100, 200, 300], 2, 2)
    assert values(json.loads(lines(100))) == {"steps": 100, "exact/win_first": 0.1}


def test_follow(tmp_path):
    """A run is followed to its end, also after its last lines were dropped to resume it."""
    path = folder(tmp_path / "run")
    metrics, memory, run = path / "metrics.jsonl", Memory(), Run(path)
    metrics.write_text(lines(100, 200))
    seen = threading.Event()

    def write():
        seen.wait()
        metrics.write_text(lines(100))
        shown.wait()
        metrics.write_text(lines(100, 200, 300))

    shown = threading.Event()
    writer = threading.Thread(target=write)
    writer.start()
    for line in run.lines(follow=True, poll=0.01):
        memory.steps.append(line["steps"])
        if memory.steps == [100, 200]:
            seen.set()
        if memory.steps == [100, 200, 100]:
            shown.set()
    writer.join()
    assert memory.steps == [100, 200, 100, 200, 300]


def test_bad_input(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    path = str(folder(tmp_path / "run"))
    (tmp_path / "sweep.json").touch()
    monkeypatch.setitem(sys.modules, "wandb", None)
    for arguments, want in {
        ("none", "--to", "wandb"): "none is no run folder: it has no config.json",
        (".", "--to", "wandb"): "give one of the runs in it",
        (path, "--to", "wandb"): "pip install wandb",
        (path, "--to", "mlflow", "--online"): "set MLFLOW_TRACKING_URI",
    }.items():
        assert main(list(arguments)) == 1
        assert want in capsys.readouterr().err, arguments
    with pytest.raises(SystemExit, match="2"):
        main([path, "--to", "tensorboard"])
    for text in "{", "[]", "{}":
        (tmp_path / "run" / "track.json").write_text(text)
        assert main([path, "--to", "mlflow"]) == 1
        assert "track.json is damaged" in capsys.readouterr().err
    (tmp_path / "run" / "config.json").write_text("{")
    assert main([path, "--to", "mlflow"]) == 1
    assert "config.json is damaged" in capsys.readouterr().err
    shutil.rmtree(path)
