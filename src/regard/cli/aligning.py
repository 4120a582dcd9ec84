"""Carries out `regard align`."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from regard.alignment import Alignment
from regard.cli.given import rows_given
from regard.cli.prediction import look_table
from regard.errors import SettingsError
from regard.predictor import Predictor
from regard.text import Parallel, open_output

Format = Literal["pharaoh", "jsonl", "npz"]


def carry_out(
    predictor: Predictor,
    data: str | Parallel | None,
    output: Path | None,
    output_format: Format,
    threshold: float | None,
) -> None:
    """Align the pairs; a blank line stays one."""
    if predictor.model.decoder.alignment is None:
        raise SettingsError("this model never looks back: it has no alignment.")
    alignments = _alignments(predictor, data)
    with open_output(output or "-") as file:
        if output_format == "npz":
            file.write(_arrays(alignments))
            return
        for alignment in alignments:
            if output_format == "pharaoh":
                line = "" if alignment is None else alignment.pharaoh(threshold)
            else:
                line = json.dumps({} if alignment is None else look_table(alignment),
                                  ensure_ascii=False)  # fmt: skip
            file.write(line.encode() + b"\n")


def _alignments(predictor: Predictor, data: str | Parallel | None) -> Iterator[Alignment | None]:
    for chunk in rows_given(predictor, data):
        pairs = [row for row in chunk if row is not None]
        found = iter(zip(pairs, predictor.forced(pairs), strict=True))
        for row in chunk:
            yield None if row is None else predictor.alignment_of(*next(found))


def _arrays(alignments: Iterator[Alignment | None]) -> bytes:
    arrays: dict[str, np.ndarray] = {}
    for number, alignment in enumerate(alignments):
        if alignment is not None:
            table = look_table(alignment)
            arrays[f"weights_{number}"] = alignment.weights
            for side in ("source", "target"):
                arrays[f"{side}_{number}"] = np.array(table[side], dtype=np.str_)
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    return content.getvalue()
