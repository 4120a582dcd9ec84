"""What else runs on this machine: torch's threads give way where its cores are taken.

Threads of OpenMP wait for each other by spinning. Where another program keeps a core
busy, each wait lasts as long as the system lets that program run, and training crawls;
where they sleep instead, it costs a quarter on an idle machine and is several times as
fast on a busy one. No bit of any result depends on it. It must be said before torch is
loaded.
"""

import os
import time
from collections.abc import MutableMapping
from pathlib import Path

_COUNTERS = Path("/proc/stat")
_WATCHED = 0.1
_TAKEN = 0.5


def give_way(environment: MutableMapping[str, str]) -> None:
    """Let threads sleep while they wait, if others use half a core or more right now.

    What the environment says already (`OMP_WAIT_POLICY`, `GOMP_SPINCOUNT`) stays, and
    nothing is done where the system does not count as Linux does.

    Args:
        environment: Of this process.
    """
    if {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & environment.keys() or not _COUNTERS.exists():
        return
    before, began = _COUNTERS.read_text(), time.monotonic()
    time.sleep(_WATCHED)
    if taken(before, _COUNTERS.read_text(), time.monotonic() - began) >= _TAKEN:
        environment["OMP_WAIT_POLICY"] = "passive"


def taken(before: str, after: str, seconds: float) -> float:
    """How many cores were in use between two readings of `/proc/stat`.

    Args:
        before: The first.
        after: The second.
        seconds: The time between them.
    """
    ticks = _busy(after) - _busy(before)
    return ticks / os.sysconf("SC_CLK_TCK") / seconds


def _busy(counters: str) -> int:
    """Ticks of all cores since the machine began: all but those spent idle or waiting for disks."""
    # What a host of this machine gave to others ("steal") is the eighth; what follows counts twice.
    user, nice, system, _, _, *others = map(int, counters.splitlines()[0].split()[1:9])
    return user + nice + system + sum(others)
