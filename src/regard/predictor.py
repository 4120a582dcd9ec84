"""Text in; text, log-probability and alignment out, in the order asked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import overload

import numpy as np
import torch
from jaxtyping import Float

from regard.alignment import Alignment, Label
from regard.errors import DataError, SettingsError, VocabularyError
from regard.evaluation import RESAMPLES, Evaluation, Scored, evaluate
from regard.model import ModelSettings, Saved, load_model, save_model
from regard.precision import device_of
from regard.search import Hypothesis, beam, forced, greedy
from regard.text import (
    END,
    START,
    UNKNOWN,
    BatchMaker,
    Corpus,
    Pair,
    Parallel,
    Segmenter,
    Source,
    Symbol,
    Tokens,
    pairs_of,
    read_pairs,
    read_parallel,
    source_of,
    tags_of,
)
from regard.version import VERSION

CHUNK = 2048
_BATCH_SYMBOLS = 8192
_MARGIN = 10
_REPLACEMENT = "\ufffd"

Given = str | tuple[str, str] | Pair
"""A source; with a task that has tags, (source, tags)."""

Pairs = str | Path | Parallel | Iterable[object]
"""A file of pairs, two parallel files, or (source, target[, tags]) rows."""


@dataclass(frozen=True)
class Unseen:
    """A symbol that training never saw.

    Attributes:
        symbol: The symbol, or a tag.
        start: Where it begins in the source; None for a tag.
        end: One past its last character; None for a tag.
    """

    symbol: str
    start: int | None
    end: int | None


@dataclass(frozen=True)
class Candidate:
    """One way to write the target.

    Attributes:
        text: The target.
        log_prob: The sum of its symbols' log-probabilities.
        alignment: Where the decoder looked; None if the model never looks back.
        is_complete: False where the length limit ended it.
    """

    text: str
    log_prob: float
    alignment: Alignment | None
    is_complete: bool


@dataclass(frozen=True)
class Prediction:
    """What a model makes of a source.

    Attributes:
        source: The source, as it was given.
        candidates: The best targets, best first, all different; more than one
            with `n_best`.
        unseen: The source's symbols that training never saw.
    """

    source: str
    candidates: tuple[Candidate, ...]
    unseen: tuple[Unseen, ...] = ()

    @property
    def text(self) -> str:
        """The best target."""
        return self.candidates[0].text

    @property
    def log_prob(self) -> float:
        """The sum of the log-probabilities of its symbols, the end symbol included."""
        return self.candidates[0].log_prob

    @property
    def alignment(self) -> Alignment | None:
        """Where the decoder looked while writing it; None if it never looks back."""
        return self.candidates[0].alignment

    @property
    def is_complete(self) -> bool:
        """False where the length limit ended it."""
        return self.candidates[0].is_complete


@dataclass(frozen=True)
class LookedUp:
    """One step in numbers: score, normalise, mix, write.

    Attributes:
        source: The positions' labels.
        mask: Which of them may be looked at.
        scores: Before normalising, a row a head.
        weights: After normalising; the mean of the heads.
        context: The mixture of the values.
        written: The symbol that was written.
        likeliest: The likeliest next symbols and their probabilities.
    """

    source: tuple[Label, ...]
    mask: tuple[bool, ...]
    scores: Float[np.ndarray, "looks source"]
    weights: Float[np.ndarray, " source"]
    context: Float[np.ndarray, " context"]
    written: str
    likeliest: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class _Read:
    """A source cut into symbols, and its ids."""

    source: str
    symbols: tuple[Symbol, ...]
    tokens: list[int]
    tags: tuple[str, ...]
    tag_tokens: list[int]


class Predictor:
    """A model with its vocabularies: strings in, strings and alignments out.

    Args:
        saved: The contents of a model folder.
    """

    def __init__(self, saved: Saved) -> None:
        self.saved = saved
        self.model = saved.model.eval()
        text = saved.settings.text
        self._source, self._target = text.source.segmenter(), text.target.segmenter()
        self._vocabularies = saved.vocabularies

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
        return self._vocabularies.tags is not None

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
        given = (replace_tags(self._given(one), tags) for one in sources)
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
        sources = iter(sources)
        while chunk := [self._read(pair) for pair in islice(sources, CHUNK)]:
            predictions: dict[int, Prediction] = {}
            for rows in _batches([len(one.tokens) for one in chunk]):
                batch = [chunk[row] for row in rows]
                found = self._search(batch, beam_size, n_best)
                for row, one, hypotheses in zip(rows, batch, found, strict=True):
                    predictions[row] = self._prediction(one, hypotheses, n_best)
            yield from (predictions[row] for row in range(len(chunk)))

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
        self, pairs: Pairs, *, beam_size: int = 1,
        resamples: int = RESAMPLES,
    ) -> Evaluation:  # fmt: skip
        """Predict the sources and compare with the targets.

        Args:
            pairs: A file, or (source, target[, tags]).
            beam_size: As for `predict`.
            resamples: How often pairs are drawn anew for the intervals.
        """
        read = self.pairs(pairs)
        scored = [
            Scored(
                pair.source,
                tuple(self._target.texts(prediction.text)),
                tuple(self._target.texts(pair.target)),
            )
            for pair, prediction in zip(read, self.stream(read, beam_size=beam_size), strict=True)
        ]
        side = self.settings.text.target
        signature = (
            f"regard {VERSION} | beam {beam_size} | target symbols {side.symbols} | "
            f"normalize {side.normalize} | pairs {len(read)}"
        )
        return evaluate(scored, signature, resamples=resamples)

    @torch.no_grad()
    def look_up(self, pair: Pair, step: int) -> LookedUp:
        """The numbers of one step of writing a given target.

        Args:
            pair: The source and the target.
            step: Which target symbol, from one; one more is the end symbol.

        Raises:
            SettingsError: The model never looks back, or there is no such step.
        """
        one, target = self._read(pair), [*self._target_tokens(pair), END]
        decoder = self.model.decoder
        if decoder.alignment is None:
            raise SettingsError("this model never looks back: it has no look to show.")
        if not 1 <= step <= len(target):
            raise SettingsError(f"step {step}: expected 1 to {len(target)}, the end symbol.")
        state = decoder.start(self.model.encode(self._source_of([one])))
        before, inputs = state, [START, *target]
        taken = None
        for token in inputs[:step]:
            before = taken.state if taken else state
            taken = decoder.step(torch.tensor([token], device=self._device), before)
        assert taken is not None
        scores, weights = decoder.scores(taken.hidden, before), taken.weights
        assert scores is not None
        assert weights is not None
        chances, tokens = taken.logits[0].softmax(-1).topk(min(5, taken.logits.shape[-1]))
        known = self._vocabularies.target
        return LookedUp(
            self._source_labels(one), (True,) * scores.shape[-1], scores[0].cpu().numpy(),
            weights[0].cpu().numpy(), taken.context[0].cpu().numpy(),
            known.decode([target[step - 1]])[0],
            tuple(zip(known.decode(tokens.tolist()), chances.tolist(), strict=True)),
        )  # fmt: skip

    def pairs(self, pairs: Pairs) -> list[Pair]:
        """Pairs from a file that is laid out as the training file was, or from a program."""
        if isinstance(pairs, Parallel):
            return list(read_parallel(pairs.source, pairs.target))
        if isinstance(pairs, str | Path):
            return list(read_pairs(pairs, self.settings.text.layout()))
        return pairs_of(pairs)

    def forced(self, pairs: Sequence[Pair]) -> Iterator[Hypothesis]:
        """The given targets as hypotheses, in their order."""
        for start in range(0, len(pairs), CHUNK):
            chunk = pairs[start : start + CHUNK]
            read = [self._read(pair) for pair in chunk]
            targets = [self._target_tokens(pair) for pair in chunk]
            corpus = Corpus.of(
                Tokens(one.tokens, target, one.tag_tokens)
                for one, target in zip(read, targets, strict=True)
            )
            known = self._vocabularies
            maker = BatchMaker.of(corpus, known.source, known.target, known.tags)
            lengths = [len(one.tokens) + len(target)
                       for one, target in zip(read, targets, strict=True)]  # fmt: skip
            found: dict[int, Hypothesis] = {}
            for rows in _batches(lengths):
                batch = maker.batch(np.array(rows)).to(self._device)
                with torch.no_grad():
                    encoding = self.model.encode(batch.source)
                hypotheses = forced(
                    self.model.decoder, encoding, batch.inputs, batch.target, batch.mask
                )
                for row, hypothesis in zip(rows, hypotheses, strict=True):
                    found[row] = self._cropped(hypothesis, read[row], batch.source.tokens.shape[1])
            yield from (found[row] for row in range(len(chunk)))

    def alignment_of(self, pair: Pair, hypothesis: Hypothesis) -> Alignment | None:
        """The alignment of a given target, labelled in the user's own characters."""
        symbols = self._target.split(pair.target)
        labels = tuple(_content(symbol, pair.target) for symbol in symbols)
        return self._alignment(self._read(pair), labels, len(pair.target), hypothesis)

    def _given(self, given: Given) -> Pair:
        if isinstance(given, Pair):
            return given
        if isinstance(given, str):
            return Pair(given, "")
        return Pair(given[0], "", tags_of(given[1]))

    def _read(self, pair: Pair) -> _Read:
        symbols = tuple(self._source.split(pair.source))
        if not symbols:
            raise _refusal(pair, "expected a source, found an empty string.")
        self._refuse_long("source", len(symbols), pair)
        tokens = self._vocabularies.source.encode([symbol.text for symbol in symbols])
        tag_tokens = self._tag_tokens(pair)
        if self.settings.text.unseen == "error" and UNKNOWN in tokens + tag_tokens:
            symbol = symbols[tokens.index(UNKNOWN)] if UNKNOWN in tokens else None
            what = f"symbol {symbol.text!r} at place {symbol.start}" if symbol else "a tag"
            place = f"{pair.file}, line {pair.line}: " if pair.line else ""
            raise VocabularyError(
                f"{place}source {pair.source!r}: {what} was never seen in training."
            )
        return _Read(pair.source, symbols, tokens, pair.tags, tag_tokens)

    def _tag_tokens(self, pair: Pair) -> list[int]:
        vocabulary = self._vocabularies.tags
        if vocabulary is None:
            if pair.tags:
                raise _refusal(pair, "found tags, but this model was trained without.")
            return []
        if not pair.tags:
            raise _refusal(pair, "expected tags beside the source, found none.")
        return vocabulary.encode(pair.tags)

    def _target_tokens(self, pair: Pair) -> list[int]:
        texts = self._target.texts(pair.target)
        self._refuse_long("target", len(texts), pair)
        return self._vocabularies.target.encode(texts)

    def _refuse_long(self, side: str, length: int, pair: Pair) -> None:
        longest = self.settings.text.longest
        if length > longest:
            raise _refusal(
                pair,
                f"expected a {side} of at most {longest} symbols, found {length}. The limit is "
                "text.longest, set when the model is trained.",
            )

    def _search(self, batch: list[_Read], beam_size: int, n_best: int) -> list[list[Hypothesis]]:
        limits = torch.tensor([self._limit(one) for one in batch], device=self._device)
        with torch.no_grad():
            source = self._source_of(batch)
            encoding = self.model.encode(source)
        # Only where something is unseen may the unknown symbol be written.
        unseen = (source.tokens == UNKNOWN).any(1)
        size = max(beam_size, n_best)
        if size == 1:
            found = [[one] for one in greedy(self.model.decoder, encoding, limits, unseen)]
        else:
            found = beam(self.model.decoder, encoding, limits, unseen, size=size)
        width = source.tokens.shape[1]
        return [
            [self._cropped(hypothesis, one, width) for hypothesis in hypotheses]
            for one, hypotheses in zip(batch, found, strict=True)
        ]

    def _source_of(self, batch: list[_Read]) -> Source:
        corpus = Corpus.of(Tokens(one.tokens, [], one.tag_tokens) for one in batch)
        rows = np.arange(len(batch))
        tokens, tags = corpus.source.padded(rows), corpus.tags.padded(rows)
        return source_of(tokens, tags).to(self._device)

    def _limit(self, one: _Read) -> int:
        return int(np.ceil(len(one.tokens) * self.settings.length_ratio)) + _MARGIN

    def _cropped(self, hypothesis: Hypothesis, one: _Read, width: int) -> Hypothesis:
        # The columns of a batch: symbols and end, padded to the width; then tags, padded too.
        if hypothesis.weights is None:
            return hypothesis
        kept = [*range(len(one.tokens) + 1), *range(width, width + len(one.tag_tokens))]
        return replace(hypothesis, weights=np.ascontiguousarray(hypothesis.weights[:, kept]))

    def _prediction(self, one: _Read, hypotheses: list[Hypothesis], n_best: int) -> Prediction:
        candidates: dict[str, Candidate] = {}
        for hypothesis in hypotheses:
            candidate = self._candidate(one, hypothesis)
            candidates.setdefault(candidate.text, candidate)
        return Prediction(one.source, tuple(candidates.values())[:n_best], self._unseen(one))

    def _candidate(self, one: _Read, hypothesis: Hypothesis) -> Candidate:
        tokens = hypothesis.tokens[:-1] if hypothesis.tokens[-1] == END else hypothesis.tokens
        texts = self._vocabularies.target.decode(tokens)
        for place, token in enumerate(tokens):
            if token == UNKNOWN:
                texts[place] = self._stand_in(one, hypothesis, place)
        text = self._target.join(texts)
        labels = _written(texts, text, self._target)
        alignment = self._alignment(one, labels, len(text), hypothesis)
        return Candidate(text, hypothesis.log_prob, alignment, hypothesis.is_complete)

    def _stand_in(self, one: _Read, hypothesis: Hypothesis, place: int) -> str:
        # Where the model writes "unknown": the symbol it looks at, an unseen one if there is any.
        if self.settings.text.unseen != "copy" or hypothesis.weights is None:
            return _REPLACEMENT
        row = hypothesis.weights[place, : len(one.tokens)]
        unseen = np.array(one.tokens) == UNKNOWN
        row = np.where(unseen, row + 1, row) if unseen.any() else row
        return one.symbols[int(row.argmax())].text

    def _unseen(self, one: _Read) -> tuple[Unseen, ...]:
        symbols = [Unseen(symbol.text, symbol.start, symbol.end)
                   for symbol, token in zip(one.symbols, one.tokens, strict=True)
                   if token == UNKNOWN]  # fmt: skip
        tags = [Unseen(tag, None, None)
                for tag, token in zip(one.tags, one.tag_tokens, strict=True)
                if token == UNKNOWN]  # fmt: skip
        return (*symbols, *tags)

    def _alignment(
        self, one: _Read, labels: tuple[Label, ...], length: int, hypothesis: Hypothesis
    ) -> Alignment | None:
        if hypothesis.weights is None:
            return None
        target = (*labels, Label("", length, length, "end"))
        return Alignment(
            self._source_labels(one), target, hypothesis.weights, self.model.decoder.alignment or ""
        )

    def _source_labels(self, one: _Read) -> tuple[Label, ...]:
        end = len(one.source)
        return (
            *(_content(symbol, one.source) for symbol in one.symbols),
            Label("", end, end, "end"),
            *(Label(tag, end, end, "tag") for tag in one.tags),
        )


