"""Games from functions and from arrays."""

import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import marsgym
from marsgym import CHANCE, TERMINAL

# A race: seats take turns to roll a die of three or, once in a game, to jump by 3; the first to
# reach 5 wins. A state is the positions, the jumps left, the seat to move and whether it rolls.
START = ((0, 0), (1, 1), 0, False)


def player(state):
    places, _, seat, rolls = state
    if max(places) >= 5:
        return TERMINAL
    return CHANCE if rolls else seat


def legal(state):
    return [1, 0] if state[1][state[2]] else [0]  # in any order


def apply(state, action):
    places, jumps, seat, rolls = state
    if not rolls and action == 0:
        return places, jumps, seat, True
    step = action if rolls else 3
    if not rolls:
        jumps = tuple(j - (i == seat) for i, j in enumerate(jumps))
    places = tuple(min(p + step * (i == seat), 5) for i, p in enumerate(places))
    return places, jumps, 1 - seat, False


def outcomes(state):
    return [(1, 0.5), (2, 0.25), (3, 0.25)]


def returns(state):
    return [1.0 if p == max(state[0]) else -1.0 for p in state[0]]


RULES = {
    "name": "race",
    "players": 2,
    "initial_state": START,
    "current_player": player,
    "legal_actions": legal,
    "apply_action": apply,
    "chance_outcomes": outcomes,
    "returns": returns,
    "cache": None,
    "progress": False,
}


def race(**changes):
    return marsgym.from_rules(**(RULES | changes))


def best(state, memory):
    """The expected return of seat 0, by recursion over the functions."""
    if state not in memory:
        who = player(state)
        if who == TERMINAL:
            value = returns(state)[0]
        elif who == CHANCE:
            value = sum(p * best(apply(state, o), memory) for o, p in outcomes(state))
        else:
            choose = max if who == 0 else min
            value = choose(best(apply(state, a), memory) for a in legal(state))
        memory[state] = value
    return memory[state]


def test_values():
    """The solution agrees with a recursion over the functions."""
    memory = {}
    want = best(START, memory)
    game = race()
    assert len(game.table) == len(memory)
    assert game.solve().value[0] == pytest.approx(want, abs=1e-12)
    assert 0 < want < 1
    assert game.utility == "zero_sum"
    assert game.num_actions == 2


def test_observations_and_texts():
    def observe(state, seat):
        return [state[0][seat], state[0][1 - seat], state[1][seat], state[1][1 - seat]]

    game = race(
        observation_tensor=observe,
        text=lambda state: f"{state[0]} seat {state[2]}",
        action_text=["roll", "jump"].__getitem__,
    )
    assert game.action_names == ("roll", "jump")
    assert game.table.observation.dtype == np.uint8
    assert game.initial().observation(1).tolist()[:4] == [0, 0, 1, 1]
    assert "(0, 0) seat 0" in game.initial().render()
    # Both seats see the same where it is their turn, so the seat to move is added.
    assert game.observation_size == 6
    halves = race(observation_tensor=lambda s, seat: [s[0][0] / 2, s[0][1] / 2, s[2], *s[1]])
    assert halves.observation_size == 5
    assert halves.table.observation.dtype == np.float32


