"""From pairs and settings to all that a training needs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from regard.errors import SettingsError
from regard.model import Vocabularies
from regard.text import BatchMaker, Corpus, Pair, Tokens
from regard.training.choices import (
    HEAD,
    Cut,
    choose_pieces,
    choose_sizes,
    choose_symbols,
    learn_cut,
    survey,
)
from regard.training.config import RunSettings
from regard.training.guide import guide_of
from regard.training.sources import Split


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
    """

    settings: RunSettings
    vocabularies: Vocabularies
    train_pairs: int
    dev_pairs: int
    parameters: int
    doubts: str = ""


@dataclass(frozen=True)
class Prepared:
    """Data and settings, ready for training.

    Attributes:
        settings: All settings, none left open.
        vocabularies: The symbols.
        maker: Cuts batches out of the training data.
        data: A checksum of the training data.
    """

    settings: RunSettings
    vocabularies: Vocabularies
    maker: BatchMaker
    data: str

    @property
    def pairs(self) -> int:
        """How many pairs are trained on."""
        return len(self.maker.corpus)


def prepare(parts: Split, settings: RunSettings, *, is_settled: bool) -> Prepared:
    """Read the data once or twice, and settle what is open.

    Args:
        parts: What is trained on, and what judges it.
        settings: What was asked for.
        is_settled: Whether nothing is open any more.
    """
    if not is_settled:
        settings = choose_symbols(settings, parts.train.head(HEAD))
        settings = choose_pieces(settings, parts.train.again)
    cut = learn_cut(settings, parts.train.again)
    found = survey(settings, cut, parts.train.again(), parts.train.name)
    if not is_settled:
        settings = choose_sizes(settings, found)
    known = found.vocabularies()
    sides = (known.source, known.target, known.tags or ())
    ids = max(len(side) for side in sides)
    corpus = Corpus.of(encoded(cut, known, parts.train.again()), ids)
    maker = BatchMaker.of(corpus, known.source, known.target, known.tags)
    if settings.training.guided:
        if settings.decoder.attention == "none":
            raise SettingsError("training.guided: a decoder that never looks back has no guide.")
        maker = replace(maker, links=guide_of(corpus, settings.training.guide))
    return Prepared(settings, known, maker, found.fingerprint)


def encoded(cut: Cut, known: Vocabularies, pairs: Iterable[Pair]) -> Iterator[Tokens]:
    """Pairs as ids, one at a time."""
    for pair in pairs:
        yield Tokens(
            known.source.encode(cut.source.texts(pair.source)),
            known.target.encode(cut.target.texts(pair.target)),
            [] if known.tags is None else known.tags.encode(pair.tags),
        )
