"""The page about other libraries says what they do."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "libraries"
sys.path.append(str(FOLDER))
import run as libraries


def test_page_is_whole():
    """Each program has a section, in the order of the list, with an answer to each question."""
    head, sections = libraries.sections(libraries.PAGE.read_text())
    bullets = re.findall(r"^- \*\*(.+?)\*\*", head, re.MULTILINE)
    assert bullets == list(libraries.QUESTIONS.values())
    assert list(sections) == [heading for heading, *_ in libraries.LIBRARIES.values()]
    programs = {p.stem for p in FOLDER.glob("*.py")} - {"cells", "ends", "run"}
    assert programs == libraries.LIBRARIES.keys()
    for name, (heading, *versions) in libraries.LIBRARIES.items():
        text = sections[heading]
        rows = dict(re.findall(r"^\| (.+?) \| (.+) \|$", text, re.MULTILINE))
        assert rows.keys() - {"question"} == set(libraries.QUESTIONS.values()), heading
        assert f"/{name}.py)" in text
        for packages in versions:
            assert f"`{' '.join(packages)}`" in text


def test_other_answers_are_seen():
    """Where versions differ, each answer names its version."""
    answers = {"x==2": ["same", "new", "more"], "x==1": ["same", "old"]}
    assert libraries.merged(answers) == ("same<br>**2** new<br>**1** old<br>**2** more<br>**1** -")


@pytest.mark.full
@pytest.mark.parametrize("name", libraries.LIBRARIES)
def test_page(name):
    """A library does what the page says."""
    command = [sys.executable, FOLDER / "run.py", "--check", name]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 3:
        pytest.skip(done.stderr.strip()[-300:])
    assert done.returncode == 0, done.stdout + done.stderr
