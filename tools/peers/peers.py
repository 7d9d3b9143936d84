"""Measures another project on one core: peers.py NAME SECONDS. See peers.

It prints one line of JSON: steps, the CPU-seconds that they took, without start-up,
the numbers in an observation, the actions, and the peak memory in bytes.
"""

import json
import os
import resource
import sys
import tempfile

# Each loop yields, first of all, the numbers in an observation and the actions; then
# the steps so far, again and again. A step is a decision in one game.


def cleanrl(games=64, horizon=128, minibatches=4, epochs=4):
    """PPO on CartPole as CleanRL's ppo.py has it.

    The package cleanrl on PyPI holds an early loop, for gym and Stable-Baselines'
    environments. This is the later, published one step by step, with its settings,
    its vector of environments and its network, less the logging.
    """
    import gymnasium
    import numpy as np
    import torch
    from torch import nn
    from torch.distributions import Categorical

    gamma, lam, clip, rate = 0.99, 0.95, 0.2, 2.5e-4

    def environment():
        return gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make("CartPole-v1"))

    def linear(inputs, outputs, gain):
        layer = nn.Linear(inputs, outputs)
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
        return layer

    def network(inputs, outputs, gain):
        return nn.Sequential(
            linear(inputs, 64, 2**0.5), nn.Tanh(), linear(64, 64, 2**0.5), nn.Tanh(), linear(64, outputs, gain)
        )

    torch.manual_seed(1)
    envs = gymnasium.vector.SyncVectorEnv([environment] * games)
    inputs = envs.single_observation_space.shape[0]
    yield inputs, int(envs.single_action_space.n)
    actor = network(inputs, int(envs.single_action_space.n), 0.01)
    critic = network(inputs, 1, 1.0)
    weights = [*actor.parameters(), *critic.parameters()]
    adam = torch.optim.Adam(weights, lr=rate, eps=1e-5)

    obs = torch.zeros(horizon, games, inputs)
    actions, logprobs, rewards, dones, values = (torch.zeros(horizon, games) for _ in range(5))
    now, done, steps = torch.Tensor(envs.reset(seed=1)[0]), torch.zeros(games), 0
    while True:
        # The published rate falls in a line to zero; how fast costs nothing.
        adam.param_groups[0]["lr"] = rate
        for t in range(horizon):
            obs[t], dones[t] = now, done
            with torch.no_grad():
                policy = Categorical(logits=actor(now))
                action = policy.sample()
                values[t] = critic(now).flatten()
                logprobs[t] = policy.log_prob(action)
            actions[t] = action
            after, reward, terminated, truncated, _ = envs.step(action.numpy())
            rewards[t] = torch.tensor(reward)
            now, done = torch.Tensor(after), torch.Tensor(np.logical_or(terminated, truncated))
            steps += games

        with torch.no_grad():
            advantages, ahead = torch.zeros_like(rewards), 0.0
            for t in reversed(range(horizon)):
                if t == horizon - 1:
                    goes_on, following = 1 - done, critic(now).flatten()
                else:
                    goes_on, following = 1 - dones[t + 1], values[t + 1]
                delta = rewards[t] + gamma * following * goes_on - values[t]
                advantages[t] = ahead = delta + gamma * lam * goes_on * ahead
            returns = advantages + values

        batch = horizon * games
        b_obs, b_actions = obs.reshape(batch, inputs), actions.reshape(batch).long()
        b_logprobs, b_values = logprobs.reshape(batch), values.reshape(batch)
        b_advantages, b_returns = advantages.reshape(batch), returns.reshape(batch)
        order, clipped = np.arange(batch), []
        for _ in range(epochs):
            np.random.shuffle(order)
            for mb in np.split(order, minibatches):
                policy = Categorical(logits=actor(b_obs[mb]))
                value = critic(b_obs[mb]).view(-1)
                logratio = policy.log_prob(b_actions[mb]) - b_logprobs[mb]
                ratio = logratio.exp()
                with torch.no_grad():  # what the published loop watches
                    (-logratio).mean(), ((ratio - 1) - logratio).mean()
                    clipped.append(((ratio - 1).abs() > clip).float().mean().item())
                a = b_advantages[mb]
                a = (a - a.mean()) / (a.std() + 1e-8)
                policy_loss = torch.max(-a * ratio, -a * torch.clamp(ratio, 1 - clip, 1 + clip)).mean()
                near = b_values[mb] + torch.clamp(value - b_values[mb], -clip, clip)
                value_loss = 0.5 * torch.max((value - b_returns[mb]) ** 2, (near - b_returns[mb]) ** 2).mean()
                loss = policy_loss - 0.01 * policy.entropy().mean() + 0.5 * value_loss
                adam.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(weights, 0.5)
                adam.step()
        yield steps


