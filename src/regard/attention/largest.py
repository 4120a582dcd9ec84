"""Which weights of a row are the largest."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

_PIECE = 32


class Largest(NamedTuple):
    """The largest weights of each row.

    Attributes:
        positions: Where they are, the largest first.
        first: Where the largest is; the first place of several.
    """

    positions: Int[Tensor, "*batch target top"]
    first: Int[Tensor, "*batch target"]


def largest(weights: Float[Tensor, "*batch target source"], count: int) -> Largest:
    """The largest weights of each row.

    Sorting a long row is slow; the maxima of its pieces say which few pieces
    can hold the largest.

    Args:
        weights: The weights.
        count: How many are wanted, at most as many as a row has.
    """
    length = weights.shape[-1]
    if length < _PIECE * count or count == 0:
        positions = weights.topk(count, -1).indices
        first = weights.argmax(-1) if length else weights.new_zeros(weights.shape[:-1]).long()
        return Largest(positions, first)
    whole = length // _PIECE * _PIECE
    pieces, behind = weights[..., :whole].unflatten(-1, (-1, _PIECE)), weights[..., whole:]
    maxima = pieces.amax(-1)
    chosen = maxima.topk(count, -1).indices
    index = chosen.unsqueeze(-1).expand(*chosen.shape, _PIECE)
    few = torch.cat([pieces.gather(-2, index).flatten(-2), behind], -1)
    best = few.topk(count, -1).indices
    piece = chosen.gather(-1, (best // _PIECE).clamp_max(count - 1))
    is_behind = best >= count * _PIECE
    positions = torch.where(
        is_behind, best - count * _PIECE + whole, piece * _PIECE + best % _PIECE
    )
    # Of equal maxima the first piece is wanted, and its first place.
    leading = maxima.argmax(-1, keepdim=True)
    lead = pieces.gather(-2, leading.unsqueeze(-1).expand(*leading.shape, _PIECE)).squeeze(-2)
    first = leading.squeeze(-1) * _PIECE + lead.argmax(-1)
    if behind.shape[-1]:
        is_later = behind.amax(-1) > lead.amax(-1)
        first = torch.where(is_later, whole + behind.argmax(-1), first)
    return Largest(positions, first)
