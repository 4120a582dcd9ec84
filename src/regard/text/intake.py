"""Symbols become tokens as they are read, before anybody knows how many kinds there are.

A symbol gets a number when it is first met; when all are known, the numbers are
exchanged for the vocabulary's ids, chunk by chunk. So text is read and cut once.
Chunks lie in memory, or, once they are many, in files of a folder.
"""

from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from regard.text.batch import Corpus, Integers, Sequences, Tokens, kind_of

_CHUNK = 2**18
Encode = Callable[[Iterable[str]], list[int]]
Encoders = tuple[Encode, Encode, Encode]
"""The ids of symbols: of the source, of the target, and of tags."""


class Chunks:
    """Whole numbers in chunks, each in as few bytes as hold it."""

    def __init__(self) -> None:
        self._kept: deque[Integers] = deque()
        self._shapes: deque[tuple[np.dtype[np.integer], int]] = deque()
        self._file: BinaryIO | None = None
        self.count = 0
        self.bytes = 0

    def put(self, values: Integers) -> None:
        """Add a chunk of numbers, none of them negative."""
        chunk = values.astype(np.min_scalar_type(int(values.max(initial=0))))
        self.count += len(chunk)
        self.bytes += chunk.nbytes
        if self._file is None:
            self._kept.append(chunk)
        else:
            self._write(chunk)

    def spill(self, path: Path) -> None:
        """Go on in a file, with all that was added before."""
        self._file = open(path, "w+b")  # noqa: SIM115 (closed by `close`)
        while self._kept:
            self._write(self._kept.popleft())

    def take(self) -> Iterator[Integers]:
        """The chunks, each once: memory is given back on the way."""
        while self._kept:
            yield self._kept.popleft()
        if self._file is not None:
            self._file.seek(0)
            while self._shapes:
                kind, length = self._shapes.popleft()
                yield np.frombuffer(self._file.read(length * kind.itemsize), kind)

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()

    def _write(self, chunk: Integers) -> None:
        assert self._file is not None
        self._file.write(chunk.tobytes())
        self._shapes.append((chunk.dtype, len(chunk)))


class TokenColumn(NamedTuple):
    """The sources, the targets or the tags of all pairs, a chunk at a time.

    Attributes:
        name: Which.
        tokens: How many tokens there are.
        rows: How many pairs.
        ids: The tokens.
        offsets: Where each begins, and where the last ends.
    """

    name: str
    tokens: int
    rows: int
    ids: Iterator[Integers]
    offsets: Iterator[Integers]


class Side:
    """The sources, the targets or the tags of pairs, as they come."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._fresh, self._ends = array("i"), array("i")
        self.tokens, self.lengths = Chunks(), Chunks()

    def add(self, symbols: Sequence[str]) -> bool:
        """Take in one more; whether a chunk was filled by it."""
        numbers = self._numbers
        self._fresh.extend([numbers[symbol] for symbol in symbols])
        self._ends.append(len(symbols))
        is_full = len(self._fresh) >= _CHUNK or len(self._ends) >= _CHUNK
        if is_full:
            self.flush()
        return is_full

    def flush(self) -> None:
        """Make chunks of what came last."""
        self.tokens.put(np.asarray(self._fresh))
        self.lengths.put(np.asarray(self._ends))
        self._fresh, self._ends = array("i"), array("i")

    def ids(self, known: Encode) -> Iterator[Integers]:
        """All tokens as ids, in as few bytes as hold them, a chunk at a time."""
        table = np.array(known(list(self._numbers)), np.int64)
        table = table.astype(kind_of(int(table.max(initial=0)) + 1))
        for chunk in self.tokens.take():
            yield table[chunk]

    def offsets(self) -> Iterator[Integers]:
        """Where each begins, and where the last ends, a chunk at a time."""
        kind = np.int32 if self.tokens.count < 2**31 else np.int64
        end = 0
        yield np.zeros(1, kind)
        for chunk in self.lengths.take():
            ends = chunk.cumsum(dtype=np.int64) + end
            end = int(ends[-1]) if len(ends) else end
            yield ends.astype(kind)


class Intake:
    """Takes in pairs and gives a corpus.

    Args:
        spill: Makes a folder for chunks once tokens are many; None keeps all in memory.
        limit: How many bytes of tokens memory may hold.

    Attributes:
        folder: Where chunks lie, if they are many.
    """

    def __init__(self, spill: Callable[[], Path] | None = None, limit: int = 0) -> None:
        self._spill, self._limit = spill, limit
        self._sides = {name: Side() for name in Tokens._fields}
        self.folder: Path | None = None

    def add(self, source: Sequence[str], target: Sequence[str], tags: Sequence[str]) -> None:
        """Take in the symbols of a pair."""
        sides = self._sides
        is_full = sides["source"].add(source)
        is_full |= sides["target"].add(target)
        is_full |= sides["tags"].add(tags)
        if is_full:
            self._spill_if_many()

    def flush(self) -> None:
        """Make chunks of what came last; `folder` says whether they lie on disk."""
        for side in self._sides.values():
            side.flush()
        self._spill_if_many()

    def parts(self, known: Encoders) -> Iterator[TokenColumn]:
        """Source, target and tags as ids, after `flush`; each can be gone through once.

        Args:
            known: The ids of symbols.
        """
        for (name, side), ids in zip(self._sides.items(), known, strict=True):
            yield TokenColumn(
                name, side.tokens.count, side.lengths.count, side.ids(ids), side.offsets()
            )

    def corpus(self, known: Encoders) -> Corpus:
        """All pairs in memory; see `parts`."""
        return Corpus(
            *(
                Sequences(_joined(part.ids, part.tokens), _joined(part.offsets, part.rows + 1))
                for part in self.parts(known)
            )
        )

    def close(self) -> None:
        """Close the files, if there are any."""
        for side in self._sides.values():
            side.tokens.close()
            side.lengths.close()

    def _spill_if_many(self) -> None:
        size = sum(side.tokens.bytes for side in self._sides.values())
        if self._spill is None or self.folder is not None or size <= self._limit:
            return
        self.folder = self._spill()
        for name, side in self._sides.items():
            side.tokens.spill(self.folder / f"{name}.tokens.chunks")
            side.lengths.spill(self.folder / f"{name}.lengths.chunks")


def _joined(chunks: Iterator[Integers], count: int) -> Integers:
    first = next(chunks, np.zeros(0, np.uint8))
    whole = np.empty(count, first.dtype)
    end = 0
    for chunk in chain([first], chunks):
        whole[end : end + len(chunk)] = chunk
        end += len(chunk)
    return whole