def test_ambiguous_observations_warn():
    with pytest.warns(UserWarning, match=r"different observations.*observation_tensor") as seen:
        marsgym.from_rules(**RULES | {"observation_tensor": lambda state, seat: state[0]})
    assert [w.filename for w in seen] == [__file__]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Race!"}, "name is 'Race!'"),
        ({"chance_outcomes": None}, "pass chance_outcomes"),
        ({"chance_outcomes": lambda s: [(1, 0.5), (2, 0.4)]}, r"sum to 0.9.*State \d+ is \(\("),
        (
            {"legal_actions": lambda s: [] if s[0][0] == 2 else legal(s)},
            r"state \d+ has no legal action.*State \d+ is \(\(2, ",
        ),
        ({"returns": lambda s: [1.0, float("nan")]}, "NaN"),
        ({"returns": lambda s: [1.0]}, "want 2 numbers"),
        ({"limit": 10}, "more than 10 states; make the game smaller"),
        ({"memory": -1}, "too many states for the memory"),
        ({"observation_tensor": lambda s, seat: [0] * (1 + s[0][0])}, "want 1, as in the initial"),
        ({"observation_tensor": lambda s, seat: [[0]]}, r"want \[D\]"),
        ({"name": "-race"}, "not first - or _"),
        ({"players": 128}, "players is 128; want 1 to 127"),
        (
            {"current_player": lambda s: 9 if s[0][0] == 2 else player(s)},
            r"player is 9 in \(\(2, .*want 0 to 1",
        ),
        ({"current_player": lambda s: 200}, "player is 200 in"),
        ({"current_player": lambda s: -3}, "player is -3 in"),
        ({"legal_actions": lambda s: [-1, 0]}, r"\(\(0, 0\).* has 2 legal actions from -1 to 0"),
        ({"legal_actions": lambda s: [0, 70_000]}, "2 legal actions from 0 to 70000"),
        ({"legal_actions": lambda s: range(65_536)}, "65,536 legal actions from 0 to 65535"),
        ({"legal_actions": lambda s: [0.5]}, "1 legal actions from 0.5 to 0.5"),
        ({"text": lambda s: 7}, r"the text of \(\(0, 0\).* is 7; want a str"),
        ({"action_text": lambda a: a}, "the text of action 0 is 0; want a str"),
        ({"chance_outcomes": lambda s: [(1, 0.0)]}, r"from \(\(0, 0\).* to 0 states; want 1 to"),
        ({"chance_outcomes": lambda s: [(1, float("nan"))]}, r"NaN.*State \d+ is \(\("),
    ],
)
def test_refusals(changes, message):
    with pytest.raises(ValueError, match=message):
        race(**changes)


def test_early_refusal():
    """A game with endless states is refused after some random games."""
    asked = 0

    def returns(state):
        raise AssertionError

    def grow(state, action):
        nonlocal asked
        asked += 1
        return (*state, action)

    with pytest.raises(marsgym.TooManyStatesError, match="in different states after 24 moves"):
        marsgym.from_rules(
            name="words",
            players=1,
            initial_state=(),
            current_player=lambda s: 0,
            legal_actions=lambda s: range(2),
            apply_action=grow,
            returns=returns,
            limit=10_000,
        )
    assert asked < 30_000


def arrays(game):
    names = ("player", "first", "count", "action", "next", "outcome", "probability", "returns")
    return {name: getattr(game.table, name) for name in names}


def test_arrays():
    game = race()
    same = marsgym.from_arrays(name="race", players=2, **arrays(game), num_actions=2, cache=None)
    assert same.rules_hash == game.rules_hash
    lists = {name: a.tolist() for name, a in arrays(game).items()}
    assert marsgym.from_arrays(name="race", players=2, **lists).rules_hash == game.rules_hash
    other = marsgym.from_arrays(name="race2", players=2, **lists)
    assert other.rules_hash != game.rules_hash
    assert other.solve().value == game.solve().value


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"first": [0]}, "first has length 1"),
        ({"count": [-1]}, "count has numbers from -1"),
        ({"player": [0.5]}, "player is an array of float64"),
        ({"player": []}, "player is empty|length"),
        ({"returns": [1.0, -1.0]}, r"want \[R, 2\]"),
        ({"observation": [[1.0]]}, "observation has shape"),
        ({"state_texts": ["a"]}, "state_texts has length 1"),
    ],
)
def test_refused_arrays(changes, message):
    with pytest.raises(ValueError, match=message):
        marsgym.from_arrays(name="race", players=2, **(arrays(race()) | changes))


def test_arrays_are_copied():
    """The table of a game does not change with the arrays that it was made of."""
    given = arrays(race()) | {"observation": np.zeros((len(race().table), 1, 2), np.float32)}
    given = {name: a.copy() for name, a in given.items()}
    table = marsgym.from_arrays(name="race", players=2, **given, cache=None).table
    for name, a in given.items():
        before = getattr(table, name).copy()
        a[:] = 1
        np.testing.assert_array_equal(getattr(table, name), before)
        with pytest.raises(ValueError, match="read-only"):
            getattr(table, name)[0] = 0


