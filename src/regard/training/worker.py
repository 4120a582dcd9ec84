"""The other end of `abreast`: a process that trains one model.

Its task comes on standard input, its reports go to standard output. When its
input ends it reports once more, and stops.
"""

import os
import pickle
import signal
import sys
import threading
import traceback
from contextlib import suppress

import torch

from regard.errors import RegardError
from regard.training.member import course
from regard.training.stopping import Wish


def main() -> None:
    """Train what standard input says; the exit code is 1 if that could not be done."""
    reports = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What anything else prints must not come between the reports.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    is_done = False
    # Whoever began this process may be gone: then nobody wants to hear of it.
    with suppress(BrokenPipeError, EOFError, pickle.UnpicklingError), reports:
        try:
            task, threads = pickle.load(sys.stdin.buffer)  # noqa: S301 - from who began this process
            torch.set_num_threads(threads)
            wish = Wish()
            threading.Thread(target=_wait, args=(wish,), daemon=True).start()
            for report in course(task, wish):
                pickle.dump(report, reports)
                reports.flush()
            is_done = True
        except RegardError as error:
            pickle.dump(error, reports)
        except (BrokenPipeError, EOFError, pickle.UnpicklingError):
            raise
        except Exception:
            pickle.dump(RegardError(f"training a model failed:\n{traceback.format_exc()}"), reports)
    sys.exit(not is_done)


def _wait(wish: Wish) -> None:
    os.read(sys.stdin.fileno(), 1)  # Nothing comes: it returns when the input ends.
    wish.signal_number = signal.SIGTERM
