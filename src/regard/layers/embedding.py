"""Ids become vectors, with or without their position.

The positions are the sines and cosines of Vaswani et al. (2017), section 3.5,
arXiv:1706.03762: they need no longest length.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import SettingsError
from regard.layers.dropout import SequenceDropout


class Embedding(nn.Module):
    """Ids become vectors.

    Args:
        vocabulary: How many ids there are.
        size: Width of a vector.
        padding: The id whose vector stays zero.
        dropout: Share of the entries that are dropped.
    """

    def __init__(self, vocabulary: int, size: int, *, padding: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, size, padding_idx=padding)
        nn.init.normal_(self.table.weight, std=size**-0.5)
        with torch.no_grad():
            self.table.weight[padding].zero_()
        self.drop = SequenceDropout(dropout)
        self.scale = math.sqrt(size)

    def forward(self, tokens: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch size"]:
        """The vectors of the tokens, with entries of variance one."""
        return self.drop(self.table(tokens) * self.scale)


class PositionalEncoding(nn.Module):
    """Add to each vector where it stands.

    Args:
        size: Width of a vector, even.
        dropout: Share of the sum that is dropped.

    Raises:
        SettingsError: The size is odd.
    """

    frequencies: Tensor

    def __init__(self, size: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        if size % 2:
            raise SettingsError(f"a size of {size} is odd: positions need an even one.")
        frequencies = torch.exp(torch.arange(0, size, 2) * (-math.log(10_000.0) / size))
        self.register_buffer("frequencies", frequencies, persistent=False)
        self.drop = nn.Dropout(dropout)

    def forward(
        self, vectors: Float[Tensor, "batch length size"], first: int = 0
    ) -> Float[Tensor, "batch length size"]:
        """Add positions `first`, `first + 1`, ... to the vectors."""
        places = torch.arange(first, first + vectors.shape[1], device=vectors.device)
        angles = places[:, None] * self.frequencies
        return self.drop(vectors + torch.cat([angles.sin(), angles.cos()], -1))
