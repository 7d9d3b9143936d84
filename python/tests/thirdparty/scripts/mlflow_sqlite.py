"""MLflow in a file of SQLite: a run is sent in parts, and nothing twice."""

import mlflow
from tracked import folder, send, train

from marsgym.track import main

run = train(folder)
lines = send(run, "mlflow")
mlflow.set_tracking_uri("sqlite:///mlflow.db")
client = mlflow.tracking.MlflowClient()
experiment = client.get_experiment_by_name("marsgym").experiment_id
(sent,) = client.search_runs([experiment])
assert (sent.info.run_name, sent.info.status) == (f"base-{run.name}", "FINISHED")
assert (sent.data.tags["group"], sent.data.tags["b c"]) == ("trial of O'Hara", "true")
assert (sent.data.params["game"], sent.data.params["train.seed"]) == ("pig", "1")
for key in ("games", "learning_rate"):
    history = client.get_metric_history(sent.info.run_id, key)
    want = [(line["steps"], line[key]) for line in lines if key in line]
    assert want
    assert [(m.step, m.value) for m in history] == want, key

mlflow.set_tracking_uri("nowhere://mlflow")  # which MLflow refuses, in one line
assert main([str(run), "--to", "mlflow", "--online"]) == 1
