"""The ids of the games in Gymnasium.

Any release of it can read them; using an environment needs the release that
:mod:`marsgym.gymnasium` names.
"""

from __future__ import annotations

from typing import Any

import gymnasium

from marsgym import _native


def env_ids(*, lenient: bool = False) -> dict[str, str]:
    """The Gymnasium id of each game, by the id of the game.

    Args:
        lenient: gives the ids under which an illegal action plays a random legal one, for
            programs that know no masks, such as ``marsgym/Pig-Lenient-v1``, instead of those
            under which it raises an error. :func:`register` registers both.
    """
    games = _native.document("games")["games"]
    camel = {g["id"]: "".join(map(str.capitalize, g["id"].split("-"))) for g in games}
    mode = "-Lenient" if lenient else ""
    return {g["id"]: f"marsgym/{camel[g['id']]}{mode}-v{g['version']}" for g in games}


def register() -> None:
    """Registers all games with Gymnasium."""
    vector: dict[str, Any] = {}
    if hasattr(gymnasium, "make_vec"):
        vector = {"vector_entry_point": "marsgym.gymnasium:vector_env"}
    for lenient in (False, True):
        options = {"illegal_action": "random"} if lenient else {}
        for id, name in env_ids(lenient=lenient).items():
            if name not in gymnasium.envs.registration.registry:
                gymnasium.register(
                    id=name,
                    entry_point="marsgym.gymnasium:Env",
                    kwargs={"game": id, **options},
                    **vector,
                )
