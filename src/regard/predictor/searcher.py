"""From strings to hypotheses: read in batches, searched or forced, in the order asked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import torch

from regard.model import Seq2Seq
from regard.predictor.reader import Reader, ReadSource, batches_of
from regard.predictor.writer import Writer, cropped
from regard.search import Hypothesis, beam, forced, greedy
from regard.text import END, UNKNOWN, Batch, Pair

CHUNK = 2048
"""How many sources are in memory at once."""


@dataclass(frozen=True)
class Searcher:
    """Finds what a model writes, or how likely it finds what is given.

    Attributes:
        model: The model.
        reader: Cuts the strings.
        writer: Joins the symbols.
    """

    model: Seq2Seq
    reader: Reader
    writer: Writer

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return next(self.model.parameters()).device

    def forced(self, pairs: Sequence[Pair]) -> Iterator[Hypothesis]:
        """The given targets as hypotheses, in their order."""
        for start in range(0, len(pairs), CHUNK):
            chunk = pairs[start : start + CHUNK]
            read = [self.reader.read(pair) for pair in chunk]
            targets = [self.reader.target_tokens(pair) for pair in chunk]
            maker = self.reader.maker(read, targets)
            lengths = [
                len(one.tokens) + len(target) for one, target in zip(read, targets, strict=True)
            ]
            found: dict[int, Hypothesis] = {}
            for rows in batches_of(lengths):
                batch = maker.batch(np.array(rows)).to(self.device)
                with torch.no_grad():
                    encoding = self.model.encode(batch.source)
                hypotheses = forced(
                    self.model.decoder, encoding, batch.inputs, batch.target, batch.mask
                )
                for row, hypothesis in zip(rows, hypotheses, strict=True):
                    found[row] = cropped(hypothesis, read[row], batch.source.tokens.shape[1])
            yield from (found[row] for row in range(len(chunk)))

    def batch(self, asked: list[ReadSource], targets: list[list[int]]) -> Batch:
        """Some sources with their targets, padded."""
        maker = self.reader.maker(asked, targets)
        return maker.batch(np.arange(len(asked))).to(self.device)

    def found(
        self, sources: Iterable[ReadSource], beam_size: int, n_best: int
    ) -> Iterator[tuple[ReadSource, list[Hypothesis]]]:
        """The best hypotheses of each source, in their order, in constant memory."""
        sources = iter(sources)
        while chunk := list(islice(sources, CHUNK)):
            found: dict[int, list[Hypothesis]] = {}
            for rows in batches_of([len(one.tokens) for one in chunk]):
                batch = [chunk[row] for row in rows]
                found |= zip(rows, self._search(batch, beam_size, n_best), strict=True)
            yield from ((one, found[row]) for row, one in enumerate(chunk))

    def _search(
        self, batch: list[ReadSource], beam_size: int, n_best: int
    ) -> list[list[Hypothesis]]:
        limits = torch.tensor([self.reader.limit(one) for one in batch], device=self.device)
        with torch.no_grad():
            source = self.reader.batch(batch, self.device)
            encoding = self.model.encode(source)
        # Only where something is unseen may the unknown symbol be written.
        unseen = (source.tokens == UNKNOWN).any(1)
        size = max(beam_size, n_best)
        if size == 1:
            found = [[one] for one in greedy(self.model.decoder, encoding, limits, unseen)]
        else:
            found = beam(self.model.decoder, encoding, limits, unseen, size=size)
        width = source.tokens.shape[1]
        found = [
            [cropped(hypothesis, one, width) for hypothesis in hypotheses]
            for one, hypotheses in zip(batch, found, strict=True)
        ]
        if self.reader.settings.text.target.symbols != "subwords":
            return found
        return self._recut(batch, found)

    def _recut(
        self, batch: list[ReadSource], found: list[list[Hypothesis]]
    ) -> list[list[Hypothesis]]:
        # A string may be written in other pieces than it is cut into: it is told of as cut, so
        # that forcing it gives the same.
        places: list[tuple[int, int]] = []
        pairs: list[Pair] = []
        for row, (asked, hypotheses) in enumerate(zip(batch, found, strict=True)):
            for index, hypothesis in enumerate(hypotheses):
                text = self.writer.text(asked, hypothesis)
                if [*self.reader.target_tokens(Pair("", text)), END] != list(hypothesis.tokens):
                    places.append((row, index))
                    pairs.append(Pair(asked.source, text, asked.tags))
        for (row, index), other in zip(places, self.forced(pairs), strict=True):
            found[row][index] = replace(other, is_complete=found[row][index].is_complete)
        return [
            sorted(hypotheses, key=lambda one: -one.log_prob / len(one.tokens))
            for hypotheses in found
        ]
