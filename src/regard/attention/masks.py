"""Which positions may be looked at: boolean, True = may be looked at.

One polarity in the whole library, the one of PyTorch's
`scaled_dot_product_attention`; `nn.MultiheadAttention` means the opposite.
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from regard.errors import ShapeError


def length_mask(lengths: Int[Tensor, " batch"], source: int) -> Bool[Tensor, "batch source"]:
    """Open the first `lengths` positions of each row.

    Args:
        lengths: How many real symbols each row has.
        source: The padded length.

    Examples:
        >>> length_mask(torch.tensor([1, 3]), 3)
        tensor([[ True, False, False],
                [ True,  True,  True]])
    """
    return torch.arange(source, device=lengths.device) < lengths[:, None]


def causal_mask(
    target: int, source: int, offset: int | None = None, device: torch.device | None = None
) -> Bool[Tensor, "target source"]:
    """Open position s to row t where s <= t + offset.

    Libraries disagree about where the diagonal lies when there are more keys
    than queries, so the offset must then be stated: 0 starts both at the same
    place (top left), `source - target` ends both at the same place (bottom
    right, the usual case with remembered keys).

    Args:
        target: Number of rows.
        source: Number of positions.
        offset: How far past its own index a row may look.
        device: Where the mask is made.

    Raises:
        ShapeError: The lengths differ and no offset was given.

    Examples:
        >>> causal_mask(2, 3, offset=1)
        tensor([[ True,  True, False],
                [ True,  True,  True]])
    """
    if offset is None:
        if target != source:
            raise ShapeError(
                f"a causal mask of {target} rows and {source} positions needs an offset: "
                "0 aligns their beginnings, source - target their ends."
            )
        offset = 0
    return torch.ones(target, source, dtype=torch.bool, device=device).tril(offset)


def window_mask(
    target: int, source: int, before: int, after: int, device: torch.device | None = None
) -> Bool[Tensor, "target source"]:
    """Open position s to row t where t - before <= s <= t + after.

    Examples:
        >>> window_mask(3, 3, before=0, after=1)
        tensor([[ True,  True, False],
                [False,  True,  True],
                [False, False,  True]])
    """
    band = torch.ones(target, source, dtype=torch.bool, device=device)
    return band.triu(-before).tril(after)