def load(folder: str | Path, device: str = "cpu") -> Predictor:
    """Read a model folder. See `Predictor.load`."""
    return Predictor.load(folder, device)


def replace_tags(pair: Pair, tags: str | None) -> Pair:
    """The pair with other tags, if any are given."""
    return pair if tags is None else replace(pair, tags=tags_of(tags))


def _refusal(pair: Pair, message: str) -> DataError:
    return DataError(message, pair.file or None, pair.line or None)


def _content(symbol: Symbol, text: str) -> Label:
    return Label(text[symbol.start : symbol.end], symbol.start, symbol.end)


def _written(texts: list[str], text: str, segmenter: Segmenter) -> tuple[Label, ...]:
    """Labels of symbols that were just joined, with their places in the text."""
    labels: list[Label] = []
    if "".join(texts) == text or " ".join(texts) == text:
        gap = 1 if segmenter.kind == "words" else 0
        start = 0
        for piece in texts:
            labels.append(Label(piece, start, start + len(piece)))
            start += len(piece) + gap
        return tuple(labels)
    # The output form composed symbols anew: each is placed where its own text ends.
    end = 0
    for count, piece in enumerate(texts, 1):
        start, end = end, max(end, len(segmenter.join(texts[:count])))
        labels.append(Label(piece, min(start, end), end))
    return tuple(labels)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows of similar length together, as many as a batch may hold."""
    order = sorted(range(len(lengths)), key=lambda row: (lengths[row], row))
    start = 0
    for place in range(1, len(order) + 1):
        is_full = (
            place == len(order) or (place + 1 - start) * lengths[order[place]] > _BATCH_SYMBOLS
        )
        if is_full:
            yield order[start:place]
            start = place
