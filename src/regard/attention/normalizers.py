"""Normalise: scores become weights that sum to one over the source.

    softmax      exp(score) / sum of exp(score)
    sparsemax    the nearest point of the simplex: max(score - threshold, 0)
                 Martins and Astudillo (2016), arXiv:1602.02068

This file alone knows what a mask does to a distribution. A hidden position
has exactly zero weight whatever its score; a row with nothing to look at has
zero weights and zero gradients. Whether a row is empty is read from the mask,
never from the size of a score.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Normalizer = Callable[[Tensor, Tensor | None], Tensor]
"""Scores and mask (True = may be looked at) in, weights out."""


def softmax(
    scores: Float[Tensor, "*batch source"], mask: Bool[Tensor, "*#batch source"] | None = None
) -> Float[Tensor, "*batch source"]:
    """Weights in proportion to the exponential of the scores.

    Args:
        scores: Any real numbers.
        mask: True where a position may be looked at; broadcasts.

    Returns:
        Weights that sum to one in each row, or to zero in an empty one. A row
        with NaN or plus infinity among its open scores is NaN where it is open.

    Examples:
        >>> softmax(torch.tensor([1.2, 0.8, 0.3, -0.5]))
        tensor([0.4426, 0.2967, 0.1799, 0.0808])
    """
    if mask is None:
        return scores.softmax(-1)
    return _open(scores, mask).softmax(-1).masked_fill(~mask, 0)


def sparsemax(
    scores: Float[Tensor, "*batch source"], mask: Bool[Tensor, "*#batch source"] | None = None
) -> Float[Tensor, "*batch source"]:
    """Weights that may be exactly zero: the Euclidean projection onto the simplex.

    Args:
        scores: Any real numbers.
        mask: True where a position may be looked at; broadcasts.

    Returns:
        Weights that sum to one in each row, or to zero in an empty one.

    Reference:
        Martins and Astudillo (2016), algorithm 1. Their z is our scores, their
        tau our threshold, their k(z) our number of supported positions.

    Examples:
        >>> sparsemax(torch.tensor([1.5, 1.0, -2.0]))
        tensor([0.7500, 0.2500, 0.0000])
    """
    if scores.shape[-1] == 0:
        return scores
    scores = scores if mask is None else _open(scores, mask)
    scores = scores - scores.detach().amax(-1, keepdim=True)
    ordered = scores.sort(-1, descending=True).values
    sums = ordered.cumsum(-1)
    ranks = torch.arange(1, scores.shape[-1] + 1, device=scores.device, dtype=scores.dtype)
    supported = (1 + ranks * ordered > sums).sum(-1, keepdim=True).clamp(min=1)
    threshold = (sums.gather(-1, supported - 1) - 1) / supported
    weights = (scores - threshold).relu()
    return weights if mask is None else weights.masked_fill(~mask, 0)


def _open(scores: Tensor, mask: Tensor) -> Tensor:
    # An empty row gets equal scores, for a softmax over nothing but -inf is NaN.
    empty = ~mask.any(-1, keepdim=True)
    return scores.masked_fill(~mask, -torch.inf).masked_fill(empty, 0)
