"""Relative position bias: scores that also depend on how far a position is from the step.

    bias_ts = table[s - t],   |s - t| held within the reach

A decoder that copies a word it never saw must keep its place in it, and what was
written says where that is only to one that knows such words. The table starts
near zero, and is learnt. Raffel et al. (2020), section 2.1, arXiv:1910.10683, with
one bucket for each distance, and from the source to the target.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class RelativeBias(nn.Module):
    """A learnt bias for each distance between position and step.

    Args:
        reach: The largest distance with a bias of its own; all beyond share one.

    Examples:
        >>> relative = RelativeBias(1)
        >>> _ = relative.table.data.copy_(torch.tensor([-1.0, 0.0, 1.0]))
        >>> relative(1, 2, source=4, symbols=3)
        tensor([[-1.,  0.,  1.,  0.],
                [-1., -1.,  0.,  0.]], grad_fn=<WhereBackward0>)
    """

    def __init__(self, reach: int) -> None:
        super().__init__()
        self.reach = reach
        self.table = nn.Parameter(torch.empty(2 * reach + 1))
        nn.init.normal_(self.table, std=0.1)

    def forward(
        self, first: int, steps: int, *, source: int, symbols: int
    ) -> Float[Tensor, "target source"]:
        """The bias of some steps.

        Args:
            first: The number of the first of them, from zero.
            steps: How many there are.
            source: How many positions there are.
            symbols: How many of them have a place; those behind have no bias.
        """
        positions = torch.arange(source, device=self.table.device)
        numbers = torch.arange(first, first + steps, device=self.table.device)
        distance = (positions - numbers.unsqueeze(-1)).clamp(-self.reach, self.reach)
        return torch.where(positions < symbols, self.table[distance + self.reach], 0)
