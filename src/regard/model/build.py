"""Settings become modules: the only place that knows both."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from regard.attention import (
    AdditiveScore,
    Attention,
    ConcatScore,
    CosineScore,
    DotScore,
    GeneralScore,
    ScaledDotScore,
    Score,
    softmax,
    sparsemax,
)
from regard.decoder import (
    BottleneckDecoder,
    Decoder,
    EnsembleDecoder,
    RecurrentDecoder,
    TransformerDecoder,
)
from regard.encoder import Encoder, EnsembleEncoder, RecurrentEncoder, TransformerEncoder
from regard.errors import SettingsError
from regard.layers import Embedding, Recurrence
from regard.model.config import DecoderSettings, EncoderSettings, ModelSettings
from regard.model.seq2seq import Seq2Seq
from regard.settings import chosen
from regard.text import PADDING, Vocabulary


@dataclass(frozen=True)
class Vocabularies:
    """The symbols of a model.

    Attributes:
        source: What can be read.
        target: What can be written.
        tags: The tags; None for a task without.
    """

    source: Vocabulary
    target: Vocabulary
    tags: Vocabulary | None = None


NORMALIZERS = {"softmax": softmax, "sparsemax": sparsemax}


@dataclass(frozen=True)
class _Look:
    query: int
    key: int
    coverage: bool


# Cosine is bounded by one, so it needs a factor to become sharp.
SCORES: dict[str, Callable[[_Look], Score]] = {
    "dot": lambda _: DotScore(),
    "scaled dot": lambda _: ScaledDotScore(),
    "cosine": lambda _: CosineScore(scale=10.0),
    "general": lambda look: GeneralScore(look.query, look.key),
    "additive": lambda look: AdditiveScore(
        look.query, look.key, size=look.query, uses_coverage=look.coverage
    ),
    "concat": lambda look: ConcatScore(
        look.query, look.key, size=look.query, uses_coverage=look.coverage
    ),
}


def build(settings: ModelSettings, vocabularies: Vocabularies) -> Seq2Seq:
    """Make a model, its parameters drawn at random.

    Args:
        settings: What it is made of, with nothing left open.
        vocabularies: Its symbols.

    Raises:
        SettingsError: The settings contradict each other.
    """
    tags = None if vocabularies.tags is None else len(vocabularies.tags)
    encoders = [
        _encoder(settings.encoder, len(vocabularies.source), tags) for _ in range(settings.members)
    ]
    decoders = [
        _decoder(settings.decoder, len(vocabularies.target), encoder) for encoder in encoders
    ]
    if settings.members == 1:
        return Seq2Seq(encoders[0], decoders[0])
    return Seq2Seq(EnsembleEncoder(encoders), EnsembleDecoder(decoders))


def joined(members: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The parameters of single models as those of one model of so many members.

    Args:
        members: The parameters of each, by name.
    """
    if len(members) == 1:
        return dict(members[0])
    return {
        name.replace(".", f".members.{index}.", 1): tensor
        for index, member in enumerate(members)
        for name, tensor in member.items()
    }


def _encoder(settings: EncoderSettings, vocabulary: int, tags: int | None) -> Encoder:
    size = chosen("encoder.hidden_size", settings.hidden_size)
    layers = chosen("encoder.layers", settings.layers)
    dropout = chosen("encoder.dropout", settings.dropout)
    if settings.kind == "transformer":
        embedding = Embedding(vocabulary, size, padding=PADDING)
        return TransformerEncoder(
            embedding,
            size,
            heads=settings.heads,
            layers=layers,
            inner_size=4 * size,
            tags=tags,
            dropout=dropout,
        )
    width = chosen("encoder.embedding_size", settings.embedding_size)
    embedding = Embedding(vocabulary, width, padding=PADDING, dropout=dropout)
    return RecurrentEncoder(
        embedding,
        size,
        embedding_size=width,
        tags=tags,
        cell=settings.kind,
        layers=layers,
        dropout=dropout,
        is_residual=chosen("encoder.residual", settings.residual),
    )


def _decoder(settings: DecoderSettings, vocabulary: int, encoder: Encoder) -> Decoder:
    size = chosen("decoder.hidden_size", settings.hidden_size)
    layers = chosen("decoder.layers", settings.layers)
    dropout = chosen("decoder.dropout", settings.dropout)
    if settings.kind == "transformer":
        _refuse_for_transformer(settings)
        return TransformerDecoder(
            Embedding(vocabulary, size, padding=PADDING),
            size,
            heads=settings.heads,
            layers=layers,
            inner_size=4 * size,
            state_size=encoder.state_size,
            dropout=dropout,
        )
    width = chosen("decoder.embedding_size", settings.embedding_size)
    embedding = Embedding(vocabulary, width, padding=PADDING, dropout=dropout)
    read = width + encoder.told_size + (size if settings.input_feeding else 0)
    recurrence = Recurrence(read, size, cell=settings.kind, layers=layers, dropout=dropout)
    if settings.attention == "none":
        if any(_own_options(settings)):
            raise SettingsError(
                "a decoder that never looks back has no look to feed, to cover, to bias or to divide."
            )
        return BottleneckDecoder(embedding, recurrence, final_size=encoder.final_size)
    return RecurrentDecoder(
        embedding,
        recurrence,
        attention=_attention(settings, size, encoder.state_size),
        state_size=encoder.state_size,
        final_size=encoder.final_size,
        feeds_input=settings.input_feeding,
        has_relative_bias=chosen("decoder.relative_bias", settings.relative_bias),
        has_tags_apart=chosen("decoder.tags_apart", settings.tags_apart) and encoder.told_size > 0,
    )


def _attention(settings: DecoderSettings, query: int, key: int) -> Attention:
    name = settings.attention
    if name in ("dot", "scaled dot", "cosine") and query != key:
        raise SettingsError(
            f"the {name} score compares like with like: decoder.hidden_size is {query}, but the "
            f"encoder's states have a size of {key}. Make them equal, or take 'general'."
        )
    if settings.coverage and name not in ("additive", "concat"):
        raise SettingsError(f"decoder.coverage needs an additive or concat score, not {name!r}.")
    score = SCORES[name](_Look(query, key, settings.coverage))
    return Attention(score, NORMALIZERS[settings.normalizer])


def _refuse_for_transformer(settings: DecoderSettings) -> None:
    if settings.attention != "scaled dot" or settings.normalizer != "softmax":
        raise SettingsError("a transformer decoder looks with scaled dot and softmax alone.")
    if any(_own_options(settings)):
        raise SettingsError(
            "input_feeding, coverage, relative_bias and tags_apart are options of recurrent "
            "decoders."
        )


def _own_options(settings: DecoderSettings) -> list[bool | None]:
    return [settings.input_feeding, settings.coverage, settings.relative_bias, settings.tags_apart]
