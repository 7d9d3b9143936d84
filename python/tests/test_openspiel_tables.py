"""Games of OpenSpiel as tables, compared with OpenSpiel."""

import re
import sys

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import policy
from open_spiel.python.algorithms import mcts, value_iteration

import marsgym
from marsgym import openspiel


def table(name, *args, **options):
    return openspiel.table(name, *args, **({"progress": False, "cache": None} | options))


@pytest.fixture(scope="module")
def tic_tac_toe():
    return table("tic_tac_toe")


def numbers(game):
    """The number of each state by its text."""
    return {text: n for n, text in enumerate(game.table.state_texts)}


@pytest.mark.parametrize(
    ("name", "states"),
    [("tic_tac_toe", 5478), ("nim(pile_sizes=1;3;5)", 88), ("catch(rows=4,columns=3)", None)],
)
def test_value_iteration(name, states):
    """OpenSpiel's value iteration gives the same value in every state with a decision."""
    game = table(name)
    if states is not None:
        assert len(game.table) == states
    game.solve()
    number = numbers(game)
    values = value_iteration.value_iteration(pyspiel.load_game(name), -1, 1e-14, cyclic_game=True)
    compared = 0
    for text, value in values.items():
        n = number[text]
        if game.table.player[n] >= 0:
            assert game.value(f"s{n}")[0] == pytest.approx(value, abs=1e-12)
            compared += 1
    assert compared == (game.table.player >= 0).sum()


@pytest.mark.parametrize("name", ["nim(pile_sizes=1;3;5)", "hex(board_size=2)"])
def test_exploitability(name):
    spiel = pyspiel.load_game(name)
    game = table(name)
    want = pyspiel.exploitability(spiel, pyspiel.UniformRandomPolicy(spiel))
    for uniform in ("random", policy.UniformRandomPolicy(spiel), policy.TabularPolicy(spiel)):
        result = game.evaluate(uniform)
        assert 2 * result.exploitability == pytest.approx(want, abs=1e-12)
    assert want > 0.5


def decisions(state):
    return str(state), state.current_player(), sum(m.player >= 0 for m in state.full_history())


def test_three_players():
    """With its horizon in the key, Pig for three has the values of OpenSpiel's walk of the tree."""
    name = "pig(players=3,winscore=6,horizon=6)"
    spiel = pyspiel.load_game(name)
    start = spiel.new_initial_state()
    want = pyspiel.expected_returns(start, pyspiel.UniformPolicy(), -1, False)
    with pytest.warns(UserWarning, match="different observations"):
        game = table(name, decisions)
    result = game.evaluate("random", against="random")
    assert result.returns == pytest.approx(want, abs=1e-12)
    with pytest.warns(UserWarning, match="different observations"):
        endless = table("pig(players=3,winscore=6)")
    assert endless.evaluate("random", against="random").returns[0] != pytest.approx(want[0])
    assert len(game.solve().value) == 3


@pytest.mark.filterwarnings("ignore:.*different observations")
def test_pig():
    """The table of OpenSpiel's Pig has the values of our own, which has no horizon either."""
    spiel = table("pig(winscore=20)")
    own = marsgym.load("pig", config={"target": 20}, cache=None)
    assert spiel.solve().value == pytest.approx(own.solve().value, abs=1e-12)
    form = re.compile(r"Scores: (\d+) (\d+), Turn total: (\d+)\nCurrent player: (\d)\n")
    compared = 0
    for n, text in enumerate(spiel.table.state_texts):
        found = form.fullmatch(text)
        if spiel.table.player[n] < 0 or found is None:
            continue
        a, b, turn, mover = map(int, found.groups())
        score = a if mover == 0 else b
        if score + turn >= 20:
            assert spiel.value(f"s{n}")[mover] == 1
            continue
        position = f"{a}-{b}@{mover}" + (f" turn {turn}" if turn else "")
        assert spiel.value(f"s{n}") == pytest.approx(own.value(position), abs=1e-12)
        compared += 1
    assert compared > 5000


@pytest.mark.filterwarnings("ignore:.*different observations")
def test_rewards_on_the_way():
    """Returns so far belong to the state of a game with rewards."""
    name = "cliff_walking(height=2,width=3,horizon=6)"

    def best(state):
        if state.is_terminal():
            return state.returns()[0]
        return max(best(state.child(a)) for a in state.legal_actions())

    game = table(name)
    want = best(pyspiel.load_game(name).new_initial_state())
    assert game.solve().value == (want,)
    assert want == -4


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kuhn_poker", "imperfect_information"),
        ("goofspiel", "simultaneous"),
        ("stones_and_gems", "chance is sampled"),
        ("mfg_garnet", "mean_field"),
    ],
)
def test_refused_kinds(name, message):
    with pytest.raises(ValueError, match=message):
        table(name)


