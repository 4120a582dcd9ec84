"""Where training pairs come from: files that are read anew at each pass, or a list."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, count, islice
from pathlib import Path
from typing import cast

from regard.errors import DataError
from regard.text import Columns, Files, Pair, Parallel, doubts, pairs_of, read_pairs, read_parallel

_HELD_OUT = 10
_MOST_HELD_OUT = 1000
_TOLD = 100_000


Data = str | Path | Parallel | Files | Iterable[object]
"""A file or a pattern, two parallel files, several files, or (source, target[, tags]) rows."""


@dataclass(frozen=True)
class Reading:
    """How far a pass over many training pairs is.

    Attributes:
        pairs: How many were read.
        turn: Which pass it is, from one.
    """

    pairs: int
    turn: int


@dataclass(frozen=True)
class PairStream:
    """Pairs that can be gone through again and again.

    Attributes:
        name: Where they come from, in words.
        again: Begins another pass.
        files: The files they are read from; none if anything else is among them.
    """

    name: str
    again: Callable[[], Iterator[Pair]]
    files: tuple[str, ...] = ()

    def told(self, listen: Callable[[Reading], None] | None) -> "PairStream":
        """The same; a listener is told of each hundred thousand that were read."""
        if listen is None:
            return self
        turns = count(1)

        def again() -> Iterator[Pair]:
            turn = next(turns)
            for number, pair in enumerate(self.again(), 1):
                yield pair
                if number % _TOLD == 0:
                    listen(Reading(number, turn))

        return replace(self, again=again)

    def head(self, count: int) -> list[Pair]:
        """The first of them."""
        return list(islice(self.again(), count))


@dataclass(frozen=True)
class Split:
    """Training and dev pairs.

    Attributes:
        train: What is trained on.
        dev: What training is judged by.
        limit: Sources whose mark is smaller are held out of the training pairs.
    """

    train: PairStream
    dev: list[Pair]
    limit: int = 0

    def judge(self) -> str:
        """A checksum of what training is judged by."""
        digest = hashlib.sha256()
        for pair in self.dev:
            digest.update(repr((pair.source, pair.target, pair.tags, pair.others)).encode())
        return digest.hexdigest()

    def doubts(self) -> str:
        """What is doubtful about the data, in one line; empty if nothing is."""
        return doubts(self.train.again(), self.dev)


def pairs_from(data: Data, columns: Columns) -> PairStream:
    """Pairs of any origin. Standard input and iterables are kept, files are not.

    A list of `Path` objects is several files; any other iterable holds rows.

    Raises:
        DataError: A pattern matches nothing, or a file is given twice.
    """
    if isinstance(data, Parallel):
        names = str(data.source), str(data.target)
        return PairStream(str(data), lambda: read_parallel(*names), names)
    files = _files(data)
    if files is None:
        kept = pairs_of(cast(Iterable[object], data))
        return PairStream("a program", lambda: iter(kept))
    parts = [_pairs_of_file(path, columns) for path in files.paths]
    name = parts[0].name if len(parts) == 1 else str(files)
    on_disk = () if "-" in files.paths else files.paths
    return PairStream(name, lambda: chain.from_iterable(part.again() for part in parts), on_disk)


def _files(data: object) -> Files | None:
    if isinstance(data, Files):
        return data
    if isinstance(data, str | Path):
        return Files.of([data])
    rows = cast(Sequence[object], data) if isinstance(data, list | tuple) else ()
    paths = [row for row in rows if isinstance(row, Path)]
    return Files.of(paths) if paths and len(paths) == len(rows) else None


def _pairs_of_file(path: str, columns: Columns) -> PairStream:
    if path != "-":
        return PairStream(path, lambda: read_pairs(path, columns))
    kept = list(read_pairs(path, columns))
    return PairStream("standard input", lambda: iter(kept))


def split(train: PairStream, dev: PairStream | None) -> Split:
    """Training and dev pairs; without dev, a fixed tenth of the sources is held out.

    They are at most a thousand, and fewer where their pairs would be more than two thousand.
    Which sources are held out follows from the sources alone, so the split is
    the same on every machine and in every order, and no source is on both sides.

    Raises:
        DataError: There are too few pairs to hold some out.
    """
    if dev is not None:
        return Split(train, list(dev.again()))
    limit = _limit(_mark(pair) for pair in train.again())
    if limit is None:
        raise DataError(
            f"expected at least {_HELD_OUT} different sources to hold some out: give --dev.",
            train.name,
        )
    held = [pair for pair in train.again() if _mark(pair) < limit]
    kept = replace(train, again=lambda: (one for one in train.again() if _mark(one) >= limit))
    return Split(kept, held, limit)


def _limit(marks: Iterable[int]) -> int | None:
    """The mark below which sources are held out; only the smallest marks are kept meanwhile."""
    smallest, bound, are_many = Counter[int](), 2**64, False
    for mark in marks:
        if mark < bound:
            smallest[mark] += 1
            if len(smallest) > 2 * _HELD_OUT * _MOST_HELD_OUT:
                ordered = sorted(smallest)[: _MOST_HELD_OUT + 1]
                bound, are_many = ordered[-1], True
                smallest = Counter({one: smallest[one] for one in ordered})
    held = _MOST_HELD_OUT if are_many else min(len(smallest) // _HELD_OUT, _MOST_HELD_OUT)
    ordered = sorted(smallest)[: held + 1]
    # Of sources that have many targets fewer are held out: judging must not take for ever.
    pairs = accumulate(smallest[mark] for mark in ordered[:held])
    few = sum(total <= 2 * _MOST_HELD_OUT for total in pairs)
    return ordered[max(1, few)] if held else None


def _mark(pair: Pair) -> int:
    return int.from_bytes(hashlib.blake2b(pair.source.encode(), digest_size=8).digest(), "big")
