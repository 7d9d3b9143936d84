import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import marsgym
from marsgym import ask

KEY = "sk-secret-0123456789"


@contextlib.contextmanager
def serve(answer):
    """A server on this machine; answer(handler, position, n) answers request n, from 1 on."""
    count, lock = [0], threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                count[0] += 1
                n = count[0]
            with contextlib.suppress(ConnectionError):
                answer(self, request["messages"][-1]["content"], n)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", count
    finally:
        server.shutdown()
        server.server_close()


def send(handler, body, status=200, **headers):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def say(handler, text):
    send(handler, {"choices": [{"message": {"content": text}}], "usage": {"total_tokens": 7}})


def hold_at_10(handler, position, n):
    gain = position.partition(" more in this turn")[0].rpartition(", ")[2]
    say(handler, "[hold]" if gain.isdigit() and int(gain) >= 10 else "I [roll]")


def run(url, file, *more, games=20):
    """Runs the command."""
    command = ["pig", "--config", '{"target": 20}', "--url", url, "--model", "m"]
    ask.main([*command, "--file", str(file), "--games", str(games), *more])


def fails(capsys, url, file, *more):
    """Runs the command, which fails, and returns its error."""
    with pytest.raises(SystemExit) as e:
        run(url, file, *more)
    assert e.value.code in (1, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert KEY not in err
    assert "Traceback" not in err
    return err


def test_measures(tmp_path, capsys, monkeypatch):
    """The command has the figures of the same policy in this process, and shows its mistakes."""
    monkeypatch.setenv("THE_KEY", KEY)
    asked = []

    def answer(handler, position, n):
        asked.append((handler.path, handler.headers["Authorization"], position))
        hold_at_10(handler, position, n)

    with serve(answer) as (url, _):
        log = tmp_path / "log.jsonl"
        run(url, tmp_path / "a.jsonl", "--key-env", "THE_KEY", "--log", str(log), "--worst", "2")
        out = capsys.readouterr().out
        run(url + "/chat/completions", tmp_path / "b.jsonl", "--json")
        result = json.loads(capsys.readouterr().out)
    game = marsgym.load("pig", config={"target": 20}, cache=None)

    def policy(position):
        return int(int(position.text.partition("turn ")[2] or 0) >= 10)

    m = game.measure(policy, 20)
    assert (result["win"], result["calls"]) == (m.win, m.calls)
    assert result["worst"] == [dict(x) for x in m.worst][:3]
    assert result["cost"] == 7 * m.calls
    assert f"win      {m.win:.3f}" in out
    assert out.count("Mistake ") == 2
    assert "\n    You are seat " in out
    assert {path for path, _, _ in asked} == {"/v1/chat/completions"}
    assert {key for _, key, _ in asked} == {f"Bearer {KEY}", None}
    assert "\nWhat has just happened:\n- you: roll the die; a " in asked[-1][2]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(lines) == m.calls
    assert {x["action"] for x in lines} == {"roll", "hold"}
    for file in tmp_path.iterdir():
        assert KEY not in file.read_text()


def test_files_are_of_one_model(tmp_path):
    """The games of one model, or of other options, are not those of another."""
    game = marsgym.load("pig", config={"target": 20}, cache=None)
    with serve(hold_at_10) as (url, count):
        game.measure(ask.Endpoint(url, "m").policy(game), 2, file=tmp_path / "a.jsonl")
        asked = count[0]
        for model, options, legal in (
            ("other", {}, True),
            ("m", {"temperature": 1}, True),
            ("m", {}, False),
        ):
            policy = ask.Endpoint(url, model, options=options).policy(game, legal=legal)
            with pytest.raises(ValueError, match="name another file"):
                game.measure(policy, 2, file=tmp_path / "a.jsonl")
        assert count[0] == asked > 0


def test_short_key(tmp_path, capsys, monkeypatch):
    """A key that answers contain changes none of them."""
    monkeypatch.setenv("THE_KEY", "1")
    log = tmp_path / "log.jsonl"
    with serve(lambda h, p, n: say(h, "[1]")) as (url, _):
        run(url, tmp_path / "a.jsonl", "--key-env", "THE_KEY", "--log", str(log), games=2)
    assert "of which 0 named no legal action" in capsys.readouterr().out
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {(x["answer"], x["action"]) for x in lines} == {("[(the key)]", "hold")}


def test_no_proxy(tmp_path):
    """Only the address of --url is contacted, whatever proxies the environment names."""
    with serve(hold_at_10) as (url, _):
        command = [sys.executable, "-m", "marsgym.ask", "pig", "--config", '{"target": 20}']
        command += ["--url", url, "--model", "m", "--file", tmp_path / "a.jsonl", "--games", "2"]
        proxy = {"http_proxy": "http://127.0.0.1:1", "no_proxy": ""}  # where nothing listens
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | proxy)
    assert done.returncode == 0, done.stderr


