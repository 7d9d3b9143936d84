"""Compares exact values of marsgym with OpenSpiel's own algorithms, in CPU-seconds and peak memory.

Each figure is measured in a process of its own. OpenSpiel's value iteration is in Python, its
exploitability and expected returns are in C++. The policy that both evaluate is uniform; marsgym
gets it as an array.

python benchmarks/openspiel_compare.py --minutes 30
"""

import argparse
import json
import resource
import signal
import subprocess
import sys
import time

ROWS = [
    ("nim(pile_sizes=1;3;5)", "exploitability"),
    ("nim(pile_sizes=2;3;5)", "exploitability"),
    ("nim(pile_sizes=3;4;5)", "exploitability"),
    ("tic_tac_toe", "exploitability"),
    ("hex(board_size=3)", "exploitability"),
    ("dots_and_boxes", "exploitability"),
    ("connect_four(rows=4,columns=4)", "exploitability"),
    ("connect_four(rows=4,columns=5)", "exploitability"),
    ("pig(players=3,winscore=6,horizon=8)", "returns"),
    ("pig(players=3,winscore=6,horizon=10)", "returns"),
    ("pig(players=3,winscore=6,horizon=12)", "returns"),
    ("catch", "value"),
    ("nim", "value"),
    ("tic_tac_toe", "value"),
    ("dots_and_boxes", "value"),
    ("breakthrough(rows=4,columns=3)", "value"),
    ("connect_four(rows=4,columns=4)", "value"),
    ("connect_four(rows=4,columns=5)", "value"),
    ("pig(winscore=20)", "value"),
    ("pig(winscore=50)", "value"),
    ("pig(winscore=100)", "value"),
]
"""Games, and what is computed: the exploitability of the uniform policy, its expected return in
seat 0, or the value of the game for seat 0. A horizon below 1,000 is part of the state."""


def openspiel(name, what):
    """What OpenSpiel computes."""
    import pyspiel
    from open_spiel.python.algorithms import value_iteration

    sys.setrecursionlimit(1_000_000)
    game = pyspiel.load_game(name)
    start = game.new_initial_state()
    begun = time.process_time()
    if what == "exploitability":
        value = pyspiel.exploitability(game, pyspiel.UniformRandomPolicy(game))
    elif what == "returns":
        value = pyspiel.expected_returns(start, pyspiel.UniformPolicy(), -1, False)[0]
    else:
        values = value_iteration.value_iteration(game, -1, 1e-14, cyclic_game=True)

        def expected(state):
            if state.is_chance_node():
                return sum(p * expected(state.child(a)) for a, p in state.chance_outcomes())
            return values[str(state)]

        value = expected(start)
    return {"seconds": time.process_time() - begun, "value": value}


def with_decisions(state):
    """The key of a game that ends after a number of decisions."""
    decisions = sum(move.player >= 0 for move in state.full_history())
    return str(state), state.current_player(), decisions


def ours(name, what):
    """The same by marsgym: the listing, and what follows."""
    import warnings

    import numpy as np

    import marsgym
    from marsgym import openspiel

    warnings.simplefilter("ignore")
    key = with_decisions if "horizon" in name else None
    begun = time.process_time()
    game = openspiel.table(name, key, progress=False)
    listed = time.process_time()
    table = game.table
    if what == "value":
        value = game.solve().value[0]
    else:
        counts = table.count[table.player >= 0]
        uniform = marsgym.TabularPolicy(np.repeat(1 / counts, counts))
        result = game.evaluate(uniform, against=uniform)
        value = result.returns[0]
        if what == "exploitability":
            value = result.exploitability * (game.win - game.loss)
    seconds = time.process_time() - listed
    return {
        "listing": listed - begun,
        "seconds": seconds,
        "value": value,
        "states": len(table),
    }


def measure(name, what, who, limit):
    """Runs a row in a process of its own; None if it does not end within the limit."""
    command = [sys.executable, __file__, "--row", name, what, who]

    def confine():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=confine)
    if done.returncode == -signal.SIGKILL:
        return None
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="limit of CPU time of a row")
    parser.add_argument("--only", default="", help="rows whose game contains this")
    parser.add_argument("--row", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    limit = int(60 * args.minutes)
    if args.row:
        name, what, who = args.row
        found = (ours if who == "ours" else openspiel)(name, what)
        found["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(found))
        return
    print(
        "| game | computed | states | OpenSpiel, s | MB | listing, s | then, s | MB "
        "| times as fast without listing | with | value | difference |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name, what in ROWS:
        if args.only not in name:
            continue
        a = measure(name, what, "ours", limit)
        b = measure(name, what, "openspiel", limit)
        if a is None or "error" in a:
            cells = ["", "not ended" if a is None else a["error"]]
        else:
            whole = a["listing"] + a["seconds"]
            cells = [f"{a['states']:,}"]
            if b is None:
                cells += [f"above {limit:,}", ""]
            elif "error" in b:
                cells += [b["error"], ""]
            else:
                cells += [f"{b['seconds']:.2f}", f"{b['mb']:.0f}"]
            cells += [f"{a['listing']:.2f}", f"{a['seconds']:.4f}", f"{a['mb']:.0f}"]
            least = limit if b is None else b.get("seconds")
            more = "> " if b is None else ""
            if least is None:
                cells += ["", ""]
            else:
                cells += [f"{more}{least / a['seconds']:,.0f}", f"{more}{least / whole:,.1f}"]
            cells += [f"{a['value']:.12f}"]
            cells += [f"{abs(a['value'] - b['value']):.0e}"] if b and "value" in b else [""]
        print("| " + " | ".join([f"`{name}`", what, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
