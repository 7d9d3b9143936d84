"""Programs of others, and small programs with the real packages, play our games unchanged.

Each runs in a process of its own, with the packages that it needs: what is not installed beside
this package is installed from the registry into a folder of the test run. See
tests/thirdparty/README.md for the sources.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "thirdparty"

# Runs a program with another id in place of the one that it names. Registries of PettingZoo
# know no modules to import, so this imports ours.
RUN = """
import pathlib, sys
import marsgym.pettingzoo
program, old, new = sys.argv[1:]
text = pathlib.Path(program).read_text()
assert text.count(old) == 1, (old, text.count(old))
exec(compile(text.replace(old, new), program, "exec"), {"__name__": "__main__"})
"""


@pytest.fixture(scope="session")
def python():
    """Python with some packages, which see those of this process."""
    made, root = {}, Path(tempfile.mkdtemp(prefix="marsgym-"))

    def get(*packages):
        if packages not in made:
            folder = root / str(len(made))
            venv.create(folder, with_pip=True)
            program = folder / "bin" / "python"
            ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
            site = subprocess.check_output([program, "-c", ask], text=True).strip()
            ours = sysconfig.get_path("purelib")
            Path(site, "zz_ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
            command = [program, "-m", "pip", "install", "--disable-pip-version-check", *packages]
            done = subprocess.run(command, capture_output=True, text=True)
            made[packages] = program if done.returncode == 0 else done.stderr.strip()[-300:]
        program = made[packages]
        if isinstance(program, str):
            pytest.skip(f"not tested: {' '.join(packages)} cannot be installed: {program}")
        return program

    yield get
    shutil.rmtree(root)  # gigabytes


def run(command, folder, timeout=900):
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [str(x) for x in command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output[-4000:]
    return output


def test_unchanged():
    """The programs of others are those of their sources."""
    table = (FOLDER / "README.md").read_text()
    rows = re.findall(r"^\| `(\S+)` .* ([0-9a-f]{64}) \|$", table, re.MULTILINE)
    for name, digest in rows:
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest, name
    programs = {str(p.relative_to(FOLDER)) for p in FOLDER.glob("*/*.py")}
    assert {name for name, _ in rows} == {p for p in programs if not p.startswith("scripts/")}


SCRIPTS = {
    "openspiel_algorithms": (),
    "sb3_by_id": (),
    "sb3_maskable": (),
    "torchrl_envs": ("torchrl==0.14.1",),
    "tianshou_pettingzoo": ("tianshou==2.0.1",),
    "rllib_envs": ("ray[rllib]==2.60.0",),
    "minari_datasets": ("minari[create,hdf5]==0.5.4",),
    "agilerl_dqn": ("agilerl==2.58.0", "peft"),
    "wandb_offline": ("wandb==0.31.0",),
    "mlflow_sqlite": ("mlflow==3.17.2",),
    "openenv_games": ("openenv==0.10.0",),
    "verifiers_games": ("verifiers==0.4.0", "uv"),
    "text_examples": ("textarena==0.7.4", "reasoning-gym==0.1.25"),
}


@pytest.mark.full
@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name, python, tmp_path):
    packages = SCRIPTS[name]
    program = python(*packages) if packages else sys.executable
    run([program, FOLDER / "scripts" / f"{name}.py", tmp_path], tmp_path)


@pytest.mark.full
def test_cleanrl_ppo(python, tmp_path):
    program = python("tyro", "tensorboard")
    id = "marsgym:marsgym/Pig-Lenient-v1"
    options = ["--env-id", id, "--total-timesteps", 4096, "--no-cuda"]
    output = run([program, FOLDER / "cleanrl" / "ppo.py", *options], tmp_path)
    assert output.count("SPS:") == 8
    read = """
import pathlib, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
(file,) = pathlib.Path("runs").rglob("events*")
events = EventAccumulator(str(file.parent)).Reload()
for tag in ("losses/value_loss", "losses/policy_loss", "losses/entropy"):
    print(tag, *(event.value for event in events.Scalars(tag)))
"""
    for line in run([program, "-c", read], tmp_path).splitlines():
        if line.startswith("losses/"):
            tag, *values = line.split()
            assert len(values) == 8, line
            assert all(abs(float(v)) < 10 for v in values), line
            assert tag != "losses/entropy" or 0 < float(values[-1]) < 0.7, line


@pytest.mark.full
def test_pettingzoo_tutorial_of_sb3(tmp_path):
    program = FOLDER / "pettingzoo" / "sb3_connect_four_action_mask.py"
    command = [sys.executable, "-c", RUN, program, "classic/connect_four-v3", "marsgym/pig-v1"]
    output = run(command, tmp_path)
    rates = [float(rate) for rate in re.findall(r"^Winrate: +([\d.]+)", output, re.MULTILINE)]
    assert len(rates) == 2
    assert rates[0] > 0.6, "it wins against random play"
    losses = re.findall(r"\| +loss +\| +(\S+)", output)
    assert losses
    assert all(abs(float(loss)) < 10 for loss in losses)


@pytest.mark.full
def test_pettingzoo_tutorials_of_tianshou(python, tmp_path):
    program = python("tianshou==0.5.0")
    script, old = FOLDER / "pettingzoo" / "tianshou_1_basic_api_usage.py", "classic/rps-v2"
    output = run([program, "-c", RUN, script, old, "marsgym/pig-v1"], tmp_path)
    assert re.search(r"over: seat [01] wins", output)
    script, old = FOLDER / "pettingzoo" / "tianshou_2_training_agents.py", "classic/tictactoe-v3"
    new = "marsgym/mars_is_ours_fast-v2"
    output = run([program, "-c", RUN, script, old, new], tmp_path)
    rewards = [float(r) for r in re.findall(r"test_reward: (-?[\d.]+)", output)]
    assert rewards
    assert all(-1 <= r <= 1 for r in rewards)
    assert (tmp_path / "log" / "ttt" / "dqn" / "policy.pth").stat().st_size > 1000


@pytest.mark.full
@pytest.mark.parametrize("version", ["0.29.1", "1.0.0"])
def test_older_gymnasium(version, python, tmp_path):
    """The package works; only the environments name the release that they need."""
    program = python(f"gymnasium=={version}")
    script = """
import gymnasium, marsgym, pytest
print(gymnasium.__version__)
game = marsgym.load("pig", config={"target": 20})
assert game.evaluate("random").win < 0.5
batch = game.batch(4)
batch.reset(1)
batch.step([0] * 4)
for use in (
    lambda: gymnasium.make("marsgym/Pig-v1"),
    lambda: marsgym.make_vec("pig", 2),
    lambda: __import__("marsgym.gymnasium"),
):
    with pytest.raises(ImportError, match=r"need gymnasium 1\\.1 or later, and .* is installed"):
        use()
"""
    assert run([program, "-W", "ignore", "-c", script], tmp_path).strip() == version


@pytest.mark.full
def test_safetensors(python, tmp_path):
    """Python's safetensors reads what Go writes, and writes what the tests of Go read."""
    program = python("safetensors==0.8.0", "ml_dtypes==0.6.0")
    folder = Path(__file__).parents[2] / "internal" / "test" / "libraries" / "testdata"
    output = run([program, folder / "exchange.py", folder / "go.safetensors"], tmp_path)
    assert output.strip() == "11 tensors are the same"
    run([program, folder / "exchange.py"], tmp_path)
    written = (tmp_path / "python.safetensors").read_bytes()
    assert written == (folder / "python.safetensors").read_bytes()
