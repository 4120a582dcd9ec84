"""Carries out `regard check`."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.progress import TextColumn

from regard.cli.words import bar, say
from regard.text import (
    KINDS,
    LOG,
    STEPS,
    Columns,
    Copy,
    Finding,
    Kind,
    Parallel,
    Report,
    examine,
    is_parquet,
    mend,
)


def carry_out(
    files: Sequence[str | Parallel],
    order: str | None,
    *,
    as_json: bool,
    folder: Path | None,
    examples: int,
) -> bool:
    """Say what is wrong with files of pairs, and write clean copies if asked to.

    Returns:
        Whether they can be trained on as they are.
    """
    columns = None if order is None else Columns.parse(order)
    copies = [] if folder is None else _mended(files, folder, columns)
    with bar(TextColumn("{task.fields[file]}")) as shown:
        task = shown.add_task("checking", total=len(files) * STEPS, file=str(files[0]))
        reports: list[Report] = []
        for report in examine(files, columns, lambda: shown.advance(task)):
            reports.append(report)
            shown.update(task, file=report.path)
    if as_json:
        print(json.dumps(described(reports), ensure_ascii=False, allow_nan=False))
    else:
        print("\n".join([*summary(reports), *shown_places(reports, examples)]))
        if folder is None and any(map(_can_be_mended, reports)):
            say("note: --fix FOLDER writes copies without what is marked *.")
    for copy in copies:
        _tell(copy)
    return not any(report.found.are_grave for report in reports)


def described(reports: Sequence[Report]) -> dict[str, object]:
    """All that was found, for programs: every kind by its name, found or not."""
    return {
        "can_be_trained_on": not any(report.found.are_grave for report in reports),
        "files": [
            {
                "file": report.path,
                "encoding": report.encoding,
                "lines": report.lines,
                "pairs": report.pairs,
                "forms": dict(zip(("source", "target"), report.forms, strict=True)),
                "found": {kind.name: _table(report, kind) for kind in KINDS},
            }
            for report in reports
        ],
    }


def summary(reports: Sequence[Report]) -> Iterator[str]:
    """A paragraph a file: what was found, and how often."""
    for report in reports:
        is_clean = not report.found.counts
        count = f"{_counted(report.lines, 'line')}, {_counted(report.pairs, 'pair')}"
        yield f"{report.path}: {count}{'; nothing found' if is_clean else ''}"
        for kind in KINDS:
            for other, number, _ in report.found.of(kind):
                mark = ("!" if kind.is_grave else " ") + (
                    "*" if kind.is_mended and _has_copies(report) else " "
                )
                yield f"{number:9,} {mark} {_words(kind, number, other)}"
    if any(report.found.are_grave for report in reports):
        yield "! training refuses such a file"


def shown_places(reports: Sequence[Report], examples: int) -> Iterator[str]:
    """Some places of each kind."""
    for kind in KINDS:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for report in reports:
            for other, _, places in report.found.of(kind):
                found[other] += [_place(report.path, place) for place in places[:examples]]
        for other, lines in found.items():
            if lines:
                yield f"\n{kind.many.format(other=other)}"
                yield from lines


def _place(path: str, place: Finding) -> str:
    line = f", line {place.line}" if place.line else ""
    parts = [place.side, place.text, place.note and f"({place.note})"]
    told = " ".join(part for part in parts if part)
    return f"  {path}{line}" + (f": {told}" if told else "")


def _words(kind: Kind, number: int, other: str) -> str:
    return (kind.one if number == 1 else kind.many).format(other=other)


def _can_be_mended(report: Report) -> bool:
    return _has_copies(report) and any(kind.is_mended for kind, _ in report.found.counts)


def _has_copies(report: Report) -> bool:
    return report.encoding != "unknown" and not is_parquet(report.path)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _table(report: Report, kind: Kind) -> dict[str, object]:
    found = list(report.found.of(kind))
    table: dict[str, object] = {
        "count": sum(count for _, count, _ in found),
        "is_grave": kind.is_grave,
        "is_mended": kind.is_mended,
    }
    places = [
        {
            "line": place.line or None,
            "side": place.side or None,
            "text": place.text,
            "note": place.note or None,
            "other": other or None,
        }
        for other, _, kept in found
        for place in kept
    ]
    return table | {"places": places}


def _mended(files: Sequence[str | Parallel], folder: Path, columns: Columns | None) -> list[Copy]:
    with bar() as shown:
        total = sum(2 if isinstance(file, Parallel) else 1 for file in files)
        task = shown.add_task("mending", total=total)
        return mend(files, folder, columns, lambda: shown.advance(task))


def _tell(copy: Copy) -> None:
    if copy.path is None:
        say(f"{copy.original}: is in no encoding that is known here; no copy was written.")
    elif copy.changes:
        say(
            f"{copy.path}: {_counted(copy.changes, 'change')}, listed in {copy.path.with_name(LOG)}"
        )
    else:
        say(f"{copy.path}: nothing to mend, copied as it is")
