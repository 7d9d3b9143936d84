import pytest

import marsgym
import marsgym.ask
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
    assert first.endswith("legal action in square brackets, such as [roll].")
    assert game.step("[0]").action == game.step("[roll]").action == 0


@pytest.mark.parametrize(
    ("id", "lang", "none", "reply", "lost"),
    [
        ("martian-dice", "de", "Diese Antwort", "Klammern, etwa [", "Die Partie ist"),
        ("mars-is-ours", "zh", "這個回答沒有", "例如 [", "這一局輸了"),
    ],
)
def test_languages(id, lang, none, reply, lost):
    """Without the rules and the names of actions, nothing is in English."""
    game = TextGame(id, reward="result", opponents="greedy", lang=lang, retries=1)
    assert reply in game.reset(seed=1).splitlines()[-1]
    assert game.step("?").text.startswith(none)
    text = game.step("?").text
    assert text.startswith(lost)
    assert not {"the", "you", "seat", "game", "action"} & set(text.split())
    assert reply in marsgym.ask.system_message(game.game, lang)
    with pytest.raises(ValueError, match=r'^lang: .* not written in "fr"; its languages are'):
        TextGame(id, reward="result", opponents="greedy", lang="fr", rules=False)


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


def test_limit_of_a_game():
    """A game that reaches its limit in the turn of another seat asks the agent no more."""
    end = marsgym.TERMINAL
    game = marsgym.from_arrays(
        name="turns",
        players=2,
        player=[0, 1, 1, 1, 0, end, end],
        first=[0, 2, 4, 6, 8, 0, 1],
        count=[2] * 5 + [0, 0],
        action=[0, 1] * 5,
        next=[1, 6, 2, 5, 3, 5, 4, 5, 5, 6],
        returns=[[1, -1], [-1, 1]],
        move_limit=2,
        cache=None,
    )
    text = TextGame(game, seat=0, rules=False)
    text.reset(1)
    assert text.step(0).text.startswith("The game has ended at its limit of decisions.")
    assert (text.position.player, text.done, text.truncated, text.result) == (1, True, True, None)


def test_forfeit():
    """Only a game that is under way can be given up, and only once."""
    game = pig()
    with pytest.raises(ValueError, match="call reset first"):
        game.forfeit()
    game.reset(1)
    lost = game.position.win()[game.seat]
    assert game.forfeit() == game.regret == lost
    with pytest.raises(ValueError, match="call reset first"):
        game.forfeit()
    assert (game.regret, game.result) == (lost, 0.0)


def test_interruption(monkeypatch):
    """Ctrl-C while others play changes no game."""
    game = pig(seat=0)
    game.reset(1, "7-3@0 turn 4")

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as m:
        m.setattr(marsgym.Position, "play_on", interrupted)
        with pytest.raises(KeyboardInterrupt):
            game.step("hold")
        assert (game.position.text, game.decisions, game.regret) == ("7-3@0 turn 4", 0, 0.0)
    reward = game.step("hold").reward
    assert (game.decisions, game.regret) == (1, -reward)
    with monkeypatch.context() as m:
        m.setattr(marsgym.Position, "play_on", interrupted)
        with pytest.raises(KeyboardInterrupt):
            game.reset(2)
    with pytest.raises(ValueError, match="call reset first"):
        game.step("hold")


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({"seat": 2}, "seat is 2; want 0 to 1"),
        ({"seat": "x"}, "seat is 'x'; want random or a number"),
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