def puffer_train(games=4096):
    """PufferLib's trainer on its pong in C, by its own settings and default network.

    Left out of its settings are the recurrent layer, and its optimizer muon for
    the cheaper adam. Its games run in the trainer's process.
    """
    sys.argv = ["puffer"]
    import torch
    from pufferlib import pufferl

    args = pufferl.load_config("puffer_pong")
    args["rnn_name"], args["train"]["use_rnn"] = None, False
    args["vec"] = dict(backend="Serial", num_envs=4)
    args["env"]["num_envs"] = games // args["vec"]["num_envs"]
    args["train"].update(
        device="cpu", optimizer="adam", total_timesteps=10**12, checkpoint_interval=10**9, env="puffer_pong"
    )
    torch.manual_seed(1)
    envs = pufferl.load_env("puffer_pong", args)
    yield envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    trainer = pufferl.PuffeRL(args["train"], envs, pufferl.load_policy(args, envs))
    while True:
        trainer.evaluate()
        trainer.train()
        yield trainer.global_step


def puffer_games(name, games=4096):
    """A game of PufferLib in C, played at random, called from Python for all games at once."""
    import importlib

    import numpy as np

    make = getattr(importlib.import_module("pufferlib.ocean.%s.%s" % (name, name)), name.capitalize())
    envs = make(num_envs=games, render_mode=None)
    yield int(np.prod(envs.single_observation_space.shape)), int(envs.single_action_space.n)
    actions = np.random.default_rng(1).integers(envs.single_action_space.n, size=(64, games))
    envs.reset(seed=1)
    steps = 0
    while True:
        for action in actions:
            envs.step(action)
        steps += actions.size
        yield steps


def pgx_games(name, games, length):
    """A game of pgx, played at random: one compiled loop over games, with legal actions only."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import jax.numpy as jnp
    import numpy as np
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def advance(carry, _):
        state, key = carry
        key, choice, chance = jax.random.split(key, 3)
        action = jax.random.categorical(choice, jnp.where(state.legal_action_mask, 0.0, -jnp.inf))
        state = step(state, action, jax.random.split(chance, games))
        # The sums make the compiler keep what nobody else reads.
        return (state, key), (state.observation.sum(), state.rewards.sum())

    rollout = jax.jit(lambda carry: jax.lax.scan(advance, carry, None, length=length))
    carry = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(1), games)), jax.random.key(2)
    yield int(np.prod(env.observation_shape)), env.num_actions
    steps = 0
    while True:
        carry, sums = rollout(carry)
        jax.block_until_ready(sums)
        steps += games * length
        yield steps


def cartpole(games=64):
    """Gymnasium's CartPole, played at random in the vector of environments of CleanRL."""
    import gymnasium

    envs = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make("CartPole-v1")] * games)
    yield envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    envs.reset(seed=1)
    actions = [envs.action_space.sample() for _ in range(64)]
    steps = 0
    while True:
        for action in actions:
            envs.step(action)
        steps += len(actions) * games
        yield steps


PEERS = {
    "cleanrl": cleanrl,
    "pufferlib": puffer_train,
    "pufferlib-squared": lambda: puffer_games("squared"),
    "pufferlib-cartpole": lambda: puffer_games("cartpole"),
    "pgx-backgammon": lambda: pgx_games("backgammon", 256, 10),
    "pgx-2048": lambda: pgx_games("2048", 1024, 50),
    "gymnasium-cartpole": cartpole,
}


def cpu():
    """CPU-seconds of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(loop, seconds):
    """Measures from the second of the steps that loop yields on, for this many CPU-seconds."""
    observation, actions = next(loop)
    next(loop)
    first, start = next(loop), cpu()
    for steps in loop:
        used = cpu() - start
        if used >= seconds:
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            return dict(steps=steps - first, cpu=used, observation=observation, actions=actions, memory=memory)


if __name__ == "__main__":
    name, seconds = sys.argv[1:]
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    os.environ["OMP_NUM_THREADS"] = "1"
    if name.startswith("openspiel-"):
        os.execl(os.environ["OPENSPIEL"], "openspiel", name.removeprefix("openspiel-"), seconds)
    out = os.fdopen(os.dup(1), "w")  # PufferLib draws on the standard output
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with tempfile.TemporaryDirectory() as folder:  # where it may write
        os.chdir(folder)
        result = measure(PEERS[name](), float(seconds))
    print(json.dumps(result), file=out, flush=True)
    os._exit(0)  # its threads would go on
