"""The one look that all others are made of.

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
from jaxtyping import Float
from torch import Tensor

from regard.attention.normalizers import Normalizer
from regard.attention.scores import Score
from regard.precision import full_precision


class Attended(NamedTuple):
    """What came of a look.

    Attributes:
        context: The mixture of values, one row per query.
        weights: How much each source position gave to it. Rows sum to one, or
            to zero where nothing may be looked at. None if nobody asked.
    """

    context: Float[Tensor, "*batch target value"]
    weights: Float[Tensor, "*batch target source"] | None

    def known_weights(self) -> Float[Tensor, "*rows source"]:
        """The weights of a look that was asked for them."""
        assert self.weights is not None
        return self.weights


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
    is_clean: bool = False,
) -> Attended:
    """Score, normalise, mix: the one look that all others are made of.

    Args:
        query: Queries, (*batch, target, query).
        keys: Prepared keys, (*batch, source, key).
        values: Values, (*batch, source, value).
        score: The score.
        normalize: The normaliser.
        mask: Broadcasts to (*batch, target, source).
        bias: Added to the scores; finite where the mask is True, see `fold_bias`.
        scale: A factor in the place of the score's own.
        coverage: What was looked at so far.
        is_clean: Whether keys and values that no row may see are known to be zero.
    """
    with full_precision(query):
        exact = torch.promote_types(query.dtype, torch.float32)
        parts = _Parts(query.to(exact), keys.to(exact), values.to(exact), coverage)
        if mask is not None:
            parts = _without_hidden(parts, mask, is_clean=is_clean)
        shift = None if bias is None else _shifted(bias.to(exact), mask)
        take = Look(score, normalize, mask, shift, scale)
        # Where rows see different positions, a zero weight may meet a NaN that others may see.
        is_risky = mask is not None and mask.shape[-2] != 1
        if is_risky and not all_finite(*parts[:3]):
            context, weights = take.by_pairs(parts)
        else:
            context, weights = take.at_once(parts)
            if is_risky and not all_finite(weights):
                context, weights = take.by_pairs(parts)
        if mask is not None:
            context = context.masked_fill(~mask.any(-1, keepdim=True), 0)
        return Attended(context.to(query.dtype), weights)


class _Parts(NamedTuple):
    query: Tensor
    keys: Tensor
    values: Tensor
    coverage: Tensor | None


class Look(NamedTuple):
    """Score, normalise, mix, with all that does not depend on the operands.

    Attributes:
        score: The score.
        normalize: The normaliser.
        mask: Which positions each row may look at.
        bias: Added to the scores.
        scale: A factor in the place of the score's own.
    """

    score: Score
    normalize: Normalizer
    mask: Tensor | None
    bias: Tensor | None
    scale: float | None

    def at_once(self, parts: _Parts) -> tuple[Tensor, Tensor]:
        """Context and weights, by whole products."""
        scores = self.score(parts.query, parts.keys, scale=self.scale, coverage=parts.coverage)
        weights = self.normalize(scores if self.bias is None else scores + self.bias, self.mask)
        return weights @ parts.values, weights

    def by_pairs(self, parts: _Parts) -> tuple[Tensor, Tensor]:
        """The same, with copies for every pair that are zero where it is hidden.

        So no NaN is ever multiplied by a hidden zero, in any derivative. Large,
        and only taken where something is not finite.
        """
        assert self.mask is not None
        pair = self.mask.unsqueeze(-1)
        each_query = torch.where(pair, parts.query.unsqueeze(-2), 0).unsqueeze(-2)
        each_key = torch.where(pair, parts.keys.unsqueeze(-3), 0).unsqueeze(-2)
        each_value = torch.where(pair, parts.values.unsqueeze(-3), 0)
        covered = None if parts.coverage is None else parts.coverage[..., None, :, None]
        scores = self.score(each_query, each_key, scale=self.scale, coverage=covered).flatten(-3)
        weights = self.normalize(scores if self.bias is None else scores + self.bias, self.mask)
        return (weights.unsqueeze(-1) * each_value).sum(-2), weights


def _without_hidden(parts: _Parts, mask: Tensor, *, is_clean: bool) -> _Parts:
    """Zero for queries that may see nothing, and for all that no query may see."""
    query = torch.where(mask.any(-1, keepdim=True), parts.query, 0)
    seen = mask.any(-2)
    coverage = None if parts.coverage is None else torch.where(seen, parts.coverage, 0)
    if is_clean:
        return parts._replace(query=query, coverage=coverage)
    seen = seen.unsqueeze(-1)
    return _Parts(
        query, torch.where(seen, parts.keys, 0), torch.where(seen, parts.values, 0), coverage
    )


def _shifted(bias: Tensor, mask: Tensor | None) -> Tensor:
    # Equal biases are no bias: a large one would only cost the scores their last digits.
    # Neither normaliser changes when a row is shifted.
    if bias.shape[-1] == 0:
        return bias
    opened = bias if mask is None else torch.where(mask, bias, -torch.inf)
    largest = opened.detach().amax(-1, keepdim=True)
    return bias - torch.where(largest.isfinite(), largest, 0)


def all_finite(*tensors: Tensor) -> bool:
    """Whether no tensor holds NaN or infinity. One pass, nothing allocated."""
    return all(
        bool(torch.isfinite(torch.stack(torch.aminmax(tensor.detach()))).all())
        for tensor in tensors
        if tensor.numel()
    )


def fold_bias(mask: Tensor | None, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Hide what a bias of minus infinity hides; the bias is zero where anything is hidden."""
    opened = ~torch.isneginf(bias)
    mask = opened if mask is None else mask & opened
    return mask, torch.where(mask, bias, 0)
