import dataclasses
import random
import re

import pytest

import marsgym
from marsgym import IllegalActionError


def dice():
    return marsgym.load("martian-dice", config={"target": 3}, cache=None)


def test_rules():
    game = marsgym.load("martian-dice", config={"target": 20})
    assert "target = 20" in game.rules()
    assert game.rules("de").startswith("Ziel") or "Würfel" in game.rules("de")
    assert game.rules("de") != game.rules()
    with pytest.raises(ValueError, match='"zh"; its languages are en, de'):
        game.rules("zh")
    with pytest.raises(ValueError, match=r"its languages are en$"):
        marsgym.load("pig").initial().describe(lang="de")
    assert "規則" not in marsgym.load("mars-is-ours").rules("zh") != ""


def test_describe():
    position = marsgym.load("pig").position("47-15@1 turn 12")
    text = position.describe()
    assert text.splitlines() == [
        "You are seat 1; seats 0 to 1 play in turn, and seat 0 follows seat 1.",
        "Now: you roll or hold",
        "Goal: the first with 100 points wins",
        "Seats:",
        "- seat 0: points 47/100",
        "- seat 1 (you): points 15/100, 12 more in this turn",
        "Dice:",
        "- to roll: 1 die (a 1 ends the turn without points)",
        "Legal actions, by number and name:",
        "[0] roll: roll the die; a 1, in 17 % of rolls, loses 12 points",
        "[1] hold: hold; bank 12 points, for 27",
    ]
    assert text.startswith(position.describe(legal=False))
    assert "Legal" not in position.describe(legal=False)
    assert position.describe(seat=0).startswith("You are seat 0")
    assert "seat 1 rolls or holds" in position.describe(seat=0)
    assert not marsgym.load("pig").initial().apply(0).describe().startswith("You are")
    with pytest.raises(ValueError, match="seat is 2; want 0 to 1"):
        position.describe(seat=2)
    german = dice().position("2-0@1 aside R7").describe(lang="de")
    assert german.startswith("Du bist Platz 1")
    assert "[5] stop: den Zug mit 0 Punkten beenden" in german


def test_parse_action():
    position = marsgym.load("pig").position("47-15@1 turn 12")
    for answer, want in (
        ("I could roll, but I HOLD.", 1),
        ("<think>hold?</think>\n```\nroll\n```", 0),
        ('{"action": 1}', 1),
        ("[5]", None),
        ("I refuse.", None),
        ("", None),
        ("roll\0\ud800", 0),
    ):
        assert position.parse_action(answer) == want, answer
    with pytest.raises(TypeError, match="want a str"):
        position.parse_action(0)
    assert marsgym.load("pig").initial().apply(0).parse_action("roll") is None


def test_win_and_regret():
    game = dice()
    game.solve()
    position = game.initial()
    while position.player < 0:
        position = position.sample(3)
    assert sum(position.win()) == pytest.approx(1)
    options = position.options()
    regrets = [position.regret(a) for a in position.legal_actions]
    assert min(regrets) == 0
    for a, regret in zip(position.legal_actions, regrets, strict=True):
        assert regret == pytest.approx((max(options.values()) - options[a]) / 2)
    best = position.legal_actions[regrets.index(0)]
    assert max(position.win()[position.player], 0) == pytest.approx(
        position.apply(best).win()[position.player]
    )
    illegal = next(a for a in range(game.num_actions) if a not in position.legal_actions)
    with pytest.raises(IllegalActionError, match="regret: illegal action"):
        position.regret(illegal)


def test_past_by_hand():
    """A past that cannot have happened is an error that names the step."""
    position = marsgym.load("pig", config={"target": 20}, cache=None).initial()
    for text, action in (("20-3 over 0", 0), ("0-0@0", 1), ("0-0@0", -1), ("0-0@0", 10**6)):
        with pytest.raises(ValueError, match=f"step 0 of past: action {action} at {text} does not"):
            dataclasses.replace(position, past=((text, action),)).describe()


def test_disconnected_past():
    """Steps that are legal, but do not lead to the next one, are an error."""
    for id in "pig", "martian-dice", "mars-is-ours", "martian-risk-small":
        game, rng = marsgym.load(id, cache=None), random.Random(2)
        position, steps = game.initial(), []
        while not position.is_terminal and len(steps) < 60:
            if position.is_chance:
                steps.append((position.text, -1))
                position = position.sample(rng)
            else:
                steps.append((position.text, rng.choice(position.legal_actions)))
                position = position.apply(steps[-1][1])
        assert dataclasses.replace(position, past=tuple(steps)).describe()
        for i, (text, action) in enumerate(steps[:-2]):
            what = re.escape(f"{'chance' if action < 0 else f'action {action}'} at {text}")
            past = (*steps[: i + 1], *steps[i + 2 :])
            with pytest.raises(ValueError, match=f"step {i} of past: {what} does not lead to"):
                dataclasses.replace(position, past=past).describe()


def test_play_on():
    game = marsgym.load("pig", config={"target": 20}, cache=None)
    start = game.initial()
    at = start.play_on(7, 1)
    assert at == start.play_on(7, 1)
    assert at.player == 1
    assert len(at.legal_actions) > 1
    assert len(start.play_on(7, 1, forced=False).legal_actions) == 1
    assert start.play_on(7, 1, "random") != start.play_on(8, 1, "random")
    seen = 0
    while not at.is_terminal:
        at = at.apply(at.legal_actions[-1]).play_on(seen, 1, ["greedy"])
        seen += 1
    assert at.returns in ((1.0, -1.0), (-1.0, 1.0))
    with pytest.raises(ValueError, match="2 opponents; want one name for all seats, or 1"):
        start.play_on(7, 1, ["greedy", "greedy"])
    with pytest.raises(ValueError, match="gredy"):
        start.play_on(7, 1, "gredy")
    with pytest.raises(ValueError, match="seat is -1"):
        start.apply(0).play_on(7)
