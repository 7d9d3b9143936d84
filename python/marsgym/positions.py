"""Writes positions of a solved game with their exact values, for training and for tests.

python -m marsgym.positions pig -n 10000 -o positions.jsonl
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import marsgym
from marsgym import _command, _native
from marsgym._file import create

STRATA = (1e-12, 0.001, 0.01, 0.05, 1.0)
"""The upper ends of the strata of the gap between the best choice and the second, as shares of
the win. The first has the ties. Chosen."""

_SLIP = 0.25
"""How often self-play takes any legal action instead of the best. Chosen: so that positions after
mistakes are met too."""

_EFFORT = 50
"""How many decisions are looked at for each position wanted, at most. Chosen: strata that are
hard to fill then end."""


def draw(game: marsgym.Game, n: int, seed: int = 0, lang: str = "en") -> Iterator[dict[str, Any]]:
    """Positions from self-play, each once, as many of each stratum as there are; see the card.

    Args:
        game: a solved game.
        n: how many positions.
        seed: of the games.
        lang: of the texts.
    """
    rng = random.Random(seed)
    share, seen = -(-n // len(STRATA)), set()
    filled: collections.Counter[int] = collections.Counter()
    rest: list[dict[str, Any]] = []  # of full strata
    found, position = 0, game.initial()
    for _ in range(_EFFORT * n):
        while position.player < 0:
            position = game.initial() if position.is_terminal else position.sample(rng)
        options = position.options()
        wins = dict(zip(options, game._share(options.values()), strict=True))
        top = max(wins.values())
        best = min(a for a in wins if wins[a] >= top - STRATA[0])
        if len(wins) > 1 and position.text not in seen:
            seen.add(position.text)
            gap = top - sorted(wins.values())[-2]
            stratum = next(i for i, end in enumerate(STRATA) if gap <= end or end == STRATA[-1])
            row: dict[str, Any] = {
                "position": position.text,
                "wins": wins,
                "best": best,
                "gap": gap,
            }
            if filled[stratum] < share:
                filled[stratum] += 1
                found += 1
                yield _row(game, row, stratum, seed, lang)
            elif len(rest) < n:
                rest.append({**row, "stratum": stratum})
            if found == n:
                return
        legal = position.legal_actions
        slips = rng.random() < _SLIP
        position = position.apply(legal[int(rng.random() * len(legal))] if slips else best)
    for row in rest[: n - found]:
        yield _row(game, row, row["stratum"], seed, lang)


def _row(
    game: marsgym.Game, row: dict[str, Any], stratum: int, seed: int, lang: str
) -> dict[str, Any]:
    position = game.position(row["position"])
    return {
        "game": game.id,
        "rules_hash": game.rules_hash,
        "seed": seed,
        "split": split(game, position.text),
        "position": position.text,
        "text": position.describe(lang=lang),
        "player": position.player,
        "legal": [
            {"action": a, "name": game.action_names[a], "win": w} for a, w in row["wins"].items()
        ],
        "best": row["best"],
        "gap": row["gap"],
        "stratum": stratum,
    }


def split(game: marsgym.Game, position: str) -> str:
    """The split of a position, which is the same in every file: "train" for eight in ten,
    "validation" and "test" for one each, by SHA-256 of the rules hash and the position.
    """
    digest = hashlib.sha256(f"{game.rules_hash}\n{position}".encode()).digest()
    tenth = int.from_bytes(digest[:8], "big") % 10
    return {8: "validation", 9: "test"}.get(tenth, "train")


def card(game: marsgym.Game, rows: list[dict[str, Any]], n: int, seed: int, lang: str) -> str:
    """What a file of positions holds and how they were drawn, in Markdown. n is how many were
    wanted.
    """
    splits = collections.Counter(row["split"] for row in rows)
    strata = collections.Counter(row["stratum"] for row in rows)
    lines = [
        f"# Positions of {game.title} for {game.players}",
        "",
        f"{len(rows)} positions with exact values, by `python -m marsgym.positions` of marsgym "
        f"{marsgym.__version__}.",
        "",
        f"- Rules: `{game.id}`, version {game.version}, hash `{game.rules_hash}`.",
        f"- Config: `{json.dumps(game.config, sort_keys=True)}`.",
        f"- Seed: {seed}. Language of the texts: {lang}.",
        "- Drawing: all seats play the best action, or any legal action, each with the same "
        f"probability, in {_SLIP:.0%} of decisions. Decisions of one legal action are left out, "
        "and each position counts once.",
        f"- Strata: at most {-(-n // len(STRATA))} positions of each gap "
        "between the best choice and the second, in the order in which they were met. If a "
        f"stratum is not full after {_EFFORT} decisions for each position wanted, positions of "
        "other strata fill the file.",
        "- `win`: the share of the win that the seat to move expects if all play optimally after "
        "the action. `best`: the lowest action whose win is the highest, up to 1e-12.",
        "- Splits: by SHA-256 of the rules hash and the position, so that a position has the same "
        "split in every file.",
        "",
        "| gap up to | positions |",
        "|---|---|",
        *(f"| {end:g} | {strata[i]} |" for i, end in enumerate(STRATA)),
        "",
        "| split | positions |",
        "|---|---|",
        *(f"| {name} | {splits[name]} |" for name in ("train", "validation", "test")),
        "",
    ]
    return "\n".join(lines)


def _write(path: Path, text: str) -> None:
    """Writes a new file."""
    try:
        create(path, text.encode())
    except FileExistsError:
        raise _taken(path) from None


def _taken(path: Path) -> ValueError:
    return ValueError(f"{path} exists; name another file by -o")


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    p = argparse.ArgumentParser(prog="python -m marsgym.positions", description=__doc__)
    p.formatter_class = argparse.RawDescriptionHelpFormatter
    p.add_argument("game", help="the id of a solved game")
    p.add_argument("-n", type=int, default=10_000, help="number of positions (default 10000)")
    p.add_argument(
        "-o",
        required=True,
        metavar="FILE",
        help="new file of JSON lines; its card is FILE with .md",
    )
    p.add_argument("--players", type=int, help="number of players (default set by the game)")
    p.add_argument("--config", help="JSON of settings that replace defaults of the game")
    p.add_argument("--seed", type=int, default=0, help="seed of the games (default 0)")
    p.add_argument("--lang", default="en", help="language of the texts (default en)")
    a = p.parse_args(arguments)
    try:
        n = _native.number(a.n, "-n", 1, 10**7)
        path = Path(a.o)
        if not path.name or path.suffix == ".md":
            raise ValueError(f"-o is {a.o}; want a file, and not of the suffix .md, the card's")
        about = path.with_suffix(".md")
        if not path.parent.is_dir():
            raise ValueError(f"{path.parent} is no folder; make it, or name another file by -o")
        for file in (path, about):
            if os.path.lexists(file):
                raise _taken(file)
        game = marsgym.load(a.game, a.players, _native.json_object(a.config, "--config"))
        game.rules(a.lang)  # or an error
        game.solve()
        rows = list(draw(game, n, a.seed, a.lang))
        _write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        _write(about, card(game, rows, n, a.seed, a.lang))
    except (ValueError, OSError) as e:
        p.exit(1, f"marsgym.positions: {e}\n")
    print(f"{len(rows)} positions in {path}, about which {about} says more", file=sys.stderr)


if __name__ == "__main__":
    _command.run(main)
