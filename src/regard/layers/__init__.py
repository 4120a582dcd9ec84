"""Layers: parts with no look in them."""

from regard.layers.dropout import SequenceDropout
from regard.layers.embedding import Embedding, PositionalEncoding
from regard.layers.feedforward import FeedForward
from regard.layers.recurrence import Cell, Recurred, Recurrence, TwoWayRecurrence

__all__ = [
    "Cell",
    "Embedding",
    "FeedForward",
    "PositionalEncoding",
    "Recurred",
    "Recurrence",
    "SequenceDropout",
    "TwoWayRecurrence",
]
