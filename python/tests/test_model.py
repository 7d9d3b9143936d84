import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import marsgym

ROOT = Path(__file__).parents[2]
PRETRAINED = ROOT / "agents" / "pretrained" / "martian-dice-2.safetensors"


def random_model(game, head, hidden=(16, 12), seed=1):
    rng = np.random.default_rng(seed)
    widths = [game.observation_size, *hidden]
    layers = {f"body.{i}": (widths[i], widths[i + 1]) for i in range(len(hidden))}
    layers["score" if head == "score" else "policy"] = (
        hidden[-1],
        1 if head == "score" else game.num_actions,
    )
    layers["value"] = (hidden[-1], game.players)
    tensors = {}
    for name, (inputs, outputs) in layers.items():
        weights = rng.normal(size=(outputs, inputs)) / np.sqrt(inputs)
        tensors[name + ".weight"] = weights.astype(np.float32)
        tensors[name + ".bias"] = rng.normal(size=outputs).astype(np.float32)
    return tensors


@pytest.mark.parametrize("head", ["logits", "score"])
@pytest.mark.parametrize("id", ["pig", "martian-dice"])
def test_saved_model_is_the_same_policy(tmp_path, id, head):
    """A policy that is exported has the figures that evaluate computes for it."""
    config = {"target": 20} if id == "pig" else {"dice": 4, "target": 6}
    game = marsgym.load(id, config=config)
    tensors = random_model(game, head)
    path = tmp_path / "model.safetensors"
    marsgym.save_model(path, game, tensors, algorithm="test", seed=3, steps=4)
    model = marsgym.load_model(path)
    assert model.head == head
    unknown = {"value_target": "", "play": "", "games": 0, "iterations": 0, "exact": None}
    assert model.info == unknown | {"algorithm": "test", "seed": 3, "steps": 4}
    assert model.game().rules_hash == game.rules_hash
    assert all(np.array_equal(model.tensors[k], tensors[k]) for k in tensors)
    own = game.evaluate(model, mistakes=3)
    native = game.evaluate(path, mistakes=3)
    assert own.win_by_seat == pytest.approx(native.win_by_seat, abs=1e-9)
    assert own.exploitability == pytest.approx(native.exploitability, abs=1e-9)
    assert [m["position"] for m in own.mistakes] == [m["position"] for m in native.mistakes]
    model.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("change", "error", "want"),
    [
        (lambda a: a + 1j, TypeError, r"body.1.bias is complex64; want real numbers"),
        (lambda a: a.astype(str), TypeError, r"body.1.bias is <U32; want float32, as by .astype"),
        (lambda a: a > 0, TypeError, r"body.1.bias is bool; want float32"),
        (
            lambda a: a.astype(np.float64) * 1e300,
            ValueError,
            r"body.1.bias\[0\] is -?inf as float32",
        ),
    ],
)
def test_types_of_tensors(tmp_path, change, error, want):
    """An error names the tensor, and nothing is written; rounding warns of nothing."""
    game, path = marsgym.load("pig"), tmp_path / "model.safetensors"
    tensors = random_model(game, "logits")
    bias = tensors["body.1.bias"]
    with pytest.raises(error, match=want):
        marsgym.save_model(path, game, tensors | {"body.1.bias": change(bias)})
    assert not path.exists()
    for kind in (np.float64, np.float16):
        marsgym.save_model(path, game, tensors | {"body.1.bias": bias.astype(kind)})
        saved = marsgym.load_model(path).tensors["body.1.bias"]
        assert np.array_equal(saved, bias.astype(kind).astype(np.float32))


def test_models_of_other_rules():
    game = marsgym.load("pig", config={"target": 20})
    tensors = random_model(game, "logits")
    model = marsgym.Model("pig", {"target": 30}, 2, "logits", "", tensors, {})
    with pytest.raises(ValueError, match="the model plays"):
        game.evaluate(model)
    with pytest.raises(TypeError, match="want a dict"):
        marsgym.save_model("unused", game, list(tensors.values()))


