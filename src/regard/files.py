"""Files that are there whole or not at all."""

import os
from pathlib import Path


def write_file(path: Path, content: bytes) -> None:
    """Write a file aside, flush it to the disk, and rename it into its place."""
    aside = path.with_name(f".{path.name}.writing-{os.getpid()}")
    try:
        with open(aside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError:
        aside.unlink(missing_ok=True)
        raise
