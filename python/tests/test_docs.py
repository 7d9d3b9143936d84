import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


@pytest.mark.skipif(not PAGE.exists(), reason="needs the repository")
def test_quick_start(capsys):
    """The programs of the documents run."""
    programs = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert programs
    for program in programs:
        exec(compile(program, str(PAGE), "exec"), {})
    assert capsys.readouterr().out.startswith("0.1")
