"""PettingZoo: one game as an AEC environment, for any number of seats.

Importing this module registers ``marsgym/pig-v1`` and the other games, with dashes as
underscores, where PettingZoo has a registry: ``pettingzoo.make("aec", "marsgym/pig-v1")``.
"""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

import gymnasium
import numpy as np
import numpy.typing as npt
import pettingzoo
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger

from marsgym import _draw, _native
from marsgym.batch import Batch, Owner
from marsgym.game import Game, Position, games, opened
from marsgym.gymnasium import observation_box


class Options(TypedDict, total=False):
    """The options of :class:`raw_env`."""

    players: int | None
    config: dict[str, Any] | None
    render_mode: str | None


def env(game: str | Game, **options: Unpack[Options]) -> pettingzoo.AECEnv[str, Any, Any]:
    """Opens a game with the options of :class:`raw_env` that does what the wrappers of
    PettingZoo's own games do: an illegal action ends the game with the reward -1 for its
    agent, and a game must be reset before it is stepped.
    """
    return _Wrapper(raw_env(game, **options))


def env_ids() -> dict[str, str]:
    """The PettingZoo id of each game, by the id of the game."""
    return {id: f"marsgym/{id.replace('-', '_')}-v{Game(id).version}" for id in games()}


class raw_env(Owner, pettingzoo.AECEnv[str, Any, Any]):
    """One game. The agents are "player_0" to "player_P-1", in the order of play.

    An observation is a dict of ``observation`` [D] float32 and ``action_mask`` [A] int8, which
    is zero but for the agent that is to move. Rewards are the returns of the game, at its end.
    An illegal action raises IllegalActionError and changes nothing.
    """

    def __init__(
        self,
        game: str | Game,
        players: int | None = None,
        config: dict[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Opens a game.

        Args:
            game: a :class:`marsgym.Game`, or its id.
            players, config: as in :func:`marsgym.load`.
            render_mode: None, "ansi", "rgb_array", for which Pillow draws, or "human", which
                prints the position after each step.
        """
        super().__init__()
        self.game = opened(game, players, config)
        self.batch = Batch(self.game, 1)
        self.batch._mask_name = 'observation["action_mask"]'
        modes = ["human", "ansi", "rgb_array"]
        if render_mode not in (None, *modes):
            raise ValueError(f"render_mode is {render_mode!r}; want None or one of {modes}")
        self.render_mode = render_mode
        name = game.id if isinstance(game, Game) else game  # presets share the id of their game
        self.metadata = {
            "render_modes": modes,
            "name": f"{name.replace('-', '_')}_v{self.game.version}",
            "is_parallelizable": False,
            "render_fps": 4,
        }
        self.possible_agents = [f"player_{i}" for i in range(self.game.players)]
        actions = self.game.num_actions
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict(
                {
                    "observation": observation_box(self.game),
                    "action_mask": gymnasium.spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.state_space = observation_box(self.game)
        self.action_spaces = {a: gymnasium.spaces.Discrete(actions) for a in self.possible_agents}
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._begun = self._ended = False

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    @property
    def position(self) -> Position:
        """The current position or, at the end of a game, its last one."""
        return self.batch.position(0, final=self._ended)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game.

        Args:
            seed: of the dice; None goes on with the generator of the last game, or draws a
                seed before the first one.
            options: ignored.
        """
        if seed is not None or not self._begun:
            if seed is None:
                seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
            self.batch.reset(seed)
        elif not self._ended:  # else the batch has started the next game
            self.batch.next(0)
        self._begun, self._ended = True, False
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self.batch.player[0]]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent observes."""
        seat = self._seats[agent]
        if not self._ended and seat == self.batch.player.item():
            observation, mask, _ = self.batch._first
            return {"observation": observation.copy(), "action_mask": mask.copy()}
        mask = np.zeros(self.game.num_actions, np.int8)
        return {"observation": self.position.observation(seat), "action_mask": mask}

    def state(self) -> npt.NDArray[np.float32]:
        """The whole state [D]: what the agent to move observes, or at the end the first one."""
        return self.position.observation(0) if self._ended else self.batch.observation[0].copy()

    def step(self, action: int | None) -> None:
        """Plays an action of the selected agent; None, once that agent is done."""
        if not self._begun:
            raise ValueError("no game has begun; call reset first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if self.batch._step_one(_native.action(action)):
            self._end(agent)
        else:  # no agent has had a reward
            self.agent_selection = self.agents[self.batch.player.item()]
        if self.render_mode == "human":
            self.render()

    def _end(self, agent: str) -> None:
        """Ends the game after the action of an agent."""
        terminated, truncated = bool(self.batch.terminated[0]), bool(self.batch.truncated[0])
        self._ended = True
        self.rewards = {x: float(r) for x, r in zip(self.agents, self.batch.reward[0], strict=True)}
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.agent_selection = self.agents[(self.agents.index(agent) + 1) % len(self.agents)]
        self._accumulate_rewards()

    def _lose(self, agent: str) -> None:
        """Ends the game for an illegal action, with the reward -1 for its agent."""
        self._cumulative_rewards[agent] = 0.0
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0) | {agent: -1.0}
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> Any:
        """The position as text, which the mode "human" prints, or as pixels."""
        if self.render_mode == "rgb_array":
            return _draw.pixels(_draw.scene(self.position))
        if self.render_mode == "human":
            print(self.position.render())
        return self.position.render() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Releases the game."""
        self.batch.close()


class _Wrapper(wrappers.OrderEnforcingWrapper[str, Any, Any]):
    """Is OrderEnforcingWrapper of AssertOutOfBoundsWrapper of TerminateIllegalWrapper of an
    environment, at a third of their cost.
    """

    env: raw_env

    def step(self, action: Any) -> None:
        raw = self.env
        if not self._has_reset or not raw.agents:
            super().step(action)
            return
        self._has_updated = True
        agent = raw.agent_selection
        if raw.terminations[agent] or raw.truncations[agent]:
            if action is not None:
                self._check(action)
            raw.step(action)
            return
        self._check(action)
        if raw.batch.action_mask[0, action]:
            raw.step(action)
        else:
            EnvLogger.warn_on_illegal_move()
            raw._lose(agent)

    def _check(self, action: Any) -> None:
        assert self.env.action_spaces[self.env.agent_selection].contains(action), (
            "action is not in action space"
        )

    def last(self, observe: bool = True) -> Any:
        return self.env.last(observe) if self._has_reset else super().last(observe)

    def __str__(self) -> str:
        return str(self.env)


if hasattr(pettingzoo, "register"):
    for _game, _id in env_ids().items():
        if _id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", _id, "marsgym.pettingzoo:env", kwargs={"game": _game})
