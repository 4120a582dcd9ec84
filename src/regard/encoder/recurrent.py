"""Read both ways: a state knows what stands before and behind its symbol.

Bahdanau, Cho and Bengio (2015), section 3.2, arXiv:1409.0473; their
annotations are our states.
"""

import torch
from torch import nn

from regard.encoder.encoder import Encoder, Encoding, Tags, mean_state
from regard.layers import Cell, Embedding, TwoWayRecurrence
from regard.text import Source


class RecurrentEncoder(Encoder):
    """An LSTM or GRU in both directions.

    Args:
        embedding: Vectors of the source symbols.
        size: Width of one direction.
        embedding_size: Width of those vectors.
        tags: How many tags there are, special ids included; None for a task without.
        cell: "lstm" or "gru".
        layers: How many, one above the other.
        dropout: Share of what is dropped between layers.
    """

    def __init__(
        self, embedding: Embedding, size: int, *, embedding_size: int, tags: int | None = None,
        cell: Cell = "lstm", layers: int = 1, dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.embedding = embedding
        self.recurrence = TwoWayRecurrence(
            embedding_size, size, cell=cell, layers=layers, dropout=dropout
        )
        self.state_size = 2 * size
        self.told_size = 0 if tags is None else 2 * size
        self.final_size = 2 * size + self.told_size
        self.tags = None if tags is None else Tags(tags, 2 * size)
        self.tell = None if tags is None else nn.Linear(2 * size, embedding_size)

    def forward(self, source: Source) -> Encoding:
        """Read the symbols both ways, told beforehand what all tags say together."""
        vectors, lengths = self.embedding(source.tokens), source.mask.sum(1)
        if self.tags is None or self.tell is None:
            states, final = self.recurrence(vectors, lengths)
            return Encoding(states, source.mask, final, final[:, :0])
        tag_states = self.tags(source.tags)
        summary = mean_state(tag_states, source.tags_mask)
        states, final = self.recurrence(vectors + self.tell(summary).unsqueeze(1), lengths)
        return Encoding(
            torch.cat([states, tag_states], 1),
            torch.cat([source.mask, source.tags_mask], 1),
            torch.cat([final, summary], -1),
            summary,
        )
