import pytest

import marsgym
from marsgym.text import TextGame


def pig(**options):
    return TextGame(marsgym.load("pig", config={"target": 20}, cache=None), **options)


def play(game, answer, **start):
    """The texts and the rewards of a game."""
    texts, rewards = [game.reset(**start)], []
    while not game.done:
        turn = game.step(answer(game.position))
        texts.append(turn.text)
        rewards.append(turn.reward)
        assert turn.done == game.done
    return texts, rewards


def test_games():
    game = pig(opponents="greedy")
    results = set()
    for seed in range(8):
        texts, rewards = play(game, lambda p: "I [hold].", seed=seed)
        assert "target = 20" in texts[0]
        assert not any("target = 20" in text for text in texts[1:])
        assert f"You are seat {game.seat}" in texts[-1]
        assert texts[0].endswith("such as [roll].") or not rewards
        assert "Legal" not in texts[-1]
        assert game.position.is_terminal
        assert game.decisions == game.answers == len(rewards)
        assert -sum(rewards) == pytest.approx(game.regret)
        assert game.regret > 0 or not rewards
        results.add((game.seat, game.result))
        again = pig(opponents="greedy")
        assert play(again, lambda p: 1, seed=seed) == (texts, rewards)
    assert {seat for seat, _ in results} == {0, 1}
    assert {result for _, result in results} == {0.0, 1.0}


def test_reply():
    """Names and numbers in brackets are answers, as texts and ask say."""
    game = pig(seat=0)
    first = game.reset(seed=1)
    assert "played for you" in first
    assert first.endswith(marsgym.text.REPLY.format("roll"))
    assert game.step("[0]").action == game.step("[roll]").action == 0


def test_no_decision():
    """A game can end before the first decision of the agent."""
    game = pig(seat=0)
    texts, rewards = play(game, None, seed=1, position="0-12@1 turn 7")
    assert "over: seat 1 wins" in texts[0]
    assert rewards == []
    assert (game.result, game.regret, game.answers) == (0.0, 0.0, 0)


def test_regret_is_exact():
    game = pig()
    losses = []

    def choose(position):
        losses.append(position.regret(1))
        return 1

    _, rewards = play(game, choose, seed=3)
    assert [-r for r in rewards] == losses
    _, rewards = play(game, lambda p: max(p.options(), key=p.options().get), seed=3)
    assert sum(rewards) == 0


def test_results_of_unsolved_games():
    options = {"players": 2, "opponents": "random", "seat": 1, "reward": "result"}
    game = TextGame("mars-is-ours-fast", **options)
    _, rewards = play(game, lambda p: p.legal_actions[0], seed=5)
    assert set(rewards[:-1]) <= {0.0}
    assert rewards[-1] == game.result
    assert game.regret is None
    assert game.seat == 1


def test_positions():
    game = pig()
    text = game.reset(1, "7-3@1 turn 4")
    assert game.seat == 1
    assert game.position.text == "7-3@1 turn 4"
    assert game.reset(1, game.game.position("7-3@1 turn 4")) == text
    with pytest.raises(ValueError, match="is the end of a game"):
        game.reset(1, "20-3 over 0")
    with pytest.raises(ValueError, match="want a position such as"):
        game.reset(1, "s0")
    other = marsgym.load("martian-dice").initial()
    with pytest.raises(ValueError, match="want one of"):
        game.reset(1, other)
    assert game.position.text == "7-3@1 turn 4", "a wrong reset changes nothing"


def test_illegal_answers():
    game = TextGame("pig", retries=1, rules=False, legal=False)
    with pytest.raises(ValueError, match="call reset first"):
        game.step("roll")
    game.reset(1)
    first = game.step("I refuse.")
    assert first.text.startswith("This answer names no legal action.\n\nYou are seat")
    assert "Legal actions" not in first.text
    assert (first.reward, first.done, first.action) == (0, False, None)
    assert not game.step("hold").done
    left = game.position.win()[game.seat]
    game.step("x" * 10_000_000)
    last = game.step(99)
    assert last.text.startswith("The game is lost")
    assert last.reward == -left
    assert game.forfeited
    assert (game.result, game.illegal, game.answers, game.decisions) == (0.0, 3, 4, 1)
    with pytest.raises(ValueError, match="call reset first"):
        game.step("roll")
    game.reset(1)
    assert not game.forfeited


def test_games_without_end():
    """Who always rolls near the end of a turn never ends it; the limit of moves does."""
    game = pig(opponents="random", reward="result")
    game._limit = 3
    _, rewards = play(game, lambda p: "roll", seed=2)
    assert game.truncated
    assert game.decisions == 3
    assert game.result is None
    assert rewards == [0, 0, 0]


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({"seat": 2}, "seat is 2; want 0 to 1"),
        ({"reward": "win"}, "want regret or result"),
        ({"retries": -1}, "retries is -1"),
        ({"lang": "de"}, "its languages are en"),
        ({"opponents": ["random", "random"]}, "want one name"),
        ({"opponents": "gredy"}, "gredy"),
        ({"players": 3}, "leave them out"),
    ],
)
def test_wrong_options(options, want):
    with pytest.raises(ValueError, match=want):
        pig(**options)


def test_unsolved_games_and_wrong_seeds():
    with pytest.raises(marsgym.NoSolutionError, match='take reward="result"'):
        TextGame("mars-is-ours")
    for seed in ("x", 1.5, True):
        with pytest.raises(TypeError, match=r"seed is .*; want an integer"):
            pig().reset(seed)
    with pytest.raises(ValueError, match="seed is -1"):
        pig().reset(-1)
