"""The look without its matrix: what a long alignment says, row by row.

Rows are taken in blocks. A block sees its whole source, so its weights are
exact and no running softmax is needed; only summaries of them are kept. With
gradients a block is computed anew in the backward pass. The memory is that of
one block and of the results.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from regard.attention.attention import look
from regard.attention.functions import ArrayLike, gather
from regard.attention.normalizers import softmax
from regard.attention.scores import DotScore
from regard.errors import SettingsError
from regard.precision import full_precision
from regard.shapes import require_same_size


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


class _Part(NamedTuple):
    """Some rows of the operands; all have the same number of axes, one of length one broadcasts."""

    query: Tensor
    keys: Tensor
    values: Tensor
    mask: Tensor | None
    bias: Tensor | None

    def narrow(self, axis: int, start: int, length: int) -> "_Part":
        """A piece along one axis; keys and values have no target axis to cut."""
        is_target = axis == self.query.ndim - 2

        def cut(tensor: Tensor) -> Tensor:
            return tensor if tensor.shape[axis] == 1 else tensor.narrow(axis, start, length)

        return _Part(
            cut(self.query),
            self.keys if is_target else cut(self.keys),
            self.values if is_target else cut(self.values),
            None if self.mask is None else cut(self.mask),
            None if self.bias is None else cut(self.bias),
        )


def summarize(
    query: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    scale: float | None = None,
    top: int = 8,
    block: int = 64,
) -> Summary:
    """Look as `attend` does, and keep a summary of the weights instead of them.

    Args:
        query: As for `attend`, with a target axis.
        keys: As for `attend`.
        values: As for `attend`.
        mask: As for `attend`.
        bias: As for `attend`.
        scale: 1/sqrt(size) if None.
        top: How many of the largest weights to keep.
        block: How many rows are in memory at once.

    Returns:
        Context in the precision of the input, the rest in at least float32.
        Gradients go through all that is a real number.

    Raises:
        SettingsError: `block` or `top` is less than one.

    Example:
        >>> summary = summarize(torch.zeros(3, 2), torch.eye(2), top=1)
        >>> summary.coverage
        tensor([1.5000, 1.5000])
    """
    if block < 1 or top < 1:
        raise SettingsError(f"block is {block} and top is {top}: both must be at least one.")
    operands = gather(query, keys, values, mask=mask, bias=bias)
    require_same_size("query", operands.query, "keys", operands.keys, axis=-1)
    part = _Part(
        _with_axes(operands.query, len(operands.shape)),
        _with_axes(operands.keys, len(operands.shape)),
        _with_axes(operands.values, len(operands.shape)),
        None if operands.mask is None else _with_axes(operands.mask, len(operands.shape)),
        None if operands.bias is None else _with_axes(operands.bias, len(operands.shape)),
    )
    chosen = max(operands.query.shape[-1], 1) ** -0.5 if scale is None else scale
    summary = _summarize(part, operands.shape, chosen, top, block)
    if not operands.is_single:
        return summary
    axis = len(operands.shape) - 2
    return Summary._make([*(field.select(axis, 0) for field in summary[:-1]), summary.coverage])


def _with_axes(tensor: Tensor, axes: int) -> Tensor:
    return tensor[(None,) * (axes - tensor.ndim)]


def _summarize(part: _Part, shape: tuple[int, ...], scale: float, top: int, block: int) -> Summary:
    rows = torch.Size(shape[:-1]).numel()
    if rows <= block:
        if not torch.is_grad_enabled():
            return _summarize_block(part, shape, scale, top)
        return checkpoint(
            _summarize_block, part, shape, scale, top,
            use_reentrant=False, preserve_rng_state=False,
        )  # fmt: skip
    axis = next(axis for axis, size in enumerate(shape) if size > 1)
    step = max(1, block * shape[axis] // rows)
    pieces: list[Summary] = []
    for start in range(0, shape[axis], step):
        length = min(step, shape[axis] - start)
        smaller = (*shape[:axis], length, *shape[axis + 1 :])
        piece = _summarize(part.narrow(axis, start, length), smaller, scale, top, block)
        if axis == len(shape) - 2 and pieces:
            # Coverages of rows add up at once: kept apart they would be a matrix again.
            pieces[0] = pieces[0]._replace(coverage=pieces[0].coverage + piece.coverage)
            piece = piece._replace(coverage=piece.coverage.new_empty(0))
        pieces.append(piece)
    rows_of = [torch.cat(fields, axis) for fields in list(zip(*pieces, strict=True))[:-1]]
    coverages = [piece.coverage for piece in pieces]
    coverage = coverages[0] if axis == len(shape) - 2 else torch.cat(coverages, axis)
    return Summary._make([*rows_of, coverage])


def _summarize_block(part: _Part, shape: tuple[int, ...], scale: float, top: int) -> Summary:
    attended = look(
        part.query, part.keys, part.values,
        score=DotScore(), normalize=softmax, mask=part.mask, bias=part.bias, scale=scale,
    )  # fmt: skip
    weights = attended.known_weights()
    top_weights, top_positions = weights.topk(min(top, shape[-1]), -1)
    top_positions = top_positions.masked_fill(top_weights == 0, -1)
    if shape[-1] == 0:
        zeros = weights.new_zeros(weights.shape[:-1])
        peak, argmax, log_sum_exp = zeros, zeros.long() - 1, zeros - torch.inf
    else:
        peak, argmax = weights.max(-1)
        log_sum_exp = _score_at(part, argmax, scale) - torch.where(peak == 0, 1, peak).log()
        log_sum_exp = torch.where(peak == 0, -torch.inf, log_sum_exp)
        argmax = argmax.masked_fill(peak == 0, -1)
    entropy = -(weights * torch.where(weights == 0, 1, weights).log()).sum(-1)
    return Summary(
        attended.context, log_sum_exp, entropy, peak, argmax,
        top_weights, top_positions, weights.sum(-2),
    )  # fmt: skip


def _score_at(part: _Part, position: Tensor, scale: float) -> Tensor:
    # The largest weight is 1 / sum of exp(score - largest score), so the score there and the
    # weight together are the log-sum-exp, without a second pass over the scores.
    with full_precision(part.query):
        exact = torch.promote_types(part.query.dtype, torch.float32)
        batch = position.shape[:-1]
        keys = part.keys.to(exact).expand(*batch, *part.keys.shape[-2:])
        index = position.unsqueeze(-1)
        chosen = keys.gather(-2, index.expand(*position.shape, keys.shape[-1]))
        if part.mask is not None:
            opened = part.mask.expand(*batch, part.mask.shape[-2], keys.shape[-2])
            opened = opened.expand(*position.shape, keys.shape[-2]).gather(-1, index)
            chosen = torch.where(opened, chosen, 0)
        scores = ((part.query.to(exact) * scale) * chosen).sum(-1)
        if part.bias is None:
            return scores
        bias = part.bias.to(exact).expand(*position.shape, keys.shape[-2]).gather(-1, index)
        return scores + bias.squeeze(-1)
