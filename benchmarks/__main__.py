"""`make bench`: one table, each line a figure, its goal, and whether it is met.

python -m benchmarks             all of it, and the page in the docs
python -m benchmarks kernels     one part alone; the lines of others stay as they were
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import torch

from benchmarks import page
from benchmarks.growth import curves as growth
from benchmarks.kernels import kernels
from benchmarks.line import Line
from benchmarks.results import keep, kept, machine
from benchmarks.speed import prediction, training
from benchmarks.system import system

PARTS: dict[str, Callable[[], Iterator[Line]]] = {
    "kernels": kernels,
    "training": training,
    "prediction": prediction,
    "system": system,
}


def main(wanted: list[str]) -> None:
    torch.manual_seed(0)
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    before = kept("bench") or {} if wanted else {}
    rows: dict[str, Any] = {row["name"]: row for row in before.get("lines", [])}
    for name in wanted or PARTS:
        for line in PARTS[name]():
            print(line, flush=True)
            rows[line.name] = asdict(line) | {"is_met": line.is_met}
    curves = before.get("curves") or [asdict(curve) for curve in growth()]
    keep("bench", {"lines": list(rows.values()), "curves": curves})
    page.write()


if __name__ == "__main__":
    main(sys.argv[1:])
