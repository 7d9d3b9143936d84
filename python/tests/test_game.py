import pickle
from statistics import NormalDist

import numpy as np
import pytest

import marsgym
from marsgym import IllegalActionError, NoSolutionError


def pig(target=20, **options):
    return marsgym.load("pig", config={"target": target}, **options)


def test_positions():
    game = pig()
    start = game.initial()
    assert (start.player, start.legal_actions, start.returns) == (0, (0,), (0.0, 0.0))
    rolling = start.apply(0)
    assert rolling.is_chance
    assert rolling.legal_actions == ()
    outcomes = rolling.outcomes()
    assert len(outcomes) == 6
    assert sum(p for p, _ in outcomes) == pytest.approx(1)
    after = outcomes[5][1]
    assert after.legal_actions == (0, 1)
    assert after.action_mask().tolist() == [1, 1]
    assert after.observation().shape == (game.observation_size,)
    assert not np.array_equal(after.observation(0), after.observation(1))
    assert game.position(str(after)) == after
    assert len({after, game.position(str(after))}) == 1
    assert after.render()
    assert after.describe_action(1)
    illegal = r"1 \(hold\) in 0-0@0; legal_actions are 0 \(roll\)"
    with pytest.raises(IllegalActionError, match=illegal):
        start.apply(1)
    with pytest.raises(IllegalActionError, match=illegal):
        start.describe_action(1)
    with pytest.raises(ValueError, match="seat is -1"):
        rolling.observation()


def test_pig_by_value_iteration():
    """The values are those of the equations of Pig, iterated here."""
    game = pig(10)
    win = {}

    def value(i, j, k):  # of whom is to move, with the scores and the total of the turn
        return 1.0 if i + k >= 10 else win.get((i, j, k), 0.5)

    numbers = [n for n in range(10) if n != 1]  # no turn leaves or scores one point
    states = [(i, j, k) for i in numbers for j in numbers for k in numbers if i + k < 10]
    change = 1.0
    while change > 1e-13:
        change = 0.0
        for i, j, k in states:
            roll = (1 - value(j, i, 0) + sum(value(i, j, k + f) for f in range(2, 7))) / 6
            hold = 1 - value(j, i + k, 0) if k > 0 else 0.0
            new = max(roll, hold)
            change = max(change, abs(new - value(i, j, k)))
            win[i, j, k] = new
    for i, j, k in states:
        position = f"{i}-{j}@0" + (f" turn {k}" if k else "")
        share = (game.value(position)[0] + 1) / 2
        assert share == pytest.approx(win[i, j, k], abs=1e-10)
    assert game.solve().residual < 1e-12
    assert game.solve().value == game.value(game.initial())
    options = game.options("5-3@0 turn 4")
    assert set(options) == {0, 1}
    assert max(options.values()) == pytest.approx(game.value("5-3@0 turn 4")[0], abs=1e-12)
    assert game.initial().value() == game.solve().value


def test_spec():
    game = marsgym.load("martian-dice", players=3)
    assert (game.players, game.win, game.loss, game.utility) == (3, 1.0, -0.5, "zero_sum")
    assert game.config["players"] == 3
    assert "greedy" in game.bots
    assert "exact" in game.agents
    assert not marsgym.load("martian-dice", players=1).has_win
    again = pickle.loads(pickle.dumps(game))
    assert again.rules_hash == game.rules_hash
    config = {"target": 20}
    game = marsgym.load("pig", config=config)
    config["target"] = 50
    assert pickle.loads(pickle.dumps(game)).rules_hash == game.rules_hash


def test_observations_give_back_counts():
    """The total of a turn in Pig, and the armies, supplies and rounds of Martian Risk."""
    game = marsgym.load("pig")
    scales = game.observation_scales
    assert scales.tolist() == [100, 100, 1, 1, 100, 1, 1]
    for total in range(2, 100):
        obs = game.position(f"0-7@0 turn {total}").observation()
        assert np.rint(obs * scales).tolist() == [0, 7, 1, 0, total, 0, 0]
        assert obs[4] == np.float32(total / 100) == np.float32(total) / np.float32(100)
    game = marsgym.load("martian-risk-tiny", players=2)
    assert sorted(set(game.observation_scales.tolist())) == [0, 1, 3, 4, 5]


