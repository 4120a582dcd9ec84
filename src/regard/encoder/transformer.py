"""Read by looking at oneself: every position looks at all others, layer by layer.

Vaswani et al. (2017), section 3.1, arXiv:1706.03762, with the normalisation
before each sublayer.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention import MultiHeadAttention
from regard.encoder.encoder import Encoder, Encoding, Tags, mean_state
from regard.layers import Embedding, FeedForward, PositionalEncoding
from regard.text import Source


class TransformerEncoder(Encoder):
    """Layers of self-attention.

    Args:
        embedding: Vectors of the source symbols, of width `size`.
        size: Width of a state.
        heads: Looks side by side.
        layers: How many, one above the other.
        inner_size: Width inside the position-wise sublayer.
        tags: How many tags there are, special ids included; None for a task without.
        dropout: Share of what is dropped.
    """

    def __init__(
        self,
        embedding: Embedding,
        size: int,
        *,
        heads: int,
        layers: int,
        inner_size: int,
        tags: int | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.position = PositionalEncoding(size, dropout=dropout)
        self.layers = nn.ModuleList(
            _Layer(size, heads=heads, inner_size=inner_size, dropout=dropout) for _ in range(layers)
        )
        self.norm = nn.LayerNorm(size)
        self.state_size = self.final_size = size
        self.told_size = 0 if tags is None else size
        self.tags = None if tags is None else Tags(tags, size)

    def forward(self, source: Source) -> Encoding:
        """Let symbols, which have a place, and tags, which have none, look at each other."""
        states, mask = self.position(self.embedding(source.tokens)), source.mask
        told = states[:, 0, :0]
        if self.tags is not None:
            tag_states = self.tags(source.tags)
            told = mean_state(tag_states, source.tags_mask)
            states = torch.cat([states, tag_states], 1)
            mask = torch.cat([mask, source.tags_mask], 1)
        for layer in self.layers:
            states = layer(states, mask)
        states = self.norm(states)
        return Encoding(states, mask, mean_state(states, mask), told, source.tags.shape[1])


class _Layer(nn.Module):
    def __init__(self, size: int, *, heads: int, inner_size: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.attention = MultiHeadAttention(size, heads)
        self.drop = nn.Dropout(dropout)
        self.feed = FeedForward(size, inner_size, dropout=dropout)

    def forward(
        self, states: Float[Tensor, "batch source size"], mask: Bool[Tensor, "batch source"]
    ) -> Float[Tensor, "batch source size"]:
        query = self.norm(states)
        memory = self.attention.memorize(query, mask)
        attended = self.attention(query, memory, needs_weights=False)
        return self.feed(states + self.drop(attended.context))
