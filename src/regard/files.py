"""Files and folders that are there whole or not at all.

What is written stands under a name of its own, which tells the process, until
all of it is there. What a process left that was killed is swept away by the
next one that writes to the same place.
"""

import os
import shutil
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


def write_file(path: Path, content: bytes) -> None:
    """Write a file aside, flush it to the disk, and rename it into its place."""
    aside = aside_of(path)
    clear_stale(path)
    try:
        with open(aside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError:
        aside.unlink(missing_ok=True)
        raise


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it runs, but is somebody else's
    return True
