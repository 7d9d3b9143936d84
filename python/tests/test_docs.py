import importlib
import re
from pathlib import Path

import numpy as np
import pytest

import marsgym
import marsgym.text
from tests.test_model import random_model

DOCS = Path(__file__).parents[2] / "docs"


def programs(page):
    """The programs of a page, in order."""
    found = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    assert found
    return [compile(text, page, "exec") for text in found]


@pytest.mark.skipif(not DOCS.exists(), reason="needs the repository")
def test_quick_start(capsys):
    """The programs of the documents run."""
    for program in programs("python.md"):
        exec(program, {})
    assert capsys.readouterr().out.startswith("0.1")


@pytest.mark.skipif(not DOCS.exists(), reason="needs the repository")
def test_text(capsys):
    """The game by text runs and reads as on the page; the tests of third-party packages run the
    other programs.
    """
    defined = {}
    exec(programs("text-environments.md")[0], defined)
    result, regret, illegal = map(float, capsys.readouterr().out.split())
    defined["game"].reset(seed=1)
    read = defined["game"].step(defined["model"]("")).text
    assert f"```\n{read}\n```" in (DOCS / "text-environments.md").read_text()
    assert result in (0, 1)
    assert regret > 0
    assert illegal == 0


@pytest.mark.skipif(not DOCS.exists(), reason="needs the repository")
def test_export(capsys, monkeypatch, tmp_path):
    """The program that loads an exported network runs."""
    pytest.importorskip("onnxruntime")
    from marsgym.export import save

    monkeypatch.chdir(tmp_path)
    game = marsgym.load("pig")
    marsgym.save_model("pig.safetensors", game, random_model(game, "logits"))
    save(marsgym.load_model("pig.safetensors"), "pig.onnx")
    for program in programs("export.md"):
        exec(program, {})
    assert "true where an action is legal" in capsys.readouterr().out


@pytest.mark.full
@pytest.mark.skipif(not DOCS.exists(), reason="needs the repository")
def test_tutorial(capsys, monkeypatch, tmp_path):
    """The programs of the tutorial run in one session, and the network learns."""
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    session = {}
    for program in programs("tutorial-python.md"):
        exec(program, session)
    lines = capsys.readouterr().out.splitlines()
    win, exploitability = map(float, lines[0].split())
    assert win > 0.35
    assert exploitability < 0.15
    # Of its best actions, from a file: below or above, by processor, as the page says.
    assert float(lines[5].split()[1]) < 0.15


@pytest.mark.skipif(not DOCS.exists(), reason="needs the repository")
def test_language_models(capsys, monkeypatch, tmp_path):
    """The tutorial's stub answers its command and its program, whose results the page shows."""
    from marsgym import ask

    monkeypatch.chdir(tmp_path)
    page = (DOCS / "tutorial-language-models.md").read_text()
    stub, _ = programs("tutorial-language-models.md")
    session = {"__name__": "stub"}
    exec(stub, session)
    server = session["start"](0)
    try:
        local = f"http://127.0.0.1:{server.server_port}/v1"
        command = re.search(r"python -m marsgym\.ask (pig .*)", page)[1]
        ask.main(command.replace("http://127.0.0.1:8000/v1", local).split())
        assert f"```\n{capsys.readouterr().out}```" in page
        text = page[page.index("import marsgym\n") :].partition("```")[0]
        exec(text.replace("http://127.0.0.1:8000/v1", local), {})
        assert f"```\n{capsys.readouterr().out}```" in page
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.skipif(not DOCS.exists(), reason="needs the repository")
def test_own_game(capsys, monkeypatch, tmp_path):
    """The game of the tutorial's own rules has the values that the page shows."""
    monkeypatch.chdir(tmp_path)
    *_, rules, file = programs("tutorial-own-game.md")
    session = {"marsgym": marsgym}
    exec(rules, session)
    exec(file, session)
    page = (DOCS / "tutorial-own-game.md").read_text()
    for line in capsys.readouterr().out.splitlines():
        assert f"\n{line}\n" in page


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*different observations")
@pytest.mark.skipif(not DOCS.exists(), reason="needs the repository")
def test_own_game_networks(capsys, monkeypatch, tmp_path):
    """The programs of the tutorial run in one session, and the networks learn."""
    pytest.importorskip("torch")
    pytest.importorskip("pyspiel")
    monkeypatch.chdir(tmp_path)
    session, page = {}, (DOCS / "tutorial-own-game.md").read_text()
    for program in programs("tutorial-own-game.md"):
        exec(program, session)
    lines = capsys.readouterr().out.splitlines()
    sizes = [line for line in lines if line.endswith(")") and line[0].isdigit()]
    assert len(sizes) == 3
    for line in sizes:
        assert f"\n{line}\n" in page
    strengths = [tuple(map(float, line.split())) for line in lines if line.startswith("0.")]
    assert [win > 0.2 for win, _ in strengths] == [True] * 3
    assert strengths[1][1] < 0.01


REFERENCE = (DOCS / "python-reference.md").read_text() if DOCS.exists() else ""


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """What the calls of the reference are about."""
    game = marsgym.load("pig")
    batch, position = game.batch(1), game.initial()
    batch.reset(1)
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    tensors = random_model(game, "logits")
    marsgym.save_model(path, game, tensors)
    names = {"position": position, "chance": position.apply(0), "action": 0, "index": 0}
    codes = game.batch(1, dtype=np.uint8).observation
    names |= {"np": np, "observations": batch.observation, "codes": codes}
    names |= {"marsgym": marsgym, "game": game, "batch": batch, "path": path, "tensors": tensors}
    names |= {"seat": 0, "opponents": "exact", "text": "roll", "cost": 0.1}
    names |= {"policy": lambda position: position.legal_actions[0]}
    return names | {"rng": np.random.default_rng(1)}


@pytest.mark.parametrize("call", re.findall(r"`([a-z]\w*\.[\w.]+\([^`]*\))`", REFERENCE))
def test_reference(call, session):
    """The calls that the reference shows run, where the package that they need is installed."""
    names, module = dict(session), call.partition("(")[0].split(".")[1]
    packages = {"sb3": "stable_baselines3", "openspiel": "pyspiel"}
    doors = {"pettingzoo", "gymnasium", "sb3", "torch", "openspiel"}
    needs = doors & {module, call.partition(".")[0]}
    for name in needs:
        pytest.importorskip(packages.get(name, name))
        if call.startswith("marsgym."):
            importlib.import_module(f"marsgym.{name}")
        else:
            names[name] = importlib.import_module(name)
            importlib.import_module(f"marsgym.{name}")
    if call.startswith("env."):
        names["env"] = pytest.importorskip("marsgym.gymnasium").Env("pig")
    if "model" in call and module == "sb3":
        from stable_baselines3 import PPO

        names["model"] = PPO("MlpPolicy", "marsgym/Pig-Lenient-v1", device="cpu")
    if call.startswith(("state.", "result.")):
        pytest.skip("of OpenSpiel")
    eval(call, names)
