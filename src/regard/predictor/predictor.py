"""Text in; text, log-probability and alignment out, in the order asked."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import overload

import numpy as np
import torch

from regard.alignment import Alignment
from regard.errors import SettingsError
from regard.evaluation import RESAMPLES, Evaluation, Scored, TextMeasures, evaluate
from regard.model import ModelSettings, Saved, load_model, save_model
from regard.precision import device_of
from regard.predictor.looking import looked_up
from regard.predictor.prediction import LookedUp, Prediction
from regard.predictor.reader import (
    Asked,
    Given,
    Pairs,
    Reader,
    batches_of,
    pair_given,
    pairs_given,
    replace_tags,
)
from regard.predictor.scoring import scored_of, with_alternatives
from regard.predictor.writer import Writer, cropped, source_labels
from regard.search import Hypothesis, beam, forced, greedy
from regard.text import (
    END,
    UNKNOWN,
    Pair,
)
from regard.version import VERSION

CHUNK = 2048
"""How many sources are in memory at once."""


class Predictor:
    """A model with its vocabularies: strings in, strings and alignments out.

    Args:
        saved: The contents of a model folder.
    """

    def __init__(self, saved: Saved) -> None:
        self.saved = saved
        self.model = saved.model.eval()
        self.reader = Reader(saved.settings, saved.vocabularies)
        self.writer = Writer(saved.settings, saved.vocabularies, self.model.decoder.alignment)

    @classmethod
    def load(cls, folder: str | Path, device: str = "cpu") -> "Predictor":
        """Read a model folder.

        Args:
            folder: Where it is.
            device: "cpu", "cuda", or another that torch knows.

        Raises:
            CheckpointError: It is no model folder, is damaged, or of a newer format.
        """
        return cls(load_model(folder, device_of(device)))

    def save(self, folder: str | Path) -> None:
        """Write a model folder, in the place of one that may be there.

        Raises:
            CheckpointError: It cannot be written; what was there is still there.
        """
        save_model(folder, self.saved)

    @property
    def _device(self) -> torch.device:
        return next(self.model.parameters()).device

    @property
    def settings(self) -> ModelSettings:
        """What the model is made of."""
        return self.saved.settings

    def with_columns(self, order: str) -> "Predictor":
        """The same, reading files in which source, target and tags stand elsewhere."""
        settings = self.settings.with_values({"text.columns": order})
        return Predictor(replace(self.saved, settings=settings))

    @property
    def has_tags(self) -> bool:
        """Whether the task has tags beside the source."""
        return self.saved.vocabularies.tags is not None

    @overload
    def predict(  # pyright: ignore[reportOverlappingOverload] (a string is an iterable of strings)
        self, sources: str, *, tags: str | None = None, beam_size: int = 1, n_best: int = 1
    ) -> Prediction: ...
    @overload
    def predict(
        self, sources: Iterable[Given], *, tags: str | None = None, beam_size: int = 1,
        n_best: int = 1,
    ) -> list[Prediction]: ...  # fmt: skip
    def predict(
        self, sources: str | Iterable[Given], *, tags: str | None = None, beam_size: int = 1,
        n_best: int = 1,
    ) -> Prediction | list[Prediction]:  # fmt: skip
        """Write the target of one source, or of many in their order.

        Args:
            sources: A string; or strings, or (source, tags) where a task has tags.
            tags: The tags of all of them, such as "V;PST;3;SG".
            beam_size: How many hypotheses are kept side by side; 1 is greedy.
            n_best: How many candidates each prediction holds.

        Raises:
            DataError: A source is empty or too long, or tags are missing.
            VocabularyError: A symbol was never seen and the policy is `error`.
        """
        if isinstance(sources, str):
            return self.predict([sources], tags=tags, beam_size=beam_size, n_best=n_best)[0]
        given = (replace_tags(pair_given(one), tags) for one in sources)
        return list(self.stream(given, beam_size=beam_size, n_best=n_best))

    def stream(
        self, sources: Iterable[Pair], *, beam_size: int = 1, n_best: int = 1
    ) -> Iterator[Prediction]:
        """Predict any number of sources in constant memory, in their order.

        Args:
            sources: Pairs, of which source and tags are used.
            beam_size: As for `predict`.
            n_best: As for `predict`.
        """
        if n_best < 1 or beam_size < 1:
            raise SettingsError(f"beam_size is {beam_size}, n_best {n_best}: both must be >= 1.")
        for one, hypotheses in self._found(sources, beam_size, n_best):
            yield self.writer.prediction(one, hypotheses, n_best)

    def align(self, pairs: Pairs) -> list[Alignment]:
        """Where the decoder looks while it writes given targets.

        Raises:
            SettingsError: The model never looks back.
        """
        if self.model.decoder.alignment is None:
            raise SettingsError("this model never looks back: it has no alignment.")
        read = self.pairs(pairs)
        alignments: list[Alignment] = []
        for pair, hypothesis in zip(read, self.forced(read), strict=True):
            alignment = self.alignment_of(pair, hypothesis)
            assert alignment is not None
            alignments.append(alignment)
        return alignments

    def log_prob(self, pairs: Pairs) -> list[float]:
        """The log-probability of each given target."""
        return [hypothesis.log_prob for hypothesis in self.forced(self.pairs(pairs))]

    def evaluate(
        self, pairs: Pairs, *, beam_size: int = 1, alternatives: bool = False,
        text_measures: TextMeasures | None = None, resamples: int = RESAMPLES,
        listen: Callable[[int, int], None] | None = None,
    ) -> Evaluation:  # fmt: skip
        """Predict the sources and compare with the targets.

        Args:
            pairs: A file, or (source, target[, tags]). Further columns of a file
                hold targets that are right as well.
            beam_size: As for `predict`.
            alternatives: Whether pairs of the same source (and tags) are
                alternatives: one source, any of whose targets is right.
            text_measures: Which measures of whole texts are wanted, if any.
            resamples: How often pairs are drawn anew for the intervals.
            listen: Is told how many are done, and of how many.
        """
        read = self.pairs(pairs, with_others=True)
        asked = with_alternatives(read) if alternatives else read
        found = (
            self.writer.text(one, hypotheses[0])
            for one, hypotheses in self._found(asked, beam_size, 1)
        )
        scored: list[Scored] = []
        for pair, text in zip(asked, found, strict=True):
            scored.append(scored_of(pair, text, self.reader.target))
            if listen is not None:
                listen(len(scored), len(asked))
        side, is_any = self.settings.text.target, alternatives or any(pair.others for pair in read)
        signature = (
            f"regard {VERSION} | beam {beam_size} | target symbols {side.symbols} | normalize "
            f"{side.normalize} | pairs {len(asked)}{' | any alternative' if is_any else ''}"
        )
        return evaluate(scored, signature, resamples=resamples, text_measures=text_measures)

    def look_up(self, pair: Pair, step: int) -> LookedUp:
        """The numbers of one step of writing a given target.

        Args:
            pair: The source and the target.
            step: Which target symbol, from one; one more is the end symbol.

        Raises:
            SettingsError: The model never looks back, or there is no such step.
        """
        one, target = self.reader.read(pair), [*self.reader.target_tokens(pair), END]
        if not 1 <= step <= len(target):
            raise SettingsError(f"step {step}: expected 1 to {len(target)}, the end symbol.")
        source, labels = self.reader.batch([one], self._device), source_labels(one)
        return looked_up(self.saved, source, target[:step], labels)

    def check(self, pairs: Iterable[Pair]) -> None:
        """Refuse pairs that could not be scored: at the door, not in the middle of the work.

        Raises:
            DataError: A side is too long, or tags do not fit the task.
            VocabularyError: A symbol was never seen and the policy is `error`.
        """
        for pair in pairs:
            self.reader.read(pair)
            self.reader.target_tokens(pair)

    def pairs(self, pairs: Pairs, *, with_others: bool = False) -> list[Pair]:
        """Pairs from a file that is laid out as the training file was, or from a program.

        Args:
            pairs: Where they are.
            with_others: Whether further columns hold targets that are right as well.
        """
        layout = self.settings.text.layout()
        return pairs_given(pairs, layout.with_others() if with_others else layout)

    def forced(self, pairs: Sequence[Pair]) -> Iterator[Hypothesis]:
        """The given targets as hypotheses, in their order."""
        for start in range(0, len(pairs), CHUNK):
            chunk = pairs[start : start + CHUNK]
            read = [self.reader.read(pair) for pair in chunk]
            targets = [self.reader.target_tokens(pair) for pair in chunk]
            maker = self.reader.maker(read, targets)
            lengths = [len(one.tokens) + len(target)
                       for one, target in zip(read, targets, strict=True)]  # fmt: skip
            found: dict[int, Hypothesis] = {}
            for rows in batches_of(lengths):
                batch = maker.batch(np.array(rows)).to(self._device)
                with torch.no_grad():
                    encoding = self.model.encode(batch.source)
                hypotheses = forced(
                    self.model.decoder, encoding, batch.inputs, batch.target, batch.mask
                )
                for row, hypothesis in zip(rows, hypotheses, strict=True):
                    found[row] = cropped(hypothesis, read[row], batch.source.tokens.shape[1])
            yield from (found[row] for row in range(len(chunk)))

    def alignment_of(self, pair: Pair, hypothesis: Hypothesis) -> Alignment | None:
        """The alignment of a given target, labelled in the user's own characters."""
        return self.writer.forced(self.reader.read(pair), pair.target, hypothesis)

    def _found(
        self, sources: Iterable[Pair], beam_size: int, n_best: int
    ) -> Iterator[tuple[Asked, list[Hypothesis]]]:
        sources = iter(sources)
        while chunk := [self.reader.read(pair) for pair in islice(sources, CHUNK)]:
            found: dict[int, list[Hypothesis]] = {}
            for rows in batches_of([len(one.tokens) for one in chunk]):
                batch = [chunk[row] for row in rows]
                found |= zip(rows, self._search(batch, beam_size, n_best), strict=True)
            yield from ((one, found[row]) for row, one in enumerate(chunk))

    def _search(self, batch: list[Asked], beam_size: int, n_best: int) -> list[list[Hypothesis]]:
        limits = torch.tensor([self.reader.limit(one) for one in batch], device=self._device)
        with torch.no_grad():
            source = self.reader.batch(batch, self._device)
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
        if self.settings.text.target.symbols != "subwords":
            return found
        return [self._recut(one, each) for one, each in zip(batch, found, strict=True)]

    def _recut(self, asked: Asked, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
        # A string may be written in other pieces than it is cut into: it is told of as cut, so
        # that forcing it gives the same.
        texts = [self.writer.text(asked, hypothesis) for hypothesis in hypotheses]
        cuts = [self.reader.target_tokens(Pair("", text)) for text in texts]
        others = [index for index, (cut, one) in enumerate(zip(cuts, hypotheses, strict=True))
                  if [*cut, END] != list(one.tokens)]  # fmt: skip
        pairs = [Pair(asked.source, texts[index], asked.tags) for index in others]
        for index, forced_one in zip(others, self.forced(pairs), strict=True):
            hypotheses[index] = replace(forced_one, is_complete=hypotheses[index].is_complete)
        return sorted(hypotheses, key=lambda one: -one.log_prob / len(one.tokens))
