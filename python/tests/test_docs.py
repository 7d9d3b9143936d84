import re
from pathlib import Path

import pytest

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
    assert float(lines[5].split()[1]) < exploitability  # its best actions, from a file
