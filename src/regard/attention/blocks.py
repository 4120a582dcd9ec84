"""A look at positions of several kinds, each kind with a distribution of its own.

    weights = [share_1 normalise(scores_1), ..., share_n normalise(scores_n)]

A block is positions one after the other that share a normaliser: symbols, or
tags. In one distribution a kind with high scores drives out the others; here
how much each gets is a question of its own, with one query and one mixture.

To change weights by hand is to stay within blocks as well: what a position
loses goes to the others of its block, and leaves it when there are none.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention.attention import Attended, Attention
from regard.attention.memory import Memory


def look_in_blocks(
    attention: Attention,
    query: Float[Tensor, "*batch target query"],
    memory: Memory,
    *,
    widths: Sequence[int],
    shares: Float[Tensor, "*batch target blocks"],
    bias: Float[Tensor, "*#batch #target source"] | None = None,
    coverage: Float[Tensor, "*batch source"] | None = None,
) -> Attended:
    """Look at every block, and give each its share of a row's weight.

    Args:
        attention: The look.
        query: What the decoder asks, one row per target position.
        memory: What is looked at.
        widths: How many positions each block has.
        shares: How much of each row's weight a block gets; that of a block with
            nothing open goes to the others.
        bias: Added to the scores.
        coverage: What was looked at so far, for scores that use it.

    Raises:
        ShapeError: The query and the memory were made for different batches.

    Example:
        >>> from regard.attention import DotScore
        >>> attention = Attention(DotScore())
        >>> memory = attention.memorize(torch.zeros(1, 3, 2), torch.tensor([[True, True, True]]))
        >>> query, shares = torch.zeros(1, 1, 2), torch.tensor([[[0.8, 0.2]]])
        >>> look_in_blocks(attention, query, memory, widths=[2, 1], shares=shares).weights
        tensor([[[0.4000, 0.4000, 0.2000]]])
    """
    blocks = memory.split(widths)
    biases = _split(bias, widths)
    covered = _split(coverage, widths)
    looks = [
        attention(query, block, bias=own, coverage=seen)
        for block, own, seen in zip(blocks, biases, covered, strict=True)
    ]
    shares = shares * torch.stack([block.mask.any(-1) for block in blocks], -1).unsqueeze(-2)
    shares = shares / shares.sum(-1, keepdim=True).clamp(min=1e-38)
    pairs = list(zip(looks, shares.split(1, -1), strict=True))
    context = torch.stack([one.context * share.to(one.context.dtype) for one, share in pairs])
    weights = [one.known_weights() * share for one, share in pairs]
    return Attended(context.sum(0), torch.cat(weights, -1))


def renormalised(
    weights: Float[Tensor, "*rows source"],
    opened: Bool[Tensor, "*#rows source"],
    widths: Sequence[int],
) -> Float[Tensor, "*rows source"]:
    """Weights of the open positions alone, in their ratios, each block with the weight it had.

    A block that looked only at what is closed now looks at the rest of it alike;
    one that has no rest gives its weight to the other blocks.

    Args:
        weights: The rows of a map.
        opened: Which positions keep theirs.
        widths: How many positions each block has.

    Example:
        >>> row, opened = torch.tensor([0.25, 0.25, 0.5]), torch.tensor([True, False, True])
        >>> renormalised(row, opened, [3]), renormalised(row, opened, [2, 1])
        (tensor([0.3333, 0.0000, 0.6667]), tensor([0.5000, 0.0000, 0.5000]))
    """
    parts: list[Tensor] = []
    for own, left in _blocks(weights, opened, widths):
        kept, whole = own * left, own.sum(-1, keepdim=True)
        total = kept.sum(-1, keepdim=True)
        even = left / left.sum(-1, keepdim=True).clamp(min=1)
        parts.append(torch.where(total > 0, kept / total.clamp(min=1e-38), even) * whole)
    found = torch.cat(parts, -1)
    return found / found.sum(-1, keepdim=True).clamp(min=1e-38)


def evened(
    weights: Float[Tensor, "*rows source"],
    opened: Bool[Tensor, "*#rows source"],
    widths: Sequence[int],
) -> Float[Tensor, "*rows source"]:
    """The weight of each block, spread evenly over its open positions.

    Args:
        weights: The rows of a map.
        opened: Which positions may be looked at.
        widths: How many positions each block has.

    Example:
        >>> evened(torch.tensor([0.4, 0.1, 0.5]), torch.tensor([True, True, True]), [2, 1])
        tensor([0.2500, 0.2500, 0.5000])
    """
    return torch.cat([
        left / left.sum(-1, keepdim=True).clamp(min=1) * own.sum(-1, keepdim=True)
        for own, left in _blocks(weights, opened, widths)
    ], -1)  # fmt: skip


def _blocks(
    weights: Tensor, opened: Tensor, widths: Sequence[int]
) -> list[tuple[Tensor, Tensor]]:  # fmt: skip
    parts = (list(part.split(list(widths), -1)) for part in (weights, opened))
    return list(zip(*parts, strict=True))


def _split(part: Tensor | None, widths: Sequence[int]) -> Sequence[Tensor | None]:
    return [None] * len(widths) if part is None else part.split(list(widths), -1)
