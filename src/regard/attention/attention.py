"""The look: score, normalise, mix.

    scores_ts  = score(query_t, key_s)
    weights_t  = normalise(scores_t)            over the source, where the mask is True
    context_t  = sum over s of weights_ts value_s

Nothing hidden reaches a row, whatever its bits, forwards or backwards: hidden
scores are never read, and where a product would multiply a zero weight by NaN
or infinity, the look is taken pair by pair instead. Scores and weights are
computed in at least float32.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention.memory import Memory
from regard.attention.normalizers import Normalizer, softmax
from regard.attention.scores import Score
from regard.precision import full_precision
from regard.shapes import require_broadcast, require_mask


class Attended(NamedTuple):
    """What came of a look.

    Attributes:
        context: The mixture of values, one row per query.
        weights: How much each source position gave to it. Rows sum to one, or
            to zero where nothing may be looked at. None if nobody asked.
    """

    context: Float[Tensor, "*batch target value"]
    weights: Float[Tensor, "*batch target source"] | None

    def known_weights(self) -> Float[Tensor, "*batch target source"]:
        """The weights of a look that was asked for them."""
        assert self.weights is not None
        return self.weights


class Attention(nn.Module):
    """Look at a memory with a query: score, normalise, mix.

    Args:
        score: How well a position answers; see `regard.attention.scores`.
        normalize: How scores become weights: `softmax` or `sparsemax`.

    Example:
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
        if mask is None:
            mask = torch.ones(states.shape[:-1], dtype=torch.bool, device=states.device)
        require_mask("mask", mask)
        states = states.masked_fill(~mask.unsqueeze(-1), 0)
        return Memory(self.score.prepare(states), states, mask)

    def forward(
        self,
        query: Float[Tensor, "*batch target query"],
        memory: Memory,
        *,
        mask: Bool[Tensor, "*#batch target source"] | None = None,
        bias: Float[Tensor, "*#batch target source"] | None = None,
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
        return look(
            query, memory.keys, memory.values, score=self.score, normalize=self.normalize,
            mask=opened if mask is None else opened & mask, bias=bias, coverage=coverage,
        )  # fmt: skip


def look(
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    *,
    score: Score,
    normalize: Normalizer,
    mask: Tensor | None = None,
    bias: Tensor | None = None,
    scale: float | None = None,
    coverage: Tensor | None = None,
) -> Attended:
    """Score, normalise, mix: the one look that all others are made of.

    Args:
        query: Queries, (*batch, target, query).
        keys: Prepared keys, (*batch, source, key). Hidden ones must be finite
            unless the mask has a row per query.
        values: Values, (*batch, source, value).
        score: The score.
        normalize: The normaliser.
        mask: Broadcasts to (*batch, target, source).
        bias: Added to the scores; minus infinity hides, as a mask does.
        scale: A factor in the place of the score's own.
        coverage: What was looked at so far.
    """
    with full_precision(query):
        exact = torch.promote_types(query.dtype, torch.float32)
        asked, keys, mixed = query.to(exact), keys.to(exact), values.to(exact)
        mask, bias = fold_bias(mask, bias)
        if mask is not None and mask.shape[-2] != 1 and not all_finite(asked, keys, mixed):
            context, weights = _look_by_pairs(
                asked, keys, mixed, mask, bias, score, normalize, scale, coverage
            )
        else:
            scores = score(asked, keys, scale=scale, coverage=coverage)
            weights = normalize(scores if bias is None else scores + bias, mask)
            context = weights @ mixed
        return Attended(context.to(query.dtype), weights)


def all_finite(*tensors: Tensor) -> bool:
    """Whether no tensor holds NaN or infinity. One pass, nothing allocated."""
    return all(
        bool(torch.isfinite(torch.stack(torch.aminmax(tensor.detach()))).all())
        for tensor in tensors
        if tensor.numel()
    )


def fold_bias(mask: Tensor | None, bias: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """Hide what a bias of minus infinity hides, and take each row's largest bias away.

    Equal biases are no bias: a large one would only cost the scores their last
    digits. Neither normaliser changes when a row is shifted.
    """
    if bias is None:
        return mask, None
    bias = bias.to(torch.promote_types(bias.dtype, torch.float32))
    opened = ~torch.isneginf(bias)
    mask = opened if mask is None else mask & opened
    bias = torch.where(mask, bias, 0)
    if bias.shape[-1] == 0:
        return mask, bias
    largest = torch.where(mask, bias, -torch.inf).detach().amax(-1, keepdim=True)
    return mask, bias - torch.where(largest.isfinite(), largest, 0)


def _look_by_pairs(
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    mask: Tensor,
    bias: Tensor | None,
    score: Score,
    normalize: Normalizer,
    scale: float | None,
    coverage: Tensor | None,
) -> tuple[Tensor, Tensor]:
    # Every pair gets its own copies, zero where hidden, so that no NaN is ever multiplied
    # by a hidden zero, in any derivative. Large, and only taken where something is not finite.
    pair = mask.unsqueeze(-1)
    each_query = torch.where(pair, query.unsqueeze(-2), 0).unsqueeze(-2)
    each_key = torch.where(pair, keys.unsqueeze(-3), 0).unsqueeze(-2)
    each_value = torch.where(pair, values.unsqueeze(-3), 0)
    covered = None if coverage is None else coverage[..., None, :, None]
    scores = score(each_query, each_key, scale=scale, coverage=covered).flatten(-3)
    weights = normalize(scores if bias is None else scores + bias, mask)
    return (weights.unsqueeze(-1) * each_value).sum(-2), weights


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
