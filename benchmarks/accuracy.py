"""`make accuracy`: train with the defaults, and score beside the published figures.

python -m benchmarks.accuracy DATA [--seeds 5] [--keep FOLDER] [--only LANGUAGE ...]

DATA is a folder with LANGUAGE_train.tsv, LANGUAGE_dev.tsv and LANGUAGE_test.tsv, as
in SIGMORPHON 2020 task 1. For each language the command `regard train --seeds N`
runs as a person would type it; the single models are the members of that ensemble.
What is printed is the test word error rate in percent; nothing is chosen by it.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from benchmarks import page
from benchmarks.results import keep, kept
from regard.model import restored
from regard.predictor import Predictor

PUBLISHED = {
    # Gorman et al. 2020, tables 2 to 4, and the participants' papers: word error rates.
    "fre": {"LSTM": 6.22, "one CLUZH model": 8.12, "CLUZH": 6.89, "IMS": 6.89, "best": 5.11},
    "hun": {"LSTM": 5.33, "one CLUZH model": 4.77, "CLUZH": 4.00, "IMS": 5.11, "best": 4.00},
    "ice": {"LSTM": 10.00, "one CLUZH model": 10.00, "CLUZH": 9.11, "IMS": 9.33, "best": 9.11},
    "jpn": {"LSTM": 7.56, "one CLUZH model": 7.19, "CLUZH": 6.00, "IMS": 5.33, "best": 4.89},
    "kor": {"LSTM": 46.89, "one CLUZH model": 28.26, "CLUZH": 28.44, "IMS": 26.22, "best": 24.00},
    "rum": {"LSTM": 10.67, "one CLUZH model": 13.66, "CLUZH": 11.33, "IMS": 10.22, "best": 9.78},
}


def members(predictor: Predictor) -> list[Predictor]:
    """The models of an ensemble, each alone."""
    saved, settings = predictor.saved, predictor.settings
    if settings.members == 1:
        return [predictor]
    single = settings.model_copy(update={"members": 1})
    state = saved.model.state_dict()
    found = []
    for index in range(settings.members):
        own = f".members.{index}."
        tensors = {name.replace(own, "."): tensor for name, tensor in state.items() if own in name}
        model = restored(single, saved.vocabularies, tensors)
        found.append(Predictor(replace(saved, settings=single, model=model)))
    return found


def language(data: Path, name: str, seeds: int, folder: Path) -> dict[str, object]:
    """Train and score one language."""
    model, command = folder / name, [str(Path(sys.executable).with_name("regard")), "train"]
    command += [str(data / f"{name}_train.tsv"), "--dev", str(data / f"{name}_dev.tsv")]
    command += ["-o", str(model), "--seeds", str(seeds), "--quiet", "--overwrite"]
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - began
    whole = Predictor.load(model)
    log = [json.loads(line) for line in whole.saved.log.splitlines()]
    cpu = {line["seed"]: line["cpu_seconds"] for line in log if "seed" in line}
    wall = {line["seed"]: line["wall_seconds"] for line in log if "seed" in line}
    table: dict[str, object] = {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(sum(cpu.values()), 1),
        "each_seconds": list(wall.values()),
    }
    for part in ("dev", "test"):
        pairs = data / f"{name}_{part}.tsv"
        for kind, beam in (("greedy", 1), ("beam 5", 5)):
            each = [one.evaluate(pairs, beam_size=beam) for one in members(whole)]
            joint = whole.evaluate(pairs, beam_size=beam)
            table[f"{part}, {kind}"] = {
                "single": [round(100 * one.word_error_rate.value, 2) for one in each],
                "symbols": [round(100 * one.symbol_error_rate.value, 2) for one in each],
                "ensemble": round(100 * joint.word_error_rate.value, 2),
                "interval": [
                    round(100 * end, 2)
                    for end in (joint.word_error_rate.low, joint.word_error_rate.high)
                ],
                "ensemble symbols": round(100 * joint.symbol_error_rate.value, 2),
            }
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--keep", type=Path, default=Path("build/accuracy"))
    parser.add_argument("--only", nargs="*", help="some languages; the others stay as they were")
    given = parser.parse_args()
    found: dict[str, object] = {}
    for path in sorted(given.data.glob("*_train.tsv")):
        name = path.name.removesuffix("_train.tsv")
        if given.only and name not in given.only:
            continue
        scored = language(given.data, name, given.seeds, given.keep)
        print(name, json.dumps(scored), flush=True)
        before = (kept("accuracy") or {}).get("languages", {}) if given.only else found
        assert isinstance(before, dict)
        found = before | {name: scored}
        keep("accuracy", {"seeds": given.seeds, "languages": found, "published": PUBLISHED})
    print("\n".join(page.accuracy_table()))
    page.write()


def mean(values: list[float]) -> float:
    """Of some figures."""
    return statistics.fmean(values)


if __name__ == "__main__":
    main()
