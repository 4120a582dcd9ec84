"""`make bench`: one table, each line a figure, its goal, and whether it is met.

python -m benchmarks             all of it, and the page in the docs
python -m benchmarks kernels     one part alone, printed and not kept
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict

import torch

from benchmarks import page
from benchmarks.growth import curves
from benchmarks.kernels import kernels
from benchmarks.line import Line
from benchmarks.results import keep, machine
from benchmarks.speed import prediction, training
from benchmarks.system import system

PARTS: dict[str, Callable[[], Iterator[Line]]] = {
    "kernels": kernels, "training": training, "prediction": prediction, "system": system,
}  # fmt: skip


def main(wanted: list[str]) -> None:
    torch.manual_seed(0)
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    lines: list[Line] = []
    for name in wanted or PARTS:
        for line in PARTS[name]():
            print(line, flush=True)
            lines.append(line)
    if wanted:
        return
    rows = [asdict(line) | {"is_met": line.is_met} for line in lines]
    keep("bench", {"lines": rows, "curves": [asdict(curve) for curve in curves()]})
    page.write()


if __name__ == "__main__":
    main(sys.argv[1:])