def test_games_without_a_solution():
    with pytest.raises(NoSolutionError, match="only the quick game is solved"):
        marsgym.load("mars-is-ours").solve()
    with pytest.raises(NoSolutionError, match="only the quick game is solved"):
        marsgym.load("mars-is-ours").evaluate("random")


def uniform(observations, masks):
    return masks / masks.sum(axis=1, keepdims=True)


def test_evaluation_of_any_number_of_seats():
    solitaire = marsgym.load("martian-dice", players=1).evaluate("greedy")
    assert solitaire.win is None
    assert solitaire.returns[0] == pytest.approx(-8.7858, abs=1e-4)
    game = marsgym.load("martian-dice", players=3, config={"dice": 4, "target": 5})
    own = game.evaluate(uniform, ["greedy", "random"])
    assert own.win_by_seat == pytest.approx(
        game.evaluate("random", ["greedy", "random"]).win_by_seat
    )
    assert game.evaluate(uniform, uniform).win == pytest.approx(1 / 3)
    assert 0 < own.exploitability < 2 / 3


def test_matches():
    game = marsgym.load("pig")
    match = game.match(uniform, "random", 2000, seed=1)
    assert match.games >= 2000
    assert match.low[0] < 0.5 < match.high[0]
    assert match == game.match(uniform, "random", 2000, seed=1)


def test_intervals_of_matches_have_their_confidence():
    match = pig().match("greedy", "greedy", 200, seed=1)
    assert match.confidence == 0.99
    assert match.win == (0.5, 0.5)  # an agent against itself wins one of the two games of each set
    z2 = NormalDist().inv_cdf((1 + match.confidence) / 2) ** 2
    half = z2 / 2 / (100 + z2)  # Agresti and Coull, for 100 equal sets
    assert match.low[0] == pytest.approx(0.5 - half)
    assert match.high[0] == pytest.approx(0.5 + half)


def test_cache(tmp_path):
    config = {"dice": 3, "target": 4}
    first = marsgym.load("martian-dice", config=config, cache=str(tmp_path)).solve()
    assert len(list(tmp_path.iterdir())) == 1
    again = marsgym.load("martian-dice", config=config, cache=str(tmp_path)).solve()
    assert first == again
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.warns(UserWarning, match="not stored"):
        marsgym.load("martian-dice", config=config, cache=str(blocked)).solve()


