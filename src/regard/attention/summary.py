"""What a look says without its matrix, for some of its rows."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.attention.largest import largest
from regard.attention.look import look
from regard.attention.normalizers import softmax
from regard.attention.scores import DotScore
from regard.precision import full_precision


class Summary(NamedTuple):
    """What a look says, without its T x S weights.

    Attributes:
        context: The mixture of values.
        log_sum_exp: Logarithm of the sum of exp(score); -inf for an empty row.
        entropy: Of the weights, in nats; 0 for an empty row.
        peak: The largest weight; 0 for an empty row.
        argmax: Where it is, the first of equals; -1 for an empty row.
        top_weights: The largest weights, in falling order; 0 where a row has
            fewer open positions.
        top_positions: Where they are; -1 where a row has fewer.
        coverage: The sum of the weights over the rows, one per source position.
    """

    context: Float[Tensor, "*batch target value"]
    log_sum_exp: Float[Tensor, "*batch target"]
    entropy: Float[Tensor, "*batch target"]
    peak: Float[Tensor, "*batch target"]
    argmax: Int[Tensor, "*batch target"]
    top_weights: Float[Tensor, "*batch target top"]
    top_positions: Int[Tensor, "*batch target top"]
    coverage: Float[Tensor, "*batch source"]


class Part(NamedTuple):
    """Some rows of the operands; all have the same number of axes, one of length one broadcasts."""

    query: Tensor
    keys: Tensor
    values: Tensor
    mask: Tensor | None
    bias: Tensor | None

    def narrow(self, axis: int, start: int, length: int) -> "Part":
        """A piece along one axis; keys and values have no target axis to cut."""
        is_target = axis == self.query.ndim - 2
        return Part(
            _cut(self.query, axis, start, length),
            self.keys if is_target else _cut(self.keys, axis, start, length),
            self.values if is_target else _cut(self.values, axis, start, length),
            None if self.mask is None else _cut(self.mask, axis, start, length),
            None if self.bias is None else _cut(self.bias, axis, start, length),
        )


def _cut(tensor: Tensor, axis: int, start: int, length: int) -> Tensor:
    return tensor if tensor.shape[axis] == 1 else tensor.narrow(axis, start, length)


def summary_of(part: Part, *, scale: float, top: int) -> Summary:
    """What these rows say, by their whole weights."""
    attended = look(
        part.query,
        part.keys,
        part.values,
        score=DotScore(),
        normalize=softmax,
        mask=part.mask,
        bias=part.bias,
        scale=scale,
        is_clean=True,
    )
    weights = attended.known_weights()
    found = largest(weights.detach(), top)
    top_weights = weights.gather(-1, found.positions)
    top_positions = found.positions.masked_fill(top_weights == 0, -1)
    if weights.shape[-1] == 0:
        zeros = weights.new_zeros(weights.shape[:-1])
        peak, argmax, log_sum_exp = zeros, zeros.long() - 1, zeros - torch.inf
    else:
        argmax = found.first
        peak = weights.gather(-1, argmax.unsqueeze(-1)).squeeze(-1)
        log_sum_exp = _score_at(part, argmax, scale) - torch.where(peak == 0, 1, peak).log()
        log_sum_exp = torch.where(peak == 0, -torch.inf, log_sum_exp)
        argmax = argmax.masked_fill(peak == 0, -1)
    return Summary(
        attended.context,
        log_sum_exp,
        _entropy(weights),
        peak,
        argmax,
        top_weights,
        top_positions,
        weights.sum(-2),
    )


def _entropy(weights: Tensor) -> Tensor:
    least = torch.finfo(weights.dtype).tiny
    logarithms = weights.clamp_min(least)
    # In place where no derivative is wanted: a block costs as much to allocate as to compute.
    if weights.requires_grad:
        return 0.0 - (logarithms.log() * weights).sum(-1)
    return 0.0 - logarithms.log_().mul_(weights).sum(-1)


def _score_at(part: Part, position: Tensor, scale: float) -> Tensor:
    # The largest weight is 1 / sum of exp(score - largest score), so the score there and the
    # weight together are the log-sum-exp, without a second pass over the scores.
    with full_precision(part.query):
        exact = torch.promote_types(part.query.dtype, torch.float32)
        batch = position.shape[:-1]
        query, keys = part.query.to(exact), part.keys.to(exact)
        keys = keys.expand(*batch, *keys.shape[-2:])
        index = position.unsqueeze(-1)
        chosen = keys.gather(-2, index.expand(*position.shape, keys.shape[-1]))
        if part.mask is not None:
            rows = part.mask.any(-1, keepdim=True)
            query, chosen = torch.where(rows, query, 0), torch.where(rows, chosen, 0)
        scores = ((query * scale) * chosen).sum(-1)
        if part.bias is None:
            return scores
        bias = part.bias.to(exact).expand(*position.shape, keys.shape[-2]).gather(-1, index)
        return scores + bias.squeeze(-1)
