"""What is chosen from the data: symbols, sizes, batch, epochs.

All that a person did not set is set here, before anything is built; it is
printed, and it is saved with the model.
"""

import hashlib
import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import TypeAdapter

from regard.errors import DataError, SettingsError
from regard.model import MARGIN, DecoderSettings, EncoderSettings, SideSettings, Vocabularies
from regard.settings import Settings, chosen
from regard.text import (
    TIE,
    Form,
    Pair,
    Segmenter,
    Vocabulary,
    learn_pieces,
    normalized,
    parts_of,
    segmenter_of,
)
from regard.training.config import RunSettings, TrainingSettings

Own = TypeVar("Own", bound=Settings)


def choose_symbols(settings: RunSettings, head: Sequence[Pair]) -> RunSettings:
    """Settle how both sides are cut, from the first pairs of the data."""
    text = settings.text
    source = _side(text.source, [pair.source for pair in head], "source")
    target = _side(text.target, [pair.target for pair in head], "target")
    text = text.model_copy(update={"source": source, "target": target})
    return settings.model_copy(update={"text": text})


def _side(side: SideSettings, lines: Sequence[str], name: str) -> SideSettings:
    usual = segmenter_of(lines, name)
    normalize = side.normalize or usual.normalize
    output = side.output or (_form(lines) if normalize != "none" else "none")
    settled = {"symbols": side.symbols or usual.kind, "normalize": normalize, "output": output}
    return side.model_copy(update=settled)


def _form(lines: Sequence[str]) -> Form:
    if all(unicodedata.is_normalized("NFC", line) for line in lines):
        return "nfc"
    return "nfd" if all(unicodedata.is_normalized("NFD", line) for line in lines) else "none"


@dataclass
class Survey:
    """What one pass over the training data found.

    Attributes:
        source: Counts of the source's symbols.
        target: Counts of the target's.
        tags: Counts of the tags.
        pairs: How many pairs there are.
        length_ratio: The most target symbols for a source symbol.
        fingerprint: A checksum of the pairs in their order.
    """

    source: Counter[str] = field(default_factory=Counter[str])
    target: Counter[str] = field(default_factory=Counter[str])
    tags: Counter[str] = field(default_factory=Counter[str])
    pairs: int = 0
    length_ratio: float = 1.0
    fingerprint: str = ""

    def to_table(self) -> dict[str, object]:
        """All of it as JSON has it."""
        return dict(vars(self))

    @classmethod
    def from_table(cls, table: Mapping[str, object]) -> "Survey":
        """Read what `to_table` returned.

        Raises:
            ValueError: It is something else.
        """
        return TypeAdapter(cls).validate_python(dict(table))

    def vocabularies(self) -> Vocabularies:
        """The vocabularies of what was counted."""
        return Vocabularies(
            Vocabulary.of_counts(self.source),
            Vocabulary.of_counts(self.target),
            Vocabulary.of_counts(self.tags) if self.tags else None,
        )


@dataclass(frozen=True)
class Cut:
    """How both sides are cut.

    Attributes:
        source: The source's segmenter.
        target: The target's.
    """

    source: Segmenter
    target: Segmenter


