"""What the baselines share: arguments, and the report of exact strength."""

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import marsgym


def arguments(game: str, **defaults: Any) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--game", default=game, help="id of a solved game for two")
    parser.add_argument("--seconds", type=float, default=600, help="CPU time of training")
    parser.add_argument("--seed", type=int, default=1)
    for name, value in defaults.items():
        parser.add_argument("--" + name, type=type(value), default=value)
    return parser.parse_args()


def clock(seconds: float) -> Callable[[], bool]:
    """A function that reports whether CPU time of this process is left."""
    end = time.process_time() + seconds
    return lambda: time.process_time() < end


def report(
    name: str, args: argparse.Namespace, game: marsgym.Game, policy: Any, steps: int
) -> None:
    """Prints the exact strength of a policy as one line of JSON."""
    result = game.evaluate(policy)
    line = {
        "method": name,
        "game": args.game,
        "seed": args.seed,
        "seconds": args.seconds,
        "decisions": steps,
        "win": result.win,
        "exploitability": result.exploitability,
    }
    print(json.dumps(line), flush=True)
