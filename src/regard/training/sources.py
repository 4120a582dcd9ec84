"""Where training pairs come from: files that are read anew at each pass, or a list."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import cast

import numpy as np

from regard.errors import DataError
from regard.text import Columns, Files, Pair, Parallel, doubts, pairs_of, read_pairs, read_parallel

_HELD_OUT = 10
_MOST_HELD_OUT = 1000


Data = str | Path | Parallel | Files | Iterable[object]
"""A file or a pattern, two parallel files, several files, or (source, target[, tags]) rows."""


@dataclass(frozen=True)
class Pairs:
    """Pairs that can be gone through again and again.

    Attributes:
        name: Where they come from, in words.
        again: Begins another pass.
    """

    name: str
    again: Callable[[], Iterator[Pair]]

    def head(self, count: int) -> list[Pair]:
        """The first of them."""
        return list(islice(self.again(), count))


@dataclass(frozen=True)
class Split:
    """Training and dev pairs.

    Attributes:
        train: What is trained on.
        dev: What training is judged by.
    """

    train: Pairs
    dev: list[Pair]

    def doubts(self) -> str:
        """What is doubtful about the data, in one line; empty if nothing is."""
        return doubts(self.train.again(), self.dev)


def pairs_from(data: Data, columns: Columns) -> Pairs:
    """Pairs of any origin. Standard input and iterables are kept, files are not.

    A list of `Path` objects is several files; any other iterable holds rows.

    Raises:
        DataError: A pattern matches nothing, or a file is given twice.
    """
    if isinstance(data, Parallel):
        return Pairs(str(data), lambda: read_parallel(data.source, data.target))
    files = _files(data)
    if files is None:
        kept = pairs_of(cast(Iterable[object], data))
        return Pairs("a program", lambda: iter(kept))
    parts = [_pairs_of_file(path, columns) for path in files.paths]
    name = parts[0].name if len(parts) == 1 else str(files)
    return Pairs(name, lambda: chain.from_iterable(part.again() for part in parts))


def _files(data: object) -> Files | None:
    if isinstance(data, Files):
        return data
    if isinstance(data, str | Path):
        return Files.of([data])
    rows = cast(Sequence[object], data) if isinstance(data, list | tuple) else ()
    paths = [row for row in rows if isinstance(row, Path)]
    return Files.of(paths) if paths and len(paths) == len(rows) else None


def _pairs_of_file(path: str, columns: Columns) -> Pairs:
    if path != "-":
        return Pairs(path, lambda: read_pairs(path, columns))
    kept = list(read_pairs(path, columns))
    return Pairs("standard input", lambda: iter(kept))


def split(train: Pairs, dev: Pairs | None) -> Split:
    """Training and dev pairs; without dev, a fixed tenth of the sources is held out.

    Which sources are held out follows from the sources alone, so the split is
    the same on every machine and in every order, and no source is on both sides.

    Raises:
        DataError: There are too few pairs to hold some out.
    """
    if dev is not None:
        return Split(train, list(dev.again()))
    marks = np.unique(np.fromiter((_mark(pair) for pair in train.again()), np.uint64))
    count = min(len(marks) // _HELD_OUT, _MOST_HELD_OUT)
    if count == 0:
        raise DataError(
            f"expected at least {_HELD_OUT} different sources to hold some out, found "
            f"{len(marks)}: give --dev.", train.name,
        )  # fmt: skip
    limit = int(marks[count])
    held = [pair for pair in train.again() if _mark(pair) < limit][: 2 * _MOST_HELD_OUT]
    kept = Pairs(train.name, lambda: (pair for pair in train.again() if _mark(pair) >= limit))
    return Split(kept, held)


def _mark(pair: Pair) -> int:
    return int.from_bytes(hashlib.blake2b(pair.source.encode(), digest_size=8).digest(), "big")
