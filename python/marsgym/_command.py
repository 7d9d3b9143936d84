"""How the commands of this package end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


def run(main: Callable[[], int | None]) -> None:
    """Runs a command and exits with its status.

    The status is 1, without a message, if nobody reads standard output to its end, as in
    ``| head -1``.

    Source: docs.python.org/3/library/signal.html#note-on-sigpipe
    """
    try:
        try:
            sys.exit(main())
        finally:
            print(end="", flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python flushes once more when it exits
        sys.exit(1)
