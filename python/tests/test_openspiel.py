import copy
import json
import pickle
import random
import subprocess
import sys

import cloudpickle
import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability, value_iteration

import marsgym
from marsgym import openspiel


def load(id, **config):
    return pyspiel.load_game("marsgym_" + id.replace("-", "_"), {"config": json.dumps(config)})


@pytest.mark.parametrize("id", [g for g in marsgym.games() if g != "martian-dice"])
def test_random_simulations(id):
    pyspiel.random_sim_test(load(id), 2, True, False)


def test_random_simulation_of_martian_dice():
    pyspiel.random_sim_test(load("martian-dice", dice=5, target=3), 2, True, False)
    game = pyspiel.load_game("marsgym_martian_dice(players=3)")
    assert game.num_players() == 3
    state = game.new_initial_state()
    while state.is_chance_node():
        assert sum(p for _, p in state.chance_outcomes()) == pytest.approx(1)
        state.apply_action(0)
    assert len(state.observation_tensor(0)) == marsgym.load("martian-dice", 3).observation_size


def test_bad_config():
    for error in (ValueError, pyspiel.SpielError):
        with pytest.raises(error, match="want JSON"):
            pyspiel.load_game("marsgym_pig", {"config": "target 20"})
        with pytest.raises(error, match="the fields of pig are"):
            load("pig", taget=20)
        with pytest.raises(error, match="players"):
            pyspiel.load_game("marsgym_pig(players=77)")
        state = load("pig").new_initial_state()
        with pytest.raises(error, match="no action 99"):
            state.apply_action(99)
        assert str(state) == "0-0@0"
    with pytest.raises(pyspiel.SpielError, match="illegal action"):
        state.apply_action_with_legality_check(99)
    dice = load("martian-dice").new_initial_state()
    with pytest.raises(pyspiel.SpielError, match="outcome is 5000"):
        dice.apply_action(5000)


def advance(state, steps):
    rng = random.Random(1)
    for _ in range(steps):
        if not state.is_terminal():
            chance = state.is_chance_node()
            state.apply_action(
                state.sample_chance(rng) if chance else rng.choice(state.legal_actions())
            )
    return state


@pytest.mark.parametrize("id", marsgym.games())
def test_serialization(id):
    """States and games are the same after text, pickle, copy and clone."""
    game = pyspiel.load_game(openspiel.spiel_name(id))
    for steps in (0, 1, 7, 20):
        state = advance(game.new_initial_state(), steps)
        text = pyspiel.serialize_game_and_state(game, state)
        read_game, read_state = pyspiel.deserialize_game_and_state(text)
        assert str(read_game) == str(game)
        for other in (
            read_state,
            game.deserialize_state(state.serialize()),
            pickle.loads(pickle.dumps(state)),
            pickle.loads(cloudpickle.dumps(state)),
            copy.copy(state),
            copy.deepcopy(state),
            state.clone(),
        ):
            assert str(other) == str(state)
            assert other.history() == state.history()
            want = str(advance(state.clone(), 5))
            assert str(advance(other, 5)) == want
    for way in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        assert str(way(game)) == str(game)


@pytest.mark.parametrize(
    ("id", "config"),
    [
        ("martian-dice", {"dice": 5, "target": 8}),
        ("martian-dice", {"dice": 5, "faces": {"tank": 2, "ray": 1}, "target": 8}),
        ("pig", {"target": 50}),
    ],
)
def test_text_of_a_game(id, config):
    """The text of a game opens the same game, also with commas in its config."""
    game = load(id, **config)
    again = pyspiel.load_game(str(game))
    assert str(again) == str(game)
    assert again.game.rules_hash == game.game.rules_hash
    assert again.game.rules_hash != pyspiel.load_game(openspiel.spiel_name(id)).game.rules_hash
    assert pyspiel.load_game(game.get_type().short_name, game.get_parameters()).game.config == (
        game.game.config
    )


