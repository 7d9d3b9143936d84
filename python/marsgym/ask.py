"""Strength of a language model, asked over HTTP by the protocol of chat completions.

python -m marsgym.ask pig --url http://127.0.0.1:8000/v1 --model NAME --file games.jsonl

The model plays games against exact play. Each decision is a request of its own: the rules, then the
position in words. The answer is searched for the name of a legal action. Standard output says what
the mistakes of the model cost, and shows the worst of them in words.

Only the address of --url is contacted. A key is read from the environment variable that --key-env
names; it is neither printed nor saved.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import os
import socket
import threading
import urllib.parse
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import marsgym
from marsgym import _command, _native
from marsgym.game import Game, Position
from marsgym.measure import Answer, Measurement

_MOST = 4 << 20
"""Bytes of an answer. Chosen: far above the longest answers of models."""

_DAY = 86_400.0
"""The longest timeout, in seconds. Chosen."""

_PAUSE = 60.0
"""The longest pause before a request is repeated, in seconds. Chosen."""

_REPEATED = frozenset({408, 409, 425, 429, *range(500, 600)})
"""Statuses that another attempt may change."""

_SILENT = 20
"""How many answers, all of them without a legal action, end a measurement. Chosen."""


def system_message(game: Game, lang: str = "en") -> str:
    """What a model is told before each position: its task, how to answer, and the rules."""
    said = game._sentences(lang)
    reply = said["reply"].format(game.action_names[0])
    task = said["task"].format(game.title, game.players, said["play"], reply)
    return f"{task}\n\n{game.rules(lang)}"


class EndpointError(RuntimeError):
    """An endpoint gives no usable answers."""


class _AgainError(EndpointError):
    """The same, which another attempt may change, after a pause in seconds if that is not None."""

    def __init__(self, text: str, pause: float | None = None) -> None:
        super().__init__(text)
        self.pause = pause


@dataclass(frozen=True)
class Endpoint:
    """A model behind an endpoint that speaks the protocol of chat completions."""

    url: str
    """The base address, such as ``http://127.0.0.1:8000/v1``, or that of ``/chat/completions``."""
    model: str
    key: str | None = field(default=None, repr=False)
    """Sent as a bearer token, if it is not None."""
    options: dict[str, Any] = field(default_factory=dict)
    """Further fields of a request, such as ``{"temperature": 0}``."""
    timeout: float = 120.0
    """Seconds until an answer must be complete."""
    retries: int = 2
    """How often a request that failed is repeated. The pause before it is 1 s, then 2 s, and so on
    twice as long, or what the endpoint asks for, and at most a minute.
    """

    def __post_init__(self) -> None:
        try:
            parts = urllib.parse.urlsplit(self.url)
            good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            good = False
        if not good:
            raise ValueError("the url is no server's; want one such as http://127.0.0.1:8000/v1")
        if parts.username is not None or parts.password is not None or parts.query:
            raise ValueError("the url has a user or a query; give a key by an environment variable")
        key = "no key" if self.key is None else self.key
        if not (key and key.isascii() and key.isprintable()):
            raise ValueError("the key is empty, or holds characters that no key has")
        if not 0 < self.timeout <= _DAY:
            raise ValueError(f"the timeout is {self.timeout}; want seconds above 0, at most a day")
        _native.number(self.retries, "retries", 0, 100)
        reserved = {"model", "messages", "stream"} & self.options.keys()
        if reserved:
            raise ValueError(f"options have {', '.join(sorted(reserved))}, which marsgym.ask sets")
        json.dumps(self.options)

    @property
    def server(self) -> str:
        """What errors call the endpoint."""
        parts = urllib.parse.urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    async def complete(self, messages: list[dict[str, str]]) -> tuple[str, int]:
        """The text of the answer to messages, and how many tokens the endpoint counted, or 0.

        Raises:
            EndpointError: the endpoint refuses the request, or all attempts failed.
        """
        body = {**self.options, "model": self.model, "messages": messages}
        data = json.dumps(body).encode()
        for attempt in range(self.retries + 1):
            try:
                return self._read(await self._post(data))
            except _AgainError as e:
                if attempt == self.retries:
                    raise EndpointError(f"{e}; attempts: {attempt + 1}") from None
                pause = 2.0**attempt if e.pause is None else e.pause
                await asyncio.sleep(min(pause, _PAUSE))
        raise AssertionError

    async def _post(self, data: bytes) -> bytes:
        """The body of the answer to a request. A thread of its own reads it, whose socket is shut
        down at the timeout: so nothing that an endpoint does lasts longer, not even headers that
        come letter by letter.
        """
        parts = urllib.parse.urlsplit(self.url)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        future: Future[bytes] = Future()
        future.set_running_or_notify_cancel()
        over, sockets = threading.Event(), list[socket.socket]()

        def send() -> None:
            try:
                connection = kinds[parts.scheme](parts.netloc, timeout=self.timeout)
                with contextlib.closing(connection):
                    connection.connect()
                    sockets.append(connection.sock)
                    if not over.is_set():
                        future.set_result(self._send(connection, parts.path, data))
            except BaseException as e:
                future.set_exception(e)

        threading.Thread(target=send, daemon=True).start()
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.timeout)
        except TimeoutError:
            text = f"{self.server} has not answered within {self.timeout:g} s"
            raise _AgainError(text) from None
        except (OSError, http.client.HTTPException) as e:
            reason = self._line(str(e)) or type(e).__name__
            raise _AgainError(f"{self.server} cannot be reached: {reason}") from None
        finally:
            over.set()
            for s in sockets:
                with contextlib.suppress(OSError):  # of one that is closed
                    s.shutdown(socket.SHUT_RDWR)

    def _send(self, connection: http.client.HTTPConnection, path: str, data: bytes) -> bytes:
        """The body of the answer by a connection, which follows no redirection and asks no proxy:
        both would take the key to another address.
        """
        path = path.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
        headers = {"Content-Type": "application/json", "User-Agent": "marsgym"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        connection.request("POST", path, data, headers)
        with connection.getresponse() as response:
            if not 200 <= response.status < 300:
                raise self._refusal(response)
            body = response.read(_MOST + 1)
        if len(body) > _MOST:
            raise _AgainError(f"{self.server} answered with more than {_MOST >> 20} MiB")
        return body

    def _refusal(self, response: http.client.HTTPResponse) -> EndpointError:
        """The error of an answer with a status that is no success."""
        said = response.read(1 << 16).decode(errors="replace")
        with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
            said = str(json.loads(said)["error"]["message"])
        said = self._line(said) or self._line(response.reason)
        text = f"{self.server} answered with status {response.status}: {said}"
        if response.status not in _REPEATED:
            return EndpointError(text)
        after = response.headers.get("Retry-After", "")
        return _AgainError(text, float(after) if after.isdecimal() else None)

    def _read(self, body: bytes) -> tuple[str, int]:
        """The text and the tokens of the body of an answer."""
        try:
            answer = json.loads(body)
            content = answer["choices"][0]["message"]["content"]
            if not isinstance(content, str | None):
                raise TypeError
        except (ValueError, LookupError, TypeError, RecursionError):
            start = self._without_key(body.decode(errors="replace"))[:80]
            raise _AgainError(
                f"{self.server} answered with something else than a chat completion: {start!r}"
            ) from None
        usage = answer.get("usage")
        tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
        if not isinstance(tokens, int) or not 0 <= tokens < 2**53:
            tokens = 0
        return content or "", tokens

    def _without_key(self, text: str) -> str:
        """A text of the endpoint without the key, which a message may repeat."""
        return text if self.key is None else text.replace(self.key, "(the key)")

    def _line(self, text: str) -> str:
        """The start of such a text on one line, without what a terminal would obey."""
        shown = "".join(c for c in " ".join(text.split()) if c.isprintable())
        return self._without_key(shown)[:300]

    def policy(
        self,
        game: Game,
        *,
        lang: str = "en",
        legal: bool = True,
        log: str | os.PathLike[str] | None = None,
    ) -> Callable[[Position], Awaitable[Answer]]:
        """The model as a policy for :meth:`Game.measure`. The cost of an answer is its tokens.

        Args:
            game: whose rules the model is told.
            lang: of all that the model is told.
            legal: whether positions list the legal actions.
            log: a file to which the policy adds a line of JSON for each answer.
        """
        told = system_message(game, lang)
        if log is not None:
            Path(log).open("a").close()  # or an error, before an answer is paid for
        answers = legals = 0

        async def choose(position: Position) -> Answer:
            nonlocal answers, legals
            shown = position.describe(lang=lang, legal=legal)
            messages = [{"role": "system", "content": told}, {"role": "user", "content": shown}]
            answer, tokens = await self.complete(messages)
            action = position.parse_action(answer)
            text = self._without_key(answer)
            if log is not None:
                name = None if action is None else game.action_names[action]
                line = {"position": position.text, "answer": text, "action": name, "tokens": tokens}
                with Path(log).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
            answers, legals = answers + 1, legals + (action is not None)
            if legals == 0 and answers >= _SILENT:
                raise EndpointError(
                    f"none of the first {answers} answers of {self.model} named a legal action; "
                    f"the last ended with {text.strip()[-200:]!r}"
                )
            return Answer(action, tokens)

        about = {"model": self.model, "options": self.options, "lang": lang, "legal": legal}
        choose.__name__ = json.dumps(about, sort_keys=True)  # names the policy in a file of games
        return choose


def report(game: Game, name: str, opponents: str, m: Measurement) -> str:
    """What a measurement found, and its worst mistakes, in words."""
    lines = [
        f"{name} in {game.title}, against {opponents}: {m.games} games",
        "",
        f"win      {m.win:.3f}, 99 % interval {m.low:.3f} to {m.high:.3f}",
        f"regret   {m.regret:.4f} in a game, {m.regret_per_decision:.4f} in a decision",
        f"answers  {m.calls}, of which {m.illegal} named no legal action",
    ]
    if m.cost:
        lines.append(f"tokens   {m.cost:.0f}")
    if m.drawn:
        lines.append(f"drawn    in {m.drawn} of {m.decisions} decisions any legal action was drawn")
    if m.few:
        lines.append("Few games differ in regret, so the interval may be too narrow.")
    if m.stopped:
        lines.append("A bound ended the measurement; the same command with a higher one goes on.")
    for i, x in enumerate(m.worst, 1):
        shown = game.position(x["position"]).describe(legal=False)
        lines += [
            "",
            f"Mistake {i}, in game {x['game']}: {x['action']} costs {x['regret']:.3f} of a win, "
            f"and {x['best']} is best",
            "",
            *("    " + line for line in shown.splitlines()),
        ]
    return "\n".join(lines) + "\n"


def _arguments() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m marsgym.ask", description=__doc__)
    p.formatter_class = argparse.RawDescriptionHelpFormatter
    p.add_argument("game", help="the id of a solved game")
    p.add_argument("--url", required=True, help="base address, such as http://127.0.0.1:8000/v1")
    p.add_argument("--model", required=True, help="name of the model, as the endpoint knows it")
    p.add_argument(
        "--file", required=True, help="where each game is saved; the same command resumes it"
    )
    p.add_argument("--games", type=int, default=50, help="number of games (default 50)")
    p.add_argument("--key-env", metavar="NAME", help="environment variable that holds the key")
    p.add_argument("--options", metavar="JSON", help="""such as '{"temperature": 0}'""")
    p.add_argument("--timeout", type=float, default=120.0, help="of an answer (default 120 s)")
    p.add_argument(
        "--retries",
        type=int,
        default=2,
        help="repetitions of a request that failed or named no legal action (default 2)",
    )
    p.add_argument("--concurrency", type=int, default=4, help="games at once (default 4)")
    p.add_argument("--max-calls", type=int, help="end this run after that many answers")
    p.add_argument("--opponents", default="exact", help="agent in the other seats (default exact)")
    p.add_argument("--players", type=int, help="number of players (default set by the game)")
    p.add_argument("--config", metavar="JSON", help="settings that replace defaults of the game")
    p.add_argument("--seed", type=int, default=0, help="seed of the dice (default 0)")
    p.add_argument("--lang", default="en", help="language of all texts (default en)")
    p.add_argument("--worst", type=int, default=3, help="mistakes to show (default 3)")
    p.add_argument("--log", metavar="FILE", help="file to which all answers are added")
    p.add_argument("--json", action="store_true", help="write the result as one JSON document")
    return p


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    p = _arguments()
    a = p.parse_args(arguments)
    key = None
    if a.key_env is not None:
        key = os.environ.get(a.key_env)
        if not key:
            p.exit(2, f"marsgym.ask: there is no key in {a.key_env}; set that variable\n")
    try:
        if a.log is not None and Path(a.log).resolve() == Path(a.file).resolve():
            raise ValueError(f"--log and --file are both {a.file}; name two files")
        options = _native.json_object(a.options, "--options") or {}
        endpoint = Endpoint(a.url, a.model, key, options, a.timeout, a.retries)
        game = marsgym.load(a.game, a.players, _native.json_object(a.config, "--config"))
        policy = endpoint.policy(game, lang=a.lang, log=a.log)
        measurement = game.measure(
            policy,
            a.games,
            opponents=a.opponents,
            seed=a.seed,
            concurrency=a.concurrency,
            retries=a.retries,
            max_calls=a.max_calls,
            file=a.file,
            worst=a.worst,
        )
        if measurement.games == 0:
            raise ValueError("no whole set of games has ended; want a higher --max-calls")
    except EndpointError as e:
        p.exit(1, f"marsgym.ask: {e}; the same command goes on with the games in {a.file}\n")
    except (ValueError, OSError) as e:
        p.exit(1, f"marsgym.ask: {e}\n")
    except KeyboardInterrupt:
        p.exit(130, f"marsgym.ask: the same command goes on with the games in {a.file}\n")
    if a.json:
        print(json.dumps({**vars(measurement), "worst": list(measurement.worst)}))
    else:
        print(report(game, a.model, a.opponents, measurement), end="")


if __name__ == "__main__":
    _command.run(main)
