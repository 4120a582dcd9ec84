"""One line of the table, and how it is measured.

Both sides of a ratio run in turn, A B A B, in this process; medians are
quoted. Nothing else should run meanwhile.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A figure and the goal it has.

    Attributes:
        name: What is measured.
        value: The figure.
        unit: "x" for a ratio: how many times the other's time ours would fit into.
        goal: The figure it should reach; None where there is no goal.
        at_most: Whether the goal is an upper limit.
        note: The medians it was made of, and whatever else explains it.
    """

    name: str
    value: float
    unit: str
    goal: float | None = None
    at_most: bool = False
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether the goal is reached."""
        if self.goal is None:
            return None
        return self.value <= self.goal if self.at_most else self.value >= self.goal

    def __str__(self) -> str:
        sign = "at most" if self.at_most else "at least"
        goal = "" if self.goal is None else f"{sign} {self.goal:g}"
        met = {None: "", True: "met", False: "MISSED"}[self.is_met]
        return f"{self.name:<62} {self.value:9.2f} {self.unit:<9} {goal:<14} {met:<7} {self.note}"


def in_turn(
    ours: Callable[[], object], theirs: Callable[[], object], runs: int, *, cpu: bool = False
) -> tuple[list[float], list[float]]:
    """The seconds of both, each run so many times in turn, after two rounds that do not count."""
    clock = time.process_time if cpu else time.perf_counter
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(runs + 2):
        for side, call in enumerate((ours, theirs)):
            began = clock()
            call()
            if turn > 1:
                times[side].append(clock() - began)
    return times


def ratio(
    name: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    runs: int,
    *,
    goal: float | None = None,
    cpu: bool = False,
    note: str = "",
) -> Line:
    """How many times our time their time is."""
    mine, other = (statistics.median(times) for times in in_turn(ours, theirs, runs, cpu=cpu))
    clock = "CPU ms" if cpu else "ms"
    shown = f"{1e3 * mine:.2f} against {1e3 * other:.2f} {clock}, {runs} runs{note and '; '}{note}"
    return Line(name, other / mine, "x", goal, note=shown)


def seconds(command: list[str], runs: int = 5) -> float:
    """The median wall time of a command."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def growth_of(setup: str, work: str) -> float:
    """By how many MiB a process of its own grows at most while it does some work (Linux)."""
    code = (
        "from pathlib import Path\n"
        "def kib(name):\n"
        "    rows = Path('/proc/self/status').read_text().splitlines()\n"
        "    return next(int(row.split()[1]) for row in rows if row.startswith(name))\n"
        f"{setup}\n"
        "Path('/proc/self/clear_refs').write_text('5')\n"  # the peak begins anew
        "before = kib('VmRSS')\n"
        f"{work}\n"
        "print((kib('VmHWM') - before) / 1024)"
    )
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(told.stdout.splitlines()[-1])
