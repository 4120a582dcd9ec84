"""The input and the output layer of the recurrent decoders.

vector = tanh(W [hidden; context])        Luong et al. (2015), equation 5
logits = V vector + b
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.layers import SequenceDropout


class Output(nn.Module):
    """Joins hidden state and context, and writes.

    Args:
        hidden_size: Width of the hidden state, and of the joined vector.
        context_size: Width of the context.
        vocabulary: How many symbols can be written.
        dropout: Share of the joined vector that is dropped.
    """

    def __init__(
        self, hidden_size: int, *, context_size: int, vocabulary: int, dropout: float
    ) -> None:
        super().__init__()
        self.combine = nn.Linear(hidden_size + context_size, hidden_size)
        self.drop = SequenceDropout(dropout)
        self.write = nn.Linear(hidden_size, vocabulary)

    def vector(
        self, hidden: Float[Tensor, "*batch hidden"], context: Float[Tensor, "*batch context"]
    ) -> Float[Tensor, "*batch hidden"]:
        """What is known and what was looked up, joined."""
        return self.drop(self.combine(torch.cat([hidden, context], -1)).tanh())

    def forward(
        self, hidden: Float[Tensor, "*batch hidden"], context: Float[Tensor, "*batch context"]
    ) -> Float[Tensor, "*batch vocabulary"]:
        """The logits."""
        return self.write(self.vector(hidden, context))


def told_inputs(
    vectors: Float[Tensor, "batch *target embedding"], told: Float[Tensor, "batch told"]
) -> Float[Tensor, "batch *target read"]:
    """What a cell reads: the symbols' vectors, each beside what the tags say together."""
    if vectors.ndim == 3:
        told = told.unsqueeze(1).expand(-1, vectors.shape[1], -1)
    return torch.cat([vectors, told.to(vectors.dtype)], -1)