def test_unreached_states_warn():
    """A state that no play reaches is allowed, and the caller is told of it."""
    one = {"player": [0, TERMINAL, TERMINAL], "first": [0, 0, 0], "count": [1, 0, 0]}
    rest = {"action": [0], "next": [1], "returns": [[1.0]]}
    with pytest.warns(UserWarning, match="no play leads to 1 of 3 states.* is state 2") as seen:
        marsgym.from_arrays(name="one", players=1, **one, **rest, cache=None)
    assert [w.filename for w in seen] == [__file__]


def test_policies():
    """A policy of states, of observations and as an array are the same policy."""
    game = race()
    p = marsgym.StatePolicy(lambda state: {a: 1 / len(legal(state)) for a in legal(state)})
    uniform = game.tabulate(p)
    want = game.evaluate("random")
    for same in (p, uniform, lambda o, m: m / m.sum(axis=1, keepdims=True)):
        result = game.evaluate(same)
        assert result.win == pytest.approx(want.win, abs=1e-12)
        assert result.exploitability == pytest.approx(want.exploitability, abs=1e-12)
    roll = marsgym.StatePolicy(lambda state: 0, "roller")
    result = game.evaluate(roll, mistakes=1)
    assert result.win < 0.5
    assert result.win != pytest.approx(want.win)
    with game.batch(64, opponent=roll, seat=0) as batch:
        batch.reset(1)
        batch.step(np.zeros(64, np.int64))
    assert game.match(uniform, roll, games=100).games == 100
    env = marsgym.make_vec(game, 4, opponent=uniform)
    env.reset(seed=1)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (lambda s: 7, "plays 7 in"),
        (lambda s: {0: 0.5}, "add up to 0.5"),
        (lambda s: [(0, 2.0), (0, -1.0)], "with probability 2.0"),
        (lambda s: np.array([0.5, 0.5]), "want an action, or the probabilities"),
        (lambda s: "roll", "want an action, or the probabilities"),
    ],
)
def test_refused_policies(policy, message):
    with pytest.raises(ValueError, match=message):
        race().evaluate(marsgym.StatePolicy(policy))


