"""Writes a table of the games of OpenSpiel that can be listed on this machine, in Markdown.

It tries every game of perfect information that is not simultaneous, as OpenSpiel opens it, and
some smaller ones, each in a process of its own: states, CPU-seconds to list and to solve, peak
memory, and the exact value of each seat; or the reason why a game is refused.

python benchmarks/openspiel_games.py --gigabytes 24 --minutes 60
"""

import argparse
import json
import resource
import subprocess
import sys
import time

import pyspiel

SMALL = [
    "2048(max_tile=8)",
    "amazons(board_size=4)",
    "breakthrough(rows=3,columns=3)",
    "breakthrough(rows=4,columns=3)",
    "breakthrough(rows=5,columns=3)",
    "breakthrough(rows=4,columns=4)",
    "catch(rows=20,columns=10)",
    "checkers(rows=4,columns=4)",
    "cliff_walking(horizon=200)",
    "clobber(rows=3,columns=4)",
    "clobber(rows=4,columns=4)",
    "clobber(rows=4,columns=5)",
    "connect_four(rows=4,columns=4)",
    "connect_four(rows=4,columns=5)",
    "cursor_go(board_size=3)",
    "dots_and_boxes(num_rows=2,num_cols=3)",
    "go(board_size=2)",
    "gomoku(size=3,connect=3)",
    "gomoku(size=4,connect=4)",
    "havannah(board_size=2)",
    "havannah(board_size=3)",
    "hex(board_size=3)",
    "hex(board_size=4)",
    "lines_of_action",
    "mnk(m=3,n=3,k=3)",
    "mnk(m=4,n=4,k=4)",
    "nim(pile_sizes=10;10;10)",
    "nim(pile_sizes=20;20;20)",
    "oware(num_houses_per_player=2,num_seeds_per_house=1)",
    "pig(winscore=20)",
    "pig(winscore=50)",
    "pig(winscore=100)",
    "pig(players=3,winscore=20)",
    "quoridor(board_size=3)",
    "quoridor(board_size=4)",
    "quoridor(board_size=3,players=3)",
    "twixt(board_size=5)",
    "y(board_size=3)",
    "y(board_size=4)",
    "yacht(players=1,num_dice=1,rolls_per_turn=1)",
]


def row(name, limit):
    """Lists and solves a game."""
    import warnings

    from marsgym import openspiel

    warnings.simplefilter("ignore")
    begun = time.process_time()
    try:
        game = openspiel.table(name, limit=limit, progress=False)
    except ValueError as e:
        return {"error": str(e), "listing": time.process_time() - begun}
    listed = time.process_time()
    solution = game.solve(progress=False)
    return {
        "states": len(game.table),
        "value": solution.value,
        "residual": solution.residual,
        "listing": listed - begun,
        "solve": time.process_time() - listed,
    }


def measure(name, args):
    """Runs a row in a process of its own, within its limits."""
    command = [sys.executable, __file__, "--row", name, "--limit", str(args.limit)]
    size = int(args.gigabytes * 2**30)

    def confine():
        resource.setrlimit(resource.RLIMIT_AS, (size, size))

    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60 * args.minutes, preexec_fn=confine
        )
    except subprocess.TimeoutExpired:
        return {"error": f"not listed within {args.minutes:g} minutes"}
    if done.returncode:
        last = done.stderr.strip().splitlines()
        return {"error": last[-1] if last else f"ended by signal {-done.returncode}"}
    return json.loads(done.stdout.splitlines()[-1])


def names():
    """The games to try, in order."""
    kind, found = pyspiel.GameType, []
    for game in pyspiel.registered_games():
        sequential = game.dynamics == kind.Dynamics.SEQUENTIAL
        perfect = game.information == kind.Information.PERFECT_INFORMATION
        if sequential and perfect and game.default_loadable:
            found.append(game.short_name)
    return sorted({*found, *SMALL})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=24, help="limit of memory of a row")
    parser.add_argument("--minutes", type=float, default=60, help="limit of wall time of a row")
    parser.add_argument("--limit", type=int, default=20_000_000, help="limit of states of a row")
    parser.add_argument("--only", default="", help="rows whose game contains this")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.row:
        found = row(args.row, args.limit)
        found["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(found))
        return
    print("| game | states | list, s | solve, s | MB | value by seat |")
    print("|---|---|---|---|---|---|")
    refused = []
    for name in names():
        if args.only not in name:
            continue
        r = measure(name, args)
        if "error" in r:
            refused.append((name, r["error"]))
            continue
        value = ", ".join(f"{v:.12g}" for v in r["value"])
        cells = [f"`{name}`", f"{r['states']:,}", f"{r['listing']:.2f}", f"{r['solve']:.3f}"]
        print("| " + " | ".join([*cells, f"{r['mb']:.0f}", value]) + " |", flush=True)
    print("\n| game | not listed, since |\n|---|---|")
    for name, why in refused:
        print(f"| `{name}` | {' '.join(why.replace('|', '/').split())} |", flush=True)


if __name__ == "__main__":
    main()
