"""Drop the same entries at all positions of a sequence.

A mask drawn anew at every position averages out along the sequence and costs
as many random numbers as there are entries, which torch draws on one thread;
one mask for a whole row does neither. What is stepped instead of read in one go
(input feeding, coverage) is a row anew at every step.

Gal and Ghahramani (2016), arXiv:1512.05287, section 4.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class SequenceDropout(nn.Module):
    """Drop entries of vectors, the same ones all along a row; in training only.

    Args:
        share: Which share is dropped; what is kept grows by 1 / (1 - share).
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(
        self, vectors: Float[Tensor, "batch *length size"]
    ) -> Float[Tensor, "batch *length size"]:
        """The vectors with the dropped entries zero."""
        if not self.training or self.share == 0:
            return vectors
        shape = (len(vectors), *(1 for _ in vectors.shape[1:-1]), vectors.shape[-1])
        kept = torch.rand(shape, device=vectors.device) >= self.share
        return vectors * (kept / (1 - self.share)).to(vectors.dtype)