def endless(handler, position, n):
    """Sends headers that never end."""
    handler.send_response(200)
    handler.flush_headers()
    for _ in range(50):
        time.sleep(0.1)
        handler.wfile.write(b"X: y\r\n")
    whole.append(n)


whole = []
"""The requests that endless has answered to the end, since nobody hung up."""


BAD = {
    "late": (lambda h, p, n: time.sleep(8), "has not answered within 2 s; attempts: 3"),
    "dripping": (endless, "has not answered within 2 s; attempts: 3"),
    "nonsense": (lambda h, p, n: send(h, b"<html>"), "a chat completion: '<html>'; attempts: 3"),
    "shape": (lambda h, p, n: send(h, {"choices": []}), "something else than a chat completion"),
    "deep": (lambda h, p, n: send(h, b"[" * 10**5), "something else than a chat completion"),
    "large": (lambda h, p, n: send(h, b" " * 10**7), "more than 4 MiB; attempts: 3"),
    "broken": (lambda h, p, n: send(h, b"", 500, Retry_After="0"), "status 500: .*attempts: 3"),
    "deep error": (lambda h, p, n: send(h, b"[" * 10**4, 500, Retry_After="0"), "status 500: .*3"),
    "closed": (lambda h, p, n: h.connection.close(), "cannot be reached: .*attempts: 3"),
}


@pytest.mark.parametrize("name", BAD)
def test_failing_endpoint(tmp_path, capsys, monkeypatch, name):
    """After some games an endpoint fails: attempts are bounded, and the same command goes on."""
    monkeypatch.setattr(ask, "_PAUSE", 0.01)
    answer, want = BAD[name]
    healed, file = [], tmp_path / "games.jsonl"
    limit = "2" if name in ("late", "dripping") else "10"

    def sometimes(handler, position, n):
        (hold_at_10 if healed or n <= 30 else answer)(handler, position, n)

    with serve(sometimes) as (url, count):
        more = ["--concurrency", "1", "--timeout", limit]
        err = fails(capsys, url, file, *more)
        assert count[0] == 33
        assert "the same command goes on with the games in" in err
        assert re.search(want, err), err
        kept = file.read_text().count("\n") - 1
        assert 0 < kept < 20
        healed.append(True)
        run(url, file, *more)
        assert "20 games" in capsys.readouterr().out
        run(url, tmp_path / "whole.jsonl", *more)
    assert file.read_text() == (tmp_path / "whole.jsonl").read_text()
    assert not whole


def test_recovers(tmp_path, capsys, monkeypatch):
    """Single failures are repeated, and change nothing."""
    monkeypatch.setattr(ask, "_PAUSE", 0.01)

    def flaky(handler, position, n):
        if n % 3 == 0:
            send(handler, {}, 429 if n % 2 else 503)
        else:
            hold_at_10(handler, position, n)

    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file, answer in zip(files, (flaky, hold_at_10), strict=True):
        with serve(answer) as (url, _):
            run(url, file, "--concurrency", "1")
    assert files[0].read_text() == files[1].read_text()


def test_refusals(tmp_path, capsys, monkeypatch):
    """A refusal ends the command at once, and shows no key, even if the endpoint repeats it."""
    monkeypatch.setenv("THE_KEY", KEY)
    more = ["--key-env", "THE_KEY", "--concurrency", "1"]

    def refuse(handler, position, n):
        send(handler, {"error": {"message": f"bad key {handler.headers['Authorization']}"}}, 401)

    with serve(refuse) as (url, count):
        err = fails(capsys, url, tmp_path / "a.jsonl", *more)
        assert "status 401: bad key Bearer (the key)" in err
        assert count[0] == 1
    with serve(hold_at_10) as (other, reached):

        def redirect(handler, position, n):
            send(handler, b"", 307, Location=other + "/chat/completions")

        with serve(redirect) as (url, _):
            assert "status 307" in fails(capsys, url, tmp_path / "b.jsonl", *more)
        assert reached[0] == 0  # the key went nowhere else
    with serve(lambda h, p, n: say(h, h.headers["Authorization"])) as (url, _):
        log = tmp_path / "log.jsonl"
        err = fails(capsys, url, tmp_path / "c.jsonl", *more, "--log", str(log))
        assert "'Bearer (the key)'" in err
    for spaces, status in ((65, 200), (990, 400)):  # the key lies where errors cut an answer

        def repeat(handler, position, n, spaces=spaces, status=status):
            send(handler, b"x" + b" " * spaces + KEY.encode(), status)

        with serve(repeat) as (url, _):
            err = fails(capsys, url, tmp_path / "d.jsonl", *more, "--retries", "0")
            assert KEY[:4] not in err
    with serve(lambda h, p, n: send(h, b"\33[31mred\33]0;title\7", 400)) as (url, _):
        assert "status 400: [31mred]0;title; the same" in fails(capsys, url, tmp_path / "e.jsonl")
    for file in tmp_path.iterdir():
        assert KEY not in file.read_text()


