"""Several looks side by side, each with its own small query, keys and values.

    head_h   = look(query W_h, keys U_h, values V_h)
    context  = [head_1; ...; head_H] O

Vaswani et al. (2017), section 3.2.2, arXiv:1706.03762. Heads are one more
leading axis of the same look. Nothing is averaged: there are weights for
every head.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention.attention import Attention, hide
from regard.attention.look import Attended, all_finite
from regard.attention.memory import Memory
from regard.attention.scores import ScaledDotScore
from regard.errors import SettingsError
from regard.precision import full_precision
from regard.shapes import require_broadcast, require_mask


class MultiHeadAttention(nn.Module):
    """Look several times side by side.

    Args:
        size: Width of query and context.
        heads: Number of looks; must divide the size.
        state_size: Width of the states that are looked at; as `size` if None.

    Raises:
        SettingsError: The heads do not divide the size.
    """

    def __init__(self, size: int, heads: int, *, state_size: int | None = None) -> None:
        super().__init__()
        if heads < 1 or size % heads:
            raise SettingsError(f"{heads} heads do not divide a size of {size}.")
        self.heads = heads
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size if state_size is None else state_size, size)
        self.value = nn.Linear(size if state_size is None else state_size, size)
        self.merge = nn.Linear(size, size)
        self.attention = Attention(ScaledDotScore())

    def memorize(
        self,
        states: Float[Tensor, "*batch source state"],
        mask: Bool[Tensor, "*batch source"] | None = None,
    ) -> Memory:
        """Prepare keys and values for every head. Once per source.

        Args:
            states: What will be looked at.
            mask: True where a position may be looked at; all, if None.
        """
        states, mask = hide(states, mask)
        keys, values = self._split(self.key(states)), self._split(self.value(states))
        return Memory(keys, values, mask.unsqueeze(-2))

    def forward(
        self,
        query: Float[Tensor, "*batch target size"],
        memory: Memory,
        *,
        mask: Bool[Tensor, "*#batch #target #source"] | None = None,
        needs_weights: bool = True,
    ) -> Attended:
        """Look at the memory with every head, once for each row of the query.

        Args:
            query: One row per target position.
            memory: What `memorize` made.
            mask: Which positions each row may look at, beside the memory's own.
            needs_weights: Without weights, and where no gradient is needed,
                torch's fused kernel is used: the same context to rounding, in
                less time and memory. Its gradients are not used: they lose
                digits where scores are large.

        Returns:
            The merged context, and weights (*batch, heads, target, source).
        """
        rows = self._split(self.query(query))
        if mask is not None:
            require_mask("mask", mask)
            require_broadcast("mask", mask, (*query.shape[:-1], memory.keys.shape[-2]))
        each = None if mask is None else mask.unsqueeze(-3)
        if needs_weights or not self._may_fuse(rows, memory, each):
            attended = self.attention(rows, memory, mask=each)
            weights = attended.weights if needs_weights else None
            return Attended(self.merge(self._join(attended.context)), weights)
        return Attended(self.merge(self._join(_fused(rows, memory, each))), None)

    def scores(
        self, query: Float[Tensor, "*batch target size"], memory: Memory
    ) -> Float[Tensor, "*batch heads target source"]:
        """What each head has before normalising."""
        rows = self._split(self.query(query))
        with full_precision(rows):
            exact = torch.promote_types(rows.dtype, torch.float32)
            return self.attention.score(rows.to(exact), memory.keys.to(exact))

    def mix(
        self, weights: Float[Tensor, "*batch heads target source"], memory: Memory
    ) -> Float[Tensor, "*batch target size"]:
        """The merged context under weights that were given instead of computed."""
        return self.merge(self._join(weights.to(memory.values.dtype) @ memory.values))

    def _split(self, rows: Tensor) -> Tensor:
        return rows.unflatten(-1, (self.heads, -1)).transpose(-2, -3)

    def _join(self, heads: Tensor) -> Tensor:
        return heads.transpose(-2, -3).flatten(-2)

    def _may_fuse(self, query: Tensor, memory: Memory, mask: Tensor | None) -> bool:
        # The fused kernel lets NaN through where only some rows may see it.
        needs_gradient = torch.is_grad_enabled() and (
            query.requires_grad or memory.keys.requires_grad or memory.values.requires_grad
        )
        return not needs_gradient and (
            mask is None or all_finite(query, memory.keys, memory.values)
        )


def _fused(query: Tensor, memory: Memory, mask: Tensor | None) -> Tensor:
    opened = memory.mask.unsqueeze(-2)
    opened = opened if mask is None else opened & mask
    dtype = query.dtype
    query = torch.where(opened.any(-1, keepdim=True), query, 0)
    return nn.functional.scaled_dot_product_attention(
        query, memory.keys.to(dtype), memory.values.to(dtype), attn_mask=opened
    )
