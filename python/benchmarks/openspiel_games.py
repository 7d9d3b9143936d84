"""Writes a table of all games of OpenSpiel in Markdown: which can be listed on this machine.

Each registered game is a row as OpenSpiel opens it, and some smaller ones have rows too: states,
CPU-seconds to list and to solve, peak memory, and the exact value of each seat; or the reason why a
game is refused. Each row is made in a process of its own within the limits, so the command ends
after at most as many times --minutes as it has rows of perfect information.

python benchmarks/openspiel_games.py --minutes 10 --gigabytes 16
"""

import argparse
import json
import time
import traceback
import warnings

import confined
import pyspiel

from marsgym._spiel_table import StateKeyError, refuse, table

SMALL = [
    "2048(max_tile=8)",
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


def row(name, limit, memory):
    """Lists and solves a game."""
    warnings.simplefilter("ignore")
    begun = time.process_time()
    try:
        game = table(name, limit=limit, memory=memory, progress=False)
    except StateKeyError:
        return {"why": "texts do not hold all that later play depends on, so it needs a key"}
    except (ValueError, TimeoutError, MemoryError, pyspiel.SpielError) as e:
        return {"why": str(e).split("; ")[0].split(" has ")[-1] or stopped(e)}
    listed = time.process_time()
    solution = game.solve(progress=False)
    return {
        "states": len(game.table),
        "value": solution.value,
        "listing": listed - begun,
        "solve": time.process_time() - listed,
    }


def stopped(error):
    """How many states were known where a limit stopped the listing."""
    frames = [frame.f_locals for frame, _ in traceback.walk_tb(error.__traceback__)]
    known = max((len(f["numbers"]) for f in frames if "numbers" in f), default=0)
    what = "time" if isinstance(error, TimeoutError) else "memory"
    return f"the limit of {what} is reached" + (f" at {known:,} states" if known else "")


def measure(name, args):
    """Runs a row in a process of its own, within its limits, unless its kind is refused."""
    try:
        refuse(pyspiel.load_game(name))
    except Exception as e:  # OpenSpiel raises errors of many kinds for missing parameters
        why = str(e).partition("cannot be listed: ")[2] or f"OpenSpiel does not open it: {e}"
        return {"why": why.split("; ")[0].removeprefix("it is ")}
    seconds, size = int(60 * args.minutes), int(args.gigabytes * 2**30)
    limits = ["--limit", str(args.limit), "--gigabytes", str(args.gigabytes)]
    done = confined.run([__file__, "--row", name, *limits], seconds, 2 * size, grace=10)
    if done.returncode:
        last = done.stderr.strip().splitlines()
        return {"why": last[-1] if last else f"it ended by signal {-done.returncode}"}
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="limit of CPU time of a row")
    parser.add_argument("--gigabytes", type=float, default=16, help="limit of memory of a row")
    parser.add_argument("--limit", type=int, default=20_000_000, help="limit of states of a row")
    parser.add_argument("--only", default="", help="rows whose game contains this")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.row:
        confined.stop()
        found = row(args.row, args.limit, int(args.gigabytes * 2**30))
        found["mb"] = confined.megabytes()
        print(json.dumps(found))
        return
    print("| game | states | list, s | solve, s | MB | value by seat, or why it is refused |")
    print("|---|---|---|---|---|---|")
    names = {game.short_name for game in pyspiel.registered_games()}
    for name in sorted({*names, *SMALL}):
        if args.only not in name:
            continue
        r = measure(name, args)
        if "why" in r:
            cells = ["", "", "", "", " ".join(r["why"].replace("|", "/").split())]
        else:
            cells = [f"{r['states']:,}", f"{r['listing']:.2f}", f"{r['solve']:.3f}"]
            cells += [f"{r['mb']:.0f}", ", ".join(f"{v:.12g}" for v in r["value"])]
        print("| " + " | ".join([f"`{name}`", *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
