import asyncio
import json
import subprocess
import sys

import pytest

import marsgym
from marsgym import Answer, NoSolutionError, positions


def pig():
    return marsgym.load("pig", config={"target": 20}, cache=None)


def hold_at_10(position):
    turn = int(position.text.partition("turn ")[2] or 0)
    return int(turn >= 10)


def read_at_10(text):
    """The same for text."""
    gain = text.partition(" more in this turn")[0].rpartition(", ")[2]
    return "I [hold]" if gain.isdigit() and int(gain) >= 10 else "Roll!"


async def wait_at_10(text):
    await asyncio.sleep(len(text) % 3 / 1000)
    return Answer(read_at_10(text), cost=0.25)


def test_measure():
    game = pig()
    m = game.measure(hold_at_10, 60, seed=5)
    assert (m.games, m.illegal, m.drawn, m.stopped, m.confidence) == (60, 0, 0, False, 0.99)
    assert m.low < m.win < m.high < 0.6
    assert m.win == pytest.approx(0.5 - m.regret)
    assert m.calls == m.decisions > 60
    assert 0 < m.mistakes <= m.decisions
    assert m.worst[0]["regret"] >= m.worst[-1]["regret"] > 0
    worst = game.position(m.worst[0]["position"])
    action = game.action_names.index(m.worst[0]["action"])
    assert worst.regret(action) == pytest.approx(m.worst[0]["regret"])
    for policy, text in ((hold_at_10, False), (read_at_10, True), (wait_at_10, True)):
        again = game.measure(policy, 60, seed=5, concurrency=8, text=text)
        assert (again.win, again.low, again.calls) == (m.win, m.low, m.calls)
        assert again.worst == m.worst
        assert again.cost == (m.calls / 4 if policy is wait_at_10 else 0)
    assert game.measure(hold_at_10, 60, seed=6).win != m.win
    weaker = game.measure(hold_at_10, 60, seed=5, opponents="random")
    assert weaker.win > m.high


def test_illegal_answers_and_bounds():
    game, asked = pig(), []

    def refuses(text):
        asked.append(text)
        return "I'd rather not."

    m = game.measure(refuses, 4, text=True, retries=2)
    assert m.illegal == m.calls == len(asked) == 3 * m.drawn > 0
    assert asked[0] == asked[1] == asked[2]
    for concurrency, retries in ((1, 0), (8, 0), (1, 2), (8, 2)):
        asked.clear()
        m = game.measure(
            refuses, 50, text=True, max_calls=100, concurrency=concurrency, retries=retries
        )
        assert m.stopped
        assert len(asked) <= 100
        assert m.games < 50
        if concurrency == 1:  # otherwise the last calls may not have begun
            assert len(asked) == 100
            assert m.games > 0 or retries
    m = game.measure(lambda p: Answer(None, cost=1.0), 50, max_cost=30)
    assert m.stopped
    assert 0 < m.cost <= 30
    assert game.measure(lambda p: 99, 2).illegal > 0


def test_resume(tmp_path):
    game, file = pig(), tmp_path / "games.jsonl"
    want = game.measure(hold_at_10, 20)
    for concurrency in 1, 4:
        for error in KeyboardInterrupt, TimeoutError:
            file.unlink(missing_ok=True)
            left = 25

            def fails(position, error=error):
                nonlocal left
                left -= 1
                if left < 0:
                    raise error("endpoint")
                return hold_at_10(position)

            with pytest.raises(error):
                game.measure(fails, 20, file=file, name="x", concurrency=concurrency)
            kept = file.read_text().count("\n") - 1
            assert 0 < kept < 20
            left = 10**6
            assert game.measure(fails, 20, file=file, name="x") == want
    assert game.measure(lambda p: None, 20, file=file, name="x") == want  # nothing is asked
    with pytest.raises(ValueError, match="holds games of another measurement"):
        game.measure(hold_at_10, 20, file=file)
    with pytest.raises(ValueError, match="name another file"):
        game.measure(hold_at_10, 20, file=file, name="x", seed=1)


