"""verifiers: a scripted model behind its client takes decisions and plays whole games."""

import asyncio
import json
import os
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import verifiers.v1 as vf
from pydantic import ValidationError

import marsgym
from marsgym.text import TextGame
from marsgym.verifiers import TextConfig, TextEnvConfig, TextTaskset

# The harness is a program that uv runs.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def model(text):
    """A scripted model, which holds at 5."""
    gain = re.search(r"\(you\).* (\d+) more in this turn", text)
    return "Enough! [hold]" if gain and int(gain[1]) >= 5 else "I'd rather [roll]."


class Endpoint(BaseHTTPRequestHandler):
    """Serves a model as OpenAI does, whole or as a stream. Its name is that of the model."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = asked["messages"][-1]["content"]
        text = said if isinstance(said, str) else "".join(part["text"] for part in said)
        answers = {"holds": model, "refuses": lambda _: "I refuse.", "long": lambda _: "x" * 10**7}
        answer = {"role": "assistant", "content": answers[asked["model"]](text)}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reply = {"id": "1", "created": 1, "model": asked["model"], "usage": usage}
        choice = {"index": 0, "finish_reason": "stop"}
        if asked.get("stream"):
            reply |= {"object": "chat.completion.chunk", "choices": [choice | {"delta": answer}]}
            body, kind = f"data: {json.dumps(reply)}\n\ndata: [DONE]\n\n", "text/event-stream"
        else:
            reply |= {"object": "chat.completion", "choices": [choice | {"message": answer}]}
            body, kind = json.dumps(reply), "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())


endpoint = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
threading.Thread(target=endpoint.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{endpoint.server_port}/v1"
client = vf.EvalClientConfig(base_url=url, api_key_var="MARSGYM_NO_KEY")


async def play(name, n, **taskset):
    """The tasks and traces of a model."""
    taskset = {"id": "marsgym-verifiers", "config": {"target": 20}, "size": 20} | taskset
    env = vf.load_environment(TextEnvConfig(taskset=taskset))
    context = vf.ModelContext(client=client, model=name, sampling=vf.SamplingConfig())
    tasks = list(env.taskset)[:n]
    async with env.serving():
        slots = [slot for task in tasks for slot in env.slots(task, 1)]
        episodes = await asyncio.gather(*(env.run_slot(slot, context, None) for slot in slots))
    traces = [trace for episode in episodes for trace in episode.traces]
    assert all(trace.ok for trace in traces), [trace.errors for trace in traces]
    return list(zip(tasks, traces, strict=True))


async def main():
    """Decisions, games, and models that answer nothing legal."""
    for task, trace in await play("holds", 4):
        wins, choice = task.data.wins, task.open().position.parse_action(model(task.data.prompt))
        name = ("roll", "hold")[choice]
        assert abs(trace.reward - (1 - max(wins.values()) + wins[name])) < 1e-12
        assert trace.num_turns == 1
        assert abs(trace.metrics["regret"] - (1 - trace.reward)) < 1e-12
    for task, trace in await play("holds", 3, kind="games", opponents=["greedy"]):
        game = TextGame("pig", config={"target": 20}, opponents=["greedy"])
        text = game.reset(task.data.seed)
        assert text == task.data.prompt
        while not game.done:
            text = game.step(model(text)).text
        assert trace.metrics["regret"] == game.regret
        assert trace.metrics["result"] == game.result
        assert trace.metrics["decisions"] == trace.num_turns == game.decisions
        assert abs(trace.reward - (1 - game.regret)) < 1e-12
    ((task, trace),) = await play("refuses", 1)
    win = max(task.data.wins.values())
    assert abs(trace.reward + win) < 1e-12
    assert (trace.num_turns, trace.metrics["illegal"]) == (1, 1)
    ((_, trace),) = await play("refuses", 1, kind="games")
    assert (trace.num_turns, trace.metrics["illegal"], trace.metrics["result"]) == (3, 3, 0)
    ((_, trace),) = await play("long", 1)
    assert trace.metrics["illegal"] == 1


asyncio.run(main())


def tasks(**config):
    """The tasks of a config."""
    config = {"id": "marsgym-verifiers", "config": {"target": 20}} | config
    return list(TextTaskset(TextConfig(**config)))


drawn = {split: tasks(size=50, split=split) for split in ("train", "validation", "test")}
positions = [task.data.position for split in drawn.values() for task in split]
assert len(positions) == len(set(positions)) == 50
assert [t.hash for t in tasks(size=50)] == [t.hash for t in drawn["train"]]
games = {split: {t.data.seed for t in tasks(size=9, split=split, kind="games")} for split in drawn}
assert len(set().union(*games.values())) == sum(map(len, games.values())) > 20

for config, wanted, text in (
    ({"game": "mars-is-ours", "config": {}}, marsgym.NoSolutionError, "no exact solution"),
    ({"game": "pigg", "config": {}}, ValueError, "pigg"),
    ({"kind": "game"}, ValidationError, "decisions"),
    ({"seed": "x"}, ValidationError, "valid integer"),
    ({"seed": -1}, ValueError, "seed is -1"),
    ({"lang": "de"}, ValueError, "its languages are en"),
    ({"opponents": ["gredy"], "kind": "games"}, ValueError, "gredy"),
):
    try:
        tasks(**config)
    except wanted as e:
        if text not in str(e):
            raise
    else:
        raise AssertionError(config)
