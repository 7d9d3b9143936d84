"""Files that are written in one piece and replace none."""

from __future__ import annotations

import os
from pathlib import Path


def create(path: Path, content: bytes) -> None:
    """Writes a new file, complete or not at all, also after a kill.

    Raises:
        FileExistsError: there is a file of that name, perhaps since a moment ago.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)  # unlike a rename, it fails if the name is taken meanwhile
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)