def test_illegal_answers(tmp_path, capsys):
    """A model without a legal answer stops early; one that errs at times has actions drawn."""
    with serve(lambda h, p, n: say(h, "I would rather [castle].")) as (url, count):
        err = fails(capsys, url, tmp_path / "a.jsonl")
        assert re.search("none of the first 2[0-4] answers of m named a legal action", err)
        assert "I would rather [castle]." in err
        assert count[0] <= 24  # those under way

    def errs(handler, position, n):
        if n % 5 in (0, 1):
            say(handler, None)
        else:
            hold_at_10(handler, position, n)

    with serve(errs) as (url, _):
        run(url, tmp_path / "b.jsonl", "--retries", "0", "--concurrency", "1")
        out = capsys.readouterr().out
        assert "any legal action was drawn" in out
        assert "of which 0 named" not in out
        run(url, tmp_path / "c.jsonl", "--max-calls", "30", games=50)
        assert "A bound ended the measurement" in capsys.readouterr().out
        err = fails(capsys, url, tmp_path / "d.jsonl", "--max-calls", "2")
        assert "no whole set of games has ended; want a higher --max-calls" in err


def test_interruption(tmp_path, capsys):
    """Ctrl-C ends the command while an endpoint is silent, and nothing is lost."""
    file = tmp_path / "a.jsonl"
    answered = []

    def stuck(handler, position, n):
        if n > 30:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(20)
            answered.append(n)
        hold_at_10(handler, position, n)

    with serve(stuck) as (url, _):
        with pytest.raises(SystemExit) as e:
            run(url, file, "--concurrency", "1")
        assert not answered
    assert e.value.code == 130
    assert "the same command goes on" in capsys.readouterr().err
    assert file.read_text().count("\n") > 1


def test_wrong_arguments(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("EMPTY", "")
    file = tmp_path / "a.jsonl"
    for url, more, want in (
        ("ftp://host/v1", (), "want one such as http"),
        ("127.0.0.1:8000", (), "want one such as http"),
        ("http://[::1", (), "want one such as http"),
        (f"http://user:{KEY}@host/v1", (), "give a key by an environment variable"),
        (f"http://host/v1?key={KEY}", (), "give a key by an environment variable"),
        ("http://host/v1", ("--key-env", "EMPTY"), "no key in EMPTY"),
        ("http://host/v1", ("--options", "3"), "want an object"),
        ("http://host/v1", ("--options", "{"), "--options is no JSON"),
        ("http://host/v1", ("--options", '{"stream": true}'), "options have stream"),
        ("http://host/v1", ("--timeout", "nan"), "want seconds above 0"),
        ("http://host/v1", ("--timeout", "1e10"), "at most a day"),
        ("http://host/v1", ("--log", str(file)), "name two files"),
        ("http://host/v1", ("--log", "/nonexistent/x"), "/nonexistent/x"),
        ("http://host/v1", ("--opponents", "gredy"), "marsgym.ask: measure: unknown agent"),
        ("http://host/v1", ("--retries", "-1"), "retries is -1"),
        ("http://host/v1", ("--lang", "de"), "its languages are en"),
        ("http://host/v1", ("--games", "0"), "games is 0"),
    ):
        assert want in fails(capsys, url, file, *more)
    assert not file.exists()
    with pytest.raises(ValueError, match="characters that no key has") as e:
        ask.Endpoint("http://host", "m", KEY + "\n")
    assert KEY not in str(e.value)
    assert KEY not in repr(ask.Endpoint("http://host", "m", KEY))
    with serve(hold_at_10) as (url, _):
        run(url, file)
        capsys.readouterr()
        assert "name another file" in fails(capsys, url, file, "--options", '{"temperature": 1}')
