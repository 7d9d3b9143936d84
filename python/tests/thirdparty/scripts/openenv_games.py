"""OpenEnv: its client plays whole games with our server, in sessions of their own, and so does the
program of docs/text-environments.md."""

import asyncio
import contextlib
import io
import json
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import uvicorn
from websockets.sync.client import connect

from marsgym.openenv import Client, TextAction, app, main
from marsgym.text import TextGame

PIG = {"target": 20}
ARGUMENTS = ["pig", "--config", json.dumps(PIG)]


def post(path, body):
    """The status and the text of an HTTP request."""
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"http://{url}{path}", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()


def client():
    """A client that is not async."""
    return Client(base_url=f"http://{url}").sync()


def error(call, *arguments, **options):
    """The text of the error of a call."""
    try:
        call(*arguments, **options)
    except (Exception, SystemExit) as e:
        return f"{type(e).__name__}: {e}"
    raise AssertionError("no error")


def model(text):
    """A scripted model, which holds at 5."""
    gain = re.search(r"\(you\).* (\d+) more in this turn", text)
    return "Enough! [hold]" if gain and int(gain[1]) >= 5 else "I'd rather [roll]."


def alone(seed):
    """The regret and the result of a game without a server."""
    game = TextGame("pig", config=PIG)
    text = game.reset(seed)
    while not game.done:
        text = game.step(model(text)).text
    return game.regret, game.result


async def play(seed):
    """The same of a game by a client."""
    async with Client(base_url=f"http://{url}") as env:
        result, total = await env.reset(seed=seed), 0.0
        while not result.done:
            result = await env.step(model(result.observation.text))
            total -= result.reward
        state = await env.state()
        assert abs(state.regret - total) < 1e-12
        return state.regret, state.result


async def together(seeds):
    """Games in as many sessions at once."""
    return await asyncio.gather(*map(play, seeds))


with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
url = f"127.0.0.1:{port}"
command = [sys.executable, "-m", "marsgym.openenv", *ARGUMENTS, "--sessions", "8"]
server = subprocess.Popen([*command, "--port", str(port)])
try:
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            assert server.poll() is None
            time.sleep(0.1)
    games = asyncio.run(together(range(8))) + asyncio.run(together(range(8, 12)))
    assert games == [alone(seed) for seed in range(12)]
    assert {result for _, result in games} == {0.0, 1.0}

    page = (Path(__file__).parents[4] / "docs" / "text-environments.md").read_text()
    assert "\npython -m marsgym.openenv pig\n" in page
    alone_program, program = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[:2]
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(alone_program, names)
        exec(program.replace("127.0.0.1:8000", url), names)
    assert names["result"].done
    assert names["result"].observation.action is not None, "the last answer was legal"

    with client() as a:
        assert "call reset first" in error(a.step, "roll")
        assert a.state().position is None
        start = a.reset(seed=1, position="3-4@1 turn 5", episode_id="e")
        assert start.observation.legal_actions == {0: "roll", 1: "hold"}
        assert (a.state().position, a.state().episode_id) == ("3-4@1 turn 5", "e")
        for wrong, want in (
            ({"seed": "x"}, "seed is 'x'; want an integer"),
            ({"position": "s0"}, "want a position such as"),
            ({"postion": "3-4@1"}, "reset got postion; want seed, position"),
        ):
            assert want in error(a.reset, **wrong)
        assert "VALIDATION_ERROR" in error(a.step, {"answer": [1]})
        assert a.state().position == "3-4@1 turn 5", "errors change nothing"
        for illegal in ("I refuse.", "x" * 10_000_000):
            result = a.step(illegal)
            assert result.observation.text.startswith("This answer names no legal action.")
            assert (result.reward, result.done, result.observation.action) == (0, False, None)
        result = a.step(TextAction(answer=1))
        assert result.observation.action == 1
        a.reset(position="3-4@1 turn 5")
        for _ in range(3):
            result = a.step(7)
        assert result.done
        assert a.state().forfeited
        assert a.state().regret == -result.reward > 0

    # As many sessions as there may be, and one more. One that vanishes makes room.
    others = [client() for _ in range(7)]
    for b in others:
        b.connect()
        b.reset(seed=1)
    vanishing = socket.create_connection(("127.0.0.1", port))
    vanishing.sendall(
        f"GET /ws HTTP/1.1\r\nHost: {url}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert vanishing.recv(12) == b"HTTP/1.1 101"
    with client() as c:
        assert "8/8 sessions active" in error(c.reset)
    vanishing.close()
    for _ in range(600):
        with client() as c:
            try:
                c.reset()
                break
            except RuntimeError as e:
                if "sessions active" not in str(e):
                    raise
                time.sleep(0.1)
    else:
        raise AssertionError("a client that has vanished keeps its session")
    for b in others:
        b.close()

    # Two clients in one session, and a session that does not exist.
    status, text = post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create"})
    session = json.loads(text)["result"]["session_id"]
    with connect(f"ws://{url}/ws?session_id={session}") as one:
        one.send('{"type": "reset", "data": {"seed": 1}}')
        assert json.loads(one.recv())["type"] == "observation"
        with connect(f"ws://{url}/ws?session_id={session}") as two:
            assert "already has an attached WebSocket" in two.recv()
        one.send('{"type": "state"}')
        assert json.loads(one.recv())["data"]["seed"] == 1
    with connect(f"ws://{url}/ws?session_id=none") as none:
        assert "Unknown session_id: none" in none.recv()

    # Requests without a session.
    assert post("/reset", {"seed": "x"})[0] == 422
    status, text = post("/reset", {"position": "s0"})
    assert (status, "want a position such as" in text) == (400, True)
    status, text = post("/step", {"action": {"answer": 1}})
    assert (status, "call reset first" in text) == (400, True)

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
        route.connect(("192.0.2.1", 9))  # which sends nothing
        address = route.getsockname()[0]
    assert "refused" in error(socket.create_connection, (address, port), 10)
finally:
    server.terminate()
    server.wait(60)

# The server ends a session that is idle, which makes room.
options = uvicorn.Config(app("pig", config=PIG, sessions=1, idle=1), port=0, log_level="warning")
server = uvicorn.Server(options)
thread = threading.Thread(target=server.run)
thread.start()
try:
    while not server.started:
        time.sleep(0.1)
    url = f"127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    with client() as a:
        a.reset(seed=1)
        while True:
            time.sleep(5)
            with client() as b:
                try:
                    b.reset(seed=1)
                    break
                except RuntimeError as e:
                    if "1/1 sessions active" not in str(e):
                        raise
        for call in a.reset, lambda: a.step("roll"):
            assert "was idle for too long and is closed; connect again" in error(call)
finally:
    server.should_exit = True
    thread.join()

for more, want in (
    (["--players", "0"], "players is 0"),
    (["--opponents", "gredy"], "gredy"),
    (["--lang", "de"], "its languages are en"),
    (["--sessions", "0"], "sessions is 0"),
    (["--idle", "0"], "idle is 0"),
    (["--seat", "5"], "seat is 5"),
    (["--seat", "x"], "seat is 'x'; want random or a number"),
    (["--seat", "²"], "want random or a number"),
    (["--config", "x"], "--config is no JSON"),
    (["--config", "[1]"], "--config is [1]; want an object"),
):
    with contextlib.redirect_stderr(io.StringIO()) as printed:
        assert error(main, [*ARGUMENTS, *more]) == "SystemExit: 1"
    assert printed.getvalue().startswith("marsgym.openenv: "), printed.getvalue()
    assert want in printed.getvalue(), printed.getvalue()