@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
def test_command_eval_agrees(tmp_path):
    config = {"dice": 4, "target": 6}
    game = marsgym.load("martian-dice", config=config)
    path = tmp_path / "model.safetensors"
    marsgym.save_model(path, game, random_model(game, "logits"))
    done = subprocess.run(
        ["go", "run", "./cmd/eval", "-model", path, "-against", "exact", "-json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    result = game.evaluate(marsgym.load_model(path))
    assert result.win_by_seat == pytest.approx(
        (report["win_first"], report["win_second"]), abs=1e-6
    )
    assert result.exploitability == pytest.approx(report["exploitability"], abs=1e-6)


@pytest.mark.skipif(not PRETRAINED.exists(), reason="needs the repository")
def test_pretrained():
    model = marsgym.load_model(PRETRAINED)
    game = model.game()
    assert game.id == "martian-dice"
    obs = np.stack([game.initial().observation(0)] * 3)
    policy, value = model.forward(obs)
    assert policy.shape[0] == 3
    assert value.shape == (3, 2)
    assert model.info["exact"]["exploitability"] == pytest.approx(2.8e-5, rel=0.01)
    assert (model.info["value_target"], model.info["play"]) == ("turn_start", "lookahead:0")


def test_models_keep_what_they_are(tmp_path):
    game = marsgym.load("pig", config={"target": 20})
    about = {
        "algorithm": "one-move",
        "value_target": "afterstate",
        "play": "lookahead:1",
        "exact": {"win_first": 0.5, "win_second": 0.25, "exploitability": 0.125},
    }
    first, second = tmp_path / "first", tmp_path / "second"
    marsgym.save_model(first, game, random_model(game, "logits"), **about)
    model = marsgym.load_model(first)
    assert model.info.items() >= about.items()
    model.save(second)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("field", "want"),
    [("rules_version", "version 9 of the rules"), ("obs_hash", "in another order")],
)
def test_models_of_other_releases(tmp_path, field, want):
    game = marsgym.load("pig")
    path = tmp_path / "model.safetensors"
    marsgym.save_model(path, game, random_model(game, "logits"))
    data = path.read_bytes()

    def put(name, text):  # at the beginning of the field's value
        nonlocal data
        at = data.index(f'"{name}":"'.encode()) + len(name) + 4
        data = data[:at] + text.encode() + data[at + len(text) :]

    put(field, "9")
    put("sha256", "0" * 64)
    put("sha256", hashlib.sha256(data).hexdigest())
    path.write_bytes(data)
    with pytest.raises(ValueError, match=want):
        marsgym.load_model(path)


@pytest.mark.parametrize(
    ("change", "want"),
    [
        (lambda t: t.pop("value.bias"), "want"),
        (lambda t: t.update(extra=np.zeros(3)), "extra"),
        (lambda t: t.update({"value.bias": np.zeros(3, np.float32)}), "value.bias has shape"),
        (lambda t: t["value.bias"].fill(np.nan), "is nan"),
    ],
)
def test_bad_tensors(tmp_path, change, want):
    game = marsgym.load("pig")
    tensors = random_model(game, "logits")
    change(tensors)
    with pytest.raises(ValueError, match=want):
        marsgym.save_model(tmp_path / "model.safetensors", game, tensors)
    assert not list(tmp_path.iterdir())


def test_models_as_opponents(tmp_path):
    """A model, its file as a path, and its file as a name play the same games."""
    rng = np.random.default_rng(1)
    game = marsgym.load("pig", config={"target": 20})
    d, actions = game.observation_size, game.num_actions
    shapes = {"body.0": (8, d), "policy": (actions, 8), "value": (2, 8)}
    tensors = {k + ".weight": rng.normal(size=s) for k, s in shapes.items()}
    tensors |= {k + ".bias": rng.normal(size=s[0]) for k, s in shapes.items()}
    path = tmp_path / "a model.safetensors"
    marsgym.save_model(path, game, tensors)
    seen = []
    for opponent in (path, str(path), marsgym.load_model(path)):
        batch = game.batch(16, opponent=opponent)
        batch.reset(1)
        for _ in range(50):
            batch.step(batch.action_mask.argmax(axis=1))
        seen.append(batch.save())
    assert seen[0] == seen[1] == seen[2]
    assert len(repr(marsgym.load_model(path))) < 100
    with pytest.raises(FileNotFoundError, match="no such file"):
        marsgym.load_model(tmp_path / "none")
