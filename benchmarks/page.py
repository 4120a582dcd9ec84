"""The page of results in the docs, made from the results that are kept."""

import re
import statistics
from pathlib import Path
from typing import Any

from benchmarks.growth import Curve
from benchmarks.picture import curves_of_large, draw
from benchmarks.results import kept

DOCS = Path(__file__).parent.parent / "docs" / "reference"
PAGE = DOCS / "measured.md"
GROWTH, LARGE = DOCS / "growth.svg", DOCS / "large.svg"
KIND = "test, beam 5"


def write() -> None:
    """Write the page and its pictures."""
    PAGE.write_text(text())
    for path, curves in pictures().items():
        draw(curves, path)


def pictures() -> dict[Path, list[Curve]]:
    """What is drawn, from the results that are kept."""
    found: dict[Path, list[Curve]] = {}
    bench, large = kept("bench"), kept("large")
    if bench is not None:
        found[GROWTH] = [Curve(**curve) for curve in bench["curves"]]
    if large is not None:
        found[LARGE] = curves_of_large(large)
    return found


def text() -> str:
    """The page."""
    lines = [
        "# Measured",
        "",
        "This page is made from the results that lie in `benchmarks/results/`.",
        "",
    ]
    bench = kept("bench")
    if bench is not None:
        lines += ["## Speed and memory", "", f"`make bench`, on {_machine(bench['machine'])}.", ""]
        lines += bench_table(bench["lines"])
        lines += [
            "",
            "## Growth",
            "",
            "![Time and memory against lengths, batch and pairs](growth.svg)",
            "",
        ]
    if kept("accuracy") is not None:
        lines += ["## Accuracy", "", *accuracy_table(), ""]
    larger = kept("larger")
    if larger is not None:
        lines += [
            "## Larger work",
            "",
            f"`make larger`, on {_versions(larger['machine'])}; beam of 5, "
            "the interval that of the bootstrap, the seconds those of all seeds together.",
            "",
        ]
        lines += [*larger_table(larger["tasks"]), ""]
    trust = kept("trust")
    if trust is not None:
        lines += [
            "## Trust",
            "",
            f"`python -m benchmarks.trust`, on {_machine(trust['machine'])}; "
            "given targets; the interval is that of the bootstrap over pairs.",
            "",
        ]
        lines += [*trust_table(trust["tasks"]), ""]
    large = kept("large")
    if large is not None:
        lines += [
            "## Large data",
            "",
            f"`python -m benchmarks.large`, on {_machine(large['machine'])}; "
            "random pairs of eight symbols a side, a model of size 64, batches of 64; CPU time.",
            "",
        ]
        lines += [
            *large_table(large),
            "",
            "![Time for a pair, and memory, against the pairs of a training](large.svg)",
            "",
        ]
    serving = kept("serving")
    if serving is not None:
        lines += [
            "## Serving",
            "",
            f"`python -m benchmarks.serving MODEL WORDS`, on "
            f"{_machine(serving['machine'])}; server and clients on the same machine, each "
            "client asking for one word at a time, greedy.",
            "",
        ]
        lines += [*serving_table(serving), ""]
    return "\n".join(lines)


