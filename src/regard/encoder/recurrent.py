"""Read both ways: a state knows what stands before and behind its symbol.

    states_s = [forwards_s; backwards_s] + tanh(W embedding(x_s))     if residual

With the second part the decoder finds the very symbol that it looks at in the
context, whatever stands around it, so copying what it has never seen in such
surroundings is no new task (He et al. 2016, arXiv:1512.03385, for the idea of
such a path).

Bahdanau, Cho and Bengio (2015), section 3.2, arXiv:1409.0473; their
annotations are our states.
"""

import torch
from torch import Tensor, nn

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
        is_residual: Whether a state also holds its own symbol.
    """

    def __init__(
        self,
        embedding: Embedding,
        size: int,
        *,
        embedding_size: int,
        tags: int | None = None,
        cell: Cell = "lstm",
        layers: int = 1,
        dropout: float = 0.0,
        is_residual: bool = False,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.recurrence = TwoWayRecurrence(
            embedding_size, size, cell=cell, layers=layers, dropout=dropout
        )
        self.own = nn.Linear(embedding_size, 2 * size) if is_residual else None
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
            return Encoding(self._with_own(states, vectors), source.mask, final, final[:, :0])
        tag_states = self.tags(source.tags)
        summary = mean_state(tag_states, source.tags_mask)
        states, final = self.recurrence(vectors + self.tell(summary).unsqueeze(1), lengths)
        return Encoding(
            torch.cat([self._with_own(states, vectors), tag_states], 1),
            torch.cat([source.mask, source.tags_mask], 1),
            torch.cat([final, summary], -1),
            summary,
            source.tags.shape[1],
        )

    def _with_own(self, states: Tensor, vectors: Tensor) -> Tensor:
        return states if self.own is None else states + self.own(vectors).tanh()
