"""Several models in training at the same time, each in a process of its own.

Models gain little from a second core, and nothing from a third, so as many train
at once as there are cores. A process is given its task on standard input, and reports on standard
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
from queue import Empty, SimpleQueue

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


def at_once(prepared: Prepared) -> int:
    """How many models train at the same time: on a CPU as many as it has cores, if that pays."""
    training = prepared.settings.training
    batch_size = chosen("training.batch_size", training.batch_size)
    updates = chosen("training.epochs", training.epochs) * prepared.pairs / batch_size
    is_worth_it = updates >= WORTH_A_PROCESS and device_of(training.device).type == "cpu"
    # Each process has the data in its memory: what is too large for one lies on disk.
    if not is_worth_it or prepared.store is not None or not sys.executable:
        return 1
    return min(training.seeds, torch.get_num_threads())


def abreast(tasks: Sequence[Task], count: int, wish: Wish) -> Iterator[Report]:
    """Train models in processes of their own, which share the threads of this one.

    Args:
        tasks: The models.
        count: How many train at the same time.
        wish: Once it is there nothing new begins, and what is under way
            reports its last state.

    Raises:
        RegardError: One of them cannot go on, or its process is gone.
    """
    waiting, working = list(tasks), list[_Worker]()
    reports = SimpleQueue[Report | _Worker]()
    try:
        while working or (waiting and wish.signal_number is None):
            if wish.signal_number is not None:
                for worker in working:
                    worker.ask_to_stop()
            elif waiting and len(working) < count:
                threads = _threads(len(tasks) - len(waiting), len(tasks), count)
                working.append(_Worker(waiting.pop(0), threads, reports))
                continue
            try:
                news = reports.get(timeout=_LOOK_EVERY)
            except Empty:
                continue
            if isinstance(news, Report):
                yield news
            else:
                working.remove(news)
                news.require_success()
    finally:
        for worker in working:
            worker.end()


def _threads(place: int, tasks: int, count: int) -> int:
    """How many threads the task at a place is given: the last ones may have more cores each."""
    beside = min(count, tasks - place // count * count)
    return max(1, torch.get_num_threads() // beside)


class _Worker:
    """A process that trains one model. It puts its reports, and at the end itself, into a queue."""

    def __init__(self, task: Task, threads: int, reports: "SimpleQueue[Report | _Worker]") -> None:
        self.index, self.failure = task.index, ""
        paths = os.pathsep.join(path for path in sys.path if path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "regard.training.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"OMP_NUM_THREADS": str(threads), "PYTHONPATH": paths},
            # Ctrl-C is for this process, which passes it on when it is ready to.
            start_new_session=True,
        )
        self.reports = reports
        self.is_given = threading.Event()
        self.thread = threading.Thread(target=self._serve, args=(task,), daemon=True)
        self.thread.start()

    def ask_to_stop(self) -> None:
        """Let it end after its present update."""
        self.is_given.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()

    def end(self) -> None:
        """End it now."""
        self.process.kill()
        self.thread.join()

    def require_success(self) -> None:
        """Raise what it died of.

        Raises:
            RegardError: It did.
        """
        if self.failure:
            raise RegardError(self.failure)
        if status := self.process.returncode:
            cause = f"status {status}" if status > 0 else signal.Signals(-status).name
            raise RegardError(
                f"the process that trained model {self.index + 1} ended with {cause}; if memory is "
                "short, OMP_NUM_THREADS=1 in front of the command trains one after the other."
            )

    def _serve(self, task: Task) -> None:
        # Whatever fails here, it is gone; how it went, its status says.
        with suppress(EOFError, OSError, ValueError, pickle.UnpicklingError), self.process:
            given, said = self.process.stdin, self.process.stdout
            assert given is not None
            assert said is not None
            pickle.dump(task, given)
            given.flush()
            self.is_given.set()
            while True:
                report = pickle.load(said)  # noqa: S301 - from a process that was begun here
                if isinstance(report, str):
                    self.failure = report
                else:
                    self.reports.put(report)
        self.is_given.set()
        self.reports.put(self)