def large_table(found: dict[str, Any]) -> list[str]:
    """A line for each number of pairs."""
    lines = [
        "| pairs | tokens lie | prepare, µs a pair | again, µs a pair | order of an epoch, µs a pair | "
        "ms an update | peak of prepare, MiB | of an epoch's order, MiB | growth in the end, MiB | "
        "of mapped files, MiB |",
        "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in sorted(found["rows"].values(), key=lambda row: row["count"]):
        each = [
            1e6 * row[f"{name}_seconds"] / row["count"] for name in ("prepare", "again", "order")
        ]
        lines.append(
            f"| {row['count']:,} | {'on disk' if row['on_disk'] else 'in memory'} | {each[0]:.1f} | "
            f"{each[1]:.1f} | {each[2]:.2f} | {1e3 * row['updates_seconds'] / found['updates']:.1f} | "
            f"{row['prepare_peak']:.0f} | {row['order_peak']:.0f} | {row['anonymous']:.0f} | "
            f"{row['files']:.0f} |"
        )
    return [
        *lines,
        "",
        "Prepare: from files to what is trained on, the held-out tenth included. Again: the "
        "same once more, as a resumed training does. Growth is what the process has more at the end, "
        "after updates, than before it read; mapped files hold code as well as tokens, and give their "
        "memory back where others need it.",
    ]


def serving_table(found: dict[str, Any]) -> list[str]:
    """A line for each number of clients."""
    lines = [
        "| clients | requests | failed | requests a second | median, ms | 95 %, ms | slowest, ms |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in found["loads"]:
        lines.append(
            f"| {row['clients']} | {row['requests']:,} | {row['failed']} | {row['rate']:.0f} | "
            f"{row['median']:.1f} | {row['late']:.1f} | {row['slowest']:.1f} |"
        )
    return [
        *lines,
        "",
        f"Memory of the server: {found['before']:.0f} MiB before the first request, "
        f"{found['after']:.0f} MiB after the last.",
    ]


def trust_table(tasks: dict[str, Any]) -> list[str]:
    """A line a model."""
    lines = [
        "| task | seed | verdict | gap, nats | agree (chance) | uniform, nats | kept, uniform | used | "
        "idle | word agreement | AER, weights | AER, erasure | right, used | right, others |",
        "|---|---:|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, rows in tasks.items():
        for seed, row in enumerate(rows):
            said = ", ".join(one for one in row["modifiers"] if one != "end rows excluded")
            cells = [
                name,
                str(seed),
                row["verdict"] + (f" ({said})" if said else ""),
                _span(row["gap"]),
                f"{_span(row['agree'])} ({row['chance']:.2f})",
                _span(row["uniform"]),
                f"{row['keep']['uniform']['value']:.2f}",
                f"{row['labels']['used']:.2f}",
                f"{row['labels']['idle']:.2f}",
                f"{row['words']['agreement']['value']:.2f}" if row["words"] else "",
            ]
            for method in ("weights", "erasure"):
                scores = row.get(method)
                cells.append(
                    f"{100 * scores['alignment_error_rate']['value']:.1f}" if scores else ""
                )
            for kind in ("used", "others"):
                links = row.get("links", {}).get(kind)
                is_known = links is not None and links["right"] is not None
                cells.append(f"{links['right']:.2f} of {links['links']:,}" if is_known else "")
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def _span(measure: dict[str, float]) -> str:
    return f"{measure['value']:.2f} ({measure['low']:.2f} to {measure['high']:.2f})"


def larger_table(rows: dict[str, Any]) -> list[str]:
    """A line a task, the commands, and how each figure was counted."""
    lines = [
        "| task | measure | figure | 95 % interval | goal | seeds | training, s | threads |",
        "|---|---|---:|---:|---|---:|---:|---:|",
    ]
    names = {"bleu": "BLEU", "accuracy": "accuracy, %", "word_error_rate": "word error rate, %"}
    for name, row in rows.items():
        scores = row["scores"]
        if row["measure"] == "bleu":
            found = [scores["bleu"][end] for end in ("value", "low", "high")]
        else:
            found = [100 * scores["accuracy"][end] for end in ("value", "low", "high")]
        if row["measure"] == "word_error_rate":
            found = [100 - found[0], 100 - found[2], 100 - found[1]]
        lines.append(
            f"| {name} | {names[row['measure']]} | {found[0]:.2f} | {found[1]:.2f} to {found[2]:.2f} | "
            f"{row['goal']} | {seeds_of(row['train'])} | {row['training_seconds']:.0f} | {row['threads']} |"
        )
    lines += ["", "The commands, in the folder of the data:", "", "```"]
    for row in rows.values():
        lines += [f"{row['train']} -o MODEL", row["evaluate"]]
    return [*lines, "```", "", "How the figures were counted:", "", *_signatures(rows)]


def _signatures(rows: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for name, row in rows.items():
        measured = row["scores"]["bleu"] if row["measure"] == "bleu" else row["scores"]
        lines.append(f"- {name}: `{measured['signature']}`")
    return [
        *lines,
        "",
        "A signature of BLEU is sacrebleu's. Where it names `bs` and `seed`, the interval "
        "comes from sacrebleu's own bootstrap; elsewhere it comes from that of `regard`.",
    ]


def seeds_of(command: str) -> int:
    """How many models a `regard train` trains."""
    found = re.search(r" --seeds (\d+)", command)
    return 1 if found is None else int(found[1])


def bench_table(rows: list[dict[str, Any]]) -> list[str]:
    """A line each."""
    lines = ["| what | figure | goal | met | how |", "|---|---:|---:|---|---|"]
    for row in rows:
        goal = "" if row["goal"] is None else f"{'≤' if row['at_most'] else '≥'} {row['goal']:g}"
        met = {None: "", True: "yes", False: "**no**"}[row["is_met"]]
        lines.append(
            f"| {row['name']} | {row['value']:.2f} {row['unit']} | {goal} | {met} | {row['note']} |"
        )
    return lines


def accuracy_table() -> list[str]:
    """Ours beside the published."""
    table = kept("accuracy")
    assert table is not None
    languages, published = table["languages"], table["published"]
    seeds = table["seeds"]
    others = list(next(iter(published.values())))
    lines = [
        f"Word error rates on the test sets of SIGMORPHON 2020 task 1, in percent, beam of 5; "
        f"defaults, {seeds} seeds, on {_machine(table['machine'])}.",
        "",
        f"| language | single, mean (least to most) | ensemble of {seeds} | 95 % interval | "
        + " | ".join(others)
        + " | training, CPU s (each) |",
        "|---|---:|---:|---:|" + "---:|" * len(others) + "---:|",
    ]
    for name, row in languages.items():
        found = row[KIND]
        single = found["single"]
        lines.append(
            f"| {name} | {statistics.fmean(single):.2f} ({min(single):.2f} to {max(single):.2f}) | "
            f"{found['ensemble']:.2f} | {found['interval'][0]:.2f} to {found['interval'][1]:.2f} | "
            + " | ".join(
                f"{published[name][other]:.2f}" if name in published else "" for other in others
            )
            + f" | {row['cpu_seconds']:.0f} ({row['cpu_seconds'] / seeds:.0f}) |"
        )
    known = [name for name in languages if name in published]
    if known:
        singles = statistics.fmean(
            statistics.fmean(languages[name][KIND]["single"]) for name in known
        )
        joint = statistics.fmean(languages[name][KIND]["ensemble"] for name in known)
        means = " | ".join(
            f"{statistics.fmean(published[name][other] for name in known):.2f}" for other in others
        )
        lines.append(f"| **mean** | {singles:.2f} | {joint:.2f} | | {means} | |")
    return lines


def _machine(table: dict[str, Any]) -> str:
    threads = "one thread" if table["threads"] == 1 else f"{table['threads']} threads"
    return _versions(table, f" with {threads}")


def _versions(table: dict[str, Any], threads: str = "") -> str:
    return (
        f"{table['processor']}{threads}, torch {table['torch']}, "
        f"regard {table['regard']}, {table['date']}"
    )


if __name__ == "__main__":
    write()
