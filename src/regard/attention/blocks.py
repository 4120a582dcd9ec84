"""A look at positions of several kinds, each kind with a distribution of its own.

    weights = [share normalise(scores_1), ..., share normalise(scores_n)]
    share   = 1 / how many blocks have something to look at

A block is positions one after the other that share a distribution: symbols, or
tags. In one distribution for all, a kind with high scores drives out the
others; here each is heard in every row, with one query and one mixture. How much
a block gets says nothing, then; where it lies within the block does.

To take a position away by hand is to stay within blocks as well: its weight
goes to the others of its block, and leaves it only when there are none.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention.attention import Attention
from regard.attention.look import Attended
from regard.attention.memory import Memory
from regard.errors import ShapeError


def look_in_blocks(
    attention: Attention,
    query: Float[Tensor, "*batch target query"],
    memory: Memory,
    *,
    widths: Sequence[int],
    bias: Float[Tensor, "*#batch #target source"] | None = None,
    coverage: Float[Tensor, "*batch source"] | None = None,
) -> Attended:
    """Look at every block, and share a row's weight evenly among those with something open.

    Args:
        attention: The look.
        query: What the decoder asks, one row per target position.
        memory: What is looked at.
        widths: How many positions each block has.
        bias: Added to the scores.
        coverage: What was looked at so far, for scores that use it.

    Raises:
        ShapeError: The blocks are not those of the memory, or the query and the
            memory were made for different batches.

    Examples:
        >>> from regard.attention import DotScore
        >>> attention = Attention(DotScore())
        >>> memory = attention.memorize(torch.zeros(1, 3, 2), torch.tensor([[True, True, True]]))
        >>> look_in_blocks(attention, torch.zeros(1, 1, 2), memory, widths=[2, 1]).weights
        tensor([[[0.2500, 0.2500, 0.5000]]])
    """
    source = memory.keys.shape[-2]
    if sum(widths) != source:
        raise ShapeError(f"blocks have widths {list(widths)}: expected {source} positions in all.")
    if len(widths) == 1:
        return attention(query, memory, bias=bias, coverage=coverage)
    looks = [
        attention(query, block, bias=own, coverage=seen)
        for block, own, seen in zip(
            memory.split(widths), _split(bias, widths), _split(coverage, widths), strict=True
        )
    ]
    is_open = torch.stack([one.known_weights().any(-1, keepdim=True) for one in looks])
    share = 1 / is_open.sum(0).clamp(min=1)
    context = torch.stack([one.context for one in looks]).sum(0)
    weights = torch.cat([one.known_weights() for one in looks], -1)
    return Attended(context * share.to(context.dtype), weights * share.to(weights.dtype))


def renormalize(
    weights: Float[Tensor, "*rows source"],
    opened: Bool[Tensor, "*#rows source"],
    widths: Sequence[int],
) -> Float[Tensor, "*rows source"]:
    """Weights of the open positions alone, in their ratios, each block with the weight it had.

    A block that looked only at what is closed now looks at the rest of it alike;
    one that has no rest gives its weight to the other blocks, and where these had
    none, all that is open is looked at alike.

    Args:
        weights: The rows of a map.
        opened: Which positions keep theirs.
        widths: How many positions each block has.

    Examples:
        >>> row, opened = torch.tensor([0.25, 0.25, 0.5]), torch.tensor([True, False, True])
        >>> renormalize(row, opened, [3]), renormalize(row, opened, [2, 1])
        (tensor([0.3333, 0.0000, 0.6667]), tensor([0.5000, 0.0000, 0.5000]))
    """
    parts = zip(weights.split(list(widths), -1), opened.split(list(widths), -1), strict=True)
    blocks = [_distribution(own * left, left) * own.sum(-1, keepdim=True) for own, left in parts]
    return _distribution(torch.cat(blocks, -1), opened)


def _distribution(weights: Tensor, opened: Tensor) -> Tensor:
    """The same ratios with a sum of one; where there is nothing, all that is open alike."""
    total = weights.sum(-1, keepdim=True)
    even = opened / opened.sum(-1, keepdim=True).clamp(min=1)
    return torch.where(total > 0, weights / torch.where(total > 0, total, 1), even)


def _split(part: Tensor | None, widths: Sequence[int]) -> Sequence[Tensor | None]:
    return [None] * len(widths) if part is None else part.split(list(widths), -1)
