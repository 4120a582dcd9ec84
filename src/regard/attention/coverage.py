"""What has been looked at so far: the sum of the weights over past steps.

    coverage_s = sum over past t of weights_ts

A score that sees the coverage can avoid looking twice at one place, or
skipping one (Tu et al. 2016, arXiv:1601.04811; See, Liu and Manning 2017,
arXiv:1704.04368). It belongs to the decoder's state, never to the memory.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.memory import Memory


def no_coverage(memory: Memory) -> Float[Tensor, "*batch source"]:
    """Nothing has been looked at yet."""
    return torch.zeros(memory.keys.shape[:-1], dtype=torch.float32, device=memory.keys.device)


def add_coverage(
    coverage: Float[Tensor, "*batch source"], weights: Float[Tensor, "*batch target source"]
) -> Float[Tensor, "*batch source"]:
    """The coverage after the looks of some more target rows."""
    return coverage + weights.sum(-2)
