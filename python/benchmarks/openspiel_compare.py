"""Compares exact values of marsgym with OpenSpiel's own algorithms, in CPU-seconds and peak memory.

Each figure is measured in a process of its own, without imports. Of OpenSpiel's algorithms it takes
the fastest: TabularBestResponseMDP and expected_returns, both in C++, and for values of games
MinimaxSolver, or value_iteration where there is chance or one seat, both in Python. The policy that
both sides evaluate is uniform; marsgym gets it as an array.

python benchmarks/openspiel_compare.py --minutes 30
"""

import argparse
import json
import math
import pathlib
import signal
import sys
import time
import traceback

import confined

ROWS = [
    ("nim(pile_sizes=1;3;5)", "exploitability"),
    ("nim(pile_sizes=2;3;5)", "exploitability"),
    ("nim(pile_sizes=3;4;5)", "exploitability"),
    ("nim(pile_sizes=4;5;5)", "exploitability"),
    ("tic_tac_toe", "exploitability"),
    ("hex(board_size=3)", "exploitability"),
    ("breakthrough(rows=4,columns=3)", "exploitability"),
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
    from open_spiel.python.algorithms import minimax_solver, value_iteration

    sys.setrecursionlimit(1_000_000)
    game = pyspiel.load_game(name)
    start = game.new_initial_state()
    deterministic = game.get_type().chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC

    def expected(state):
        if state.is_chance_node():
            return sum(p * expected(state.child(a)) for a, p in state.chance_outcomes())
        return values[str(state)]

    begun = time.process_time()
    try:
        if what == "exploitability":
            policy = pyspiel.UniformPolicy()  # must outlive what points to it
            responses = pyspiel.TabularBestResponseMDP(game, policy)
            value = responses.exploitability().exploitability
        elif what == "returns":
            value = pyspiel.expected_returns(start, pyspiel.UniformPolicy(), -1, False)[0]
        elif deterministic and game.num_players() == 2:
            value = minimax_solver.MinimaxSolver(name).solve()[str(start)].value
        else:
            values = value_iteration.value_iteration(game, -1, 1e-14, cyclic_game=True)
            value = expected(start)
    except TimeoutError as e:
        return {"limit": f"{reached(e):,} states", "after": time.process_time() - begun}
    except MemoryError as e:
        after = time.process_time() - begun
        return {"limit": f"{reached(e):,} states, and no memory is left", "after": after}
    return {"seconds": time.process_time() - begun, "value": value}


def reached(error):
    """How many states value iteration had listed where an error stopped it."""
    frames = [frame.f_locals for frame, _ in traceback.walk_tb(error.__traceback__)]
    return max((len(f[n]) for f in frames for n in ("states", "all_states") if n in f), default=0)


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
    game = openspiel.table(name, key, texts=False, progress=False)
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
        "histories": histories(table),
    }


def histories(table):
    """How many histories a game has, with the empty one and those of ends; infinite if states
    recur.
    """
    import numpy as np

    first, count = table.first.astype(np.int64), table.count.astype(np.int64)
    moves = len(table.next)
    following = np.concatenate([table.next, table.outcome])
    first = np.where(table.player >= 0, first, first + moves)
    before = np.bincount(following, minlength=len(table))
    paths, total, listed = np.zeros(len(table)), 0.0, 0
    paths[0], ready = 1, np.zeros(1, np.int64)
    while len(ready):
        total += paths[ready].sum()
        listed += len(ready)
        n = count[ready]
        edges = np.repeat(first[ready] - np.cumsum(n) + n, n) + np.arange(n.sum())
        after = following[edges]
        np.add.at(paths, after, np.repeat(paths[ready], n))
        np.subtract.at(before, after, 1)
        ready = np.unique(after[before[after] == 0])
    return total if listed == len(table) else math.inf


def measure(name, what, who, args):
    """Runs a row in a process of its own, within its limits."""
    seconds, size = int(60 * args.minutes), int(args.gigabytes * 2**30)
    done = confined.run([__file__, "--row", name, what, who], seconds, size, grace=5)
    if done.returncode == -signal.SIGKILL:
        return {"limit": "not known", "after": seconds}  # in C++, which no signal interrupts
    if done.returncode:
        return {"error": (done.stderr.strip() or f"ended by {done.returncode}").splitlines()[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def cells(a, b):
    """The figures of a row, of ours and of OpenSpiel's."""
    if "value" not in a:
        return ["", "", a.get("error") or "not ended"]
    found = [f"{a['states']:,}", f"{a['histories']:.3g}"]
    if "value" in b:
        found += [f"{b['seconds']:.2f}", f"{b['mb']:.0f}"]
    elif "limit" in b:
        memory = f"{b['mb']:.0f}" if "mb" in b else ""
        found += [f"above {b['after']:,.0f}; reached: {b['limit']}", memory]
    else:
        found += [b["error"], ""]
    whole = a["listing"] + a["seconds"]
    found += [f"{a['listing']:.3f}", f"{a['seconds']:.4f}", f"{a['mb']:.0f}"]
    if "error" in b:
        found += ["", ""]
    else:
        least, more = (b["seconds"], "") if "value" in b else (b["after"], "> ")
        found += [f"{more}{least / a['seconds']:,.0f}", f"{more}{least / whole:,.1f}"]
    found += [f"{a['value']:.12f}"]
    return found + ([f"{abs(a['value'] - b['value']):.0e}"] if "value" in b else [""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="limit of CPU time of a row")
    parser.add_argument("--gigabytes", type=float, default=16, help="limit of memory of a row")
    parser.add_argument(
        "--kept",
        type=pathlib.Path,
        help="JSON lines of OpenSpiel's figures: rows "
        "in this file are not measured again, others are appended",
    )
    parser.add_argument("--only", default="", help="rows whose 'GAME COMPUTED' contains this")
    parser.add_argument("--row", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.row:
        confined.stop()
        name, what, who = args.row
        found = (ours if who == "ours" else openspiel)(name, what)
        found["mb"] = confined.megabytes()
        print(json.dumps(found))
        return
    kept = {}
    if args.kept and args.kept.exists():
        for line in args.kept.read_text().splitlines():
            kept |= json.loads(line)
    print(
        "| game | computed | states | histories | OpenSpiel, s | OpenSpiel, MB | listing, s "
        "| after it, s | marsgym, MB | times as fast without listing | times as fast with listing "
        "| result | difference |"
    )
    print("|" + "---|" * 13)
    for name, what in ROWS:
        if args.only not in f"{name} {what}":
            continue
        a = measure(name, what, "ours", args)
        b = kept.get(f"{name} {what}") or measure(name, what, "openspiel", args)
        if args.kept and f"{name} {what}" not in kept:
            with args.kept.open("a") as file:
                print(json.dumps({f"{name} {what}": b}), file=file)
        print("| " + " | ".join([f"`{name}`", what, *cells(a, b)]) + " |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
