"""PPO by self-play on marsgym.make_vec, in PyTorch and one file, in the manner of CleanRL.

The value head has the expected return of every seat, so that a decision is credited with
the returns of the seat that took it, whoever moves next.
"""

import numpy as np
import torch
from common import arguments, clock, report

import marsgym
from marsgym.torch import MLP

args = arguments(
    "martian-dice", envs=256, horizon=64, epochs=2, minibatch=2048, rate=1e-3, entropy=0.01
)
torch.manual_seed(args.seed)
torch.set_num_threads(1)
rng = np.random.default_rng(args.seed)
env = marsgym.make_vec(args.game, args.envs, opponent=None)
game, n, t_max = env.game, args.envs, args.horizon
p, gae, clip = game.players, 0.95, 0.2
net = MLP(game, (128, 128))
optimizer = torch.optim.Adam(net.parameters(), lr=args.rate, eps=1e-5)


def by_seat(values, player):
    """Values from the mover's seat on [..., P] as values from seat 0 on, or back with -player."""
    index = (torch.arange(p) - player[..., None]) % p
    return values.gather(-1, index)


def distribution(logits, mask):
    return torch.distributions.Categorical(logits=logits.masked_fill(~mask, -1e9))


obs = torch.zeros(t_max, n, game.observation_size)
mask = torch.zeros(t_max, n, game.num_actions, dtype=torch.bool)
player, action = torch.zeros(2, t_max, n, dtype=torch.long)
logp = torch.zeros(t_max, n)
value, delta, advantage = torch.zeros(3, t_max + 1, n, p)
done = torch.zeros(t_max, n, 1)
current, info = env.reset(seed=args.seed)
running, steps = clock(args.seconds), 0
while running():
    with torch.no_grad():
        for t in range(t_max):
            obs[t] = torch.from_numpy(current)
            mask[t] = torch.from_numpy(info["action_mask"]) != 0
            player[t] = torch.from_numpy(info["player"])
            logits, values = net(obs[t])
            value[t] = by_seat(values, player[t])
            policy = distribution(logits, mask[t])
            action[t] = policy.sample()
            logp[t] = policy.log_prob(action[t])
            current, _, terminated, truncated, info = env.step(action[t].numpy())
            ended = terminated | truncated
            done[t, :, 0] = torch.from_numpy(ended)
            delta[t] = torch.from_numpy(info["rewards"]) - value[t]
            for i in np.flatnonzero(truncated):  # a limit, not the rules: bootstrap
                viewer = torch.tensor(info["final_info"]["player"][i], dtype=torch.long)
                last = net(torch.from_numpy(info["final_obs"][i]))[1]
                delta[t, i] += by_seat(last, viewer)
        value[t_max] = by_seat(
            net(torch.from_numpy(current))[1], torch.from_numpy(info["player"]).long()
        )
        delta[:-1] += (1 - done) * value[1:]
        for t in reversed(range(t_max)):
            advantage[t] = delta[t] + gae * (1 - done[t]) * advantage[t + 1]
    target = by_seat(advantage[:-1] + value[:-1], -player).flatten(0, 1)
    chosen = advantage[:-1].gather(-1, player[..., None]).flatten()
    chosen = (chosen - chosen.mean()) / (chosen.std() + 1e-8)
    flat = [x.flatten(0, 1) for x in (obs, mask, action, logp)]
    for _ in range(args.epochs):
        for part in torch.randperm(n * t_max).split(args.minibatch):
            o, m, a, old = (x[part] for x in flat)
            logits, values = net(o)
            policy = distribution(logits, m)
            ratio = (policy.log_prob(a) - old).exp()
            gain = torch.minimum(
                ratio * chosen[part], ratio.clamp(1 - clip, 1 + clip) * chosen[part]
            )
            error = (values - target[part]).square().mean()
            loss = -gain.mean() + 0.5 * error - args.entropy * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimizer.step()
    steps += n * t_max
report("PPO in PyTorch, self-play", args, game, net.policy_function(), steps)
