"""Layers: parts with no look in them."""

from regard.layers.dropout import SequenceDropout
from regard.layers.embedding import Embedding, Position
from regard.layers.feedforward import FeedForward
from regard.layers.recurrence import Cell, Recurred, Recurrence, TwoWayRecurrence

__all__ = [
    "Cell",
    "Embedding",
    "FeedForward",
    "Position",
    "Recurred",
    "Recurrence",
    "SequenceDropout",
    "TwoWayRecurrence",
]
