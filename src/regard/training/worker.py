"""The other end of `abreast`: python -m regard.training.worker, which trains one model.

Its task comes on standard input, its reports go to standard output. It listens
to no signal of the terminal; when its input ends it reports once more, and stops.
"""

import os
import pickle
import signal
import sys
import threading

from regard.errors import RegardError
from regard.training.member import course
from regard.training.stopping import Wish


def main() -> None:
    """Train what standard input says."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as reports:
        # What anything else prints must not come between the reports.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        task = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that began this one
        wish = Wish()

        def wait() -> None:
            os.read(sys.stdin.fileno(), 1)  # nothing comes: it returns at the end
            wish.signal_number = signal.SIGTERM

        threading.Thread(target=wait, daemon=True).start()
        try:
            for report in course(task, wish):
                pickle.dump(report, reports)
                reports.flush()
        except RegardError as error:
            pickle.dump(str(error), reports)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.exit(1)
