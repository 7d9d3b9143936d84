import json
import sys

import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability, value_iteration

import marsgym
from marsgym import openspiel  # noqa: F401 (registers the games)


def load(id, **config):
    return pyspiel.load_game("marsgym_" + id.replace("-", "_"), {"config": json.dumps(config)})


@pytest.mark.parametrize("id", [g for g in marsgym.games() if g != "martian-dice"])
def test_random_simulations(id):
    pyspiel.random_sim_test(load(id), 2, False, False)


def test_random_simulation_of_martian_dice():
    pyspiel.random_sim_test(load("martian-dice", dice=5, target=3), 3, False, False)
    game = pyspiel.load_game("marsgym_martian_dice(players=3)")
    assert game.num_players() == 3
    state = game.new_initial_state()
    while state.is_chance_node():
        assert sum(p for _, p in state.chance_outcomes()) == pytest.approx(1)
        state.apply_action(0)
    assert len(state.observation_tensor(0)) == marsgym.load("martian-dice", 3).observation_size


def test_bad_config():
    with pytest.raises(ValueError, match="want JSON"):
        pyspiel.load_game("marsgym_pig", {"config": "target 20"})


# Without tanks and with shared ties no chance position leads to itself by chance alone, which
# OpenSpiel's algorithm could not walk.
SHARED = {"dice": 3, "target": 2, "tie_break": "share", "tie_dice": 1}
NO_TANKS = SHARED | {"faces": {"tank": 0}}


def iterate(id, config):
    """OpenSpiel's value iteration: the value of seat 0 in every position with a decision."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)  # it walks the game by recursion
    try:
        return value_iteration.value_iteration(load(id, **config), -1, 1e-13, cyclic_game=True)
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize(
    ("id", "config"),
    [
        ("pig", {"target": 10}),
        ("martian-dice", NO_TANKS),
        pytest.param("pig", {"target": 20}, marks=pytest.mark.full),
        pytest.param("martian-dice", NO_TANKS | {"target": 4}, marks=pytest.mark.full),
    ],
)
def test_value_iteration(id, config):
    """The values that OpenSpiel iterates are those of the exact solution."""
    game = marsgym.load(id, config=config, cache=None)
    values = iterate(id, config)
    assert len(values) > 500
    for text, value in values.items():
        if not game.position(text).is_terminal:
            assert game.value(text)[0] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("rounds", "tolerance"),
    [(4, 3e-4), pytest.param(16, 1e-9, marks=pytest.mark.full)],
)
def test_value_iteration_of_limited_games(rounds, tolerance):
    """The value of a game of so many rounds, by OpenSpiel, tends to that without a limit."""
    config = SHARED | {"dice": 2}
    values = iterate("martian-dice", config | {"max_rounds": rounds})

    def value(state):
        if not state.is_chance_node():
            return values[str(state)]
        return sum(p * value(state.child(a)) for a, p in state.chance_outcomes())

    start = load("martian-dice", **config, max_rounds=rounds).new_initial_state()
    want = marsgym.load("martian-dice", config=config, cache=None).solve().value[0]
    assert value(start) == pytest.approx(want, abs=tolerance)
    assert value(start) != want


def test_exploitability_of_a_limited_game():
    """Uniform play, in returns: the win counts 1 and the loss -1."""
    config = {"dice": 2, "max_rounds": 1, "tie_break": "share", "tie_dice": 1}
    game = load("martian-dice", **config)
    want = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    own = marsgym.load("martian-dice", config=config, cache=None).evaluate("random")
    assert 2 * own.exploitability == pytest.approx(want, abs=1e-9)
    assert want == pytest.approx(0.1313657407, abs=1e-9)
