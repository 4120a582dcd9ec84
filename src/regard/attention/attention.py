"""The look as a module: a score and a normaliser, for a memory that is read many times."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention.look import Attended, all_finite, fold_bias, look
from regard.attention.memory import Memory
from regard.attention.normalizers import Normalizer, softmax
from regard.attention.scores import Score
from regard.errors import ShapeError
from regard.precision import full_precision
from regard.shapes import require_broadcast, require_mask


class Attention(nn.Module):
    """Look at a memory with a query: score, normalise, mix.

    Args:
        score: How well a position answers; see `regard.attention.scores`.
        normalize: How scores become weights: `softmax` or `sparsemax`.

    Examples:
        >>> attention = Attention(ScaledDotScore())
        >>> states = torch.eye(2)[None]
        >>> memory = attention.memorize(states, torch.tensor([[True, True]]))
        >>> attention(torch.tensor([[[0.0, 2 ** 0.5]]]), memory).weights
        tensor([[[0.2689, 0.7311]]])
    """

    def __init__(self, score: Score, normalize: Normalizer = softmax) -> None:
        super().__init__()
        self.score = score
        self.normalize = normalize

    def memorize(
        self,
        states: Float[Tensor, "*batch source state"],
        mask: Bool[Tensor, "*batch source"] | None = None,
    ) -> Memory:
        """Prepare what will be looked at. Once per source.

        Args:
            states: What the encoder made.
            mask: True where a position may be looked at; all, if None.
        """
        states, mask = hide(states, mask)
        return Memory(self.score.prepare(states), states, mask)

    def forward(
        self,
        query: Float[Tensor, "*batch target query"],
        memory: Memory,
        *,
        mask: Bool[Tensor, "*#batch #target #source"] | None = None,
        bias: Float[Tensor, "*#batch #target #source"] | None = None,
        coverage: Float[Tensor, "*batch source"] | None = None,
    ) -> Attended:
        """Look at the memory, once for each row of the query.

        The scores say how well each source position answers, the weights make
        a distribution of them, the context is the mixture of values under it.

        Args:
            query: What the decoder asks, one row per target position.
            memory: What is looked at; see `memorize`.
            mask: Which positions each row may look at, beside the memory's own
                mask; for causal looks see `regard.attention.masks`.
            bias: Added to the scores.
            coverage: What was looked at so far, for scores that use it.

        Returns:
            The context, and the weights that made it. Weights are exactly zero
            where a mask is False, and all zero if no position is open.

        Raises:
            ShapeError: The query and the memory were made for different batches.

        Reference:
            Bahdanau, Cho and Bengio (2015), section 3.1, arXiv:1409.0473.
            Their alpha is our `weights`, their annotations h are our states.
        """
        opened = memory.mask.unsqueeze(-2)
        shape = _look_shape(query, memory)
        require_look(mask, bias, shape)
        # Where nothing more is hidden, what the memory hides is known to be zero.
        is_clean = mask is None and (bias is None or all_finite(bias))
        opened = opened if mask is None else opened & mask
        if bias is not None and not is_clean:
            opened, bias = fold_bias(opened, bias)
        return look(
            query,
            memory.keys,
            memory.values,
            score=self.score,
            normalize=self.normalize,
            mask=opened,
            bias=bias,
            coverage=coverage,
            is_clean=is_clean,
        )


def hide(states: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """The states with zero where they are hidden, and the whole mask.

    Raises:
        KindError: The mask is not boolean.
        ShapeError: It does not fit the states.
    """
    if mask is None:
        return states, torch.ones(states.shape[:-1], dtype=torch.bool, device=states.device)
    require_mask("mask", mask)
    require_broadcast("mask", mask, tuple(states.shape[:-1]))
    mask = mask.expand(states.shape[:-1])
    return states.masked_fill(~mask.unsqueeze(-1), 0), mask


def _look_shape(query: Tensor, memory: Memory) -> tuple[int, ...]:
    if query.shape[:-2] == memory.keys.shape[:-2]:
        return (*query.shape[:-1], memory.keys.shape[-2])
    try:
        batch = torch.broadcast_shapes(query.shape[:-2], memory.keys.shape[:-2])
    except RuntimeError:
        raise ShapeError(
            f"query has shape {tuple(query.shape)} but the memory's keys have shape "
            f"{tuple(memory.keys.shape)}: both must be of one batch."
        ) from None
    return (*batch, query.shape[-2], memory.keys.shape[-2])


def mix(
    weights: Float[Tensor, "*batch target source"], memory: Memory
) -> Float[Tensor, "*batch target value"]:
    """The context under weights that were given instead of computed."""
    with full_precision(weights):
        return weights.to(memory.values.dtype) @ memory.values


def require_look(mask: Tensor | None, bias: Tensor | None, shape: tuple[int, ...]) -> None:
    """Check a user's mask and bias against the shape (*batch, target, source)."""
    if mask is not None:
        require_mask("mask", mask)
        require_broadcast("mask", mask, shape)
    if bias is not None:
        require_broadcast("bias", bias, shape)
