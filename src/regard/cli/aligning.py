"""Carries out `regard align`."""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np

from regard.alignment import Alignment, Link, pharaoh
from regard.cli.answers import look_table
from regard.cli.given import rows_given
from regard.errors import SettingsError
from regard.predictor import Linking, Predictor, links, maps
from regard.text import Pair, Parallel, open_output

LinkFormat = Literal["pharaoh", "jsonl", "npz"]
Made = TypeVar("Made")


def carry_out(
    predictor: Predictor,
    data: str | Parallel,
    output: Path | None,
    *,
    output_format: LinkFormat,
    linking: Linking,
    other: Predictor | None = None,
) -> None:
    """Align the pairs; a blank line stays one."""
    if predictor.model.decoder.alignment is None:
        raise SettingsError("this model never looks back: it has no alignment.")
    with open_output(output or "-") as file:
        if output_format == "npz":
            file.write(_arrays(_in_place(predictor, data, partial(_maps_of, predictor, linking))))
            return
        if output_format == "pharaoh":
            for found in _in_place(predictor, data, partial(_links_of, predictor, linking, other)):
                line = "" if found is None else pharaoh(found)
                file.write(line.encode() + b"\n")
            return
        for alignment in _in_place(predictor, data, partial(_maps_of, predictor, linking)):
            table = {} if alignment is None else look_table(alignment)
            file.write(json.dumps(table, ensure_ascii=False).encode() + b"\n")


def _maps_of(predictor: Predictor, linking: Linking, pairs: list[Pair]) -> Iterator[Alignment]:
    return maps(predictor, pairs, linking)


def _links_of(
    predictor: Predictor, linking: Linking, other: Predictor | None, pairs: list[Pair]
) -> Iterator[list[Link]]:
    return links(predictor, pairs, linking, other)


def _in_place(
    predictor: Predictor, data: str | Parallel, made: Callable[[list[Pair]], Iterator[Made]]
) -> Iterator[Made | None]:
    """What is made of each pair, None for a blank line."""
    for chunk in rows_given(predictor, data):
        found = made([row for row in chunk if row is not None])
        for row in chunk:
            yield None if row is None else next(found)


def _arrays(alignments: Iterable[Alignment | None]) -> bytes:
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
