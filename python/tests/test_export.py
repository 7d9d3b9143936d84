import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

import marsgym
from marsgym.export import main, save, to_onnx
from tests.test_model import random_model

ROOT = Path(__file__).parents[2]
PRETRAINED = {
    "martian-dice": "martian-dice-2",
    "mars-is-ours": "mars-is-ours-2",
    "mars-is-ours-fast": "mars-is-ours-fast-2",
    "martian-risk": "martian-risk-3",
    "martian-risk-small": "martian-risk-small-3",
}
ROWS = 50


def session(model):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(to_onnx(model).SerializeToString(), options)


def play(game, seed):
    """A batch that plays at random, before each step."""
    rng, batch = np.random.default_rng(seed), game.batch(ROWS)
    batch.reset(seed)
    while True:
        yield batch
        noise = rng.random(batch.action_mask.shape)
        batch.step(np.where(batch.action_mask != 0, noise, -1).argmax(axis=1))


def compare(model, positions):
    """The largest differences of probabilities and values between the file and the package, in
    that many positions.
    """
    game, run, worst = model.game(), session(model), np.zeros(2)
    for _, batch in zip(range(positions // ROWS), play(game, 1), strict=False):
        if model.head == "score":
            obs, mask, own = afterstates(model, batch)
        else:
            obs, mask = batch.observation, batch.action_mask != 0
            own = model.policy(greedy=False)(obs, mask)
        inputs = {"observations": obs, "mask": mask}
        probs, values = run.run(["probabilities", "values"], inputs)
        assert probs.dtype == values.dtype == np.float32
        assert own.sum(axis=1) == pytest.approx(np.ones(ROWS))
        wide = model.forward(obs.astype(np.float64))[1]
        if model.values == "shares":
            terms = np.exp(wide - wide.max(axis=-1, keepdims=True))
            share = terms / terms.sum(axis=-1, keepdims=True)
            wide = game.loss + share * (game.win - game.loss)
        worst = np.maximum(worst, [np.abs(probs - own).max(), np.abs(values - wide).max()])
    return worst


def afterstates(model, batch):
    """The options of all rows, and their probabilities."""
    game, scores = model.game(), model.policy(greedy=False)
    positions = [batch.position(row) for row in range(ROWS)]
    k = max(len(p.legal_actions) for p in positions)
    obs = np.zeros((ROWS, k, game.observation_size), np.float32)
    mask, own = np.zeros((ROWS, k), bool), np.zeros((ROWS, k))
    for i, p in enumerate(positions):
        n = len(p.legal_actions)
        mask[i, :n] = True
        obs[i, :n] = [p.apply(a).observation(p.player) for a in p.legal_actions]
        terms = scores.function(obs[i, :n])
        terms = np.exp(terms - terms.max())
        own[i, :n] = terms / terms.sum()
    return obs, mask, own


@pytest.mark.skipif(not (ROOT / "agents").exists(), reason="needs the repository")
@pytest.mark.parametrize("id", PRETRAINED)
def test_pretrained(id, pytestconfig):
    model = marsgym.load_model(ROOT / "agents" / "pretrained" / f"{PRETRAINED[id]}.safetensors")
    positions = 10_000 if pytestconfig.getoption("--full") else 200
    assert (compare(model, positions) <= 1e-6).all()


@pytest.mark.full
@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
@pytest.mark.parametrize("id", sorted(set(marsgym.games()) - set(PRETRAINED)))
def test_trained(id, tmp_path):
    """Networks of the default training, which is expert iteration in some games."""
    out = tmp_path / "run"
    options = ["-game", id, "-steps", "20000", "-evaluate", "none", "-out", out]
    command = ["go", "run", "./cmd/train", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    file = tmp_path / "model.onnx"
    assert main([str(out), str(file)]) == 0
    assert file.read_bytes() == to_onnx(marsgym.load_model(out)).SerializeToString(
        deterministic=True
    )
    assert (compare(marsgym.load_model(out), 10_000) <= 1e-6).all()


@pytest.mark.parametrize("values", ["", "shares"])
@pytest.mark.parametrize("head", ["logits", "score"])
def test_strength(tmp_path, head, values):
    """The policy of the file is as strong as the library says of the model."""
    game = marsgym.load("pig", config={"target": 20})
    path = tmp_path / "model.safetensors"
    marsgym.save_model(path, game, random_model(game, head), values=values)
    model = marsgym.load_model(path)
    assert (compare(model, 200) <= 1e-6).all()
    run = session(model)
    if head == "score":

        def score(obs):
            mask = np.ones((1, len(obs)), bool)
            return run.run(["scores"], {"observations": obs[None], "mask": mask})[0][0]

        policy = marsgym.Scores(score, greedy=False)
    else:

        def policy(obs, mask):
            return run.run(["probabilities"], {"observations": obs, "mask": mask != 0})[0]

    want = game.evaluate(path, sample=True)
    assert game.evaluate(policy).win_by_seat == pytest.approx(want.win_by_seat, abs=1e-6)
    assert game.evaluate(policy).exploitability == pytest.approx(want.exploitability, abs=1e-6)


def test_masks(tmp_path):
    """Illegal actions have no probability, and the rows of ended games have none at all."""
    game = marsgym.load("pig")
    path = tmp_path / "model.safetensors"
    marsgym.save_model(path, game, random_model(game, "logits"))
    mask = np.array([[True, False], [False, True], [False, False]])
    inputs = {"observations": np.ones((3, game.observation_size), np.float32), "mask": mask}
    (probs,) = session(marsgym.load_model(path)).run(["probabilities"], inputs)
    assert np.array_equal(probs, mask)


@pytest.mark.parametrize("id", marsgym.games())
def test_description(tmp_path, id):
    """The file says what each number is, and names its inputs and outputs."""
    game = marsgym.load(id)
    path, file = tmp_path / "model.safetensors", tmp_path / "model.onnx"
    about = {"algorithm": "test", "value_target": "afterstate", "steps": 3}
    marsgym.save_model(path, game, random_model(game, "logits"), **about)
    save(marsgym.load_model(path), file)
    proto = onnx.load(file)
    about = {p.key: p.value for p in proto.metadata_props}
    at = 0
    for field, (name, length) in zip(
        json.loads(about["observation"]), game.observation_fields, strict=True
    ):
        assert (field["name"], field["first"], field["length"]) == (name, at, length)
        assert field["scales"] == list(game.observation_scales[at : at + length])
        assert len(field["meaning"]) > 5, name
        at += length
    assert at == game.observation_size
    assert json.loads(about["actions"]) == list(game.action_names)
    assert (
        marsgym.load(about["game"], config=json.loads(about["config"])).rules_hash
        == about["rules_hash"]
    )
    assert (about["algorithm"], about["steps"]) == ("test", "3")
    assert "winner's return is 1 " in about["values"]
    assert "afterstates" in about["values"]
    named = [*proto.graph.input, *proto.graph.output]
    assert [v.name for v in named] == ["observations", "mask", "logits", "probabilities", "values"]
    assert all(v.doc_string == about[v.name] for v in named)


def test_bad_input(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    game, model = marsgym.load("pig"), "model.safetensors"
    marsgym.save_model(model, game, random_model(game, "logits"))
    Path("taken.onnx").write_text("mine")
    for arguments, want in {
        ("nonesuch", "a.onnx"): "no such file",
        ("search:800", "a.onnx"): "give the model file",
        (f"lookahead:0:{model}", "a.onnx"): "give the model file",
        ("taken.onnx", "a.onnx"): "not a model file",
        (model, "taken.onnx"): "nothing is overwritten; choose another name",
        (model, "nonesuch/a.onnx"): "there is no folder nonesuch",
        (model, model): "nothing is overwritten",
    }.items():
        assert main(list(arguments)) == 1
        assert want in capsys.readouterr().err, arguments
    assert Path("taken.onnx").read_text() == "mine"
    with pytest.raises(SystemExit, match="2"):
        main([model])
    assert main([model, "a.onnx"]) == 0
    assert "a.onnx: logits for Pig, 2 players" in capsys.readouterr().out

    def late(model):
        Path("late.onnx").write_text("mine")
        return to_onnx(model)

    monkeypatch.setattr("marsgym.export.to_onnx", late)
    assert main([model, "late.onnx"]) == 1
    assert "choose another name" in capsys.readouterr().err
    assert Path("late.onnx").read_text() == "mine"
    Path("late.onnx").unlink()
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); "
    limited += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    program = "from marsgym.export import main; raise SystemExit(main(['{}', 'b.onnx']))"
    command = [sys.executable, "-c", limited + program.format(model)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, "File too large" in done.stderr) == (1, True), done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.onnx", model, "taken.onnx"]
    missing = "import runpy, sys; sys.modules['onnx'] = None; "
    missing += "runpy.run_module('marsgym.export', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", missing], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("marsgym.export needs the package onnx")
    assert "pip install onnx" in done.stderr
