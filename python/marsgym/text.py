"""Whole games as text, from one seat: what the adapters of other packages share.

    game = marsgym.text.TextGame("pig")
    text = game.reset(seed=1)
    while not game.done:
        text = game.step(model(text)).text
    print(game.result, game.regret)

``marsgym.openenv`` and ``marsgym.verifiers`` are thin layers over it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from marsgym import _native
from marsgym.game import Game, Position, opened

_NO_GAME = "no game is under way; call reset first"

_MOST_DECISIONS = 10_000
"""The limit of decisions in games without one of their own. Chosen: far above what games take."""


@dataclass(frozen=True)
class Turn:
    """What an answer led to."""

    text: str
    """The next decision or the end, in words."""
    reward: float
    """Less the regret of the decision or, with ``reward="result"``, the result at the end."""
    done: bool
    """Whether the game is over."""
    action: int | None
    """The action that was played; None if the answer named no legal one."""


class TextGame:
    """One game after another, played from one seat by text. The other seats, chance and decisions
    with a single legal action are played in between. One thread at a time may use it.

    Attributes:
        game: the game.
        position: the decision to be answered, or the last position; None before a reset.
        seat: the seat of the agent.
        seed: of the dice, and of the actions that opponents draw.
        decisions: how many actions the agent has played.
        answers: how many answers it has given.
        illegal: how many of them named no legal action.
        forfeited: whether the game was lost by such answers.
        truncated: whether the game has ended at its limit of decisions.
        regret: the share of the win that all decisions have cost; None in games whose rewards
            are results. A forfeit costs all that the seat could still win.
        result: the share of the win of the seat; None before the end and in truncated games.
    """

    def __init__(
        self,
        game: str | Game,
        players: int | None = None,
        config: dict[str, Any] | None = None,
        *,
        opponents: str | list[str] = "exact",
        seat: int | str = "random",
        reward: str = "regret",
        retries: int = 2,
        lang: str = "en",
        rules: bool = True,
        legal: bool = True,
    ) -> None:
        """Opens a game.

        Args:
            game, players, config: as in :func:`marsgym.load`, or a :class:`marsgym.Game`. Its
                returns must be shares of a win.
            opponents: as in :meth:`marsgym.Position.play_on`.
            seat: the seat of the agent; "random" draws it for each game.
            reward: "regret" in solved games, "result" in all games.
            retries: how often the agent is asked again after an answer that names no legal
                action. The next such answer forfeits the game.
            lang: the language of the texts, see :meth:`marsgym.Game.rules`. The names of actions
                are English in all of them.
            rules: whether the first text of a game has the rules. Games without written rules,
                such as tables, need False.
            legal: whether texts list the legal actions.
        """
        self.game = opened(game, players, config)
        self.game._share(())  # or an error
        if reward not in ("regret", "result"):
            raise ValueError(f"reward is {reward!r}; want regret or result")
        if seat != "random":
            if isinstance(seat, str):
                raise ValueError(f"seat is {seat!r}; want random or a number")
            seat = _native.number(seat, "seat", 0, self.game.players - 1)
        if reward == "regret":
            try:
                self.game.solve()
            except _native.NoSolutionError as e:
                raise _native.NoSolutionError(
                    f'{e}; take reward="result" and opponents other than exact'
                ) from None
        self.game.initial().play_on(0, 0, opponents)  # or an error
        self._said = self.game._sentences(lang)
        self._rules = f"{self.game.rules(lang)}\n{self._said['play']}\n\n" if rules else ""
        self._opponents, self._seat, self._reward = opponents, seat, reward
        self._retries = _native.number(retries, "retries", 0, 1000)
        self._lang, self._legal = lang, bool(legal)
        self._limit = self.game.move_limit or _MOST_DECISIONS
        self.position: Position | None = None
        self.done = True

    def reset(self, seed: int | None = None, position: str | Position | None = None) -> str:
        """Starts a game and returns the first decision in words, or the end if the others end the
        game before the agent has a decision.

        Args:
            seed: of the game; None draws one, which is then in ``seed``.
            position: where the game starts. A random seat is then the seat to move there.
        """
        start = self.game.initial() if position is None else self.game._own(position)
        if start.is_terminal:
            raise ValueError(f"{start} is the end of a game; want a position with a decision left")
        drawn = random.getrandbits(53) if seed is None else seed
        seed = _native.number(drawn, "seed", 0, 2**63 - 1)
        self.done = True  # until the game is whole, should Ctrl-C come between
        self.seed = seed
        self._rng = random.Random(self.seed)
        seat = self._seat
        if seat == "random":
            drawn_seat = self._rng.randrange(self.game.players)
            seat = drawn_seat if position is None or start.is_chance else start.player
        self.seat = int(seat)
        self.decisions = self.answers = self.illegal = self._wrong = 0
        self.forfeited = self.truncated = False
        self.regret: float | None = 0.0 if self._reward == "regret" else None
        self._arrive(self._go_on(start))
        return self._rules + self._text()

    def step(self, answer: str | int) -> Turn:
        """Plays the action that an answer names, by text or by its number."""
        position = self.position
        if position is None or self.done:
            raise ValueError(_NO_GAME)
        if isinstance(answer, str):
            action = position.parse_action(answer)
        else:
            number = _native.number(answer, "answer", -(2**63), 2**63)
            action = number if number in position.legal_actions else None
        regret = 0.0
        if action is not None:
            if self.regret is not None:
                regret = position.regret(action)
            after = self._go_on(position.apply(action))
            self._wrong = 0
            self.answers += 1
            self.decisions += 1
            if self.regret is not None:
                self.regret += regret
            self._arrive(after)
        else:
            self.answers += 1
            self.illegal += 1
            self._wrong += 1
            if self._wrong > self._retries:
                regret = self.forfeit()
        reward = self.result or 0.0
        if self.regret is not None:
            reward = 0.0 - regret
        text = self._text()
        if action is None and not self.done:
            text = f"{self._said['none']}\n\n{text}"
        return Turn(text, reward, self.done, action)

    def forfeit(self) -> float:
        """Ends the game as lost, and returns the regret of that."""
        if self.position is None or self.done:
            raise ValueError(_NO_GAME)
        regret = 0.0
        if self.regret is not None:
            regret = self.position.win()[self.seat]
            self.regret += regret
        self.done = self.forfeited = True
        return regret

    def _go_on(self, position: Position) -> Position:
        """The next decision of the agent, or the last position."""
        return position.play_on(self._rng, self.seat, self._opponents)

    def _arrive(self, position: Position) -> None:
        """Takes a position of _go_on, in which another seat is to move at the limit of the game."""
        limit = self.decisions >= self._limit or position.player != self.seat
        self.truncated = limit and not position.is_terminal
        self.done = self.truncated or position.is_terminal
        self.position = position

    @property
    def result(self) -> float | None:  # noqa: D102, in the attributes of the class
        if self.position is None or not (self.forfeited or self.position.is_terminal):
            return None
        return 0.0 if self.forfeited else self.game._share(self.position.returns)[self.seat]

    def _text(self) -> str:
        position = self.position
        assert position is not None
        said = position.describe(self.seat, legal=self._legal and not self.done, lang=self._lang)
        if self.forfeited:
            return f"{self._said['forfeit']}\n\n{said}"
        if self.truncated:
            return f"{self._said['limit']}\n\n{said}"
        if self.done:
            return said
        name = self.game.action_names[position.legal_actions[0]]
        return f"{said}\n{self._said['reply'].format(name)}"