def test_wrong_arguments():
    game = pig()
    with pytest.raises(NoSolutionError, match=r"play a match instead: game\.match"):
        marsgym.load("mars-is-ours").measure(hold_at_10)
    with pytest.raises(TypeError, match="want a function"):
        game.measure("greedy")
    with pytest.raises(TypeError, match=r"the policy returned 0\.5"):
        game.measure(lambda p: 0.5, 2)
    with pytest.raises(TypeError, match="async def"):
        game.measure(lambda p: wait_at_10(""), 2)
    with pytest.raises(ValueError, match="the cost of an answer is -1"):
        game.measure(lambda p: Answer(0, -1), 2)
    for bad in ({"games": 0}, {"concurrency": 0}, {"max_calls": 0}, {"max_cost": 0}):
        with pytest.raises(ValueError, match=r"want (1 to|a number above)"):
            game.measure(hold_at_10, **bad)


def test_positions(tmp_path):
    game = pig()
    game.solve()
    rows = list(positions.draw(game, 50, seed=1))
    assert len({row["position"] for row in rows}) == 50
    for row in rows:
        position = game.position(row["position"])
        wins = {x["action"]: x["win"] for x in row["legal"]}
        assert wins == {a: w / 2 + 0.5 for a, w in position.options().items()}
        assert row["text"] == position.describe()
        assert row["rules_hash"] == game.rules_hash
        assert wins[row["best"]] == max(wins.values())
        assert row["gap"] == max(wins.values()) - sorted(wins.values())[-2]
        assert row["split"] == positions.split(game, row["position"])
    command = [sys.executable, "-m", "marsgym.positions", "pig", "-n", "50", "--config"]
    command += ['{"target": 20}', "--seed", "1", "-o"]
    files = [tmp_path / name for name in ("a.jsonl", "b.jsonl")]
    for file in files:
        subprocess.run([*command, str(file)], check=True)
    first = files[0].read_bytes()
    assert first == files[1].read_bytes()
    assert [json.loads(line) for line in first.splitlines()] == rows
    card = files[0].with_suffix(".md").read_text()
    assert card == files[1].with_suffix(".md").read_text()
    assert game.rules_hash in card
    assert "at most 10 positions of each gap" in card
    assert "at most 11 positions" in positions.card(game, rows, 51, 1, "en")  # 51 were wanted
    again = subprocess.run([*command, str(files[0])], capture_output=True, text=True)
    assert again.returncode == 1
    assert "name another file by -o" in again.stderr
    assert files[0].read_bytes() == first
    unsolved = [*command[:3], "mars-is-ours", "-o", str(tmp_path / "c.jsonl")]
    failed = subprocess.run(unsolved, capture_output=True, text=True)
    assert failed.returncode == 1
    assert "no exact solution" in failed.stderr


@pytest.mark.parametrize(
    ("file", "want"),
    [
        (".", "want a file"),
        ("a.md", "want a file"),
        ("missing/a.jsonl", "missing is no folder; make it"),
        ("there.jsonl", "there.jsonl exists"),
        ("card.jsonl", "card.md exists"),
    ],
)
def test_positions_refuse_files(tmp_path, monkeypatch, capsys, file, want):
    """Files are refused before anything is solved, and no file is replaced."""
    monkeypatch.chdir(tmp_path)
    for name in ("there.jsonl", "card.md"):
        (tmp_path / name).write_text("mine")
    monkeypatch.setattr(positions, "draw", None)  # which a solved game would need
    with pytest.raises(SystemExit) as e:
        positions.main(["pig", "-n", "5", "--config", '{"target": 20}', "-o", file])
    assert e.value.code == 1
    assert want in capsys.readouterr().err
    with pytest.raises(ValueError, match="exists"):
        positions._write(tmp_path / "there.jsonl", "ours")
    assert sorted(f.name for f in tmp_path.iterdir()) == ["card.md", "there.jsonl"]
    assert (tmp_path / "there.jsonl").read_text() == "mine"
