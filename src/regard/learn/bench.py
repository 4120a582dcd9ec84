"""A bench to try looks on: operands in, every stage of the look out.

The laboratory of the page and the lessons ask the same function, so both show
the same numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import attend, context_jacobian
from regard.attention.functions import named_score
from regard.errors import SettingsError, ShapeError

Hiding = Literal["before", "after", "not"]
"""When hidden positions lose their weight: before the softmax, after it, or not at all."""


@dataclass(frozen=True)
class Bench:
    """What is put on the bench.

    Attributes:
        query: One row a query.
        keys: One row a position.
        values: One row a position; the keys themselves if None.
        mask: Whether each position may be looked at; all, if None.
        score: "dot", "scaled dot" or "cosine".
        scale: A factor in the place of the score's own.
        temperature: What the scores are divided by: above one flattens, below one sharpens.
        hiding: What is done with the mask.
        size: How many numbers queries and keys have in all; the further ones
            are drawn at random. None for those that are given.
        step: How far the first query is moved, to see how the context follows.

    Raises:
        ShapeError: The rows do not fit together.
        SettingsError: The temperature is not above zero.
    """

    query: Sequence[Sequence[float]]
    keys: Sequence[Sequence[float]]
    values: Sequence[Sequence[float]] | None = None
    mask: Sequence[bool] | None = None
    score: Literal["dot", "scaled dot", "cosine"] = "dot"
    scale: float | None = None
    temperature: float = 1.0
    hiding: Hiding = "before"
    size: int | None = None
    step: Sequence[float] | None = None

    def __post_init__(self) -> None:
        values = self.keys if self.values is None else self.values
        for name, rows in (("query", self.query), ("keys", self.keys), ("values", values)):
            if not rows or len({len(row) for row in rows}) != 1 or not rows[0]:
                raise ShapeError(f"{name}: expected rows of equally many numbers, at least one.")
        width = len(self.keys[0])
        if len(self.query[0]) != width:
            raise ShapeError(f"query has {len(self.query[0])} numbers, keys have {width}.")
        if len(values) != len(self.keys):
            raise ShapeError(f"there are {len(self.keys)} keys and {len(values)} values.")
        if self.mask is not None and len(self.mask) != len(self.keys):
            raise ShapeError(
                f"there are {len(self.keys)} keys, {len(self.mask)} marks of the mask."
            )
        if self.temperature <= 0:
            raise SettingsError(f"a temperature of {self.temperature:g}: expected more than zero.")
        if self.step is not None and len(self.step) != width:
            raise ShapeError(f"the step has {len(self.step)} numbers, the query {width}.")


@dataclass(frozen=True, eq=False)
class Looked:
    """Every stage of a look.

    Attributes:
        scores: Before normalising.
        weights: After it.
        context: The mixture of the values.
        sums: What each row of weights sums to.
        entropies: Of each row, in nats.
        jacobian: How the first query's context moves with the query.
        predicted: How it should move with the step, by the jacobian; empty without a step.
        moved: How it does move.
        variance: Of the scores.
    """

    scores: Float[np.ndarray, "target source"]
    weights: Float[np.ndarray, "target source"]
    context: Float[np.ndarray, "target value"]
    sums: Float[np.ndarray, " target"]
    entropies: Float[np.ndarray, " target"]
    jacobian: Float[np.ndarray, "value size"]
    predicted: Float[np.ndarray, " moved"]
    moved: Float[np.ndarray, " moved"]
    variance: float


def look_at(bench: Bench) -> Looked:
    """Take the look.

    Args:
        bench: What is put on the bench: (target, size) queries, (source, size) keys,
            (source, value) values.

    Returns:
        Every stage, in double precision; rows with nothing open are zero.

    Reference:
        Vaswani et al. (2017), equation 1, arXiv:1706.03762; for the movement of the
        context see `regard.context_jacobian`.

    Examples:
        >>> look_at(Bench([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])).weights.round(3).tolist()
        [[0.731, 0.269]]
    """
    laid = _laid_out(bench)
    scores = _scores(bench, laid, laid.query)
    context, weights = _look(bench, laid, laid.query)
    width = len(bench.keys[0])
    jacobian = _jacobian(bench, laid)[:, :width]
    moved = predicted = context[0, :0]
    if bench.step is not None:
        step = exact(list(bench.step))
        predicted = jacobian @ step
        query = laid.query[:1].clone()
        query[0, :width] += step
        moved = (_look(bench, laid, query)[0] - context[:1])[0]
    entropies = -torch.xlogy(weights, weights).sum(-1)
    variance = float(scores.var(correction=0))
    return Looked(
        scores.numpy(),
        weights.numpy(),
        context.numpy(),
        weights.sum(-1).numpy(),
        entropies.numpy(),
        jacobian.numpy(),
        predicted.numpy(),
        moved.numpy(),
        variance,
    )


def exact(numbers: object) -> Tensor:
    """Numbers in double precision, so that what is printed is not rounding."""
    return torch.tensor(numbers, dtype=torch.float64)


@dataclass(frozen=True)
class _Laid:
    query: Tensor
    keys: Tensor
    values: Tensor
    mask: Tensor
    scale: float


def _laid_out(bench: Bench) -> _Laid:
    """The operands as tensors, with what else there is of the size drawn at random."""
    query, keys = exact(list(bench.query)), exact(list(bench.keys))
    values = keys if bench.values is None else exact(list(bench.values))
    mask = [True] * len(keys) if bench.mask is None else list(bench.mask)
    further = max(0, (bench.size or 0) - keys.shape[1])
    generator = torch.Generator().manual_seed(0)
    # Column after column, so that a larger size only adds to a smaller one.
    more = torch.randn(further, len(query) + len(keys), generator=generator).double().T
    query = torch.cat([query, more[: len(query)]], -1)
    keys = torch.cat([keys, more[len(query) :]], -1)
    own = query.shape[1] ** -0.5 if bench.score == "scaled dot" else 1.0
    scale = (own if bench.scale is None else bench.scale) / bench.temperature
    return _Laid(query, keys, values, torch.tensor(mask), scale)


def _scores(bench: Bench, laid: _Laid, query: Tensor) -> Tensor:
    score = named_score(bench.score)
    return score(query, score.prepare(laid.keys), scale=laid.scale)


def _look(bench: Bench, laid: _Laid, query: Tensor) -> tuple[Tensor, Tensor]:
    """Context and weights; with the mask done wrong where that is asked for."""
    mask = laid.mask if bench.hiding == "before" else None
    context, weights = attend(
        query, laid.keys, laid.values, mask=mask, score=bench.score, scale=laid.scale
    )
    assert weights is not None
    if bench.hiding != "after":
        return context, weights
    weights = weights.masked_fill(~laid.mask, 0)
    return weights @ laid.values, weights


def _jacobian(bench: Bench, laid: _Laid) -> Tensor:
    query = laid.query[0]
    if bench.hiding == "after" or bench.score == "cosine":
        found = torch.autograd.functional.jacobian(
            lambda asked: _look(bench, laid, asked[None])[0][0], query
        )
        assert isinstance(found, Tensor)
        return found
    mask = laid.mask if bench.hiding == "before" else None
    return context_jacobian(query, laid.keys, laid.values, mask=mask, scale=laid.scale)
