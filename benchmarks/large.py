"""Large data: what a pair costs to read and to prepare, and how fast updates are then.

python -m benchmarks.large [PAIRS ...] [--keep FOLDER]

Makes files of random pairs, eight symbols a side on average, and trains on each in a
process of its own, tokens lying where they would by default. CPU seconds; memory is
what the process grew by, the pages of mapped files told apart.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks import page
from benchmarks.results import keep, kept

COUNTS = (10_000, 100_000, 1_000_000, 10_000_000)
UPDATES = 200
LETTERS = "abcdefghijklmnopqrstuvwxyzäöüé"

WORK = """
import json, sys, time
from itertools import islice
from pathlib import Path
from benchmarks.large import memory
from regard.model import build
from regard.training import RunSettings, Trainer
from regard.training.prepare import prepare
from regard.training.sources import pairs_from, split
import torch

path, updates = Path(sys.argv[1]), int(sys.argv[2])
settings = RunSettings().with_values({
    "encoder.embedding_size": 32, "encoder.hidden_size": 32, "decoder.embedding_size": 32,
    "decoder.hidden_size": 64, "training.batch_size": 64, "training.precision": "float32",
    "training.epochs": 1000, "training.evaluate_every": 10**9,
})
# What is imported and warmed up once is not counted.
small = split(pairs_from([(f"ab{n}", f"{n}ba") for n in range(40)], settings.text.layout()), None)
prepare(small, settings, is_settled=False)
found = {}

def measured(name, call):
    memory(True)
    before, began = memory(), time.process_time()
    result = call()
    found[f"{name}_seconds"] = time.process_time() - began
    found[f"{name}_peak"] = memory()["peak"] - before["all"]
    return result

def prepared(settings, is_settled):
    parts = split(pairs_from(path, settings.text.layout()), None)
    return prepare(parts, settings, is_settled=is_settled, beside=path.with_suffix(""))

begin = memory()
ready = measured("prepare", lambda: prepared(settings, False))
ready = measured("again", lambda: prepared(ready.settings, True))
torch.manual_seed(0)
model = build(ready.settings.model_settings(), ready.vocabularies)
trainer = Trainer(model, ready.maker, settings=ready.settings.training, evaluate=lambda: None)
batches = measured("order", trainer.batches)
steps = trainer.run()
measured("first", lambda: list(islice(steps, 20)))
measured("updates", lambda: list(islice(steps, updates)))
now = memory()
found["anonymous"] = now["anonymous"] - begin["anonymous"]
found["files"] = now["files"] - begin["files"]
print(json.dumps(found | {"pairs": ready.pairs, "on_disk": ready.store is not None}))
"""


def memory(begin_anew: bool = False) -> dict[str, float]:
    """MiB of this process (Linux): now, at most since it began anew, and of which kind."""
    if begin_anew:
        Path("/proc/self/clear_refs").write_text("5")
    rows = Path("/proc/self/status").read_text().splitlines()
    table = {row.partition(":")[0]: row.split()[1] for row in rows if row.startswith(("Vm", "Rss"))}
    names = {"all": "VmRSS", "peak": "VmHWM", "anonymous": "RssAnon", "files": "RssFile"}
    return {name: int(table[row]) / 1024 for name, row in names.items()}


def make(path: Path, count: int) -> None:
    chance = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for _ in range(count):
            word = "".join(chance.choices(LETTERS, k=chance.randint(5, 11)))
            file.write(f"{word}\t{word[::-1]}\n")


def run(count: int, folder: Path) -> dict[str, object]:
    """Make a file, train on it, and take it away."""
    path = folder / f"{count}.tsv"
    make(path, count)
    try:
        told = subprocess.run(
            [sys.executable, "-c", WORK, str(path), str(UPDATES)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        store = path.with_suffix(".tokens")
        size = sum(one.stat().st_size for one in store.iterdir()) if store.exists() else 0
        return json.loads(told.stdout.splitlines()[-1]) | {"count": count, "store": size / 2**20}
    finally:
        path.unlink()
        shutil.rmtree(path.with_suffix(".tokens"), ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", nargs="*", type=int, default=list(COUNTS), metavar="PAIRS")
    parser.add_argument("--keep", type=Path, default=Path("build/large"))
    given = parser.parse_args()
    given.keep.mkdir(parents=True, exist_ok=True)
    for count in given.counts:
        rows = (kept("large") or {}).get("rows", {})
        assert isinstance(rows, dict)
        rows[str(count)] = run(count, given.keep)
        print(json.dumps(rows[str(count)]), flush=True)
        keep("large", {"rows": rows, "updates": UPDATES})
    page.write()


if __name__ == "__main__":
    main()
