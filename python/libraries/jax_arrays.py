"""JAX with the batches of marsgym: arrays that it takes from NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
from cells import HOLD, SHORT, cell, kind, kinds, legal, outcome, until_end

import marsgym


def made(**options):
    return marsgym.make_vec("pig", 4, config=SHORT, **options)


def kept(copy, take):
    """Whether what JAX takes of an observation stays as it was after the next steps."""
    env, generator = made(copy=copy), np.random.default_rng(1)
    obs, info = env.reset(seed=1)
    before, taken = obs.copy(), take(obs)
    for _ in range(20):
        _, _, _, _, info = env.step(legal(info["action_mask"], generator))
    return bool((np.asarray(taken) == before).all())


def act(masks, generator):
    return jax.device_get(jnp.asarray(legal(masks, generator)))


@jax.jit
def sample(key, mask):
    return jax.random.categorical(key, jnp.where(mask != 0, 0.0, -jnp.inf), axis=-1)


obs, rewards, terminated, truncated, info = until_end(made(), act)
cell(
    "autoreset",
    "none of its own; `jnp.array` of an observation is as it was after 20 steps: "
    f"copy=True {kept(True, jnp.array)}, copy=False {kept(False, jnp.array)}",
)
env = made()
_, first = env.reset(seed=1)
actions = sample(jax.random.key(1), first["action_mask"])
cell(
    "mask",
    f'`info["action_mask"]` {kind(jnp.asarray(first["action_mask"]))} in a jitted function that '
    f"samples: {kind(actions)}, legal: "
    f"{bool(np.take_along_axis(first['action_mask'], np.asarray(actions)[:, None], 1).all())}",
    f"`step` of a JAX array: {outcome(lambda: env.step(actions))}",
)
cell(
    "seed",
    f"`reset(seed=jax.random.key(1))`: {outcome(lambda: env.reset(seed=jax.random.key(1)))}",
    f"`reset(seed=jnp.int32(1))`: {outcome(lambda: env.reset(seed=jnp.int32(1)))}",
)
last = {k: v for k, v in info.items() if k in ("final_obs", "_final_obs", "rewards")}
cell(
    "final",
    f"SAME_STEP: {kinds(last)}",
    f'`jnp.asarray(info["final_obs"])`: {outcome(lambda: jnp.asarray(info["final_obs"]))}',
)
env.reset(seed=1)
cell("illegal", outcome(lambda: env.step(jnp.full(4, HOLD))))
cell(
    "both",
    "terminated and truncated stay apart: "
    f"{kind(jnp.asarray(terminated))}, {kind(jnp.asarray(truncated))}",
)
cell(
    "waiting",
    f"rewards {rewards.dtype}{list(rewards.shape)} become {kind(jnp.asarray(rewards))}; "
    f"the row that ended has {float(jnp.asarray(rewards)[int(terminated.argmax())])}",
)