def test_too_many_states():
    with pytest.raises(marsgym.TooManyStatesError, match=r"more than 1,000 states.*pass key"):
        table("chess", limit=1000)
    with pytest.raises(marsgym.TooManyStatesError, match="too many states for the memory"):
        table("tic_tac_toe", memory=-1)


@pytest.mark.filterwarnings("ignore:.*different observations")
def test_keys(tic_tac_toe):
    with pytest.raises(openspiel.StateKeyError, match="legal actions are"):
        table("tic_tac_toe", lambda state: state.move_number())
    with pytest.raises(openspiel.StateKeyError, match="differ"):
        table("tic_tac_toe", lambda state: (state.current_player(), *sorted(str(state))))
    # The text of Go has the number of moves, but not the positions that may not come up again.
    with pytest.raises(openspiel.StateKeyError):
        table("go(board_size=2)")
    histories = table(
        "tic_tac_toe", lambda state: tuple(state.history()), limit=600_000, texts=False
    )
    assert len(histories.table) > 500_000
    assert histories.solve().value == tic_tac_toe.solve().value


def test_policies(tic_tac_toe):
    """Policies, bots and functions of states are evaluated as they are."""
    spiel = pyspiel.load_game("tic_tac_toe")
    want = tic_tac_toe.evaluate("random")
    bots = [pyspiel.make_uniform_random_bot(seat, 1) for seat in range(2)]
    for uniform in (policy.UniformRandomPolicy(spiel), openspiel.policy(bots)):
        got = tic_tac_toe.evaluate(uniform)
        assert got.exploitability == pytest.approx(want.exploitability, abs=1e-12)
    first = openspiel.policy(lambda state: state.legal_actions()[0])
    assert tic_tac_toe.evaluate(first).exploitability == 0.5
    rng = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = mcts.MCTSBot(spiel, 2, 20, evaluator, solve=True, random_state=rng)
    small = table("nim(pile_sizes=1;3)")
    nim = mcts.MCTSBot(
        pyspiel.load_game("nim(pile_sizes=1;3)"), 2, 200, evaluator, random_state=rng
    )
    assert small.evaluate(nim).exploitability < small.evaluate("random").exploitability
    with pytest.raises(TypeError, match="no policy, bot or function"):
        openspiel.policy(7)
    assert bot is not None


def test_batch(tic_tac_toe):
    """A batch shows OpenSpiel's observations and legal actions."""
    batch = tic_tac_toe.batch(16)
    batch.reset(1)
    spiel = pyspiel.load_game("tic_tac_toe")
    states = [spiel.new_initial_state() for _ in range(16)]
    rng = np.random.default_rng(1)
    for _ in range(40):
        actions = []
        for i, state in enumerate(states):
            assert batch.player[i] == state.current_player()
            assert np.flatnonzero(batch.action_mask[i]).tolist() == state.legal_actions()
            assert batch.observation[i].tolist() == state.observation_tensor()
            actions.append(int(rng.choice(state.legal_actions())))
            state.apply_action(actions[-1])
        batch.step(np.array(actions))
        for i, state in enumerate(states):
            assert bool(batch.terminated[i]) == state.is_terminal()
            if state.is_terminal():
                assert batch.reward[i].tolist() == state.returns()
                states[i] = spiel.new_initial_state()


def test_sampled_games(tic_tac_toe):
    """20,000 games agree with the exact value within three standard errors."""
    first = openspiel.policy(lambda state: state.legal_actions()[0])
    exact = tic_tac_toe.evaluate(first, against="random").win
    match = tic_tac_toe.match(first, "random", games=20_000, seed=1)
    error = (exact * (1 - exact) / 20_000) ** 0.5  # at least that of games with draws
    assert match.win[0] == pytest.approx(exact, abs=3 * error)


def test_progress(capsys, monkeypatch):
    monkeypatch.setattr("marsgym._job._SILENCE", 0.0)
    openspiel.table("nim(pile_sizes=1;3;5)", cache=None)
    assert "listing nim-pile_sizes-1-3-5: 0 states" in capsys.readouterr().err
    assert sys.stderr is not None
