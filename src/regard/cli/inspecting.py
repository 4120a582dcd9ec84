"""Carries out `regard inspect`."""

import json
from collections.abc import Sequence
from pathlib import Path

from rich.progress import TextColumn

from regard.cli.given import note_unseen
from regard.cli.words import bar, say
from regard.errors import DataError, RegardError
from regard.evaluation import Measure
from regard.files import write_file
from regard.inspection import Case, Inspection, InspectionSettings, report
from regard.predictor import Predictor
from regard.text import Parallel

_SHOWN = 5


def carry_out(
    predictor: Predictor,
    data: str | Parallel,
    *,
    is_forced: bool,
    beam: int,
    html: Path | None,
    as_json: bool,
    assignments: Sequence[str],
) -> None:
    """Inspect, print, and write the report."""
    settings = InspectionSettings()
    for assignment in assignments:
        settings = settings.changed(assignment)
    pairs = predictor.pairs(data)
    note_unseen(predictor, pairs if is_forced else [])
    with bar(TextColumn("{task.percentage:.0f} %")) as shown:
        task = shown.add_task("inspecting", total=1)
        found = predictor.inspect(
            pairs,
            is_forced=is_forced,
            beam_size=beam,
            settings=settings,
            listen=lambda done, total: shown.update(task, completed=done, total=total),
        )
    if html is not None:
        try:
            write_file(html, report(found).encode())
        except OSError as error:
            raise DataError(f"cannot be written: {error.strerror}.", html) from None
        say(f"wrote {html}")
    if as_json:
        print(json.dumps(found.to_table(), ensure_ascii=False, allow_nan=False))
    else:
        print("\n".join(lines(found)))
    if found.verdict == "invalid":
        raise InvalidMapError("the map is not valid: nothing can be concluded from it.")


class InvalidMapError(RegardError):
    """The exact checks failed."""


def lines(found: Inspection) -> list[str]:
    """What was found, as text."""
    return [
        found.headline,
        "",
        *(f"  {reason}" for reason in found.judgement.reasons[1:]),
        *([] if found.words is None else [f"  {found.words.text}"]),
        "",
        f"look    {found.look} ({'given targets' if found.mode == 'forced' else 'as predicted'})",
        "checks  "
        + "  ".join(f"{one.name} {'ok' if one.is_met else 'FAILS'}" for one in found.checks),
        f"shape   {'; '.join(found.shape.reading) or 'nothing to say'}",
        *_use(found),
        *_flags(found),
        *_doubtful(found.doubtful()[:_SHOWN]),
        "",
        "One step in one layer, the decoder's state held fixed; erased contexts are unlike those of "
        "training.",
    ]


def _use(found: Inspection) -> list[str]:
    use = found.use
    if use is None:
        return []
    figures = [
        ("gap", use.gap, "nats"),
        ("uniform", use.uniform, "nats"),
        ("agree", use.agree, "above chance"),
        ("keep uniform", use.keep_uniform, ""),
        ("keep permuted", use.keep_permuted, ""),
        ("keep erased", use.keep_erased, ""),
    ]
    kinds = ", ".join(f"{share:.0%} {kind}" for kind, share in use.labels.items())
    ends = ", ".join(f"{share:.0%} {kind}" for kind, share in use.end_labels.items() if share)
    heads = [f"{one.name:<16} gap {_number(one.gap)} nats, it alone" for one in use.heads]
    return [
        "",
        *(f"{name:<16} {_number(measure)} {unit}".rstrip() for name, measure, unit in figures),
        *heads,
        f"rows             {kinds}",
        f"end rows         {ends}",
    ]


def _number(measure: Measure) -> str:
    return f"{measure.value:7.3f}   95 % interval {measure.low:.3f} to {measure.high:.3f}"


def _flags(found: Inspection) -> list[str]:
    whole = [f"flag    {flag.text}" for flag in found.shape.flags]
    counts = ", ".join(f"{name} in {count}" for name, count in sorted(found.shape.counts.items()))
    return ["", *whole, f"flags   {counts} of {len(found.cases)} pairs"] if counts or whole else []


def _doubtful(cases: Sequence[Case]) -> list[str]:
    shown = [
        f"  line {case.number}: {case.source} → {case.text}   {case.alignment.summary()}"
        for case in cases
    ]
    return ["", "most doubtful", *shown] if shown else []
