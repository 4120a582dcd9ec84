"""From pairs and settings to all that a training needs."""

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import regex

from regard.errors import SettingsError
from regard.model import Vocabularies
from regard.text import HEAD, BatchMaker, Corpus, TokenStore, Vocabulary, checksum_of, taking_in
from regard.training.choices import (
    Cut,
    Survey,
    choose_pieces,
    choose_sizes,
    choose_symbols,
    learn_cut,
    survey,
)
from regard.training.config import RunSettings
from regard.training.guide import guide_of
from regard.training.sources import PairStream, Split
from regard.version import VERSION

LARGE = 64 * 2**20
"""So many bytes of tokens lie in memory; more lie on disk, if there is a place."""


@dataclass(frozen=True)
class Chosen:
    """What a run was found to be, before it begins.

    Attributes:
        settings: All settings, none left open.
        vocabularies: The symbols.
        train_pairs: How many pairs are trained on.
        dev_pairs: How many judge it.
        parameters: How many numbers are learnt.
        doubts: What is doubtful about the data; empty if nothing is.
        store: Where on disk the tokens lie; None if in memory.
        at_once: How many models train at the same time.
    """

    settings: RunSettings
    vocabularies: Vocabularies
    train_pairs: int
    dev_pairs: int
    parameters: int
    doubts: str = ""
    store: Path | None = None
    at_once: int = 1


@dataclass(frozen=True)
class Prepared:
    """Data and settings, ready for training.

    Attributes:
        settings: All settings, none left open.
        vocabularies: The symbols.
        maker: Cuts batches out of the training data.
        data: A checksum of the training data.
        store: Where on disk the tokens lie; None if in memory.
    """

    settings: RunSettings
    vocabularies: Vocabularies
    maker: BatchMaker
    data: str
    store: Path | None = None

    @property
    def pairs(self) -> int:
        """How many pairs are trained on."""
        return len(self.maker.corpus)


def prepare(
    parts: Split, settings: RunSettings, *, is_settled: bool, beside: Path | None = None
) -> Prepared:
    """Read the data, and settle what is open.

    Args:
        parts: What is trained on, and what judges it.
        settings: What was asked for.
        is_settled: Whether nothing is open any more.
        beside: The model folder, beside which tokens may lie.
    """
    if not is_settled:
        settings = choose_symbols(settings, parts.train.head(HEAD))
        settings = choose_pieces(settings, parts.train.again)
    cut = learn_cut(settings, parts.train.again)
    found, corpus, place = _read(parts.train, settings, cut, _store(parts, settings, cut, beside))
    if not is_settled:
        settings = choose_sizes(settings, found)
    known = found.vocabularies()
    maker = BatchMaker.of(corpus, known.source, known.target, known.tags)
    if settings.training.guided:
        if settings.decoder.attention == "none":
            raise SettingsError("training.guided: a decoder that never looks back has no guide.")
        maker = replace(maker, links=guide_of(corpus, settings.training.guide))
    return Prepared(settings, known, maker, found.fingerprint, place)


class _Read(NamedTuple):
    found: Survey
    corpus: Corpus
    place: Path | None


def _read(pairs: PairStream, settings: RunSettings, cut: Cut, store: TokenStore | None) -> _Read:
    """What the data is, and its tokens: as they were kept, or taken in now."""
    stored = None if store is None else store.load()
    if store is not None and stored is not None:
        return _Read(Survey.from_table(stored.about), stored.corpus, store.folder)
    with taking_in(store, 0 if settings.training.store == "disk" else LARGE) as intake:
        found = survey(settings, cut, pairs.again(), pairs.name, intake.add)
        known = found.vocabularies()
        tags = Vocabulary.of([]) if known.tags is None else known.tags
        encode = known.source.encode, known.target.encode, tags.encode
        intake.flush()
        if store is None or intake.folder is None:
            return _Read(found, intake.corpus(encode), None)
        return _Read(found, store.keep(intake.parts(encode), found.to_table()), store.folder)


def _store(parts: Split, settings: RunSettings, cut: Cut, beside: Path | None) -> TokenStore | None:
    """Where tokens may lie on disk; it is known by all that they are made of."""
    asked, files = settings.training.store, parts.train.files
    if asked == "disk" and (beside is None or not files):
        raise SettingsError(
            "training.store is 'disk': expected files of pairs, and a model folder to keep "
            "tokens beside."
        )
    if asked == "memory" or beside is None or not files:
        return None
    pieces = [sorted(side.pieces.known) for side in (cut.source, cut.target) if side.pieces]
    made_of = [
        VERSION,
        regex.__version__,
        settings.text.to_table(),
        pieces,
        parts.limit,
        [checksum_of(path) for path in files],
    ]
    key = hashlib.sha256(json.dumps(made_of).encode()).hexdigest()
    return TokenStore(beside.parent / f"{beside.name}.tokens", key)
