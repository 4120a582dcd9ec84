"""Carries out `regard predict`."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Literal

from rich.progress import TextColumn

from regard.alignment import Alignment
from regard.cli.given import source_columns
from regard.cli.words import bar, say
from regard.predictor import CHUNK, Prediction, Predictor
from regard.text import Pair, open_output, read_rows

Format = Literal["text", "tsv", "jsonl"]


def carry_out(
    folder: Path,
    file: str,
    *,
    output: Path | None,
    beam: int,
    n_best: int,
    scores: bool,
    alignments: Path | None,
    output_format: Format,
    columns: str | None,
    tags_column: int | None,
    device: str,
) -> None:
    """Predict a file line by line, in constant memory."""
    predictor = Predictor.load(folder, device)
    order = columns if columns is not None or tags_column is None else f"1,2,{tags_column}"
    layout = source_columns(order, has_tags=predictor.has_tags)
    rows = read_rows(file, layout)
    unseen: set[str] = set()
    touched = cut = 0
    with ExitStack() as stack:
        out = stack.enter_context(open_output(output or "-"))
        looks = None if alignments is None else stack.enter_context(open_output(alignments))
        shown = stack.enter_context(bar(TextColumn("{task.completed:,} lines")))
        task = shown.add_task("predicting", total=None)
        tests = alignments is not None
        for prediction in _predictions(predictor, rows, beam, n_best, is_tested=tests):
            line = line_of(prediction, output_format, scores=scores, n_best=n_best)
            out.write(line.encode() + b"\n")
            if looks is not None:
                look = json.dumps(_look(prediction), ensure_ascii=False)
                looks.write(look.encode() + b"\n")
            if prediction is not None:
                unseen |= {one.symbol for one in prediction.unseen}
                touched += bool(prediction.unseen)
                cut += not prediction.is_complete
            shown.advance(task)
    _note(unseen, touched, cut)


def _note(unseen: set[str], touched: int, cut: int) -> None:
    if unseen:
        names = ", ".join(repr(symbol) for symbol in sorted(unseen)[:10])
        say(f"note: training never saw some symbols of {touched} of the sources: {names}.")
    if cut:
        say(f"note: the length limit ended {cut} of the predictions.")


def line_of(
    prediction: Prediction | None, output_format: Format, *, scores: bool, n_best: int
) -> str:
    """One line for one prediction; None stands for a blank line."""
    if output_format == "jsonl":
        return json.dumps(_table(prediction, n_best), ensure_ascii=False)
    if prediction is None:
        return ""
    cells = [prediction.source] if output_format == "tsv" else []
    for candidate in prediction.candidates:
        cells.append(candidate.text)
        if scores:
            cells.append(f"{candidate.log_prob:.6f}")
    return "\t".join(cells)


def _predictions(
    predictor: Predictor, rows: Iterator[Pair | None], beam: int, n_best: int, *, is_tested: bool
) -> Iterator[Prediction | None]:
    while chunk := list(islice(rows, CHUNK)):
        written = predictor.stream(
            (row for row in chunk if row is not None), beam_size=beam, n_best=n_best,
            is_tested=is_tested,
        )  # fmt: skip
        yield from (None if row is None else next(written) for row in chunk)


def _table(prediction: Prediction | None, n_best: int) -> dict[str, object]:
    if prediction is None:
        return {"source": "", "target": "", "log_prob": None, "reason": "blank", "unseen": []}
    table: dict[str, object] = {
        "source": prediction.source,
        "target": prediction.text,
        "log_prob": prediction.log_prob,
        "unseen": [
            {"symbol": one.symbol, "start": one.start, "end": one.end} for one in prediction.unseen
        ],
    }
    if not prediction.is_complete:
        table["is_complete"] = False
    if n_best > 1:
        table["candidates"] = [
            {"target": candidate.text, "log_prob": candidate.log_prob}
            for candidate in prediction.candidates
        ]
    return table


def look_table(alignment: Alignment) -> dict[str, object]:
    """An alignment's symbols, roles and weights."""
    return {
        "source": [label.text or label.shown for label in alignment.source],
        "target": [label.text or label.shown for label in alignment.target],
        "weights": [[round(float(weight), 7) for weight in row] for row in alignment.weights],
        "source_roles": [label.role for label in alignment.source],
        "target_roles": [label.role for label in alignment.target],
        **_trust_table(alignment),
    }


def _trust_table(alignment: Alignment) -> dict[str, object]:
    """How each row was used, and what erasing its strongest position costs, in nats."""
    trust = alignment.trust
    if trust is None:
        return {}
    strongest = alignment.weights.argmax(1)
    effects = [float(row[top]) for row, top in zip(trust.effects, strongest, strict=True)]
    return {
        "labels": alignment.row_labels(),
        "effects": [round(effect, 4) for effect in effects],
        "summary": alignment.summary(),
    }


def _look(prediction: Prediction | None) -> dict[str, object]:
    if prediction is None or prediction.alignment is None:
        reason = "blank" if prediction is None else "this model never looks back"
        return {"source": [], "target": [], "weights": [], "reason": reason}
    return look_table(prediction.alignment)
