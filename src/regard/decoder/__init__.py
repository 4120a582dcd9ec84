"""Decoder: write, looking back every step."""

from regard.decoder.bottleneck import BottleneckDecoder
from regard.decoder.decoder import Decoded, Decoder, State, Step
from regard.decoder.ensemble import EnsembleDecoder
from regard.decoder.recurrent import RecurrentDecoder
from regard.decoder.transformer import TransformerDecoder

__all__ = [
    "BottleneckDecoder",
    "Decoded",
    "Decoder",
    "EnsembleDecoder",
    "RecurrentDecoder",
    "State",
    "Step",
    "TransformerDecoder",
]