@pytest.mark.parametrize(
    ("error", "want", "call"),
    [
        (ValueError, "unknown game", lambda: marsgym.load("chess")),
        (TypeError, "want a str", lambda: marsgym.load(b"pig")),
        (TypeError, "str", lambda: marsgym.load(3)),
        (ValueError, "players is 99", lambda: marsgym.load("pig", 99)),
        (ValueError, "want 1 to 1000", lambda: marsgym.load("pig", -1)),
        (TypeError, "want an integer", lambda: marsgym.load("pig", 2.5)),
        (TypeError, "want an integer", lambda: marsgym.load("pig", True)),
        (ValueError, "target is 1", lambda: pig(1)),
        (ValueError, "unknown field", lambda: marsgym.load("pig", config={"colour": 1})),
        (TypeError, "want a dict", lambda: marsgym.load("pig", config="{}")),
        (ValueError, "zero character", lambda: marsgym.load("pig\0")),
        (ValueError, "want a position", lambda: pig().position("here and there")),
        (ValueError, "is empty", lambda: pig().position("")),
        (ValueError, "rows is 0", lambda: pig().batch(0)),
        (ValueError, "rows is", lambda: pig().batch(2**40)),
        (ValueError, "first_row is -1", lambda: pig().batch(1, first_row=-1)),
        (ValueError, "seat is 2", lambda: pig().batch(1, opponent="random", seat=2)),
        (ValueError, "seat is 'left'", lambda: pig().batch(1, opponent="random", seat="left")),
        (ValueError, "unknown agent", lambda: pig().batch(1, opponent="nobody")),
        (ValueError, "2 opponents", lambda: pig().batch(1, opponent=["random"] * 2)),
        (ValueError, "opponent is empty", lambda: pig().batch(1, opponent=[])),
        (TypeError, "opponent is 3", lambda: pig().batch(1, opponent=3)),
        (TypeError, "unexpected", lambda: pig().batch(1, colour=1)),
        (ValueError, "seed is -1", lambda: pig().batch(1).reset(-1)),
        (TypeError, "seed is 'a'", lambda: pig().batch(1).reset("a")),
        (ValueError, "seed is", lambda: pig().batch(1).reset(2**64)),
        (ValueError, "want 2 integers", lambda: pig().batch(2).step([0])),
        (ValueError, "want 2 integers", lambda: pig().batch(2).step([0.0, 1.0])),
        (ValueError, "want 2 integers", lambda: pig().batch(2).step(None)),
        (ValueError, "want 2 integers", lambda: pig().batch(2).step("ab")),
        (TypeError, "want bytes", lambda: pig().batch(2).restore("state")),
        (ValueError, "row is 2", lambda: pig().batch(2).position(2)),
        (ValueError, "call reset first", lambda: pig().batch(2).position(1)),
        (ValueError, "no seat is to move", lambda: pig().options(pig().initial().apply(0))),
        (ValueError, "want one of <marsgym", lambda: pig().value(pig(30).initial())),
        (ValueError, "want one of <marsgym", lambda: pig().options(pig(30).initial())),
        (TypeError, "NoneType", lambda: pig().value(None)),
        (TypeError, "the policy is 3", lambda: pig().evaluate(3)),
        (ValueError, "unknown agent", lambda: pig().evaluate("nobody")),
        (ValueError, "2 policies", lambda: pig().evaluate("random", ["random"] * 2)),
        (ValueError, "mistakes is -1", lambda: pig().evaluate("random", mistakes=-1)),
        (ValueError, "no such file", lambda: marsgym.load_model("/no/such/file")),
    ],
)
def test_bad_arguments(error, want, call):
    with pytest.raises(error, match=want):
        call()


def test_closed_batch():
    batch = pig().batch(2)
    batch.close()
    batch.close()
    with pytest.raises(ValueError, match="is closed"):
        batch.reset(1)


@pytest.mark.parametrize("id", marsgym.games())
def test_outcomes_by_index(id):
    """Probabilities, outcomes by index, draws and samples are those of the list."""
    position, rng = marsgym.load(id).initial(), np.random.default_rng(1)
    for _ in range(30):
        if position.is_terminal:
            break
        if not position.is_chance:
            assert len(position.outcome_probabilities()) == 0
            with pytest.raises(marsgym.IllegalActionError, match="chance does not move"):
                position.sample(rng)
            position = position.apply(position.legal_actions[0])
            continue
        listed = position.outcomes()
        assert position.outcome_probabilities().tolist() == [p for p, _ in listed]
        assert position.outcome(len(listed) - 1) == listed[-1][1]
        with pytest.raises(marsgym.IllegalActionError, match=f"has {len(listed)}"):
            position.outcome(len(listed))
        index, drawn = position.draw(rng)
        assert drawn == listed[index][1]
        assert position.sample(7) == position.sample(7)
        position = position.sample(rng)
        assert position in [q for _, q in listed]


def test_the_number_of_players_is_given_once():
    with pytest.raises(ValueError, match=r"players is 3, and config has \{'players': 2\}; "):
        marsgym.load("pig", 3, {"players": 2})
    for arguments in ((3,), (3, {"players": 3}), (None, {"players": 3}), (3, {"target": 20})):
        assert marsgym.load("pig", *arguments).players == 3
