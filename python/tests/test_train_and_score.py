"""The notebook of the documents runs, and prints what it shows."""

import json
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "train-and-score.ipynb"

if not PAGE.exists():
    pytest.skip("needs the repository", allow_module_level=True)


def outputs(cells):
    for cell in cells:
        for output in cell.get("outputs", ()):
            text = output.get("text", "")
            yield output["output_type"], text if isinstance(text, str) else "".join(text)


def test_what_it_shows():
    text = PAGE.read_text()
    assert len(text) < 100_000
    assert "/home/" not in text
    assert "/root/" not in text
    shown = list(outputs(json.loads(text)["cells"]))
    assert [kind for kind, _ in shown].count("display_data") == 2
    assert all(kind != "error" for kind, _ in shown)
    assert any("exploitability" in text for _, text in shown)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_it_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient").NotebookClient
    book = nbformat.read(PAGE, 4)
    stored = [text for kind, text in outputs(book.cells) if kind == "stream"]
    client(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    found = [text for kind, text in outputs(book.cells) if kind == "stream"]
    # Floating-point sums differ between processors; what does not depend on them is equal.
    assert found[0] == stored[0]
    last = found[1].splitlines()[-2]
    assert float(last.rsplit(" ", 1)[1]) < 0.01, last
