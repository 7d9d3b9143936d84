"""Runs the baselines, and prints a table of their exact strength in Markdown.

python baselines/table.py --minutes 10 --seeds 3
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

BASELINES = {
    "martian-dice": [["ppo.py"], ["maskable_ppo.py"], ["maskable_ppo.py", "--opponent", "random"]],
    "pig": [["ppo.py"], ["maskable_ppo.py"], ["tabular.py"], ["own_agent.py"]],
}

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--game", choices=BASELINES, action="append", help="by default all")
parser.add_argument("--script", help="only the rows of this program, such as ppo.py")
parser.add_argument("--minutes", type=float, default=10, help="CPU time of each training")
parser.add_argument("--seeds", type=int, default=3)
parser.add_argument("--envs", type=int, default=256)
args = parser.parse_args()

print(f"{args.minutes:g} CPU-minutes, {args.seeds} seeds: median, lowest and highest.\n")
print("| game | method | decisions | wins against optimal play | exploitability |")
print("|---|---|---|---|---|")
for game in args.game or BASELINES:
    for script, *options in BASELINES[game]:
        if args.script not in (None, script):
            continue
        results = []
        for seed in range(1, args.seeds + 1):
            command = [sys.executable, str(Path(__file__).with_name(script)), "--game", game]
            command += ["--seconds", str(60 * args.minutes), "--seed", str(seed), *options]
            if script != "own_agent.py":
                command += ["--envs", str(args.envs)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
            results.append(json.loads(done.stdout.splitlines()[0]))

        def cell(key, form, results=results):
            values = sorted(r[key] for r in results)
            middle = format(statistics.median(values), form)
            if values[0] == values[-1]:
                return middle
            return f"{middle} ({format(values[0], form)} to {format(values[-1], form)})"

        columns = [game, results[0]["method"], cell("decisions", ",.0f")]
        columns += [cell("win", ".4f"), cell("exploitability", "#.3g")]
        print("| " + " | ".join(columns) + " |", flush=True)
