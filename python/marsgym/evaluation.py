"""Policies, and the results of evaluating them."""

from __future__ import annotations

import html
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from marsgym import _native

if TYPE_CHECKING:
    from marsgym.game import Game
    from marsgym.model import Model

Probabilities: TypeAlias = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], npt.ArrayLike]


@dataclass(frozen=True)
class Scores:
    """A policy that scores the afterstates of its legal actions: the positions just after
    them, before any chance, as the seat observes them that acts.
    """

    function: Callable[[npt.NDArray[np.float32]], npt.ArrayLike]
    """Maps observations [n, D] to scores [n]. It must not depend on earlier calls."""
    greedy: bool = True
    """Whether the highest score is chosen, equal scores by the lowest action; else the
    probabilities are the softmax of the scores."""


@dataclass(frozen=True)
class StatePolicy:
    """A policy of the states that a listed game came from: those of :func:`marsgym.from_rules`, or
    ``pyspiel.State``. It is asked once for each state of the table.
    """

    function: Callable[[Any], Any]
    """Maps a state to an action, or to the probabilities of actions: a dict, or pairs."""
    name: str = "policy"


@dataclass(frozen=True, eq=False)
class TabularPolicy:
    """A policy of a table game as an array, the fastest one to evaluate."""

    probabilities: npt.NDArray[np.float64]
    """[A] the probability of each action in ``game.table.action``."""
    name: str = "table"


Policy: TypeAlias = (
    "Probabilities | Scores | StatePolicy | TabularPolicy | Model | str | os.PathLike[str]"
)


Asked: TypeAlias = "Probabilities | Scores | _native.Object"
"""What answers the questions of a job, or a policy that the library has."""


def entrants(
    game: Game, policy: Policy, against: Policy | list[Policy]
) -> tuple[list[dict[str, Any]], list[Asked]]:
    """The agents of a task, and the functions among them."""
    others = against if isinstance(against, list) else [against]
    if game.players == 1:
        others = []
    elif len(others) not in (1, game.players - 1):
        raise ValueError(
            f"{len(others)} policies in the other seats; want one for all, or {game.players - 1}"
        )
    policies: list[Asked] = []
    return [entrant(game, p, policies) for p in [policy, *others]], policies


def entrant(
    game: Game, p: Policy, policies: list[Asked], what: str = "the policy"
) -> dict[str, Any]:
    """An agent of a task. A function is appended to policies."""
    from marsgym.model import Model

    if isinstance(p, Model):
        if p.game().rules_hash != game.rules_hash:
            raise ValueError(f"the model plays {p.game()!r}; want one that plays {game!r}")
        p = p.policy()
    entry: dict[str, Any] = {"name": "", "policy": None, "scores": False, "greedy": False}
    if hasattr(p, "action_probabilities") or hasattr(p, "restart_at"):  # of OpenSpiel
        from marsgym.openspiel import policy

        p = policy(p)
    if isinstance(p, StatePolicy):
        p = game.tabulate(p)
    if isinstance(p, TabularPolicy):
        values = np.ascontiguousarray(p.probabilities, np.float64)
        handle = _native.Object("policy", _native.address(values), values.size, of=game._native())
        policies.append(handle)  # which keeps it
        return entry | {"name": p.name, "table": handle.check(what)}
    if isinstance(p, (str, os.PathLike)):
        entry["name"] = _native.text(p, what).decode()
        return entry
    function = p.function if isinstance(p, Scores) else p
    if not callable(function):
        raise TypeError(
            f"{what} is {p!r}; want a function of observations and masks, Scores, a Model, "
            "or the name of an agent"
        )
    entry["name"] = getattr(function, "__name__", type(function).__name__)
    entry["policy"] = len(policies)
    if isinstance(p, Scores):
        entry["scores"], entry["greedy"] = True, bool(p.greedy)
    policies.append(p)
    return entry


class Table(tuple[dict[str, Any], ...]):
    """Dicts with the same keys, which print, and show in a notebook, as the rows of a table."""

    __slots__ = ()

    def _cells(self) -> list[list[str]]:
        names = list(self[0]) if self else []
        rows = [[_cell(row[name]) for name in names] for row in self]
        return [names, *rows]

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        names, *rows = self._cells()
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Evaluation:
    """The exact strength of a policy. Shares of the win count a shared win by its share."""

    win: float | None
    """The expected share of the win, averaged over the seats; None if the game has no win."""
    win_by_seat: tuple[float, ...]
    """[P] the same by seat, the other policies following in the order of play."""
    exploitability: float | None
    """What a best response wins above 1/P, averaged over its seats, when the policy has all
    other seats: a share of the win."""
    returns: tuple[float, ...]
    """[P] the expected return of each seat with the policy in seat 0."""
    loss: float | None
    """The expected loss by all mistakes in a game, as a share of the win; None without
    mistakes."""
    mistakes: Table
    """The costliest mistakes, as dicts that print as a table: position, action, best, cost (the
    loss in a game), reach (how often the decision arises in a game), prob, regret, kind,
    situation."""

    def _repr_html_(self) -> str:
        figures = {k: v for k, v in vars(self).items() if k != "mistakes" and v not in (None, ())}
        figures |= {k: ", ".join(map(_cell, v)) for k, v in figures.items() if type(v) is tuple}
        tables = [Table([figures]), *([self.mistakes] if self.mistakes else [])]
        return "".join(t._repr_html_() for t in tables)

    @classmethod
    def read(cls, game: Game, r: dict[str, Any]) -> Evaluation:
        """Reads the result of a job."""
        if "win_by_seat" not in r:
            return cls(None, (), None, tuple(r["returns"]), None, Table())
        report = r.get("mistakes")
        return cls(
            r["mean"],
            tuple(r["win_by_seat"]),
            r["exploitability"],
            tuple(game.loss + w * (game.win - game.loss) for w in r["win"]),
            None if report is None else report["loss"],
            Table(() if report is None else report["worst"] or ()),
        )


@dataclass(frozen=True)
class Match:
    """The result of a duplicate match."""

    win: tuple[float, ...]
    """[P] the share of the win of each agent, averaged over its seats."""
    low: tuple[float, ...]
    """[P] the lower end of its interval, and high the upper."""
    high: tuple[float, ...]
    games: int
    truncated: int
    """How many of the games a limit ended; these are won by nobody."""
    confidence: float
    """The level of the intervals: 0.99."""

    def _repr_html_(self) -> str:
        seats = zip(self.win, self.low, self.high, strict=True)
        level = f"{100 * self.confidence:g} % interval"
        rows = [
            {"agent": i, "win": w, level: f"{_cell(low)} to {_cell(high)}", "games": self.games}
            for i, (w, low, high) in enumerate(seats)
        ]
        return Table(rows)._repr_html_()

    @classmethod
    def read(cls, r: dict[str, Any]) -> Match:
        """Reads the result of a job."""
        low, high = tuple(r["low"]), tuple(r["high"])
        return cls(tuple(r["win"]), low, high, r["games"], r["truncated"], r["confidence"])
