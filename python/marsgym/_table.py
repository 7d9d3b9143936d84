"""A listed game as arrays."""

from __future__ import annotations

import ctypes
import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from marsgym import _native

CHANCE = -1
"""The player of a position in which chance moves next."""
TERMINAL = -2
"""The player of a position in which the game is over."""


@dataclass(frozen=True, eq=False)
class Table:
    """The states of a game, S of them, in arrays; state 0 is the initial one. The library
    checks and copies them when a game of the table is opened.
    """

    name: str
    players: int
    num_actions: int
    player: npt.NDArray[np.int8]
    """[S] the seat to move, CHANCE or TERMINAL."""
    first: npt.NDArray[np.uint32]
    """[S] the index of the first action in action and next, of the first outcome in outcome and
    probability, or of the row of returns."""
    count: npt.NDArray[np.uint16]
    """[S] the number of actions or outcomes; 0 at the end."""
    action: npt.NDArray[np.uint16]
    """[A] the legal actions of each state, ascending."""
    next: npt.NDArray[np.uint32]
    """[A] the state after each of them."""
    outcome: npt.NDArray[np.uint32]
    """[O] the states after chance."""
    probability: npt.NDArray[np.float64]
    """[O]."""
    returns: npt.NDArray[np.float64]
    """[R, P]."""
    observation: npt.NDArray[Any] | None = None
    """[S, P, D], or [S, 1, D] where all seats see the same; uint8 or float32."""
    state_texts: list[str] | None = None
    action_texts: list[str] | None = None
    about: str = ""
    move_limit: int = 0
    """The number of decisions after which a batch truncates a game; 0 is the default."""

    def __len__(self) -> int:
        return len(self.player)

    def __post_init__(self) -> None:
        """Checks the lengths, on which the library relies."""
        s, p = len(self.player), self.players
        for name, length in (
            ("first", s),
            ("count", s),
            ("next", len(self.action)),
            ("probability", len(self.outcome)),
            ("observation", s),
            ("state_texts", s),
            ("action_texts", self.num_actions),
        ):
            value = getattr(self, name)
            if value is not None and len(value) != length:
                raise ValueError(f"{name} has length {len(value)}; want {length}")
        if s == 0:
            raise ValueError("player is empty; want at least one state")
        if self.returns.ndim != 2 or self.returns.shape[1] != p:
            raise ValueError(f"returns has shape {self.returns.shape}; want [R, {p}]")

    def replace(self, **changes: Any) -> Table:
        """The table with other fields."""
        return dataclasses.replace(self, **changes)

    def open(self) -> _native.Object:
        """Opens a game of the table in the library."""
        state_text, state_text_end = _joined(self.state_texts, np.uint64)
        action_text, action_text_end = _joined(self.action_texts, np.uint32)
        seen = self.observation
        if seen is None:
            seen = np.zeros((len(self), 0, 0), np.uint8)
        small = seen if seen.dtype == np.uint8 else None
        arrays: dict[str, npt.NDArray[Any] | None] = {
            "player": self.player,
            "first": self.first,
            "count": self.count,
            "action": self.action,
            "next": self.next,
            "outcome": self.outcome,
            "probability": self.probability,
            "returns": self.returns,
            "observation_bytes": small,
            "observation_floats": seen if small is None else None,
            "state_text": state_text,
            "state_text_end": state_text_end,
            "action_text": action_text,
            "action_text_end": action_text_end,
        }
        pointers = {k: None if a is None else _native.address(a) for k, a in arrays.items()}
        struct = _native.Table(
            **pointers,
            name=_native.text(self.name, "name"),
            about=_native.text(self.about, "about"),
            players=self.players,
            actions=self.num_actions,
            move_limit=self.move_limit,
            states=len(self),
            moves=len(self.action),
            outcomes=len(self.outcome),
            ends=len(self.returns),
            seats=seen.shape[1],
            numbers=seen.shape[2],
        )
        return _native.Object("open_table", ctypes.byref(struct))


def _joined(
    texts: list[str] | None, dtype: Any
) -> tuple[npt.NDArray[np.uint8] | None, npt.NDArray[Any] | None]:
    """The UTF-8 of texts, one after the other, and where each ends."""
    if texts is None:
        return None, None
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([len(text) for text in encoded]).astype(dtype)
    return np.frombuffer(b"".join(encoded), np.uint8), ends
