"""Encoder: read the source once."""

from regard.encoder.encoder import Encoder, Encoding
from regard.encoder.ensemble import EnsembleEncoder
from regard.encoder.recurrent import RecurrentEncoder
from regard.encoder.transformer import TransformerEncoder

__all__ = ["Encoder", "Encoding", "EnsembleEncoder", "RecurrentEncoder", "TransformerEncoder"]
