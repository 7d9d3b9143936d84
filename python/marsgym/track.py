"""Trackers: the metrics of a run of cmd/train for Weights & Biases or MLflow.

    python -m marsgym.track RUN --to wandb|mlflow

sends what a run folder holds, finished or not; with --follow, also what is added to it. It writes
to files of this machine unless --online is given. Called again, it sends what is new.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from marsgym import _command

CONFIG, METRICS, STATE = "config.json", "metrics.jsonl", "track.json"
SWEEP = "sweep.json"
"""In the folder of several runs: of -seeds or -sweep."""


class Tracker(Protocol):
    """Where the metrics go."""

    error: type[Exception]
    """What it raises if it refuses the run."""

    def last(self, run: Run) -> int:
        """The last step that was sent of the run, or -1."""

    def open(self, run: Run) -> None:
        """Opens the run, which may have been sent in part; after last, and before log."""

    def log(self, step: int, values: dict[str, float]) -> None:
        """Sends the values of a step, the decisions of the run so far."""

    def finish(self) -> None:
        """Ends the run."""


class Run:
    """A run folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        path = self.folder / CONFIG
        try:
            self.config: dict[str, Any] = json.loads(path.read_text())
        except FileNotFoundError:
            hint = "; give one of the runs in it" if (self.folder / SWEEP).exists() else ""
            raise ValueError(f"{folder} is no run folder: it has no {CONFIG}{hint}") from None
        except ValueError as e:
            raise ValueError(f"{path} is damaged: {e}") from None
        full = self.folder.resolve()
        several = (full.parent / SWEEP).exists()
        self.group: str = self.config.get("group") or (full.parent.name if several else "")
        name: str = self.config.get("name") or ""
        if several:
            name = f"{name}-{full.name}" if name else full.name
        self.name = name or full.name
        self.tags: list[str] = self.config.get("tags") or []
        self._state = self.folder / STATE
        self.known: dict[str, Any] = {"id": uuid.uuid4().hex}
        if self._state.exists():
            try:
                self.known = json.loads(self._state.read_text())
                self.known["id"]
            except (ValueError, TypeError, LookupError) as e:
                raise ValueError(
                    f"{self._state} is damaged: {e}; delete it to send the run as a new one"
                ) from None

    def note(self) -> None:
        """Keeps in the folder what is known of trackers: the id of the run there, and more."""
        temporary = self._state.with_name(f".{STATE}.{os.getpid()}.tmp")
        temporary.write_text(json.dumps(self.known))
        temporary.replace(self._state)

    def settings(self) -> dict[str, Any]:
        """The settings by dotted key, without the rules of the game."""
        found: dict[str, Any] = {}

        def add(prefix: str, value: Any) -> None:
            if isinstance(value, dict):
                for key, part in value.items():
                    add(f"{prefix}.{key}" if prefix else key, part)
            else:
                found[prefix] = value

        labels = ("name", "group", "tags", "game_config")
        add("", {k: v for k, v in self.config.items() if k not in labels})
        return found | {"players": self.config.get("game_config", {}).get("players")}

    def lines(self, follow: bool = False, poll: float = 1.0) -> Iterator[dict[str, Any]]:
        """The lines of the metrics. With follow it waits for more, until the run has all of its
        decisions. A last line that is being written waits for its end.
        """
        steps, rest = int(self.config["train"]["steps"]), b""
        path = self.folder / METRICS
        while follow and not path.exists():
            time.sleep(poll)
        if not path.exists():
            return
        with path.open("rb") as file:
            while True:
                if path.stat().st_size < file.tell():  # a resumed run has dropped its last lines
                    rest = b""
                    file.seek(0)
                *whole, rest = (rest + file.read()).split(b"\n")
                last = 0
                for text in whole:
                    line = json.loads(text)
                    last = line["steps"]
                    yield line
                if not follow or last >= steps:
                    return
                time.sleep(poll)


def values(line: dict[str, Any]) -> dict[str, float]:
    """The numbers of a line of metrics, by their keys joined with slashes."""
    found: dict[str, float] = {}

    def add(prefix: str, part: dict[str, Any]) -> None:
        for key, value in part.items():
            name = f"{prefix}/{key}" if prefix else key
            if isinstance(value, dict):
                add(name, value)
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                found[name] = float(value)

    add("", line)
    return found


