#!/usr/bin/env python3
"""Runs libraries with the environments of marsgym and writes what they print into a page.

    python python/libraries/run.py                   all of them, into docs/other-libraries.md
    python python/libraries/run.py --check sb3_envs  compares with the page

Each program of this folder runs with each version of its library that the table below names, in a
virtual environment of its own, for at most five minutes. marsgym itself is the one in this
repository, whose library must be built (pip install -e python). Exits 1 if a cell of the page has
changed or a program fails, and 3 if a library could not be installed, whose section of the page
then stays as it was.
"""

import argparse
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "other-libraries.md"
DAY = "2026-11-28"  # of the newest release of whatever the packages below need
UV = "uv==0.13.9"
LIMIT = 300  # seconds

QUESTIONS = {
    "autoreset": "autoreset mode",
    "mask": "action mask",
    "seed": "seed",
    "final": "final observations and infos",
    "illegal": "illegal action",
    "both": "terminated and truncated",
    "waiting": "a seat that does not move",
}

# The heading of each program on the page, and the packages of each version, the newest first. The
# oldest is the one that pyproject.toml names; libraries without an extra have the newest only.
LIBRARIES = {
    "gymnasium_wrappers": ("Gymnasium", ["gymnasium==1.4.0"], ["gymnasium==1.1.0"]),
    "pettingzoo_wrappers": ("PettingZoo", ["pettingzoo==1.27.0"], ["pettingzoo==1.25.0"]),
    "sb3_envs": (
        "Stable-Baselines3 and sb3-contrib",
        ["stable-baselines3==2.9.2", "sb3-contrib==2.9.2"],
        ["stable-baselines3==2.7.0", "sb3-contrib==2.7.0"],
    ),
    "openspiel_games": ("OpenSpiel", ["open_spiel==2.0.2"], ["open_spiel==1.6"]),
    "supersuit_wrappers": ("SuperSuit", ["supersuit==3.11.0", "pettingzoo==1.27.0"]),
    "shimmy_openspiel": ("Shimmy", ["shimmy[openspiel]==2.0.1", "pettingzoo==1.27.0"]),
    "torchrl_envs": ("TorchRL", ["torchrl==0.14.1", "gymnasium==1.4.0", "pettingzoo==1.27.0"]),
    "tianshou_envs": ("Tianshou", ["tianshou==2.0.1"]),
    "rllib_envs": ("RLlib", ["ray[rllib]==2.60.0", "torch==2.15.0"]),
    "agilerl_envs": ("AgileRL", ["agilerl==2.58.0", "peft"]),
    "skrl_envs": ("skrl", ["skrl==2.1.1", "torch==2.15.0"]),
    "minari_datasets": ("Minari", ["minari[create,hdf5]==0.5.4", "pillow"]),
    "jax_arrays": ("JAX", ["jax==0.10.2", "gymnasium==1.4.0"]),
}


def run(command, limit=LIMIT, **options):
    """The exit status of a command, what it printed, and its errors. It is killed, with what it
    has started, at the limit of seconds.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(
        list(map(str, command)),
        stdout=pipe,
        stderr=pipe,
        text=True,
        errors="replace",
        start_new_session=True,
        **options,
    ) as process:
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return 124, out, f"{err}\nstopped after {limit} seconds"
    return process.returncode, out, err


def prepare(folder, packages):
    """Python with some packages, installed below a folder unless they are there; or why not."""
    folder = folder / "-".join(packages).translate(str.maketrans("[]=,/ ", "______"))
    python, done = folder / "bin" / "python", folder / "installed"
    if done.exists():
        return python, ""
    venv.create(folder, clear=True, with_pip=True)
    status, _, err = run([python, "-m", "pip", "install", "-q", UV], 900)
    uv = [python, "-m", "uv", "pip", "install", "-q", "--python", python]
    if status == 0:
        status, _, err = run([*uv, "--exclude-newer", DAY, *packages, "numpy"], 1800)
    if status != 0:
        return None, " ".join(err.split())[-300:]
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    _, site, _ = run([python, "-c", ask])
    Path(site.strip(), "marsgym.pth").write_text(f"{HERE.parent}\n")
    done.touch()
    return python, ""


def printed(python, name):
    """What a program prints: the parts of the answer to each question."""
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        program = [python, "-W", "ignore", HERE / f"{name}.py"]
        status, out, err = run(program, cwd=folder, env=environment)
    if status != 0:
        sys.exit(f"{name}: exit status {status}\n{out[-2000:]}\n{err[-4000:]}")
    lines = [json.loads(line) for line in out.splitlines() if line.startswith('{"question"')]
    answers = {line["question"]: line["printed"] for line in lines}
    if answers.keys() != QUESTIONS.keys():
        sys.exit(f"{name} answers {sorted(answers)}; want {sorted(QUESTIONS)}")
    return answers


def merged(answers):
    """The answers of some versions as one cell; where a part differs, each names its version."""
    parts = []
    for texts in itertools.zip_longest(*answers.values(), fillvalue="-"):
        if len(set(texts)) == 1:
            parts.append(texts[0])
        else:
            parts += [f"**{p.split('==')[-1]}** {x}" for p, x in zip(answers, texts, strict=True)]
    return "<br>".join(parts)


def section(name, folder):
    """The section of a library on the page, or None if a version could not be installed."""
    heading, *versions = LIBRARIES[name]
    texts = {}
    for packages in versions:
        python, error = prepare(folder, packages)
        if python is None:
            print(f"{name}: NOT TESTED: {' '.join(packages)}: {error}", file=sys.stderr)
            return None
        texts[packages[0]] = printed(python, name)
    links = " and ".join(f"`{' '.join(packages)}`" for packages in versions)
    lines = [
        f"## {heading}",
        "",
        f"[{name}.py](../python/libraries/{name}.py) prints this with",
        f"{links}.",
        "",
        "| question | printed |",
        "|---|---|",
    ]
    for question, title in QUESTIONS.items():
        cell = merged({package: text[question] for package, text in texts.items()})
        lines.append(f"| {title} | {cell.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def sections(text):
    """The beginning of the page, and its sections by heading."""
    head, *parts = text.split("\n## ")
    return head.rstrip("\n") + "\n", {p.split("\n")[0]: f"## {p.rstrip()}\n" for p in parts}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="programs of this folder; all by default")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--folder", help="keeps the virtual environments there; else temporary")
    options = parser.parse_args()
    if unknown := set(options.names) - LIBRARIES.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}; want some of {', '.join(LIBRARIES)}")
    status = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary).resolve()
        for name in options.names or LIBRARIES:
            heading = LIBRARIES[name][0]
            text = section(name, folder)
            if text is None:
                status = status or 3
                continue
            head, found = sections(PAGE.read_text())
            same = found.get(heading) == text
            print(f"{name}: {'as on the page' if same else 'other than on the page'}", flush=True)
            if not options.check:
                found[heading] = text
                ordered = [found[h] for h, *_ in LIBRARIES.values() if h in found]
                PAGE.write_text("\n".join([head, *ordered]))
            elif not same:
                status = 1
                print(
                    f"the page has\n{found.get(heading, 'nothing')}\nand this run printed\n{text}"
                )
    return status


if __name__ == "__main__":
    sys.exit(main())
