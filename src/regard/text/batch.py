"""Pairs become flat stores of tokens, and these become padded tensors.

Every token of a corpus lies in one array, with the place where each string
begins; a batch is cut out of it by index arithmetic. The order of the batches
is a function of (seed, epoch) alone, so training can be resumed anywhere.

Now and then a symbol is replaced by the unknown one, the rarer the oftener;
where the same symbol stands in the target it is replaced there too, so the
model learns what to do with a symbol that it has never seen: look at it, and
write "unknown", which is where `copy` puts it.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Integer
from torch import Tensor

from regard.text.vocabulary import END, PADDING, SPECIAL, START, UNKNOWN, Vocabulary

Integers = Integer[np.ndarray, "..."]


@dataclass(frozen=True)
class Source:
    """What an encoder reads: padded symbols, and tags in no order.

    Attributes:
        tokens: Ids, each row closed by the end symbol.
        mask: True where a symbol stands.
        tags: Ids of the tags; no columns if the task has none.
        tags_mask: True where a tag stands.
    """

    tokens: Int[Tensor, "batch source"]
    mask: Bool[Tensor, "batch source"]
    tags: Int[Tensor, "batch tags"]
    tags_mask: Bool[Tensor, "batch tags"]

    def to(self, device: torch.device) -> "Source":
        """The same on a device."""
        parts = (self.tokens, self.mask, self.tags, self.tags_mask)
        return Source(*(part.to(device) for part in parts))


@dataclass(frozen=True)
class Batch:
    """Some pairs, padded.

    Attributes:
        source: What is read.
        inputs: The start symbol and the target: what the decoder is given.
        target: The target and the end symbol: what it should write.
        mask: True where `target` has a symbol.
        links: True where an aligner links target and source, if there was one.
    """

    source: Source
    inputs: Int[Tensor, "batch target"]
    target: Int[Tensor, "batch target"]
    mask: Bool[Tensor, "batch target"]
    links: Bool[Tensor, "batch target positions"] | None = None

    def to(self, device: torch.device) -> "Batch":
        """The same on a device."""
        parts = (self.inputs, self.target, self.mask)
        links = None if self.links is None else self.links.to(device)
        return Batch(self.source.to(device), *(part.to(device) for part in parts), links=links)


@dataclass(frozen=True)
class Sequences:
    """Many sequences of ids in one flat array.

    Attributes:
        values: All ids, one sequence after the other.
        offsets: Where each begins, and where the last ends.
    """

    values: Integers
    offsets: Integers

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Integers:
        """How long each sequence is."""
        return np.diff(self.offsets).astype(np.int32, copy=False)

    def padded(self, rows: Integers) -> Integers:
        """The given sequences as rows, padded to the longest."""
        starts, lengths = self.offsets[rows], self.offsets[rows + 1] - self.offsets[rows]
        columns = np.arange(lengths.max(initial=0))
        inside = columns < lengths[:, None]
        places = np.where(inside, starts[:, None] + columns, 0)
        values = self.values[places] if len(self.values) else np.zeros_like(places)
        return np.where(inside, values, PADDING).astype(np.int32)


class Tokens(NamedTuple):
    """One pair as ids."""

    source: list[int]
    target: list[int]
    tags: list[int]


@dataclass(frozen=True)
class Corpus:
    """All pairs of a file as ids.

    Attributes:
        source: Sources, without an end symbol.
        target: Targets, without start and end.
        tags: Tags; all empty if there are none.
    """

    source: Sequences
    target: Sequences
    tags: Sequences

    @classmethod
    def of(cls, pairs: Iterable[Tokens], ids: int = 2**31) -> "Corpus":
        """Store pairs as they come, without keeping them.

        Args:
            pairs: The pairs.
            ids: How many different ids there may be: few need a byte each.
        """
        flat = [array(kind_of(ids).char) for _ in Tokens._fields]
        offsets = [array("q", [0]) for _ in Tokens._fields]
        for pair in pairs:
            for values, ends, sequence in zip(flat, offsets, pair, strict=True):
                values.extend(sequence)
                ends.append(len(values))
        return cls(
            *(
                Sequences(np.asarray(values), _narrow(np.asarray(ends).view(np.int64)))
                for values, ends in zip(flat, offsets, strict=True)
            )
        )

    def __len__(self) -> int:
        return len(self.source)

    def batches(self, size: int, symbols: int, *, seed: int, epoch: int) -> list[Integers]:
        """The rows of each batch of an epoch: near in length, in random order.

        Args:
            size: Pairs in a batch.
            symbols: Most source and target symbols in a batch, padding included;
                a single longer pair still is a batch.
            seed: The run's seed.
            epoch: Which pass over the data.
        """
        chance = np.random.default_rng([seed, epoch])
        read, written = self.source.lengths, self.target.lengths
        lengths = read + written
        order = chance.permutation(len(self))
        order = order.astype(np.int32) if len(self) < 2**31 else order
        batches: list[Integers] = []
        for chunk in np.array_split(order, max(1, round(len(order) / (size * 32)))):
            chunk = chunk[np.argsort(lengths[chunk], kind="stable")]
            batches += _cut(chunk, (read[chunk] + 1, written[chunk] + 1), size, symbols)
        return [batches[index] for index in chance.permutation(len(batches))]


def kind_of(ids: int) -> np.dtype[np.integer]:
    """The numbers that hold so many different ids: few need a byte each."""
    return np.dtype(np.uint8 if ids <= 2**8 else np.uint16 if ids <= 2**16 else np.int32)


def _narrow(offsets: Integers) -> Integers:
    # Half of the bytes, where they suffice.
    return offsets.astype(np.int32) if offsets[-1] < 2**31 else offsets


def _cut(
    rows: Integers, lengths: tuple[Integers, Integers], size: int, symbols: int
) -> list[Integers]:
    # The longest source and the longest target need not belong together: both count in full.
    pieces: list[Integers] = []
    start = width = height = 0
    for index, (read, written) in enumerate(zip(*map(np.ndarray.tolist, lengths), strict=True)):
        count, width, height = index - start + 1, max(width, read), max(height, written)
        if count > 1 and (count > size or count * (width + height) > symbols):
            pieces.append(rows[start:index])
            start, width, height = index, read, written
    return [*pieces, rows[start:]]


def source_of(tokens: Integers, tags: Integers) -> Source:
    """Padded arrays as what an encoder reads; the end symbol is put behind each row."""
    rows = np.concatenate([tokens, np.full((len(tokens), 1), PADDING)], axis=1)
    lengths = (tokens != PADDING).sum(1)
    rows[np.arange(len(rows)), lengths] = END
    return Source(
        torch.from_numpy(rows),
        torch.from_numpy(rows != PADDING),
        torch.from_numpy(tags),
        torch.from_numpy(tags != PADDING),
    )


@dataclass(frozen=True)
class BatchMaker:
    """Cuts batches out of a corpus, some rare symbols replaced by the unknown one.

    Attributes:
        corpus: The pairs.
        replacement: How likely each source id is to be replaced.
        tags_replacement: How likely each tag is to be replaced.
        shared: For each source id the target id of the same symbol, or -1.
        links: Of each pair, as target position * source length + source position.
    """

    corpus: Corpus
    replacement: Float[np.ndarray, " vocabulary"]
    tags_replacement: Float[np.ndarray, " tags"]
    shared: Integers
    links: Sequences | None = None

    @classmethod
    def of(
        cls, corpus: Corpus, source: Vocabulary, target: Vocabulary, tags: Vocabulary | None
    ) -> "BatchMaker":
        """Replace a symbol seen n times with probability 0.5 / (0.5 + n)."""
        shared = np.full(len(source), -1)
        shared[len(SPECIAL) :] = [
            target.encode([symbol])[0] if symbol in target else -1 for symbol in source.symbols
        ]
        return cls(corpus, _rarity(source), _rarity(tags), shared)

    def batch(self, rows: Integers, chance: np.random.Generator | None = None) -> Batch:
        """The batch of some rows.

        Args:
            rows: Which pairs.
            chance: Draws what is replaced; nothing is if None.
        """
        source, target = self.corpus.source.padded(rows), self.corpus.target.padded(rows)
        tags = self.corpus.tags.padded(rows)
        if chance is not None:
            source, target = self._replace(source, target, chance)
            lost = chance.random(tags.shape) < self.tags_replacement[tags]
            tags = np.where(lost, UNKNOWN, tags)
        start = np.full((len(rows), 1), START)
        lengths = (target != PADDING).sum(1)
        closed = np.concatenate([target, np.full((len(rows), 1), PADDING)], axis=1)
        closed[np.arange(len(rows)), lengths] = END
        return Batch(
            source_of(source, tags),
            torch.from_numpy(np.concatenate([start, target], axis=1)),
            torch.from_numpy(closed),
            torch.from_numpy(closed != PADDING),
            self._links(rows, closed.shape[1], source.shape[1] + 1 + tags.shape[1]),
        )

    def _links(self, rows: Integers, target: int, positions: int) -> Tensor | None:
        if self.links is None:
            return None
        linked = np.zeros((len(rows), target, positions), np.bool_)
        lengths = self.corpus.source.lengths
        for place, row in enumerate(rows):
            codes = self.links.values[self.links.offsets[row] : self.links.offsets[row + 1]]
            linked[place, codes // lengths[row], codes % lengths[row]] = True
        return torch.from_numpy(linked)

    def _replace(
        self, source: Integers, target: Integers, chance: np.random.Generator
    ) -> tuple[Integers, Integers]:
        # A whole type is replaced in a row, for an unseen symbol is unseen on both sides.
        lost = chance.random(source.shape) < self.replacement[source]
        for row in np.flatnonzero(lost.any(1)):
            gone = np.unique(source[row, lost[row]])
            source[row, np.isin(source[row], gone)] = UNKNOWN
            target[row, np.isin(target[row], self.shared[gone])] = UNKNOWN
        return source, target


def _rarity(vocabulary: Vocabulary | None) -> Float[np.ndarray, " vocabulary"]:
    counts = () if vocabulary is None else vocabulary.counts
    return np.array([0.0] * len(SPECIAL) + [0.5 / (0.5 + count) for count in counts])
