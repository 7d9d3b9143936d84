"""What notebooks and terminals show of objects."""

import importlib
import io
import pickle
import re
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


def test_interval_of_a_match():
    """The table of a match says how sure its interval is, and of how many games."""
    match = marsgym.load("pig", config={"target": 10}, cache=None).match("random", "random", 10)
    _, header, row, _ = (
        re.findall(r"<t[hd]>(.*?)</t[hd]>", line) for line in match._repr_html_().split("<tr>")
    )
    assert header == ["agent", "win", "99 % interval", "games"]
    low, high = map(float, row[2].split(" to "))
    assert low <= match.win[0] <= high
    assert row[3] == str(match.games)


def test_names_of_environments():
    pytest.importorskip("gymnasium")
    from marsgym.gymnasium import Env, VectorEnv

    for x in (Env("pig"), VectorEnv("pig", 2), marsgym.load("pig").batch(2)):
        assert "pig for 2" in repr(x)


RENDERINGS = {
    "position": lambda: marsgym.load("mars-is-ours").initial().render(),
    "single": lambda: rendered("marsgym.gymnasium", "Env"),
    "vector": lambda: "".join(rendered("marsgym.gymnasium", "VectorEnv", 2)),
    "pettingzoo": lambda: rendered("marsgym.pettingzoo", "env"),
}


def rendered(module, name, *arguments):
    pytest.importorskip(module.removeprefix("marsgym."))
    make = getattr(importlib.import_module(module), name)
    env = make("mars-is-ours", *arguments, render_mode="ansi")
    env.reset(seed=1)
    return env.render()


@pytest.mark.parametrize("name", RENDERINGS)
@pytest.mark.parametrize(
    ("terminal", "term", "no_color", "want"),
    [
        (True, "xterm", "", True),
        (False, "xterm", "", False),
        (True, "dumb", "", False),
        (True, "xterm", "1", False),
    ],
)
def test_colours(monkeypatch, name, terminal, term, no_color, want):
    """Renderings have colours only where a terminal shows them."""
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("NO_COLOR", no_color)
    text = RENDERINGS[name]()
    assert ("\x1b" in text) == want
    assert len(text.splitlines()) > 5


def test_long_work_says_what_it_does(monkeypatch, capsys):
    """Where no bar is shown, one line does; with progress=False nothing."""
    monkeypatch.setattr(_job, "_SILENCE", 0, raising=False)
    solve = lambda progress: marsgym.load("pig", cache=None).solve(progress=progress)  # noqa: E731
    solve(False)
    assert capsys.readouterr().err == ""
    solve(None)
    marsgym.load("pig", cache=None).batch(1, opponent="exact")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(re.fullmatch(r"marsgym: solving .*: \d+% after 0 s", line) for line in lines)


def test_progress_in_a_notebook(monkeypatch):
    pytest.importorskip("tqdm")
    shell = types.SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    assert _job.Bar(None, "solving")._bar is not None
    del shell.kernel
    assert _job.Bar(None, "solving")._bar is None
