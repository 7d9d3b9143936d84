"""TorchRL's environments of Gymnasium and PettingZoo with the environments of marsgym."""

import gymnasium
import numpy as np
import torch
from cells import GAME, HOLD, SHORT, cell, kinds, legal, outcome
from ends import BothEnds
from torchrl.envs import ActionMask, GymEnv, GymWrapper, PettingZooWrapper, TransformedEnv
from torchrl.objectives.value import GAE

import marsgym
import marsgym.pettingzoo


def vector(mode="SameStep", illegal="random"):
    torch.manual_seed(1)
    options = {"config": SHORT, "autoreset_mode": mode, "illegal_action": illegal}
    env = GymWrapper(marsgym.make_vec("pig", 3, **options))
    env.set_seed(1)
    return env


def rollout(env, steps=60):
    """A rollout of random legal actions."""
    generator = np.random.default_rng(1)

    def act(tensordict):
        masks = tensordict["action_mask"].numpy()
        action = torch.as_tensor(legal(masks, generator))
        return tensordict.set("action", torch.nn.functional.one_hot(action, masks.shape[-1]))

    return env.rollout(steps, act, break_when_any_done=False)


data = rollout(vector())
done = data["next", "done"].squeeze(-1)
ends = data["next", "observation"][done][:, :2].max(dim=-1).values
cell(
    "autoreset",
    f"GymWrapper of `marsgym.make_vec`, SameStep: {int((ends >= 1).sum())} of {len(ends)} last "
    "observations are an end",
    f"NextStep: {outcome(lambda: vector('NextStep'))}",
    f"`make_vec` of Gymnasium, its default: "
    f"{outcome(lambda: GymWrapper(gymnasium.make_vec(GAME, 3)))}",
)


def masked():
    """A game by the transform that reads masks."""
    env = GymWrapper(gymnasium.make(GAME, config=SHORT, mask_in_observation=True))
    env.set_seed(1)
    data = TransformedEnv(env, ActionMask()).rollout(300)
    return f"a game of {data.numel()} random actions, all legal"


multi = PettingZooWrapper(marsgym.pettingzoo.env("pig", config=SHORT), use_mask=True)
torch.manual_seed(1)
multi.set_seed(1)
game = multi.rollout(300)
single = GymEnv(GAME, config=SHORT)
cell(
    "mask",
    f"GymEnv of `{GAME}` has the keys {', '.join(sorted(single.reset().keys()))}",
    f"`mask_in_observation` and ActionMask: {outcome(masked, str)}",
    f"PettingZooWrapper, `use_mask=True`: `action_mask` of each group, in {game.numel()} decisions",
)


def first(make, seed):
    env = make()
    env.set_seed(seed)
    return rollout(env, 10)["observation"].tolist()


cell(
    "seed",
    f"`set_seed` of GymWrapper twice, the same games: {first(vector, 1) == first(vector, 1)}",
    f"`set_seed(1)` returns a seed for the next environment: {vector().set_seed(1)}",
)
cell("final", f"`next` of every step: {kinds(dict(data['next'][0, 0].items()))}")


def hold(make):
    env = make()
    env.set_seed(1)
    state = env.reset()
    env.step(state.set("action", torch.nn.functional.one_hot(torch.tensor(HOLD), 2)))


tried = vector().rollout(60, break_when_any_done=False)
kept = int((tried["action_mask"] * tried["action"]).sum(dim=-1).eq(0).sum())


def lenient():
    return GymEnv("marsgym/Pig-Lenient-v1", config=SHORT)


cell(
    "illegal",
    f"GymEnv: {outcome(lambda: hold(lambda: GymEnv(GAME, config=SHORT)))}",
    f"GymWrapper of `marsgym.make_vec`, which it steps at random when it opens: "
    f"{outcome(lambda: vector(illegal='raise'))}",
    f"Lenient: {outcome(lambda: hold(lenient))}; some of {tried.numel()} random steps keep an "
    f"illegal action: {kept > 0}",
)


def limited():
    """What GAE makes of a game that is terminated and truncated: the value of the state
    after its end is 100, and counts only where the game is not over.
    """
    env = GymWrapper(BothEnds(gymnasium.make(GAME, config=SHORT, mask_in_observation=True)))
    env.set_seed(1)

    def act(tensordict):
        action = torch.as_tensor(int(tensordict["action_mask"].int().argmax()))
        return tensordict.set("action", torch.nn.functional.one_hot(action, 2))

    data = env.rollout(1000, act)
    steps = len(data)
    last = data["next"][-1]
    data["state_value"] = torch.zeros(steps, 1)
    data["next", "state_value"] = torch.full((steps, 1), 100.0)
    advantages = GAE(gamma=1.0, lmbda=0.0, value_network=None)(data)["advantage"]
    return (
        f"terminated {last['terminated'].item()}, truncated {last['truncated'].item()}, done "
        f"{last['done'].item()}; GAE adds the value after it: {advantages[-1].item() > 50}"
    )


cell("both", outcome(limited, str))

rewards = [float(game["next", group, "reward"].sum()) for group in multi.group_map]
movers = [group for group in multi.group_map if game[group, "mask"][-1].any()]
lost = data["next", "reward"][data["next", "rewards"].min(dim=-1).values < 0]
cell(
    "waiting",
    f"GymWrapper: {len(ends)} games end with the rewards {sorted(set(lost.flatten().tolist()))}",
    f"PettingZooWrapper: {movers} moved last, and the groups get {rewards}",
)
