"""`make larger`: larger tasks with the same commands, beside published figures.

python -m benchmarks.larger DATA [TASK ...] [--keep FOLDER]

DATA holds the folders g2p, mt and inflection. Each task is one `regard train` and one
`regard evaluate`, as a person would type them; a model that is there already is not
trained anew. Commands, seconds and scores are kept.
"""

import argparse
import json
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks import page
from benchmarks.results import keep, kept


@dataclass(frozen=True)
class Task:
    """One task.

    Attributes:
        train: What `regard train` is given.
        evaluate: What `regard evaluate` is given behind the model.
        measure: Which of its figures has a goal.
        goal: The goal, and whose figure it is.
    """

    train: str
    evaluate: str
    measure: str
    goal: str


_WORDS = "--source-symbols subwords --target-symbols subwords"
_GERMAN = (
    "--source-file mt/multi30k/train.de.gz --target-file mt/multi30k/train.en.gz "
    f"--dev-source-file mt/multi30k/val.de.gz --dev-target-file mt/multi30k/val.en.gz {_WORDS}"
)
_ENGLISH = (
    "--source-file mt/multi30k/test_2016_flickr.de.gz --target-file "
    "mt/multi30k/test_2016_flickr.en.gz --beam 5 --bleu --chrf --lower-case"
)


def _inflection(language: str, goal: str) -> Task:
    folder = "inflection/sigmorphon2022"
    return Task(
        f"{folder}/{language}_large.train.tsv.gz --dev {folder}/{language}.dev.tsv --tags-column "
        "--seeds 3",
        f"{folder}/{language}.test.tsv --beam 5",
        "accuracy",
        goal,
    )


TASKS = {
    "CMUdict, g014b2b": Task(
        "g2p/cmudict_g014b2b/g014b2b.train.gz --minutes 40",
        "g2p/cmudict_g014b2b/g014b2b.ref.gz --beam 5",
        "word_error_rate",
        "at most 24 (Phonetisaurus 24.4; a Transformer of three layers 20.6)",
    ),
    "Multi30k, German to English": Task(
        f"{_GERMAN} --minutes 55",
        _ENGLISH,
        "bleu",
        "at least 28.3 (an attention GRU)",
    ),
    "Multi30k without attention": Task(
        f"{_GERMAN} --minutes 55 --attention none",
        _ENGLISH,
        "bleu",
        "well below (a GRU without attention 20.6)",
    ),
    "Hungarian inflection": _inflection("hun", "at least 77.2 (the neural baseline of 2022)"),
    "Georgian inflection": _inflection("kat", "at least 87.3 (the neural baseline of 2022)"),
}


def run(task: Task, model: Path, data: Path) -> dict[str, object]:
    """Train, unless the model is there, and score."""
    regard = str(Path(sys.executable).with_name("regard"))
    train = [regard, "train", *shlex.split(task.train), "-o", str(model), "--quiet"]
    score = [regard, "evaluate", str(model), *shlex.split(task.evaluate), "--json"]
    began = time.perf_counter()
    if not (model / "model.toml").exists():
        subprocess.run(train, check=True, cwd=data, stdout=subprocess.DEVNULL)
    told = subprocess.run(score, check=True, cwd=data, capture_output=True, text=True)
    log = [json.loads(line) for line in (model / "training.jsonl").read_text().splitlines()]
    # The last line of each seed has the seconds of that model.
    ends = list({line.get("seed"): line for line in log if "wall_seconds" in line}.values())
    return {
        "train": f"regard train {task.train}",
        "evaluate": f"regard evaluate MODEL {task.evaluate}",
        "measure": task.measure,
        "goal": task.goal,
        "scores": json.loads(told.stdout),
        "training_seconds": sum(line["wall_seconds"] for line in ends),
        "cpu_seconds": sum(line["cpu_seconds"] for line in ends),
        "threads": torch.get_num_threads(),
        "epochs": ends[-1]["epoch"],
        "seconds": round(time.perf_counter() - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("tasks", nargs="*", default=list(TASKS), metavar="TASK")
    parser.add_argument("--keep", type=Path, default=Path("build/larger"))
    given = parser.parse_args()
    for name in given.tasks:
        if name not in TASKS:
            parser.error(f"unknown task {name!r}: expected one of {', '.join(TASKS)}")
        model = (given.keep / name.replace(" ", "-").replace(",", "")).resolve()
        rows = (kept("larger") or {}).get("tasks", {})
        assert isinstance(rows, dict)
        rows[name] = run(TASKS[name], model, given.data.resolve())
        print(name, json.dumps(rows[name]), flush=True)
        keep("larger", {"tasks": rows})
    page.write()


if __name__ == "__main__":
    main()
