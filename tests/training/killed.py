"""Trainings in processes of their own, which are killed outright (kill -9)."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from regard.errors import RegardError
from regard.text import make_toys
from regard.training import RunSettings, train

PAIRS = [toy.pair for toy in make_toys("reverse", 40, length=3)]
DEV = [toy.pair for toy in make_toys("reverse", 6, length=3, seed=1)]

_WRITES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree")


def session(folder: str, values: dict, is_resumed: bool, fatal: int | None, log: str) -> None:
    """Train in this process; die at a write, if one is fatal.

    Args:
        folder: The model folder.
        values: The settings.
        is_resumed: Whether something was saved before.
        fatal: Before which write beside the folder this process is killed; never, if None.
        log: A file for what went wrong, or the number of writes.
    """
    import torch

    torch.set_num_threads(1)
    place, count = str(Path(folder).parent), 0

    def watch(event: str, details: tuple) -> None:
        nonlocal count
        is_opened = event == "open" and isinstance(details[1], str) and details[1][:1] in "wxa"
        if (is_opened or event in _WRITES) and str(details[0]).startswith(place):
            count += 1
            if count == fatal:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    import regard.training.run as run

    run.SAVE_EVERY = 0.0
    try:
        settings = RunSettings().with_values(values)
        train(PAIRS, DEV, output=folder, settings=settings, resume=is_resumed)
        Path(log).write_text(f"{count} writes")
    except RegardError as error:
        Path(log).write_text(str(error))


@contextmanager
def sessions() -> Iterator[multiprocessing.context.ForkServerContext]:
    """Processes that begin with everything imported, and nothing done."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["regard.training.run"])
    yield context


def killed(context, folder: Path, values: dict, *, fatal: int | None = None,
           seconds: float | None = None, is_resumed: bool = False) -> tuple[bool, str]:  # fmt: skip
    """Run one session; whether it came to its end, and what it said."""
    log = folder.parent.parent / "said"
    log.unlink(missing_ok=True)
    process = context.Process(
        target=session, args=(str(folder), values, is_resumed, fatal, str(log))
    )
    process.start()
    alarm = None if seconds is None else threading.Timer(seconds, process.kill)
    if alarm is not None:
        alarm.start()
    process.join()
    if alarm is not None:
        alarm.cancel()
    return process.exitcode == 0, log.read_text() if log.exists() else ""
