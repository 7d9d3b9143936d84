"""Games as text environments of OpenEnv: ``python -m marsgym.openenv pig`` serves one.

    with marsgym.openenv.Client(base_url="http://127.0.0.1:8000").sync() as client:
        result = client.reset(seed=1)
        while not result.done:
            result = client.step(model(result.observation.text))
        print(client.state().regret)

Each connection is a session with a game of its own. The rewards add up to the total regret with
its sign changed.
"""

from __future__ import annotations

import argparse
import functools
import math
import sys
from typing import Any

try:
    import uvicorn
    from fastapi import FastAPI, Request
    from fastapi.responses import JSONResponse
    from openenv.core.client_types import StepResult
    from openenv.core.env_client import EnvClient
    from openenv.core.env_server import Environment, create_fastapi_app
    from openenv.core.env_server.types import Action, ConcurrencyConfig, Observation, State
except ImportError as e:
    remedy = f"marsgym.openenv needs openenv ({e}); run: pip install 'openenv>=0.10'"
    if __name__ == "__main__":
        sys.exit(remedy)
    raise ImportError(remedy) from None

from marsgym import _command, _native
from marsgym.game import Game
from marsgym.text import TextGame


class TextAction(Action):
    """An answer: a text that names an action, or the number of one."""

    answer: int | str


class TextObservation(Observation):
    """A decision, or the end of the game."""

    text: str
    """In words."""
    legal_actions: dict[int, str]
    """The names of the legal actions by their numbers; empty at the end."""
    action: int | None = None
    """What the answer was read as; None at a reset, and if it named no legal action."""


class TextState(State):
    """The attributes of a :class:`marsgym.text.TextGame`."""

    game: str = ""
    rules_hash: str = ""
    seed: int | None = None
    seat: int | None = None
    position: str | None = None
    illegal: int = 0
    forfeited: bool = False
    truncated: bool = False
    done: bool = True
    regret: float | None = None
    """The total of the game."""
    result: float | None = None