def test_pickles_in_another_process(tmp_path):
    state = advance(load("martian-dice", dice=5, target=8).new_initial_state(), 9)
    path = tmp_path / "state.pickle"
    path.write_bytes(pickle.dumps((state.get_game(), state)))
    program = f"import pickle; print(*pickle.load(open({str(path)!r}, 'rb')), sep='\\n')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines() == [str(state.get_game()), str(state)], done.stderr


def test_sampled_chance():
    """sample_chance draws as chance_outcomes says, and apply_action takes what it draws."""
    state = load("martian-dice", dice=2).new_initial_state()
    rng, outcomes = np.random.default_rng(1), dict(state.chance_outcomes())
    counts = dict.fromkeys(outcomes, 0)
    for _ in range(4000):
        counts[state.sample_chance(rng)] += 1
    for i, p in outcomes.items():
        assert counts[i] / 4000 == pytest.approx(p, abs=5 * (p / 4000) ** 0.5)
    for _ in range(20):
        drawn, listed = state.clone(), state.clone()
        i = drawn.sample_chance(rng)
        drawn.apply_action(i)
        listed.apply_action(i)
        assert str(drawn) == str(listed)


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


@pytest.mark.skipif(not hasattr(pyspiel, "StateStruct"), reason="needs OpenSpiel 2.0")
@pytest.mark.parametrize("id", marsgym.games())
def test_structs(id):
    """A game is played by structs of states and actions, and goes on from any of them."""
    game, rng = pyspiel.load_game(openspiel.spiel_name(id)), random.Random(2)
    state = game.new_initial_state()
    for _ in range(12):
        if state.is_terminal():
            break
        data = json.loads(state.to_json())
        assert data["position"] == str(state)
        assert data["current_player"] == state.position.player
        assert len(data["seats"]) == game.num_players()
        names = [x["name"] for x in data["options"]]
        if not state.is_chance_node():
            assert names == [state.action_to_string(a) for a in state.legal_actions()]
            assert json.loads(state.to_observation_struct(0).to_json()) == data
        for kept in (data, state.to_struct()):
            again = game.new_initial_state(kept)
            assert str(again) == str(state)
            for other in (again.clone(), pickle.loads(pickle.dumps(again))):
                assert other.legal_actions() == state.legal_actions()
        player = state.current_player()
        action = state.sample_chance(rng) if player < 0 else rng.choice(state.legal_actions())
        struct = state.action_to_struct(player, action)
        assert state.struct_to_actions(struct) == [action]
        want = state.child(action)
        assert state.validate_action_struct(struct).ok()
        state.apply_action_struct(struct)
        assert str(state) == str(want)
        again.apply_action(action)
        assert str(pickle.loads(pickle.dumps(again))) == str(state)


@pytest.mark.skipif(not hasattr(pyspiel, "StateStruct"), reason="needs OpenSpiel 2.0")
def test_wrong_structs():
    game, dice = load("pig"), load("martian-dice")
    state = game.new_initial_state()
    illegal = state.action_to_struct(0, 1)
    assert "not legal" in str(state.apply_action_struct(illegal))
    assert str(state) == "0-0@0"
    for bad, want in (
        ({"position": "1-0@0"}, "scores 1 point"),
        ({"position": "0-0@0", "current_player": 1}, "current_player is 1"),
        ({"position": "2-0@1 aside R7"}, "has no meaning there"),
        ({"position": 3}, "expected str"),
        ({"board": []}, "has no position"),
    ):
        with pytest.raises(pyspiel.SpielError, match=want):
            game.new_initial_state(bad)
    for bad in ("x", '{"position": "0-0@0"}', 3, ["0-0@0"]):
        with pytest.raises(pyspiel.SpielError, match="want a dict or what to_struct returns"):
            game.new_initial_state(bad)
    other = dice.new_initial_state()
    outcome = other.action_to_struct(other.current_player(), 0)
    for at, struct, want in ((state, outcome, "action"), (other, illegal, "outcome")):
        with pytest.raises(pyspiel.SpielError, match=f"want one such as .*{want}"):
            at.apply_action_struct(struct)
