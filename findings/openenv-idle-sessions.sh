#!/usr/bin/env bash
# openenv 0.10.0: a client whose session has timed out goes on with a closed environment.
#
# session_timeout is documented as the timeout of inactive sessions, and close as the cleanup before
# an environment is destroyed. When a session times out, its environment is closed, but the
# connection stays: the next step runs on the closed environment and answers as if nothing had
# happened. So a model that thinks for too long plays on with released resources.
#
# Seen, with a timeout of 1 s: after 7 s a step runs on an environment whose close was called.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	openenv==0.10.0 fastapi==0.165.0 starlette==1.10.0 pydantic==2.14.4 httpx2==2.16.2
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys
import time

from fastapi.testclient import TestClient
from openenv.core.env_server import Environment, create_fastapi_app
from openenv.core.env_server.types import Action, ConcurrencyConfig, Observation, State


class Door(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True
    closed = False
    state = State()

    def reset(self, seed=None, episode_id=None):
        return Observation()

    def step(self, action, timeout_s=None):
        return Observation(metadata={"closed": self.closed})

    def close(self):
        self.closed = True


def step(socket):
    socket.send_json({"type": "step", "data": {}})
    return socket.receive_json()["data"]["metadata"]


limits = ConcurrencyConfig(session_timeout=1)
app = create_fastapi_app(Door, Action, Observation, concurrency_config=limits)
with TestClient(app) as http, http.websocket_connect("/ws") as socket:
    before = step(socket)
    time.sleep(7)  # the server looks every 5 s
    after = step(socket)
print("before:", before, "after:", after)
if (before, after) != ({"closed": False}, {"closed": True}):
    sys.exit("this has changed")
EOF
