"""From hypotheses to the user's strings, with every symbol labelled where it stands."""

from dataclasses import replace
from functools import partial

import numpy as np
from jaxtyping import Float32

from regard.alignment import Alignment, Label
from regard.model import ModelSettings, Vocabularies
from regard.predictor.prediction import Candidate, Prediction, Unseen
from regard.predictor.reader import ReadSource
from regard.search import Hypothesis
from regard.text import END, UNKNOWN, Segmenter, Symbol, normalized

_REPLACEMENT = "\ufffd"


class Writer:
    """Writes predictions and their alignments.

    Args:
        settings: What the model is made of.
        vocabularies: Its symbols.
        look: Which look of the model the alignment is; None if it never looks back.
    """

    def __init__(
        self, settings: ModelSettings, vocabularies: Vocabularies, look: str | None
    ) -> None:
        self.unseen = settings.text.unseen
        self.target = settings.text.target.segmenter(vocabularies.target.symbols)
        self.vocabulary = vocabularies.target
        self.look = look

    def prediction(
        self, asked: ReadSource, hypotheses: list[Hypothesis], n_best: int
    ) -> Prediction:
        """The best hypotheses, those that read alike counted once."""
        candidates: dict[str, Candidate] = {}
        for hypothesis in hypotheses:
            candidate = self._candidate(asked, hypothesis)
            candidates.setdefault(candidate.text, candidate)
        return Prediction(asked.source, tuple(candidates.values())[:n_best], _unseen(asked))

    def forced(self, asked: ReadSource, target: str, hypothesis: Hypothesis) -> Alignment | None:
        """The alignment of a given target."""
        if hypothesis.weights is None or self.look is None:
            return None
        labels = tuple(
            _content(symbol, target, self.target) for symbol in self.target.split(target)
        )
        return _alignment(asked, labels, len(target), hypothesis.weights, self.look)

    def alignment(self, asked: ReadSource, hypothesis: Hypothesis) -> Alignment | None:
        """The alignment of what a hypothesis writes."""
        texts = tuple(self._symbols(asked, hypothesis))
        return _drawn(asked, texts, hypothesis.weights, self.look, self.target)

    def text(self, asked: ReadSource, hypothesis: Hypothesis) -> str:
        """The string that a hypothesis writes."""
        return self.target.join(self._symbols(asked, hypothesis))

    def _candidate(self, asked: ReadSource, hypothesis: Hypothesis) -> Candidate:
        texts = self._symbols(asked, hypothesis)
        text, weights, look = self.target.join(texts), hypothesis.weights, self.look

        draw = partial(_drawn, asked, tuple(texts), weights, look, self.target)
        return Candidate(text, hypothesis.log_prob, hypothesis.is_complete, draw)

    def _symbols(self, asked: ReadSource, hypothesis: Hypothesis) -> list[str]:
        tokens = hypothesis.tokens[:-1] if hypothesis.tokens[-1] == END else hypothesis.tokens
        texts = self.vocabulary.decode(tokens)
        if UNKNOWN in tokens:
            for place, token in enumerate(tokens):
                if token == UNKNOWN:
                    texts[place] = self._stand_in(asked, hypothesis, place)
        return texts

    def _stand_in(self, asked: ReadSource, hypothesis: Hypothesis, place: int) -> str:
        # Where the model writes "unknown": the unseen symbol that it looks at.
        unseen = np.array(asked.tokens) == UNKNOWN
        if self.unseen != "copy" or hypothesis.weights is None or not unseen.any():
            return _REPLACEMENT
        row = np.where(unseen, hypothesis.weights[place, : len(asked.tokens)], -1)
        return asked.symbols[int(row.argmax())].text


def _drawn(
    asked: ReadSource,
    texts: tuple[str, ...],
    weights: Float32[np.ndarray, "target source"] | None,
    look: str | None,
    segmenter: Segmenter,
) -> Alignment | None:
    if weights is None or look is None:
        return None
    labels, length = _written(list(texts), segmenter), len(segmenter.join(list(texts)))
    return _alignment(asked, labels, length, weights, look)


def _alignment(
    asked: ReadSource,
    labels: tuple[Label, ...],
    length: int,
    weights: Float32[np.ndarray, "target source"],
    look: str,
) -> Alignment:
    target = (*labels, Label("", length, length, "end"))
    return Alignment(source_labels(asked), target, weights, look)


def source_labels(asked: ReadSource) -> tuple[Label, ...]:
    """The columns of an alignment: symbols, the end, tags."""
    end = len(asked.source)
    return (
        *(_content(symbol, asked.source, asked.segmenter) for symbol in asked.symbols),
        Label("", end, end, "end"),
        *(Label(tag, end, end, "tag") for tag in asked.tags),
    )


def cropped(hypothesis: Hypothesis, asked: ReadSource, width: int) -> Hypothesis:
    """A hypothesis without the padding of its batch.

    Args:
        hypothesis: Its columns are symbols and end, padded to the width, then
            tags, padded too.
        asked: Its source.
        width: Of the batch's symbols.
    """
    if hypothesis.weights is None:
        return hypothesis
    kept = [*range(len(asked.tokens) + 1), *range(width, width + len(asked.tag_tokens))]
    return replace(hypothesis, weights=np.ascontiguousarray(hypothesis.weights[:, kept]))


def _unseen(asked: ReadSource) -> tuple[Unseen, ...]:
    if UNKNOWN not in asked.tokens and UNKNOWN not in asked.tag_tokens:
        return ()
    symbols = [
        Unseen(asked.segmenter.shown(symbol.text), symbol.start, symbol.end)
        for symbol, token in zip(asked.symbols, asked.tokens, strict=True)
        if token == UNKNOWN
    ]
    tags = [
        Unseen(tag, None, None)
        for tag, token in zip(asked.tags, asked.tag_tokens, strict=True)
        if token == UNKNOWN
    ]
    return (*symbols, *tags)


def _content(symbol: Symbol, text: str, segmenter: Segmenter) -> Label:
    # The user's own characters; where several symbols share them, the symbol says which it is.
    own, shown = text[symbol.start : symbol.end], segmenter.shown(symbol.text)
    is_whole = normalized(own, "nfc") == normalized(shown, "nfc")
    return Label(own if is_whole else shown, symbol.start, symbol.end)


def _written(texts: list[str], segmenter: Segmenter) -> tuple[Label, ...]:
    """Labels of symbols that were just joined, with their places in the text."""
    return tuple(
        Label(segmenter.shown(symbol.text), symbol.start, symbol.end)
        for symbol in segmenter.place(texts)
    )
