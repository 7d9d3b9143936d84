"""What the programs of this folder share: the game, and how an answer is printed."""

import json

import numpy as np

GAME = "marsgym/Pig-v1"
SHORT = {"target": 20}  # the config of a game of some ten decisions
ROLL, HOLD = 0, 1  # holding is illegal before the first roll of a turn


def cell(question, *parts):
    """Prints the answer to a question of run.py, which has some parts, as a line of JSON."""
    print(json.dumps({"question": question, "printed": list(map(str, parts))}), flush=True)


def outcome(act, show=lambda x: "accepts"):
    """What a call comes to, in short: the error that it raises, or what is shown of its result."""
    try:
        result = act()
    except Exception as e:
        text = " ".join(str(e).split())
        text = text if len(text) <= 90 else text[:87] + "..."
        return f"{type(e).__name__}: {text}".removesuffix(": ")
    return show(result)


def legal(masks, generator):
    """A random legal action for each mask, or for the only one."""
    masks = np.asarray(masks)
    return np.where(masks != 0, generator.random(masks.shape), -1).argmax(axis=-1)


def until_end(env, act=legal):
    """The step of a vector environment that ends the first of its games. They are played at random,
    by actions that act makes of the masks.
    """
    generator = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    while True:
        step = env.step(act(info["action_mask"], generator))
        if step[2].any():
            return step
        info = step[-1]


def kinds(info):
    """The keys of an info or of another dict, with the types of their values."""
    return ", ".join(f"{k} {kind(v)}" for k, v in sorted(info.items()))


def kind(value):
    """The type of a value and, of an array, its element type and shape."""
    if hasattr(value, "dtype") and getattr(value, "shape", ()):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, dict):
        return f"dict({', '.join(sorted(map(str, value)))})"
    return type(value).__name__
