"""TextArena and reasoning-gym: the programs of docs/text-environments.md run and play."""

import contextlib
import io
import re
from pathlib import Path

page = Path(__file__).parents[4] / "docs" / "text-environments.md"
programs = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


def run(library):
    """The names and the output of the program that imports a library."""
    (program,) = (p for p in programs if f"import {library}" in p)
    names, output = {}, io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(program, page.name, "exec"), names)
    return names, output.getvalue().split()


names, _ = run("textarena")
rewards, info = names["rewards"], names["info"]
assert sorted(rewards.values()) == [-1, 1], rewards
assert info[0]["regret"] > 0, info
assert info[1]["regret"] > 0, info
assert rewards[1] == 1, "who always rolls never wins"
env = names["env"]
env.reset(num_players=2, seed=2)
player, observation = env.get_observation()
assert "in square brackets" in observation[0][1]
assert "Legal actions" in observation[-1][1]
assert env.step("I refuse.") == (False, {})
assert env.get_observation()[0] == player
assert "names no legal action" in env.state.logs[-1][1]
done, _ = env.step("x" * 10_000_000)
rewards, info = env.close()
assert done
assert rewards == {player: -1, 1 - player: 1}
assert info[player]["invalid_move"]

names, (mean,) = run("reasoning_gym")
data, game = names["data"], names["data"].game
assert len(data) == 100
assert 0.5 < float(mean) < 1
for entry in data:
    assert "in square brackets" in entry["question"]
    assert data.score_answer(entry["answer"], entry) > 1 - 1e-9
    assert data.score_answer("I refuse.", entry) == data.score_answer(None, entry) == 0
    for action in entry["metadata"]["legal"]:
        regret = game.position(entry["metadata"]["position"]).regret(action["action"])
        assert data.score_answer(f"[{action['name']}]", entry) == 1 - regret
again = names["reasoning_gym"].create_dataset("marsgym", config={"target": 20}, seed=1)
assert [e["question"] for e in again] == [e["question"] for e in data]
