"""Encode once, look back every step."""

from jaxtyping import Int
from torch import Tensor, nn

from regard.decoder import Decoded, Decoder
from regard.encoder import Encoder, Encoding
from regard.text import Source


class Seq2Seq(nn.Module):
    """An encoder and a decoder.

    Args:
        encoder: Reads the source once.
        decoder: Writes the target, looking back every step.
    """

    def __init__(self, encoder: Encoder, decoder: Decoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def encode(self, source: Source) -> Encoding:
        """Read the sources."""
        return self.encoder(source)

    def forward(
        self, source: Source, inputs: Int[Tensor, "batch target"], needs_weights: bool = True
    ) -> Decoded:
        """Write a whole known target.

        Args:
            source: What is read.
            inputs: The start symbol and all but the last symbol of the target.
            needs_weights: Whether the looks are wanted.
        """
        return self.decoder(inputs, self.encode(source), needs_weights)
