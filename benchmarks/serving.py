"""The server under load: requests a second, latency, memory.

python -m benchmarks.serving MODEL WORDS

MODEL is a model folder, WORDS a file with a source in the first column. Each
client asks for one word after the other over a connection that it keeps.
"""

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from http.client import HTTPConnection
from pathlib import Path

from benchmarks import page
from benchmarks.results import keep

CLIENTS = (1, 16, 200)
SECONDS = 10.0


@dataclass(frozen=True)
class Load:
    """What so many clients got.

    Attributes:
        clients: How many asked at once.
        requests: How many requests were answered.
        failed: How many of them not with 200.
        rate: Answers a second.
        median: Milliseconds.
        late: Milliseconds that 95 % stayed below.
        slowest: Milliseconds of the slowest.
    """

    clients: int
    requests: int
    failed: int
    rate: float
    median: float
    late: float
    slowest: float


def load(port: int, words: Sequence[str], clients: int, seconds: float) -> Load:
    """Ask for so many seconds."""
    times: list[float] = []
    statuses: list[int] = []
    until = time.perf_counter() + seconds

    def ask(first: int) -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        for place in itertools.count(first, clients):
            if time.perf_counter() > until:
                break
            body = json.dumps({"sources": [words[place % len(words)]]})
            began = time.perf_counter()
            connection.request("POST", "/predict", body, {"content-type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            times.append(1e3 * (time.perf_counter() - began))
            statuses.append(answer.status)
        connection.close()

    threads = [threading.Thread(target=ask, args=(client,)) for client in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken = time.perf_counter() - began
    failed = sum(status != 200 for status in statuses)
    late = statistics.quantiles(times, n=20)[-1]
    return Load(
        clients, len(times), failed, len(times) / taken, statistics.median(times), late, max(times)
    )


def memory(process: int) -> float:
    """The resident MiB of a process (Linux)."""
    rows = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(row.split()[1] for row in rows if row.startswith("VmRSS"))) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("words", type=Path)
    given = parser.parse_args()
    words = [line.split("\t")[0] for line in given.words.read_text("utf-8").splitlines() if line]
    program = str(Path(sys.executable).with_name("regard"))
    command = [program, "serve", str(given.model), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        port = int(server.stderr.readline().split("http://127.0.0.1:")[1].split()[0])
        _wait(port)
        before = memory(server.pid)
        load(port, words, 4, 1.0)
        loads = [load(port, words, clients, SECONDS) for clients in CLIENTS]
        after = memory(server.pid)
        server.terminate()
    for one in loads:
        print(one)
    print(f"memory: {before:.0f} MiB before, {after:.0f} MiB after")
    keep("serving", {"loads": [asdict(one) for one in loads], "before": before, "after": after})
    page.write()


def _wait(port: int) -> None:
    for _ in range(600):
        try:
            HTTPConnection("127.0.0.1", port, timeout=5).request("GET", "/health")
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return


if __name__ == "__main__":
    main()