class TextEnvironment(Environment[TextAction, TextObservation, TextState]):
    """A game for each session. The options are those of :class:`marsgym.text.TextGame`."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__()
        self._game = TextGame(*arguments, **options)
        self._episode: str | None = None
        self._closed = False

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        position: str | None = None,
        **unknown: Any,
    ) -> TextObservation:
        """Starts a game; see :meth:`marsgym.text.TextGame.reset`."""
        self._check()
        if unknown:
            raise ValueError(f"reset got {', '.join(unknown)}; want seed, position or episode_id")
        text = self._game.reset(seed, position)
        self._episode = episode_id
        return self._observe(text)

    def step(self, action: TextAction, timeout_s: float | None = None, **_: Any) -> TextObservation:
        """Plays an answer; see :meth:`marsgym.text.TextGame.step`."""
        self._check()
        turn = self._game.step(action.answer)
        return self._observe(turn.text, reward=turn.reward, action=turn.action)

    @property
    def state(self) -> TextState:
        """The state of the session."""
        g = self._game
        about = {"game": g.game.id, "rules_hash": g.game.rules_hash}
        if g.position is None:
            return TextState(**about)
        known = {"episode_id": self._episode, "step_count": g.answers, "position": g.position.text}
        names = TextState.model_fields.keys() - about.keys() - known.keys()
        return TextState(**about, **known, **{name: getattr(g, name) for name in names})

    def close(self) -> None:
        """Ends the session."""
        self._closed = True

    def _check(self) -> None:
        if self._closed:  # OpenEnv leaves the connection of an idle session open
            raise ValueError("the session was idle for too long and is closed; connect again")

    def _observe(self, text: str, **more: Any) -> TextObservation:
        position = self._game.position
        legal = () if position is None or self._game.done else position.legal_actions
        names = {a: self._game.game.action_names[a] for a in legal}
        return TextObservation(text=text, legal_actions=names, done=self._game.done, **more)


class Client(EnvClient[TextAction, TextObservation, TextState]):
    """A client. ``step`` takes a text, a number or a :class:`TextAction`."""

    def _step_payload(self, action: TextAction | str | int) -> dict[str, Any]:
        return {"answer": action.answer if isinstance(action, TextAction) else action}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[TextObservation]:
        ends = {name: payload[name] for name in ("reward", "done")}
        observation = TextObservation.model_validate(payload["observation"] | ends)
        return StepResult(observation=observation, **ends)

    def _parse_state(self, payload: dict[str, Any]) -> TextState:
        return TextState.model_validate(payload)


def app(
    game: str | Game,
    players: int | None = None,
    config: dict[str, Any] | None = None,
    *,
    sessions: int = 64,
    idle: float = 3600.0,
    **options: Any,
) -> FastAPI:
    """A server.

    Args:
        game, players, config, options: of the :class:`marsgym.text.TextGame` of each session.
        sessions: how many sessions there can be at once.
        idle: after how many seconds without a request a session ends.
    """
    most = _native.number(sessions, "sessions", 1, 10_000)
    if not 0 < idle < math.inf:
        raise ValueError(f"idle is {idle}; want a number of seconds above 0")
    shared = TextGame(game, players, config, **options).game
    server = create_fastapi_app(
        functools.partial(TextEnvironment, shared, **options),
        TextAction,
        TextObservation,
        concurrency_config=ConcurrencyConfig(max_concurrent_envs=most, session_timeout=idle),
        env_name="marsgym",
        state_cls=TextState,
    )

    async def refuse(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 400)

    for error in ValueError, TypeError:  # of HTTP; sessions report errors themselves
        server.add_exception_handler(error, refuse)
    return server


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    p = argparse.ArgumentParser(
        prog="python -m marsgym.openenv",
        description="Serves a game as a text environment of OpenEnv, to this machine unless "
        "--host is given. Anybody who can reach the address can play.",
    )
    p.add_argument("game", help="the id of a game, or the path of a table game")
    p.add_argument("--players", type=int, help="number of players (default set by the game)")
    p.add_argument("--config", help="JSON of settings that replace defaults of the game")
    p.add_argument(
        "--opponents",
        nargs="+",
        default=["exact"],
        help="agents in the other seats (default exact)",
    )
    p.add_argument("--seat", default="random", help="seat of the client (default random)")
    p.add_argument("--reward", default="regret", help="regret or result (default regret)")
    p.add_argument(
        "--retries", type=int, default=2, help="further answers after an illegal one (default 2)"
    )
    p.add_argument("--lang", default="en", help="language of the texts (default en)")
    p.add_argument("--no-rules", action="store_true", help="leave the rules out of the first text")
    p.add_argument("--no-legal", action="store_true", help="leave out the lists of legal actions")
    p.add_argument("--sessions", type=int, default=64, help="most sessions at once (default 64)")
    p.add_argument(
        "--idle", type=float, default=3600, help="seconds after which an idle session ends"
    )
    p.add_argument("--host", default="127.0.0.1", help="address to listen at (default 127.0.0.1)")
    p.add_argument("--port", type=int, default=8000, help="port (default 8000)")
    a = p.parse_args(arguments)
    try:
        server = app(
            a.game,
            a.players,
            _native.json_object(a.config, "--config"),
            opponents=a.opponents,
            seat=int(a.seat) if a.seat.isdecimal() else a.seat,
            reward=a.reward,
            retries=a.retries,
            lang=a.lang,
            rules=not a.no_rules,
            legal=not a.no_legal,
            sessions=a.sessions,
            idle=a.idle,
        )
    except (TypeError, ValueError, OSError) as e:
        p.exit(1, f"marsgym.openenv: {e}\n")
    uvicorn.run(server, host=a.host, port=a.port, log_level="warning")


if __name__ == "__main__":
    _command.run(main)