class Wandb:
    """Weights & Biases: its server or, without online, the folder wandb."""

    def __init__(self, project: str, online: bool) -> None:
        if not online:
            os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
        import wandb

        self.wandb, self.project, self.online = wandb, project, online
        self.error: type[Exception] = wandb.errors.Error

    def last(self, run: Run) -> int:
        """From the run folder, since what is offline cannot be asked."""
        return int(run.known.get("wandb", -1))

    def open(self, run: Run) -> None:
        """Opens the run of the run folder's id."""
        run.note()
        self.source = run
        self.run = self.wandb.init(
            project=self.project,
            id=run.known["id"],
            name=run.name,
            group=run.group or None,
            tags=run.tags,
            config=run.settings(),
            resume="allow" if self.online else None,
            mode="online" if self.online else "offline",
        )
        self.run.define_metric("*", step_metric="steps")

    def log(self, step: int, values: dict[str, float]) -> None:
        """Logs the values."""
        self.run.log(values, step=step)
        self.source.known["wandb"] = step

    def finish(self) -> None:
        """Ends the run, and then notes what was sent. A kill before that sends steps twice, which
        wandb ignores.
        """
        self.run.finish()
        self.source.note()


class Mlflow:
    """MLflow: the server of MLFLOW_TRACKING_URI or, without online, the file mlflow.db."""

    def __init__(self, project: str, online: bool) -> None:
        if not online:
            os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
        elif not os.environ.get("MLFLOW_TRACKING_URI"):
            raise ValueError("--online of mlflow needs its server: set MLFLOW_TRACKING_URI")
        import mlflow

        if not online:
            mlflow.set_tracking_uri("sqlite:///mlflow.db")
        self.mlflow, self.project = mlflow, project
        self.error: type[Exception] = mlflow.exceptions.MlflowException

    def last(self, run: Run) -> int:
        """From the run of the experiment that has the run folder's id as a tag."""
        self.experiment = self.mlflow.set_experiment(self.project).experiment_id
        self.client = self.mlflow.tracking.MlflowClient()
        known = f"tags.`marsgym.id` = '{run.known['id']}'"
        same = self.client.search_runs([self.experiment], known)
        self.id = same[0].info.run_id if same else ""
        history = self.client.get_metric_history(self.id, "steps") if same else []
        return max((m.step for m in history), default=-1)

    def open(self, run: Run) -> None:
        """Goes on with that run, or makes it."""
        if self.id:
            self.client.update_run(self.id, status="RUNNING", name=run.name)
            return
        run.note()
        tags = {"marsgym.id": run.known["id"]} | dict.fromkeys(run.tags, "true")
        if run.group:
            tags["group"] = run.group
        made = self.client.create_run(self.experiment, tags=tags, run_name=run.name)
        self.id = made.info.run_id
        param = self.mlflow.entities.Param
        self.client.log_batch(self.id, params=[param(k, str(v)) for k, v in run.settings().items()])

    def log(self, step: int, values: dict[str, float]) -> None:
        """Logs the values of a step in one transaction."""
        metric, now = self.mlflow.entities.Metric, int(time.time() * 1000)
        self.client.log_batch(self.id, [metric(k, v, now, step) for k, v in values.items()])

    def finish(self) -> None:
        """Ends the run."""
        self.client.set_terminated(self.id)


TRACKERS: dict[str, type[Wandb] | type[Mlflow]] = {"wandb": Wandb, "mlflow": Mlflow}


def send(run: Run, tracker: Tracker, follow: bool = False) -> int:
    """Sends the lines that the tracker does not have yet, and returns their number."""
    last, sent = tracker.last(run), 0
    try:
        for line in run.lines(follow):
            if line["steps"] > last:
                if not sent:
                    tracker.open(run)
                last, sent = line["steps"], sent + 1
                tracker.log(last, values(line))
    finally:
        if sent:
            tracker.finish()
    return sent


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m marsgym.track",
        description="Sends the metrics of a run to a tracker. They stay on this machine unless "
        "--online is given.",
    )
    parser.add_argument("run", metavar="RUN", help="run folder of cmd/train, finished or not")
    parser.add_argument("--to", required=True, choices=TRACKERS, help="the tracker")
    parser.add_argument("--project", default="marsgym", help="project, or experiment of MLflow")
    parser.add_argument("--follow", action="store_true", help="wait for the end of the run")
    parser.add_argument(
        "--online", action="store_true", help="send to the server that the tracker is set up for"
    )
    given = parser.parse_args(arguments)
    try:
        run = Run(given.run)
        try:
            tracker: Tracker = TRACKERS[given.to](given.project, given.online)
        except ImportError as e:
            raise ValueError(f"{e}; install it with: pip install {given.to}") from None
        try:
            sent = send(run, tracker, given.follow)
        except tracker.error as e:
            raise ValueError(f"{given.to} refuses the run: {e}") from None
    except (OSError, ValueError) as e:
        print(f"marsgym.track: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("marsgym.track: interrupted; the same command sends the rest", file=sys.stderr)
        return 130
    print(f"{run.name}: {sent} lines sent")
    return 0


if __name__ == "__main__":
    _command.run(main)
