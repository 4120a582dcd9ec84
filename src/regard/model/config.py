"""What a model is made of, and what its symbols are.

A setting that is left open (None) is chosen from the data before anything is
built; what is saved beside a model has no open settings.
"""

import math
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from regard.settings import Count, Few, Settings, ShareBelowOne
from regard.text import LONGEST, Columns, Form, Pieces, Segmenter, SymbolKind

ScoreName = Literal["scaled dot", "dot", "cosine", "general", "additive", "concat", "none"]
Kind = Literal["lstm", "gru", "transformer"]
UnseenPolicy = Literal["copy", "unknown", "error"]
Size = Annotated[int, Field(ge=1, le=16_384)]

MARGIN = 10
"""So many symbols a prediction may be longer than the length ratio says."""


class SideSettings(Settings):
    """How the strings of one side are cut.

    Attributes:
        symbols: graphemes, characters, words or subwords.
        normalize: The Unicode form symbols are brought to.
        output: The Unicode form in which strings are written.
        pieces: How many subwords are learnt; for other symbols it is of no use.
    """

    symbols: SymbolKind | None = None
    normalize: Form | None = None
    output: Form | None = None
    pieces: Annotated[int, Field(ge=1, le=100_000)] | None = None

    def segmenter(self, known: Iterable[str] = ()) -> Segmenter:
        """These settings at work.

        Args:
            known: The symbols of this side; cutting into subwords needs them.
        """
        pieces = Pieces(frozenset(known)) if self.symbols == "subwords" else None
        return Segmenter(
            self.symbols or "graphemes", self.normalize or "none", self.output or "none", pieces
        )


class TextSettings(Settings):
    """What is read and written.

    Attributes:
        source: How sources are cut.
        target: How targets are cut.
        columns: Where source, target and tags stand in a file: their numbers
            from one, such as "1,2" or "1,3,2", or what JSON Lines and Parquet
            call them, such as "source=word,target=phones".
        unseen: What becomes of a symbol that training never saw: `copy` writes
            it where the model writes "unknown" and looks at it, `unknown`
            writes U+FFFD there, `error` refuses the string.
        longest: Most symbols that a source or a target may have.
    """

    source: SideSettings = SideSettings()
    target: SideSettings = SideSettings()
    columns: str | None = None
    unseen: UnseenPolicy = "copy"
    longest: Count = LONGEST

    def layout(self) -> Columns:
        """The columns at work."""
        return Columns() if self.columns is None else Columns.parse(self.columns)


class EncoderSettings(Settings):
    """What reads the source.

    Attributes:
        kind: lstm, gru or transformer.
        embedding_size: Width of a symbol's vector (recurrent kinds).
        hidden_size: Width of one direction, or of the Transformer.
        layers: How many, one above the other.
        heads: Looks side by side (Transformer).
        dropout: Share of what is dropped.
        residual: Whether a state also holds its own symbol, beside what stands
            around it (recurrent kinds); chosen where most of the target's
            symbols are the source's too.
    """

    kind: Kind = "lstm"
    embedding_size: Size | None = None
    hidden_size: Size | None = None
    layers: Few | None = None
    heads: Few = 4
    dropout: ShareBelowOne | None = None
    residual: bool | None = None


class DecoderSettings(Settings):
    """What writes the target.

    Attributes:
        kind: lstm, gru or transformer.
        attention: How well a source position answers; none never looks back.
        normalizer: How scores become weights.
        embedding_size: Width of a symbol's vector (recurrent kinds).
        hidden_size: Width of the state, or of the Transformer.
        layers: How many, one above the other.
        heads: Looks side by side (Transformer).
        dropout: Share of what is dropped.
        input_feeding: Whether the cell reads what the last look brought.
        coverage: Whether the score sees what was looked at (additive, concat).
        relative_bias: Whether scores depend on how far a position is from the
            step; chosen where most of the target's symbols are the source's too.
        tags_apart: Whether symbols and tags have each a distribution of their own,
            with half of each row's weight; chosen where there are tags (recurrent
            kinds).
    """

    kind: Kind = "lstm"
    attention: ScoreName = "scaled dot"
    normalizer: Literal["softmax", "sparsemax"] = "softmax"
    embedding_size: Size | None = None
    hidden_size: Size | None = None
    layers: Few | None = None
    heads: Few = 4
    dropout: ShareBelowOne | None = None
    input_feeding: bool = False
    coverage: bool = False
    relative_bias: bool | None = None
    tags_apart: bool | None = None


class ModelSettings(Settings):
    """All that describes a model without its parameters and vocabularies.

    Attributes:
        text: What is read and written.
        encoder: What reads the source.
        decoder: What writes the target.
        length_ratio: The most target symbols that training saw for a source
            symbol, or more where more is asked for; a prediction may be longer
            by a few symbols and no more.
        members: How many models write together, their probabilities averaged.
            Training sets it, to the number of its seeds.
        guided: Whether training told the decoder where to look; its map is then
            no evidence by itself. Training sets it.
    """

    text: TextSettings = TextSettings()
    encoder: EncoderSettings = EncoderSettings()
    decoder: DecoderSettings = DecoderSettings()
    length_ratio: Annotated[float, Field(gt=0, le=1e6)] = 2.0
    members: Few = 1
    guided: Literal[True] | None = None

    def limit(self, symbols: int) -> int:
        """How many symbols may be written of a source of so many."""
        return math.ceil(symbols * self.length_ratio) + MARGIN
