"""The look as functions of plain arrays, for use without a model.

Tensors, arrays or (nested) lists go in. Lists become float32; integer arrays
are refused; arrays of different precision are brought to the finer one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.attention import require_look
from regard.attention.look import Attended, fold_bias, look
from regard.attention.normalizers import Normalizer, softmax
from regard.attention.scores import CosineScore, DotScore, ScaledDotScore, Score
from regard.errors import KindError, SettingsError, ShapeError
from regard.precision import full_precision
from regard.shapes import require_floating, require_same_size

ArrayLike = Tensor | np.ndarray | Sequence[object]
"""What may be given for an array."""

SCORES = {"dot": DotScore, "scaled dot": ScaledDotScore, "cosine": CosineScore}


class Operands(NamedTuple):
    """Query, keys and values of one precision, with a target axis and known to fit.

    Attributes:
        query: (*batch, target, size)
        keys: (*batch, source, size)
        values: (*batch, source, value)
        mask: Broadcasts to `shape`, with at least two axes.
        bias: Broadcasts to `shape`.
        shape: (*batch, target, source)
        is_single: Whether the query came without a target axis.
    """

    query: Tensor
    keys: Tensor
    values: Tensor
    mask: Tensor | None
    bias: Tensor | None
    shape: tuple[int, ...]
    is_single: bool


def attend(
    query: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    score: str | Score = "scaled dot",
    normalize: Normalizer = softmax,
    scale: float | None = None,
) -> Attended:
    """Look at the keys with the query and mix the values: one whole look.

    Args:
        query: (..., target, size), or (size,) for a single query.
        keys: (..., source, size). Leading axes broadcast.
        values: (..., source, value); the keys themselves if None, as in the
            first sequence-to-sequence attention.
        mask: Boolean, broadcasts to (..., target, source): True where a
            position may be looked at.
        bias: Added to the scores, broadcasts likewise; minus infinity hides.
        score: "dot", "scaled dot", "cosine", or any `Score`.
        normalize: `softmax` or `sparsemax`.
        scale: A factor in the place of the score's own (1 for dot and cosine,
            1/sqrt(size) for scaled dot).

    Returns:
        The context (..., target, value) in the precision of the input, and the
        weights (..., target, source) in at least float32.

    Raises:
        ShapeError: The arrays do not fit together.
        KindError: Integer arrays, or a mask that is not boolean.
        SettingsError: The score's name is unknown.

    Reference:
        Vaswani et al. (2017), equation 1, arXiv:1706.03762, with their Q, K, V
        as our query, keys, values; scale=1 gives the dot score of Luong et al.

    Examples:
        >>> attended = attend([0.8, 0.2], [[1, 0], [0, 1], [0.5, 0.5]],
        ...                   mask=[True, True, False], score="dot")
        >>> attended.weights
        tensor([0.6457, 0.3543, 0.0000])
    """
    operands = gather(query, keys, values, mask=mask, bias=bias)
    chosen = named_score(score)
    with full_precision(operands.query):
        exact = torch.promote_types(operands.query.dtype, torch.float32)
        prepared = chosen.prepare(operands.keys.to(exact))
    attended = look(
        operands.query,
        prepared,
        operands.values,
        score=chosen,
        normalize=normalize,
        mask=operands.mask,
        bias=operands.bias,
        scale=scale,
        is_clean=True,
    )
    if not operands.is_single:
        return attended
    return Attended(attended.context.squeeze(-2), attended.known_weights().squeeze(-2))


def context_jacobian(
    query: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> Float[Tensor, "*rows value size"]:
    """How the context moves with the query, in closed form.

        d context / d query  =  scale Cov(value, key)   under the weights

    It is zero where all open keys are equal, and where one weight is one: in
    both cases the query receives no gradient.

    Args:
        query: As for `attend`.
        keys: As for `attend`.
        values: As for `attend`.
        mask: As for `attend`.
        scale: 1/sqrt(size) if None.

    Returns:
        One matrix (value, size) for each query.

    Examples:
        >>> context_jacobian([0.0, 1.0], [[1.0, 0.0], [0.0, 1.0]], scale=1.0)
        tensor([[ 0.1966, -0.1966],
                [-0.1966,  0.1966]])
    """
    operands = gather(query, keys, values, mask=mask, bias=None)
    require_same_size("query", operands.query, "keys", operands.keys, axis=-1)
    with full_precision(operands.query):
        jacobian = _jacobian(operands, scale).to(operands.query.dtype)
    return jacobian.squeeze(-3) if operands.is_single else jacobian


def _jacobian(operands: Operands, scale: float | None) -> Tensor:
    chosen = max(operands.query.shape[-1], 1) ** -0.5 if scale is None else scale
    exact = torch.promote_types(operands.query.dtype, torch.float32)
    key, value = (part.to(exact).unsqueeze(-3) for part in (operands.keys, operands.values))
    if operands.mask is not None:
        pair = operands.mask.unsqueeze(-1)
        key, value = torch.where(pair, key, 0), torch.where(pair, value, 0)
    attended = attend(
        operands.query.to(exact), operands.keys.to(exact), mask=operands.mask, scale=chosen
    )
    weights = attended.known_weights().unsqueeze(-1)
    key = key - (weights * key).sum(-2, keepdim=True)
    value = value - (weights * value).sum(-2, keepdim=True)
    return chosen * (weights * value).transpose(-1, -2) @ key


def named_score(score: str | Score) -> Score:
    """A score by its name, or itself.

    Raises:
        SettingsError: There is no score without parameters of that name.
    """
    if isinstance(score, Score):
        return score
    if score not in SCORES:
        names = ", ".join(repr(name) for name in SCORES)
        raise SettingsError(f"unknown score {score!r}: expected {names}, or a Score module.")
    return SCORES[score]()


def gather(
    query: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike | None,
    *,
    mask: ArrayLike | None,
    bias: ArrayLike | None,
) -> Operands:
    """Turn what a user gave into operands that fit, or say why they do not."""
    parts = [_floating(n, p) for n, p in (("query", query), ("keys", keys))]
    parts.append(parts[1] if values is None else _floating("values", values))
    shared = parts[0].dtype
    for part in parts[1:]:
        shared = torch.promote_types(shared, part.dtype)
    asked, key, value = (part.to(shared) for part in parts)
    exact = torch.promote_types(shared, torch.float32)
    is_single = asked.ndim == 1
    asked = asked.unsqueeze(0) if is_single else asked
    for name, part in (("query", asked), ("keys", key), ("values", value)):
        if part.ndim < 2:
            raise ShapeError(
                f"{name} has shape {tuple(part.shape)}: expected at least two axes, "
                "positions and size."
            )
    require_same_size("keys", key, "values", value, axis=-2)
    shape = _common_shape(asked, key, value)
    opened = None if mask is None else _tensor("mask", mask, None).to(asked.device)
    added = None if bias is None else _floating("bias", bias).to(asked.device, exact)
    require_look(opened, added, shape)
    opened, added = (None if part is None else _with_rows(part, shape) for part in (opened, added))
    if added is not None:
        opened, added = fold_bias(opened, added)
    if opened is not None:
        key, value = (_hide_unseen(part, opened) for part in (key, value))
    return Operands(asked.expand(*shape[:-1], -1), key, value, opened, added, shape, is_single)


def _floating(name: str, array: ArrayLike) -> Tensor:
    is_list = not isinstance(array, Tensor | np.ndarray)
    tensor = _tensor(name, array, torch.float32 if is_list else None)
    require_floating(name, tensor)
    return tensor


def _tensor(name: str, array: ArrayLike, dtype: torch.dtype | None) -> Tensor:
    if isinstance(array, Tensor):
        return array
    try:
        # torch reads neither reversed nor foreign-endian arrays.
        plain = np.ascontiguousarray(array) if isinstance(array, np.ndarray) else array
        if isinstance(plain, np.ndarray):
            plain = plain.astype(plain.dtype.newbyteorder("="), copy=False)
        return torch.as_tensor(plain, dtype=dtype)
    except (TypeError, ValueError, RuntimeError) as error:
        raise KindError(f"{name} is no array of numbers: {error}.") from None


def _common_shape(query: Tensor, keys: Tensor, values: Tensor) -> tuple[int, ...]:
    if query.shape[:-2] == keys.shape[:-2] == values.shape[:-2]:
        # The usual case, told apart because broadcasting shapes takes as long as a small look.
        return (*query.shape[:-1], keys.shape[-2])
    try:
        batch = torch.broadcast_shapes(query.shape[:-2], keys.shape[:-2], values.shape[:-2])
    except RuntimeError:
        shapes = ", ".join(str(tuple(part.shape)) for part in (query, keys, values))
        raise ShapeError(
            f"query, keys and values have shapes {shapes}: their leading axes do not broadcast."
        ) from None
    return (*batch, query.shape[-2], keys.shape[-2])


def _with_rows(part: Tensor, shape: tuple[int, ...]) -> Tensor:
    # Two axes at least, and one entry for every source position.
    part = part[(None,) * (2 - part.ndim)]
    return part.expand(*part.shape[:-1], shape[-1])


def _hide_unseen(part: Tensor, mask: Tensor) -> Tensor:
    # What no query may see is zero from here on, whatever it was.
    return torch.where(mask.any(-2).unsqueeze(-1), part, 0)
