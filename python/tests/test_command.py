import os
import subprocess
import sys
from pathlib import Path

import pytest

import marsgym
from tests.test_ask import hold_at_10, serve

COMMANDS = [
    p.stem for p in Path(marsgym.__file__).parent.glob("*.py") if '"__main__"' in p.read_text()
]


def unread(*command):
    """Runs a command whose standard output nobody reads, and returns its status and errors."""
    reader, writer = os.pipe()
    os.close(reader)
    buffered = os.environ | {"PYTHONUNBUFFERED": ""}
    with os.fdopen(writer) as out:
        command = [sys.executable, "-m", *command]
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, env=buffered)
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("name", COMMANDS)
def test_unread_help(name):
    pytest.importorskip(f"marsgym.{name}", exc_type=ImportError)
    assert unread(f"marsgym.{name}", "-h") == (1, "")


def test_unread_result(tmp_path):
    """A result that is longer than the buffer of standard output breaks within the command."""
    with serve(hold_at_10) as (url, _):
        file = tmp_path / "games.jsonl"
        command = ["pig", "--config", '{"target": 20}', "--url", url, "--model", "m" * 10_000]
        assert unread("marsgym.ask", *command, "--file", file, "--games", "2") == (1, "")
    assert file.read_text().count("\n") == 3
