"""Tasks for language models in the library verifiers, by the id ``marsgym-verifiers``.

    vf-eval marsgym-verifiers -n 20 --no-push --env.taskset.game pig --env.taskset.kind games

A task is a single decision, drawn as by ``python -m marsgym.positions``, or a whole game. The
reward is 1 less the regret; an answer that names no legal action costs all that the seat could
still win, and 1 more. ``--env.taskset.task.rewards`` sets other weights.
"""

from __future__ import annotations

import asyncio
import functools
import json
import random
import threading
from collections.abc import Iterator
from typing import Any, Literal

import verifiers.v1 as vf
from pydantic import Field

from marsgym import _native, positions
from marsgym.game import Game, load
from marsgym.text import TextGame

__all__ = ["TextConfig", "TextEnv", "TextEnvConfig", "TextTask", "TextTaskset"]


class TextConfig(vf.TasksetConfig):
    """The tasks."""

    kind: Literal["decisions", "games"] = "decisions"
    game: str = "pig"
    """The id of a solved game."""
    players: int | None = None
    config: dict[str, Any] = Field(default_factory=dict)
    """Settings that replace defaults of the game."""
    size: int = Field(1000, ge=1)
    """How many positions are drawn, of all splits, or how many games there are."""
    split: Literal["train", "validation", "test"] = "train"
    """The split of :func:`marsgym.positions.split`; games of splits have different dice."""
    seed: int = 0
    opponents: list[str] = Field(default_factory=lambda: ["exact"])
    """The agents in the other seats of whole games."""
    retries: int | None = None
    """Further answers after one that names no legal action. None: 0 for decisions, 2 for games."""
    lang: str = "en"
    rules: bool = True
    """Whether prompts begin with the rules."""
    legal: bool = True
    """Whether texts list the legal actions."""


class TextData(vf.TaskData):
    """A task."""

    kind: str
    game: str
    players: int | None
    config: dict[str, Any]
    options: dict[str, Any]
    """Of the :class:`marsgym.text.TextGame`."""
    seed: int
    position: str | None = None
    wins: dict[str, float] = Field(default_factory=dict)
    """The exact win of each legal action of a decision, by name."""


class TextTask(vf.Task[TextData]):
    """A decision or a game."""

    def open(self) -> TextGame:
        """The game at the decision of the prompt."""
        d = self.data
        text = TextGame(_game(d.game, d.players, json.dumps(d.config)), **d.options)
        text.reset(d.seed, d.position)
        return text

    @vf.reward
    async def play(self, trace: vf.Trace) -> float:
        """1 less the regret."""
        return 1.0 - float(trace.info["regret"])

    @vf.reward
    async def forfeit(self, trace: vf.Trace) -> float:
        """-1 if the answers named no legal action, or stopped before the end."""
        return 0.0 - float(trace.info["forfeited"])

    @vf.metric
    async def figures(self, trace: vf.Trace) -> dict[str, float]:
        """The regret, the decisions and the illegal answers, and the result of a whole game."""
        names = ("regret", "decisions", "illegal", "result")
        return {k: float(trace.info[k]) for k in names if trace.info[k] is not None}


class TextEnvConfig(vf.EnvConfig):
    """The environment. The model has no tools, and only its harness runs on this machine."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime=vf.SubprocessConfig())


class TextEnv(vf.Env[TextEnvConfig]):
    """Asks the model until the decision is taken or the game is over."""

    async def run(self, task: TextTask, agents: vf.Agents) -> None:
        """Plays one task."""
        single = task.data.kind == "decisions"
        game = await asyncio.to_thread(task.open)  # solving holds up no other task, nor does a step
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                turn = await asyncio.to_thread(game.step, segment.last_reply)
                if turn.done or (single and turn.action is not None):
                    break
                segment = await interaction.turn(turn.text)
            else:
                game.forfeit()
            names = ("regret", "decisions", "illegal", "forfeited", "result")
            interaction.trace.info.update({name: getattr(game, name) for name in names})


class TextTaskset(vf.Taskset[TextTask, TextConfig]):
    """The tasks of a config."""

    def load(self) -> Iterator[TextTask]:
        """Draws the tasks."""
        c = self.config
        game = _game(c.game, c.players, json.dumps(c.config))
        retries = c.retries if c.retries is not None else 2 * (c.kind == "games")
        options = {"opponents": c.opponents, "retries": retries, "lang": c.lang}
        options |= {"rules": c.rules, "legal": c.legal}
        text, dice = TextGame(game, **options), random.Random(f"{c.split} {c.seed}")
        known = {"kind": c.kind, "game": c.game, "players": c.players, "config": c.config}
        known["options"] = options

        def task(name: str, seed: int, position: str | None = None, **more: Any) -> TextTask:
            prompt = text.reset(seed, position)
            about = {"name": f"{game.id} {name}", "prompt": prompt, "seed": seed}
            return TextTask(TextData(**about, position=position, **known, **more), c.task)

        if c.kind == "games":
            for _ in range(c.size):
                seed = dice.getrandbits(53)
                made = task(str(seed), seed)
                if not text.done:  # some games end before the model has a decision
                    yield made
            return
        for row in positions.draw(game, c.size, _native.number(c.seed, "seed", 0, 2**53), c.lang):
            if row["split"] == c.split:
                wins = {x["name"]: x["win"] for x in row["legal"]}
                yield task(row["position"], 0, row["position"], wins=wins)


def _game(id: str, players: int | None, config: str) -> Game:
    """A game, opened and solved once, even if many threads ask for it."""
    with _opening:
        return _solved(id, players, config)


_opening = threading.Lock()


@functools.lru_cache(8)
def _solved(id: str, players: int | None, config: str) -> Game:
    game = load(id, players, json.loads(config))
    game.solve()
    return game
