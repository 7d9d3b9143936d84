import numpy as np
import pytest

import marsgym
from marsgym import IllegalActionError


def act(batch, rng):
    """A random legal action for each row."""
    noise = rng.random(batch.action_mask.shape)
    return np.where(batch.action_mask, noise, -1.0).argmax(axis=1)


def contents(batch):
    names = ("observation", "action_mask", "player", "reward", "terminated", "truncated")
    return [getattr(batch, n).copy() for n in names]


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("id", marsgym.games())
def test_games(id):
    game = marsgym.load(id)
    rng = np.random.default_rng(1)
    with game.batch(16) as batch:
        batch.reset(7)
        for _ in range(50):
            assert batch.observation.shape == (16, game.observation_size)
            assert batch.action_mask.shape == (16, game.num_actions)
            assert batch.action_mask.any(axis=1).all()
            assert ((batch.player >= 0) & (batch.player < game.players)).all()
            batch.step(act(batch, rng))
        position = batch.position(3)
        assert position == game.position(str(position))
        assert position.player == batch.player[3]
        legal = np.flatnonzero(batch.action_mask[3])
        assert sorted(batch.relabel(3)[legal]) == list(position.legal_actions)
    assert sum(n for _, n in game.observation_fields) == game.observation_size


def test_rewards_and_ends():
    game = marsgym.load("pig", players=3, config={"target": 20})
    batch, rng, ended = game.batch(64), np.random.default_rng(1), 0
    batch.reset(1)
    for _ in range(200):
        batch.step(act(batch, rng))
        over = batch.terminated
        assert not batch.reward[~over].any()
        for i in np.flatnonzero(over):
            ended += 1
            final = batch.position(i, final=True)
            assert final.is_terminal
            assert np.allclose(final.returns, batch.reward[i])
            winner = int(batch.reward[i].argmax())
            assert batch.final_player[i] == winner
            assert np.array_equal(batch.final_observation[i], final.observation(winner))
    assert ended > 100


def test_rows_split_over_batches():
    game, rng = marsgym.load("martian-dice"), np.random.default_rng(1)
    whole, part = game.batch(8), game.batch(3, first_row=4)
    whole.reset(9)
    part.reset(9)
    for _ in range(300):
        actions = act(whole, rng)
        whole.step(actions)
        part.step(actions[4:7])
        assert same([x[4:7] for x in contents(whole)], contents(part))


def test_illegal_actions_change_nothing():
    game, rng = marsgym.load("martian-dice"), np.random.default_rng(1)
    batch = game.batch(4)
    with pytest.raises(ValueError, match="call reset first"):
        batch.step([0] * 4)
    batch.reset(1)
    for _ in range(50):
        before, state = contents(batch), batch.save()
        good = act(batch, rng)
        for wrong in (-1, game.num_actions, int(batch.action_mask[2].argmin()), 2**40):
            actions = good.copy()
            actions[2] = wrong
            if wrong < game.num_actions and wrong >= 0 and batch.action_mask[2, wrong]:
                continue
            with pytest.raises(IllegalActionError, match="row 2"):
                batch.step(actions)
            assert same(before, contents(batch))
            assert state == batch.save()
        batch.step(good)


def test_types_of_actions():
    """Integers of any size, lists and strided arrays are the same actions."""
    game, rng = marsgym.load("martian-dice"), np.random.default_rng(1)
    want, got = game.batch(4), game.batch(4)
    want.reset(1)
    got.reset(1)
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.uint64, list, "strided"):
        for _ in range(10):
            actions = act(want, rng)
            want.step(actions)
            if kind is list:
                got.step(actions.tolist())
            elif kind == "strided":
                got.step(np.repeat(actions, 2)[::2])
            else:
                got.step(actions.astype(kind))
            assert same(contents(want), contents(got))
    before = contents(got)
    for wrong in (2**64 - 1, 2**63, 2**32, -(2**63)):
        with pytest.raises(IllegalActionError, match=r"row 0.*actions are 0 to 5"):
            got.step([wrong] * 4)
    for wrong in (np.zeros(4), np.zeros(4, np.bool_), np.zeros(3, np.int64), [2**64] * 4, "abcd"):
        with pytest.raises(ValueError, match="want 4 integers"):
            got.step(wrong)
    assert same(before, contents(got))


def test_begin():
    """Rows and seeds are integers of any type, and nothing else."""
    game = marsgym.load("martian-dice")
    batch, twin = game.batch(2), game.batch(2)
    batch.reset(1)
    twin.reset(2**63 + 1)
    batch.begin(np.array([1, 0], np.uint8), [2**63 + 1] * 2)
    assert batch.save() == twin.save()
    batch.begin([])
    for rows, seeds, error, want in (
        (np.array([False, True]), None, TypeError, "row is .*False.*; want an integer"),
        ([False], None, TypeError, "row is False; want an integer"),
        ([1.0], None, TypeError, "row is 1.0; want an integer"),
        ([-1], None, ValueError, "row is -1; want 0 to 1"),
        ([2], None, ValueError, "row is 2; want 0 to 1"),
        ([[0]], None, TypeError, r"row is \[0\]; want an integer"),
        ([0], [0.5], TypeError, "seed is 0.5; want an integer"),
        ([0], np.array([-1]), ValueError, "seed is -1; want 0 to"),
        ([0], [1, 2], ValueError, "want a seed for each row"),
        ([0, 0], None, ValueError, "row 0 is named twice"),
    ):
        with pytest.raises(error, match=want):
            batch.begin(rows, seeds)
    assert batch.save() == twin.save()


@pytest.mark.parametrize("opponent", [None, "greedy"])
def test_save_and_restore(opponent):
    game = marsgym.load("martian-dice")

    def play(batch, steps, rng):
        for _ in range(steps):
            batch.step(act(batch, rng))
        return contents(batch)

    batch = game.batch(4, opponent=opponent)
    batch.reset(3)
    play(batch, 40, np.random.default_rng(1))
    state = batch.save()
    want = play(batch, 100, np.random.default_rng(2))
    resumed = game.batch(4, opponent=opponent)
    resumed.restore(state)
    assert same(want, play(resumed, 100, np.random.default_rng(2)))
    with pytest.raises(ValueError, match="bytes"):
        resumed.restore(state[:-1])
    with pytest.raises(ValueError, match="call reset first"):
        resumed.step([0] * 4)


def test_opponents():
    game, rng = marsgym.load("martian-dice", players=3), np.random.default_rng(1)
    batch = game.batch(200, opponent=["random", "greedy"])
    batch.reset(1)
    assert set(batch.player) == {0, 1, 2}
    seat, games = batch.player.copy(), 0
    for _ in range(300):
        batch.step(act(batch, rng))
        running = ~batch.terminated
        assert (batch.player == seat)[running].all()
        assert (batch.final_player == seat)[~running].all()
        games += int((~running).sum())
        seat = batch.player.copy()
    assert games > 200
    fixed = game.batch(10, opponent="random", seat=1)
    fixed.reset(1)
    assert (fixed.player == 1).all()


def test_views_are_read_only():
    batch = marsgym.load("pig").batch(2)
    batch.reset(1)
    for name in ("observation", "action_mask", "player", "reward"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(batch, name)[...] = 0
    assert batch.action_mask.dtype == np.int8