def choose_pieces(settings: RunSettings, pairs: Callable[[], Iterable[Pair]]) -> RunSettings:
    """Settle how many subwords are learnt: enough that the data shows each several times."""
    text = settings.text
    if "subwords" not in (text.source.symbols, text.target.symbols):
        return settings
    usual = min(8000, max(500, sum(1 for _ in pairs()) // 4))
    source, target = (
        side
        if side.symbols != "subwords" or side.pieces
        else side.model_copy(update={"pieces": usual})
        for side in (text.source, text.target)
    )
    text = text.model_copy(update={"source": source, "target": target})
    return settings.model_copy(update={"text": text})


def learn_cut(settings: RunSettings, pairs: Callable[[], Iterable[Pair]]) -> Cut:
    """How both sides are cut; subwords are learnt from the training data.

    Args:
        settings: How.
        pairs: Reads the training data from its beginning.
    """

    def cut(side: SideSettings, lines: Iterable[str]) -> Segmenter:
        if side.symbols != "subwords":
            return side.segmenter()
        form = side.normalize or "none"
        pieces = learn_pieces((normalized(line, form) for line in lines), side.pieces or 500)
        return side.segmenter(pieces.known)

    text = settings.text
    return Cut(
        cut(text.source, (pair.source for pair in pairs())),
        cut(text.target, (pair.target for pair in pairs())),
    )


def survey(
    settings: RunSettings,
    cut: Cut,
    pairs: Iterable[Pair],
    path: str | None = None,
    take: Callable[[list[str], list[str], Sequence[str]], None] = lambda *_: None,
) -> Survey:
    """Count the symbols of the training data, and refuse what is too long.

    Args:
        settings: What was asked for.
        cut: How both sides are cut.
        pairs: The training data.
        path: Where it comes from, for pairs that do not know.
        take: Is given the symbols of each pair, and its tags.

    Raises:
        DataError: A string is longer than `text.longest`, or holds what marks subwords.
    """
    found, digest = Survey(), hashlib.sha256()
    for pair in pairs:
        read, written = (
            _symbols(settings, side, segmenter, line, pair, path)
            for side, segmenter, line in (
                ("source", cut.source, pair.source),
                ("target", cut.target, pair.target),
            )
        )
        digest.update(f"{pair.source}\t{pair.target}\t{';'.join(pair.tags)}\n".encode())
        found.source.update(read)
        found.target.update(written)
        tags = parts_of(pair.tags)
        found.tags.update(tags)
        take(read, written, tags)
        found.pairs += 1
        found.length_ratio = max(found.length_ratio, (len(written) - MARGIN) / len(read))
    found.fingerprint = digest.hexdigest()
    return found


def _symbols(
    settings: RunSettings, side: str, segmenter: Segmenter, line: str, pair: Pair, path: str | None
) -> list[str]:
    path = path if pair.file in ("", "-") else pair.file
    if segmenter.kind == "subwords" and TIE in line:
        raise DataError(
            f"expected a {side} without U+2060, which marks pieces inside words; found one.",
            path,
            pair.line or None,
        )
    symbols, longest = segmenter.texts(line), settings.text.longest
    if len(symbols) > longest:
        raise DataError(
            f"expected a {side} of at most {longest} symbols, found {len(symbols)}. "
            f"The limit is set with --set text.longest={len(symbols)}.",
            path,
            pair.line or None,
        )
    return symbols


def choose_sizes(settings: RunSettings, found: Survey) -> RunSettings:
    """Settle sizes, batch, and length of training, from the number of pairs."""
    is_large = found.pairs > 30_000
    encoder, decoder = settings.encoder, settings.decoder
    copies = _copies(settings, found)
    # Unseen sets of tags want width, pronunciation a second layer; see docs/explanation/choices.md.
    size, layers = (256, 1) if is_large or copies else (128, 2)
    dropout = 0.5 if found.pairs < 2000 else 0.3
    recurrent = {"embedding_size": size, "hidden_size": size, "layers": layers, "dropout": dropout}
    transformer = {"hidden_size": 256, "layers": 4 if is_large else 3, "dropout": 0.3}
    is_recurrent = encoder.kind != "transformer"
    own = {"residual": is_recurrent and copies}
    encoder = _filled(encoder, (recurrent if is_recurrent else transformer) | own)
    # A recurrent encoder's states hold both directions; scores that compare need like sizes.
    state_size = chosen("encoder.hidden_size", encoder.hidden_size) * (2 if is_recurrent else 1)
    recurrent |= {"hidden_size": state_size, "layers": 1}
    looks = decoder.kind != "transformer" and decoder.attention != "none"
    if decoder.tags_apart and not found.tags:
        raise SettingsError(
            "decoder.tags_apart: expected pairs with tags, found none that has any."
        )
    usual = transformer if decoder.kind == "transformer" else recurrent
    decoder = _filled(
        decoder,
        usual | {"relative_bias": looks and copies, "tags_apart": looks and bool(found.tags)},
    )
    asked = settings.length_ratio if "length_ratio" in settings.model_fields_set else 0.0
    return settings.model_copy(
        update={
            "encoder": encoder,
            "decoder": decoder,
            "training": _course(settings.training, found.pairs, _rate(encoder, decoder)),
            "length_ratio": max(asked, round(found.length_ratio, 4)),
        }
    )


def _copies(settings: RunSettings, found: Survey) -> bool:
    # Inflection, lemmas, old spellings: most of what is written can be read. Phones are no letters.
    shared = sum(count for symbol, count in found.target.items() if symbol in found.source)
    is_same_kind = settings.text.source.symbols == settings.text.target.symbols
    return is_same_kind and 2 * shared > found.target.total()


def _rate(encoder: EncoderSettings, decoder: DecoderSettings) -> float:
    """The learning rate's peak: narrow models bear, and want, a larger one."""
    if "transformer" in (encoder.kind, decoder.kind):
        return 0.0005
    return 0.003 if chosen("encoder.hidden_size", encoder.hidden_size) <= 128 else 0.001


def _course(training: TrainingSettings, pairs: int, rate: float) -> TrainingSettings:
    size = training.batch_size or (128 if pairs > 30_000 else 64 if pairs > 2000 else 32)
    a_pass = max(1, math.ceil(pairs / size))
    epochs = training.epochs or max(8, round((2300 + pairs / 10) / a_pass))
    every = training.evaluate_every or (1000 if a_pass > 1000 else a_pass)
    settled: dict[str, object] = {
        "batch_size": size,
        "epochs": 100_000 if training.minutes and not training.epochs else epochs,
        # The rate falls to the end, and the best state mostly comes late; who gave
        # a number of minutes wants them used.
        "patience": None if training.minutes else max(10, epochs * a_pass // every // 2),
        "learning_rate": rate,
    }
    return _filled(training, settled | ({"evaluate_every": 1000} if a_pass > 1000 else {}))


def _filled(settings: Own, usual: Mapping[str, object]) -> Own:
    is_open = {name for name, value in settings if value is None}
    return settings.model_copy(
        update={name: value for name, value in usual.items() if name in is_open}
    )
