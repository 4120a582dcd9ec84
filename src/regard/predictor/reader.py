"""From a user's strings to what an encoder reads, or a refusal with its place."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

from regard.errors import DataError, VocabularyError
from regard.model import ModelSettings, Vocabularies
from regard.text import (
    UNKNOWN,
    BatchMaker,
    Columns,
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
    told_of,
)

Given = str | tuple[str, str] | Pair
"""A source; with a task that has tags, (source, tags)."""

Pairs = str | Path | Parallel | Iterable[object]
"""A file of pairs, two parallel files, or (source, target[, tags]) rows."""

_BATCH_SYMBOLS = 8192


@dataclass(frozen=True)
class ReadSource:
    """A source cut into symbols, and its ids.

    Attributes:
        source: The string.
        tokens: The ids of its symbols.
        tags: Its tags, as the model was taught to read them.
        tag_tokens: Their ids.
        segmenter: What it was cut by.
    """

    source: str
    tokens: list[int]
    tags: tuple[str, ...]
    tag_tokens: list[int]
    segmenter: Segmenter

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Its symbols, with their spans."""
        return tuple(self.segmenter.split(self.source))


class Reader:
    """Cuts strings as the model's settings say.

    Args:
        settings: What the model is made of.
        vocabularies: Its symbols.
    """

    def __init__(self, settings: ModelSettings, vocabularies: Vocabularies) -> None:
        self.settings = settings
        self.vocabularies = vocabularies
        self.source = settings.text.source.segmenter(vocabularies.source.symbols)
        self.target = settings.text.target.segmenter(vocabularies.target.symbols)

    def read(self, pair: Pair) -> ReadSource:
        """Cut a source, and look its symbols up.

        What is wrong with this source alone is refused with a reason in a few words
        as well; tags where there should be none are a matter of the whole file.

        Raises:
            DataError: It is empty or too long, or its tags do not fit the task.
            VocabularyError: A symbol was never seen and the policy is `error`.
        """
        texts = self.source.texts(pair.source)
        if not texts:
            raise _refusal(pair, "expected a source, found an empty string.", "blank")
        self._refuse_long("source", len(texts), pair)
        tokens = self.vocabularies.source.encode(texts)
        tags = self._tags(pair)
        tag_tokens = self._tag_tokens(tags)
        asked = ReadSource(pair.source, tokens, tags, tag_tokens, self.source)
        if self.settings.text.unseen == "error" and UNKNOWN in tokens + tag_tokens:
            raise _unseen(pair, asked)
        return asked

    def target_tokens(self, pair: Pair) -> list[int]:
        """The ids of a target.

        Raises:
            DataError: It is too long.
        """
        texts = self.target.texts(pair.target)
        self._refuse_long("target", len(texts), pair)
        return self.vocabularies.target.encode(texts)

    def batch(self, asked: list[ReadSource], device: torch.device) -> Source:
        """Some sources, padded."""
        corpus = Corpus.of(Tokens(one.tokens, [], one.tag_tokens) for one in asked)
        rows = np.arange(len(asked))
        return source_of(corpus.source.padded(rows), corpus.tags.padded(rows)).to(device)

    def maker(self, asked: list[ReadSource], targets: list[list[int]]) -> BatchMaker:
        """Cuts batches of sources with their targets."""
        corpus = Corpus.of(
            Tokens(one.tokens, target, one.tag_tokens)
            for one, target in zip(asked, targets, strict=True)
        )
        known = self.vocabularies
        return BatchMaker.of(corpus, known.source, known.target, known.tags)

    def limit(self, asked: ReadSource) -> int:
        """How many symbols its target may have."""
        return self.settings.limit(len(asked.tokens))

    def unseen(self, pairs: Iterable[Pair]) -> dict[str, list[str]]:
        """The symbols of given sources and targets that training never saw, sorted."""
        known = self.vocabularies
        found: dict[str, set[str]] = {"source": set(), "target": set()}
        for pair in pairs:
            source, target = (self.source.texts(pair.source), self.target.texts(pair.target))
            found["source"] |= {
                self.source.shown(symbol) for symbol in source if symbol not in known.source
            }
            found["target"] |= {
                self.target.shown(symbol) for symbol in target if symbol not in known.target
            }
        return {side: sorted(symbols) for side, symbols in found.items()}

    def _tags(self, pair: Pair) -> tuple[str, ...]:
        vocabulary = self.vocabularies.tags
        if vocabulary is None:
            if pair.tags:
                raise _refusal(pair, "found tags, but this model was trained without.")
            return ()
        if not pair.tags:
            raise _refusal(pair, "expected tags beside the source, found none.", "no tags")
        return told_of(pair.tags, vocabulary.symbols)

    def _tag_tokens(self, tags: tuple[str, ...]) -> list[int]:
        vocabulary = self.vocabularies.tags
        return [] if vocabulary is None else vocabulary.encode(tags)

    def _refuse_long(self, side: str, length: int, pair: Pair) -> None:
        longest = self.settings.text.longest
        if length > longest:
            raise _refusal(
                pair,
                f"expected a {side} of at most {longest} symbols, found {length}. The limit is "
                "text.longest of this model, which --longest N or with_text(longest=N) replaces "
                "for one run.",
                f"longer than {longest} symbols",
            )


def pair_given(given: Given) -> Pair:
    """A source, or (source, tags), as a pair without a target."""
    if isinstance(given, Pair):
        return given
    if isinstance(given, str):
        return Pair(given, "")
    return Pair(given[0], "", tags_of(given[1]))


def pairs_given(pairs: Pairs, columns: Columns, *, needs_targets: bool = True) -> list[Pair]:
    """Pairs from a file, from two parallel ones, or from a program."""
    if isinstance(pairs, Parallel):
        return list(read_parallel(pairs.source, pairs.target))
    if isinstance(pairs, str | Path):
        return list(read_pairs(pairs, columns))
    return pairs_of(pairs, needs_targets=needs_targets)


def replace_tags(pair: Pair, tags: str | None) -> Pair:
    """The pair with other tags, if any are given."""
    return pair if tags is None else replace(pair, tags=tags_of(tags))


def batches_of(lengths: Sequence[int]) -> Iterator[list[int]]:
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


def _refusal(pair: Pair, message: str, reason: str | None = None) -> DataError:
    return DataError(message, pair.file or None, pair.line or None, reason=reason)


def _unseen(pair: Pair, asked: ReadSource) -> VocabularyError:
    what, reason = "a tag", "an unseen tag"
    if UNKNOWN in asked.tokens:
        symbol = asked.symbols[asked.tokens.index(UNKNOWN)]
        what = f"symbol {asked.segmenter.shown(symbol.text)!r} at place {symbol.start}"
        reason = f"unseen {what}"
    place = f"{pair.file}, line {pair.line}: " if pair.line else ""
    message = f"{place}source {pair.source!r}: {what} was never seen in training."
    return VocabularyError(message, reason=reason)
