"""Measures whole training loops: peers', and ours beside them. See peers."""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

SECONDS = 4  # of one measurement, warm-up left out
ROUNDS = 3  # of which the median counts
LIMIT = 200  # seconds after which no measurement begins, if each has been made once


# The peers. Each yields the decisions so far after every iteration.


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


def pufferlib(games=4096):
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
    trainer = pufferl.PuffeRL(args["train"], envs, pufferl.load_policy(args, envs))
    while True:
        trainer.evaluate()
        trainer.train()
        yield trainer.global_step


# Ours: cmd/train with a config. Decisions so far stand in the metrics.


def config(game, rows, hidden, head, **ppo):
    train = dict(algorithm="ppo", steps=10**12, rows=rows, hidden=hidden, head=head, evaluations=0, checkpoints=1, ppo=ppo)
    # Pig for three, since solving it for two would take longer than measuring.
    return dict(game=game, game_config=dict(players=3 if game == "pig" else 2), train=train)


def metrics(path, process):
    """Yields the decisions so far as lines are added to a file of metrics."""
    while not os.path.exists(path):
        if process.poll() is not None:
            raise RuntimeError("cmd/train ended with status %d" % process.returncode)
        time.sleep(0.002)
    with open(path) as file:
        line = ""
        while process.poll() is None:
            line += file.readline()
            if line.endswith("\n"):
                yield json.loads(line)["steps"]
                line = ""
            else:
                time.sleep(0.002)


def ours(binary, settings):
    with tempfile.TemporaryDirectory() as dir:
        path = os.path.join(dir, "config.json")
        with open(path, "w") as file:
            json.dump(settings, file)
        command = [binary, "-config", path, "-out", os.path.join(dir, "run")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return measure(metrics(os.path.join(dir, "run", "metrics.jsonl"), process), process.pid)
        finally:
            process.kill()
            process.wait()


def peer(name, threads):
    """Measures a peer in a process of its own."""
    command = [sys.executable, "-W", "ignore", __file__, name, str(threads)]
    with tempfile.TemporaryDirectory() as dir:  # where it may write
        done = subprocess.run(command, cwd=dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=25, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout)


PEERS = {"cleanrl": cleanrl, "pufferlib": pufferlib}


def cpu(pid):
    """CPU-seconds of a process so far."""
    import psutil

    t = psutil.Process(pid).cpu_times()
    return t.user + t.system


def measure(progress, pid):
    """Returns steps/s and CPU-seconds per million steps, from the second of the
    steps that progress yields to the first after SECONDS."""
    next(progress)
    steps0, start, cpu0 = next(progress), time.perf_counter(), cpu(pid)
    for steps in progress:
        wall = time.perf_counter() - start
        if wall >= SECONDS:
            return (steps - steps0) / wall, (cpu(pid) - cpu0) / (steps - steps0) * 1e6
    raise RuntimeError("it ended too early")


def table(binary):
    small = dict(horizon=128, minibatch=2048)
    large = dict(horizon=64, minibatch=32768, epochs=1)
    groups = [
        [
            ("CleanRL ppo.py, CartPole, 4 epochs, 1 thread", "two of 4-64-64", 64, lambda: peer("cleanrl", 1)),
            ("the same, 2 threads", "", 64, lambda: peer("cleanrl", 2)),
            ("Martian Dice, logits, 4 epochs", "323-64-64", 64, config("martian-dice", 64, [64, 64], "logits", epochs=4, **small)),
            ("Martian Dice, logits, 1 epoch", "323-64-64", 64, config("martian-dice", 64, [64, 64], "logits", epochs=1, **small)),
            ("Martian Dice, score, 1 epoch", "323-64-64", 64, config("martian-dice", 64, [64, 64], "score", epochs=1, **small)),
            ("Pig, logits, 4 epochs", "64-64", 64, config("pig", 64, [64, 64], "logits", epochs=4, **small)),
        ],
        [
            ("PufferLib trainer, pong, 1 thread", "8-128", 4096, lambda: peer("pufferlib", 1)),
            ("the same, 2 threads", "", 4096, lambda: peer("pufferlib", 2)),
            ("Martian Dice, logits", "323-128", 4096, config("martian-dice", 4096, [128], "logits", **large)),
            ("Martian Dice, score", "323-128", 4096, config("martian-dice", 4096, [128], "score", **large)),
            ("Pig, logits", "128", 4096, config("pig", 4096, [128], "logits", **large)),
        ],
    ]
    rows = [row for group in groups for row in group]
    rates, faults = {row: [] for row in map(id, rows)}, {}
    print("load average at the start: %.2f" % os.getloadavg()[0], flush=True)
    start = time.monotonic()
    for _ in range(ROUNDS):
        for row in rows:
            late = rates[id(row)] and time.monotonic() - start > LIMIT
            if late or id(row) in faults:
                continue
            try:
                how = row[3]
                rates[id(row)].append(how() if callable(how) else ours(binary, how))
            except (RuntimeError, subprocess.TimeoutExpired) as fault:
                faults[id(row)] = "too slow" if isinstance(fault, subprocess.TimeoutExpired) else str(fault)[:100]
    print("load average at the end:   %.2f\n" % os.getloadavg()[0])
    print("%-46s %-15s %6s %10s %21s %8s" % ("what", "network", "games", "steps/s", "least to most", "CPU-s/M"))
    for row in rows:
        got = rates[id(row)]
        if not got:
            print("%-46s %-15s %6d not measured: %s" % (*row[:3], faults[id(row)]))
            continue
        rate, work = (statistics.median(column) for column in zip(*got))
        ends = "%.0f to %.0f" % (min(got)[0], max(got)[0])
        print("%-46s %-15s %6d %10.0f %21s %8.2f" % (*row[:3], rate, ends, work))
    print(
        """
Medians of up to %d rounds of %d s, one after the other, without start-up. CPU-s/M is
CPU-seconds per million steps; a step is a decision in one game. Network is inputs
and layers; ours holds policy and value in one network. With logits our network is
asked once a decision, as the peers' are; with scores, our default, once for each
legal action. CleanRL's is the published loop written anew, less its logging, since
the package on PyPI holds an early one; PufferLib 3.0.0 is PyPI's, with its settings
for pong less the LSTM, with adam for muon, and its games in one process. Horizons
and minibatches of ours are the peer's. The games differ: what they cost is in it."""
        % (ROUNDS, SECONDS)
    )


if __name__ == "__main__":
    if sys.argv[1] not in PEERS:
        table(sys.argv[1])
        sys.exit()
    import torch

    torch.set_num_threads(int(sys.argv[2]))
    out = os.fdopen(os.dup(1), "w")  # PufferLib draws on the standard output
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    print(json.dumps(measure(PEERS[sys.argv[1]](), os.getpid())), file=out, flush=True)
    os._exit(0)  # its threads would go on
