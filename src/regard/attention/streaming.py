"""The look without its matrix: what a long alignment says, row by row.

Rows are taken in blocks. A block sees its whole source, so its weights are
exact and no running softmax is needed; only summaries of them are kept, in
arrays that are there from the start. In the backward pass each block is
computed anew. The memory is that of one block and of the results.
"""

from collections.abc import Iterator
from typing import NamedTuple, cast

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx, once_differentiable

from regard.attention.functions import ArrayLike, gather
from regard.attention.summary import Part, Summary, summary_of
from regard.errors import SettingsError
from regard.shapes import require_same_size


class _Piece(NamedTuple):
    """Where a block of rows lies, as cuts (axis, start, length) one after the other."""

    cuts: tuple[tuple[int, int, int], ...]

    def of_operands(self, part: Part) -> Part:
        """These rows of the operands."""
        for axis, start, length in self.cuts:
            part = part.narrow(axis, start, length)
        return part

    def of_results(self, summary: Summary, axes: int) -> Summary:
        """These rows of the results, and the coverage that they add to."""
        fields = list(summary)
        for axis, start, length in self.cuts:
            for place, field in enumerate(fields):
                is_coverage = place == len(fields) - 1
                if not (is_coverage and axis == axes - 2):
                    fields[place] = field.narrow(axis, start, length)
        return Summary._make(fields)


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
        Gradients go through all that is a real number; there are no second
        derivatives.

    Raises:
        SettingsError: `block` or `top` is less than one.

    Examples:
        >>> summary = summarize(torch.zeros(3, 2), torch.eye(2), top=1)
        >>> summary.coverage
        tensor([1.5000, 1.5000])
    """
    if block < 1 or top < 1:
        raise SettingsError(f"block is {block} and top is {top}: both must be at least one.")
    operands = gather(query, keys, values, mask=mask, bias=bias)
    require_same_size("query", operands.query, "keys", operands.keys, axis=-1)
    axes = len(operands.shape)
    tensors = [
        None if part is None else part[(None,) * (axes - part.ndim)] for part in operands[:5]
    ]
    chosen = max(operands.query.shape[-1], 1) ** -0.5 if scale is None else scale
    plan = _Plan(operands.shape, chosen, min(top, operands.shape[-1]), block)
    summary = Summary._make(cast(list[Tensor], _Streamed.apply(plan, *tensors)))
    if not operands.is_single:
        return summary
    rows = [field.select(axes - 2, 0) for field in summary[:-1]]
    return Summary._make([*rows, summary.coverage])


class _Plan(NamedTuple):
    """How the rows are gone through."""

    shape: tuple[int, ...]
    scale: float
    top: int
    block: int

    def pieces(self, cuts: tuple[tuple[int, int, int], ...] = ()) -> Iterator[_Piece]:
        """Blocks of at most `block` rows: the first long axis is cut, then the next."""
        shape = list(self.shape)
        for axis, _, length in cuts:
            shape[axis] = length
        rows = torch.Size(shape[:-1]).numel()
        if rows <= self.block:
            yield _Piece(cuts)
            return
        axis = next(axis for axis, size in enumerate(shape) if size > 1)
        step = max(1, self.block * shape[axis] // rows)
        for start in range(0, shape[axis], step):
            cut = (axis, start, min(step, shape[axis] - start))
            yield from self.pieces((*cuts, cut))

    def results(self, part: Part) -> Summary:
        """Arrays for the results, zero as yet."""
        rows, source = self.shape[:-1], self.shape[-1]
        exact = torch.promote_types(part.query.dtype, torch.float32)
        new = part.query.new_zeros
        return Summary(
            new((*rows, part.values.shape[-1])),
            new(rows, dtype=exact),
            new(rows, dtype=exact),
            new(rows, dtype=exact),
            new(rows, dtype=torch.long),
            new((*rows, self.top), dtype=exact),
            new((*rows, self.top), dtype=torch.long),
            new((*rows[:-1], source), dtype=exact),
        )


class _Streamed(torch.autograd.Function):
    """The blocks, forwards, and each anew backwards."""

    @staticmethod
    def forward(ctx: FunctionCtx, plan: _Plan, *operands: Tensor | None) -> tuple[Tensor, ...]:
        part = Part(*cast(tuple[Tensor, Tensor, Tensor, Tensor | None, Tensor | None], operands))
        results = plan.results(part)
        for piece in plan.pieces():
            block = summary_of(piece.of_operands(part), scale=plan.scale, top=plan.top)
            for whole, own in zip(piece.of_results(results, len(plan.shape)), block, strict=True):
                # A row is written once; of the coverage each block has a share.
                whole += own
        ctx.plan = plan  # pyright: ignore[reportAttributeAccessIssue]
        ctx.save_for_backward(*(tensor for tensor in part if tensor is not None))
        ctx.present = [tensor is not None for tensor in part]  # pyright: ignore[reportAttributeAccessIssue]
        ctx.mark_non_differentiable(results.argmax, results.top_positions)
        return tuple(results)

    @staticmethod
    @once_differentiable
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: FunctionCtx, *upstream: Tensor
    ) -> tuple[Tensor | None, ...]:
        plan = cast(_Plan, ctx.plan)  # pyright: ignore[reportAttributeAccessIssue]
        kept = iter(cast(tuple[Tensor, ...], ctx.saved_tensors))  # pyright: ignore[reportAttributeAccessIssue]
        present = cast(list[bool], ctx.present)  # pyright: ignore[reportAttributeAccessIssue]
        part = Part._make([next(kept) if there else None for there in present])
        learnt = [tensor is not None and tensor.is_floating_point() for tensor in part]
        totals = Part._make(
            [
                torch.zeros_like(tensor) if float_ and tensor is not None else None
                for tensor, float_ in zip(part, learnt, strict=True)
            ]
        )
        for piece in plan.pieces():
            _add_gradients(piece, plan, part, totals, Summary._make(upstream))
        return (None, *totals)


def _add_gradients(piece: _Piece, plan: _Plan, part: Part, totals: Part, upstream: Summary) -> None:
    own = piece.of_operands(part)
    into = piece.of_operands(totals)
    leaves = [
        None if total is None or tensor is None else tensor.detach().requires_grad_()
        for tensor, total in zip(own, into, strict=True)
    ]
    inputs = [tensor if leaf is None else leaf for tensor, leaf in zip(own, leaves, strict=True)]
    with torch.enable_grad():
        block = summary_of(Part._make(inputs), scale=plan.scale, top=plan.top)
    given = piece.of_results(upstream, len(plan.shape))
    pairs = [
        (result, gradient)
        for result, gradient in zip(block, given, strict=True)
        if result.requires_grad
    ]
    gradients = torch.autograd.grad(
        [result for result, _ in pairs],
        [leaf for leaf in leaves if leaf is not None],
        [gradient for _, gradient in pairs],
        allow_unused=True,
    )
    found = cast(tuple[Tensor | None, ...], gradients)
    targets = [total for total in into if total is not None]
    for total, gradient in zip(targets, found, strict=True):
        if gradient is not None:
            total += gradient