def test_refused_arrays_of_policies():
    """An array is checked before anybody plays it."""
    game = race()
    size = len(game.table.action)
    for array, message in (
        (np.ones(size), r"the probabilities of s\d+ add up to 2"),
        (np.full(size, 1.5), r"action 0 in s\d+ is 1.5"),
        (np.full(size, np.nan), "is NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            game.match(marsgym.TabularPolicy(array), "random", games=10)
        with pytest.raises(ValueError, match=message):
            game.batch(4, opponent=marsgym.TabularPolicy(array))


def test_words():
    """A listed game is described with its texts, and policies of text are measured."""
    game = race(
        text=lambda state: f"{state[0]} seat {state[2]}",
        action_text=["roll", "jump"].__getitem__,
    )
    assert "(0, 0) seat 0" in game.initial().describe()
    assert game.measure(lambda text: "[roll]", 4, text=True).illegal == 0
    with pytest.raises(ValueError, match="has no written rules"):
        game.rules()


def test_policies_of_other_games():
    game = race()
    with pytest.raises(ValueError, match="one for each action"):
        game.evaluate(marsgym.TabularPolicy(np.ones(3)))
    with pytest.raises(ValueError, match="is no table game"):
        marsgym.load("pig").evaluate(marsgym.TabularPolicy(np.ones(3)))
    with pytest.raises(ValueError, match="this process has not listed it"):
        pickle.loads(pickle.dumps(game)).evaluate(marsgym.StatePolicy(lambda s: 0))


@pytest.mark.filterwarnings("ignore:Observation (space for|is not)")
def test_doors():
    gymnasium = pytest.importorskip("marsgym.gymnasium")
    pettingzoo = pytest.importorskip("marsgym.pettingzoo")
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test

    game = race(observation_tensor=lambda s, seat: [*s[0], *s[1], s[2], -0.5])
    env = gymnasium.Env(game, opponent="random", illegal_action="random")
    check_env(env, skip_render_check=True)
    assert env.observation_space.low.min() == -0.5
    with pytest.raises(ValueError, match="leave them out"):
        gymnasium.Env(game, players=2)
    api_test(pettingzoo.env(game), 20)
    vec = marsgym.make_vec(game, 8, opponent="exact")
    assert vec.reset(seed=1)[0].shape == (8, 6)


def test_files(tmp_path):
    game = race(text=str)
    path = tmp_path / "race.game"
    game.save(path)
    read = marsgym.load(str(path), cache=None)
    assert read.rules_hash == game.rules_hash
    assert read.solve().value == game.solve().value
    assert read.position("s0").render() == game.position("s0").render()
    assert pickle.loads(pickle.dumps(read)).rules_hash == game.rules_hash
    assert pickle.loads(pickle.dumps(game)).rules_hash == game.rules_hash
    before = path.read_bytes()
    with pytest.raises(ValueError, match="exists"):
        race(name="other").save(path)
    game.save(path)  # the same table
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match=r"want a name that ends in \.game"):
        game.save(tmp_path / "race")
    with pytest.raises(ValueError, match="is no table game"):
        marsgym.load("pig").save(tmp_path / "pig.game")


KILLED = """
import sys
from tests.test_tables import race
game = race(name=sys.argv[2])
print("listed", flush=True)
for i in range(10_000):
    game.save(f"{sys.argv[1]}/{i}.game")
"""

LISTING = """
import sys
import marsgym
print("listed", flush=True)
marsgym.from_rules(
    name="endless", players=1, initial_state=0, current_player=lambda s: 0,
    legal_actions=lambda s: [0], apply_action=lambda s, a: s + 1, returns=lambda s: [0],
).save(f"{sys.argv[1]}/0.game")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_kill(tmp_path):
    """A kill while states are listed leaves nothing, and while files are saved whole files only."""
    here = os.path.dirname(os.path.dirname(__file__))
    kept = tmp_path / "0.game"
    race(name="kept").save(kept)
    before = kept.read_bytes()
    for script, delay in ((KILLED, 0.0), (KILLED, 0.01), (KILLED, 0.05), (LISTING, 0.5)):
        folder = tmp_path / f"after {delay}"
        folder.mkdir()
        command = [sys.executable, "-c", script, str(folder), "race"]
        with subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"listed\n"
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        for file in folder.glob("*.game"):
            assert marsgym.load(str(file)).id == "race.game"
        assert script == KILLED or not list(folder.iterdir())
    assert kept.read_bytes() == before


def test_general_sums():
    """Three seats with returns that are no shares of a win: values are vectors."""
    game = marsgym.from_rules(
        name="offers",
        players=3,
        initial_state=(),
        current_player=lambda s: len(s) if len(s) < 3 else TERMINAL,
        legal_actions=lambda s: [0, 1],
        apply_action=lambda s, a: (*s, a),
        returns=lambda s: [s[0] + 2 * s[1], 3 - s[0] - s[1], s[2] * (1 + s[0])],
    )
    assert not game.has_win
    assert game.solve().value == (1, 2, 2)
    result = game.evaluate("random", against="random")
    assert result.returns == (1.5, 2, 0.75)
    assert result.exploitability is None


def test_models(tmp_path):
    """A model finds the table beside it, in another process and in another folder."""
    game = race()
    tensors = {
        "body.0.weight": np.zeros((2, game.observation_size), np.float32),
        "body.0.bias": np.zeros(2, np.float32),
        "policy.weight": np.zeros((2, 2), np.float32),
        "policy.bias": np.zeros(2, np.float32),
        "value.weight": np.zeros((2, 2), np.float32),
        "value.bias": np.zeros(2, np.float32),
    }
    game.save(tmp_path / "race.game")
    marsgym.save_model(tmp_path / "model.safetensors", game, tensors)
    program = f"""
import os, marsgym
model = marsgym.load_model({str(tmp_path)!r})
os.chdir("/")
print(model.game().rules_hash)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout.strip() == game.rules_hash, ran.stderr
