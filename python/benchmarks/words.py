"""Described decisions with their regrets, per CPU-second.

python benchmarks/words.py
"""

import random
import time

import marsgym


def decisions(game, n, seed=1):
    """Decisions of random games with a choice."""
    rng, position, found = random.Random(seed), game.initial(), []
    while len(found) < n:
        if position.is_terminal:
            position = game.initial()
        elif position.is_chance:
            position = position.sample(rng)
        else:
            if len(position.legal_actions) > 1:
                found.append(position)
            position = position.apply(rng.choice(position.legal_actions))
    return found


def main():
    """Prints a line for each game."""
    for id in "pig", "martian-dice":
        game = marsgym.load(id)
        game.solve()
        best = 0.0
        positions = decisions(game, 5000)
        for _ in range(5):
            begun = time.process_time()
            for position in positions:
                position.describe()
                position.regret(position.legal_actions[0])
            best = max(best, len(positions) / (time.process_time() - begun))
        print(f"{id:14}{best:10,.0f} described decisions with regret per CPU-second")


if __name__ == "__main__":
    main()
