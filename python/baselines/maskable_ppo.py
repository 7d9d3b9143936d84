"""MaskablePPO of sb3-contrib on marsgym.sb3.VecEnv, against an agent in the other seats."""

import torch
from common import arguments, clock, report
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

import marsgym
from marsgym.sb3 import VecEnv, policy


class Clock(BaseCallback):
    """Ends training when the time is over."""

    def __init__(self, seconds):
        super().__init__()
        self.running = clock(seconds)

    def _on_step(self):
        return self.running()


args = arguments("martian-dice", envs=256, horizon=64, opponent="greedy", rate=1e-3)
torch.set_num_threads(1)
env = VecEnv(args.game, args.envs, opponent=args.opponent, seed=args.seed)
model = MaskablePPO(
    "MlpPolicy",
    env,
    n_steps=args.horizon,
    batch_size=2048,
    n_epochs=2,
    gamma=1.0,
    ent_coef=0.01,
    learning_rate=args.rate,
    policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU},
    seed=args.seed,
    device="cpu",
)
model.learn(2**62, callback=Clock(args.seconds))
name = f"MaskablePPO of sb3-contrib, against {args.opponent}"
report(name, args, marsgym.load(args.game), policy(model), model.num_timesteps)
