#!/usr/bin/env bash
# openenv 0.10.0: a game played over HTTP never gets past its first step.
#
# The API that every server publishes at /docs describes a workflow: call /reset to start an
# episode, call /step repeatedly until the observation says done, call /state anytime. But each of
# these requests makes an environment, uses it once and drops it. There is no error: the step count
# of /state stays 0, and the same first step is played again and again. Only WebSockets keep a game.
#
# Seen, for an environment that counts and is done at 3: the counts 1 1 1 1 over HTTP with the state
# 0, and 1 2 3 by the client.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	openenv==0.10.0 fastapi==0.165.0 starlette==1.10.0 pydantic==2.14.4 httpx2==2.16.2
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

from fastapi.testclient import TestClient
from openenv.core.env_server import Environment, create_fastapi_app
from openenv.core.env_server.types import Action, Observation, State


class Counter(Environment):
    count = 0

    def reset(self, seed=None, episode_id=None):
        self.count = 0
        return Observation()

    def step(self, action, timeout_s=None):
        self.count += 1
        return Observation(done=self.count == 3, reward=self.count)

    @property
    def state(self):
        return State(step_count=self.count)


with TestClient(create_fastapi_app(Counter, Action, Observation)) as http:
    documented = "Call `/step` repeatedly" in http.get("/openapi.json").json()["info"]["description"]
    http.post("/reset", json={})
    over_http = [http.post("/step", json={"action": {}}).json()["reward"] for _ in range(4)]
    state = http.get("/state").json()["step_count"]
    with http.websocket_connect("/ws") as socket:
        socket.send_json({"type": "reset"})
        socket.receive_json()
        by_socket = []
        for _ in range(3):
            socket.send_json({"type": "step", "data": {}})
            by_socket.append(socket.receive_json()["data"]["reward"])
print("documented:", documented, "HTTP:", over_http, "state:", state, "WebSocket:", by_socket)
if (documented, over_http, state, by_socket) != (True, [1, 1, 1, 1], 0, [1, 2, 3]):
    sys.exit("this has changed")
EOF
