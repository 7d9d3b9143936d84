"""What notebooks and terminals show of objects."""

import pickle
import sys
import types
import xml.etree.ElementTree as ElementTree

import pytest

import marsgym
from marsgym import _job


@pytest.mark.parametrize("id", marsgym.games())
def test_pictures_of_positions(id):
    position = marsgym.load(id).initial()
    picture = ElementTree.fromstring(position._repr_svg_())
    assert picture.tag.endswith("svg")
    assert len(picture) > 3


def test_tables():
    game = marsgym.load("pig", config={"target": 10}, cache=None)
    result = game.evaluate("random", mistakes=3)
    lines = str(result.mistakes).splitlines()
    assert len(lines) == 4
    assert lines[0].split()[:2] == ["position", "action"]
    assert result.mistakes[0]["position"] in lines[1]
    assert pickle.loads(pickle.dumps(result)) == result
    for shown in (result, result.mistakes, game.match("random", "random", 10)):
        table = ElementTree.fromstring("<div>" + shown._repr_html_() + "</div>")
        assert table[0].tag == "table"
    assert str(game.evaluate("random").mistakes) == ""


def test_names_of_environments():
    pytest.importorskip("gymnasium")
    from marsgym.gymnasium import Env, VectorEnv

    for x in (Env("pig"), VectorEnv("pig", 2), marsgym.load("pig").batch(2)):
        assert "pig for 2" in repr(x)


def test_progress_in_a_notebook(monkeypatch):
    pytest.importorskip("tqdm")
    shell = types.SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    assert _job._Bar(None, "solving")._bar is not None
    del shell.kernel
    assert _job._Bar(None, "solving")._bar is None
