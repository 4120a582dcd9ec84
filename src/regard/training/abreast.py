"""Several models in training at the same time, each in a process of its own.

Models gain little from a second core, so as many train at once as there are
cores. A process is given its task on standard input, and reports on standard
output; when its input ends, somebody asked to stop, or this process is no more.
Every process loads torch anew: nothing is shared, and nothing is inherited.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import Empty, Queue

import torch

from regard.errors import RegardError
from regard.precision import device_of
from regard.settings import chosen
from regard.training.member import Report, Task
from regard.training.prepare import Prepared
from regard.training.stopping import Wish

WORTH_A_PROCESS = 500
"""Updates of one model from which it is worth while to begin a process for it."""

_LOOK_EVERY = 0.1
_FEW = 8
_BEGIN = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
from regard.training.worker import main
main()
"""
"""Signals may come to all processes at once: this one says when a training is over."""


def at_once(prepared: Prepared) -> int:
    """How many models train at the same time: on a CPU as many as it has cores, if that pays."""
    training = prepared.settings.training
    batch_size = chosen("training.batch_size", training.batch_size)
    updates = chosen("training.epochs", training.epochs) * prepared.pairs / batch_size
    pays = updates >= WORTH_A_PROCESS and device_of(training.device).type == "cpu"
    has_python = bool(sys.executable) and not getattr(sys, "frozen", False)
    # What is too large for the memory of one process lies on disk.
    if not (pays and has_python and prepared.store is None):
        return 1
    return min(training.seeds, torch.get_num_threads())


def abreast(tasks: Sequence[Task], count: int, wish: Wish) -> Iterator[Report]:
    """Train models in processes of their own, each with its share of this one's threads.

    Args:
        tasks: The models.
        count: How many train at the same time.
        wish: Once it is there nothing new begins, and what is under way
            reports its last state.

    Raises:
        RegardError: One of them cannot go on, or its process is gone.
    """
    waiting, working = list(tasks), list[_Worker]()
    # Bounded, so that a slow listener holds training up and is never left behind.
    reports = Queue[Report | _Worker](_FEW)
    threads = max(1, torch.get_num_threads() // count)
    try:
        while working or (waiting and wish.signal_number is None):
            if wish.signal_number is not None:
                for worker in working:
                    worker.ask_to_stop()
            elif waiting and len(working) < count:
                working.append(_Worker(waiting.pop(0), threads, reports))
                continue
            with suppress(Empty):
                news = reports.get(timeout=_LOOK_EVERY)
                if isinstance(news, Report):
                    yield news
                    continue
                working.remove(news)
                # What stops with everything else loses at most its last state.
                if wish.signal_number is None:
                    news.require_success()
    finally:
        for worker in working:
            worker.process.kill()
        for worker in working:
            worker.drain()


class _Worker:
    """A process that trains one model. It puts its reports, and at the end itself, into a queue."""

    def __init__(self, task: Task, threads: int, reports: "Queue[Report | _Worker]") -> None:
        self.index, self.reports = task.index, reports
        self.failure: RegardError | None = None
        self.is_finished = False
        self.is_given = threading.Event()
        content = pickle.dumps((task, threads))
        paths = [path or os.getcwd() for path in sys.path if isinstance(path, str)]  # pyright: ignore[reportUnnecessaryIsInstance]
        try:
            self.process = subprocess.Popen(
                # Without -P whatever lies in the present folder would stand for a module.
                [sys.executable, "-P", "-c", _BEGIN],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ
                | {"OMP_NUM_THREADS": str(threads), "PYTHONPATH": os.pathsep.join(paths)},
                start_new_session=True,
            )
        except OSError as error:
            raise RegardError(f"no process for another model: {error.strerror}.") from None
        self.thread = threading.Thread(target=self._serve, args=(content,), daemon=True)
        self.thread.start()

    def ask_to_stop(self) -> None:
        """Let it end after its present update."""
        self.is_given.wait()
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()

    def drain(self) -> None:
        """Wait for the end of it, whatever it still has to say."""
        while self.thread.is_alive():
            with suppress(Empty):
                self.reports.get(timeout=_LOOK_EVERY)

    def require_success(self) -> None:
        """Raise what it died of.

        Raises:
            RegardError: It did.
        """
        if self.failure is not None:
            raise self.failure
        if not self.is_finished:
            status = self.process.returncode
            is_killed = status == -signal.SIGKILL
            how = signal.Signals(-status).name if status < 0 else f"status {status}"
            hint = "; if memory is short, OMP_NUM_THREADS=1 in front of the command trains them in turn"
            raise RegardError(
                f"the process that trained model {self.index + 1} ended with {how}"
                f"{hint if is_killed else ''}."
            )

    def _serve(self, content: bytes) -> None:
        try:
            with self.process:
                given, said = self.process.stdin, self.process.stdout
                assert given is not None
                assert said is not None
                given.write(content)
                given.flush()
                self.is_given.set()
                while True:
                    news = pickle.load(said)  # noqa: S301 - from a process that was begun here
                    if isinstance(news, RegardError):
                        self.failure = news
                        continue
                    self.is_finished = news.state is not None and news.state.position.is_finished
                    self.reports.put(news)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            pass  # It is gone; how it went, its status says.
        except Exception as error:
            self.failure = RegardError(f"model {self.index + 1}: {error!r} in reading its reports.")
        finally:
            self.is_given.set()
            self.reports.put(self)
