"""What `regard inspect` says of real models, and whether it is right about links.

python -m benchmarks.trust NAME MODEL PAIRS [--links GOLD] [--column N] [--columns ORDER]
                           [--members N]

The members of an ensemble are inspected one after the other, as models of several
seeds. With right links (human or silver), the links of rows that are `used` are
compared with those of all other rows: a label is worth something if the first agree
more often. Given targets are tested, for right links belong to them.
"""

import argparse
import json
from pathlib import Path

from benchmarks import page
from benchmarks.accuracy import members
from benchmarks.results import keep, kept
from regard.evaluation import Gold, LinkLayout, read_links, score_links
from regard.inspection import Case, InspectionSettings
from regard.predictor import Linking, Predictor, links


def agreement(cases: tuple[Case, ...], gold: list[Gold]) -> dict[str, object]:
    """How often links of used rows, and of all others, are right."""
    found: dict[bool, list[bool]] = {True: [], False: []}
    for case, right in zip(cases, gold, strict=True):
        labels = case.alignment.row_labels()
        for link in case.alignment.links():
            found[labels[link.target] == "used"].append(link in right.possible)
    return {
        name: {"links": len(each), "right": sum(each) / len(each) if each else None}
        for name, each in (("used", found[True]), ("others", found[False]))
    }


def one(predictor: Predictor, pairs: Path, gold: list[Gold] | None) -> dict[str, object]:
    """One model on one file."""
    read = predictor.pairs(str(pairs))
    found = predictor.inspect(read, is_forced=True, settings=InspectionSettings())
    table = found.to_table()
    row = {
        name: table[name]
        for name in (
            "verdict",
            "modifiers",
            "gap",
            "agree",
            "chance",
            "uniform",
            "keep",
            "labels",
            "words",
        )
    }
    if gold is not None:
        row["links"] = agreement(found.cases, gold)
        for method in ("weights", "erasure"):
            scores = score_links(list(links(predictor, read, Linking(method))), gold)
            row[method] = scores.to_table()
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--links", type=Path)
    parser.add_argument("--column", type=int)
    parser.add_argument("--columns")
    parser.add_argument("--members", type=int, default=3)
    given = parser.parse_args()
    gold = None if given.links is None else read_links(given.links, LinkLayout(column=given.column))
    predictor = Predictor.load(given.model)
    models = members(predictor)[: given.members]
    rows: list[dict[str, object]] = []
    for single in models:
        own = single if given.columns is None else single.with_text(columns=given.columns)
        rows.append(one(own, given.pairs, gold))
        print(given.name, json.dumps(rows[-1]), flush=True)
    tasks = (kept("trust") or {}).get("tasks", {})
    assert isinstance(tasks, dict)
    keep("trust", {"tasks": tasks | {given.name: rows}})
    page.write()


if __name__ == "__main__":
    main()
