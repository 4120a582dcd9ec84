"""Start-up and memory."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.line import Line, growth_of, seconds


def system() -> Iterator[Line]:
    python = sys.executable
    yield Line(
        "regard --help",
        seconds([str(Path(python).with_name("regard")), "--help"]),
        "s",
        0.5,
        at_most=True,
    )
    torch, regard = (
        seconds([python, "-c", f"import {name}"]) for name in ("torch", "torch, regard")
    )
    touched = seconds([python, "-c", "import regard; regard.attend, regard.load"])
    note = f"{regard:.2f} against {torch:.2f} s; with attend and load in use {touched:.2f} s"
    yield Line(
        "import regard, against import torch", regard / torch, "x", 1.2, at_most=True, note=note
    )
    with tempfile.TemporaryDirectory() as folder:
        yield _training_memory(Path(folder))


def _training_memory(folder: Path) -> Line:
    """The growth for each further line, times ten million; tokens lie on disk, as they then would."""
    grown = []
    for count in (200_000, 600_000):
        path = folder / f"{count}.tsv"
        with path.open("w") as file:
            file.writelines(f"word{index}\t{index:07d}\n" for index in range(count))
        setup = (
            "from pathlib import Path\n"
            "from regard.training.prepare import prepare\n"
            "from regard.training.sources import pairs_from, split\n"
            "from regard.training import RunSettings\n"
            "settings = RunSettings().with_values({'training.store': 'disk'})\n"
            "columns = settings.text.layout()"
        )
        work = (
            f"parts = split(pairs_from({str(path)!r}, columns), None)\n"
            f"beside = Path({str(path)!r}).with_suffix('')\n"
            "found = prepare(parts, settings, is_settled=False, beside=beside)\n"
            "found.maker.corpus.batches(128, 20_000, seed=0, epoch=0)"
        )
        grown.append(growth_of(setup, work))
    each = (grown[1] - grown[0]) / 400_000
    return Line(
        "training on ten million pairs: memory above torch's own",
        each * 1e7,
        "MiB",
        600,
        at_most=True,
        note=f"from {each * 2**20:.0f} bytes for each further pair",
    )
