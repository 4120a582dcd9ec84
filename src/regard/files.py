"""Files and folders that are there whole or not at all.

What is written stands under a name of its own, which tells the process, until
all of it is there. What a process left that was killed is swept away by the
next one that writes to the same place.
"""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_MARK = ".writing-"


def aside_of(path: Path) -> Path:
    """Where this process writes what will become `path`."""
    return path.with_name(f".{path.name}{_MARK}{os.getpid()}")


def clear_stale(path: Path) -> None:
    """Remove what this process, or one that is gone, left aside of `path`."""
    beginning = f".{path.name}{_MARK}"
    for left in list(path.parent.iterdir()):
        process = left.name.removeprefix(beginning)
        if (
            process == left.name
            or not process.isdecimal()
            or (int(process) != os.getpid() and _is_running(int(process)))
        ):
            continue
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """Where to write what shall stand at `path` whole or not at all.

    That is aside of it, to be renamed in the end; of a link, aside of what it
    leads to. A pipe or a device is no file that could be replaced: it is
    written to directly.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        yield path
        return
    path = path.resolve()
    aside = aside_of(path)
    clear_stale(path)
    try:
        yield aside
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def write_file(path: Path, content: bytes) -> None:
    """Write a file aside, flush it to the disk, and rename it into its place."""
    with replacing(path) as place, open(place, "wb") as file:
        file.write(content)
        file.flush()
        if place.is_file():
            os.fsync(file.fileno())


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it runs, but is somebody else's
    return True
