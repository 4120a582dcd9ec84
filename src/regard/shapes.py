"""The names of the axes, and checks for records.

Arrays keep their axes in this order, batch first:

    batch       strings read side by side
    heads       looks taken side by side (multi-head attention)
    target      positions of the sequence written, or any rows of queries
    source      positions of the sequence read
    state, query, key, value, vocabulary, size     one width, always last

These names stand in the signatures (jaxtyping) and are checked when the
tests run. What a user may hand over is checked here, always.
"""

import torch
from torch import Tensor

from regard.errors import KindError, ShapeError


def require_floating(name: str, tensor: Tensor) -> None:
    """Raise KindError unless the tensor holds floating-point numbers."""
    if not tensor.is_floating_point():
        raise KindError(f"{name} has dtype {tensor.dtype}: expected floating-point numbers.")


def require_mask(name: str, mask: Tensor) -> None:
    """Raise KindError unless the mask is boolean."""
    if mask.dtype != torch.bool:
        raise KindError(
            f"{name} has dtype {mask.dtype}: expected torch.bool, True where a position may be "
            "looked at. Numbers that are added to the scores are given as bias."
        )


def require_same_size(
    first_name: str, first: Tensor, second_name: str, second: Tensor, axis: int
) -> None:
    """Raise ShapeError unless both tensors have the same length on one axis."""
    if first.shape[axis] != second.shape[axis]:
        raise ShapeError(
            f"{first_name} has shape {tuple(first.shape)} but {second_name} has shape "
            f"{tuple(second.shape)}: axis {axis} must be equal."
        )


def require_broadcast(name: str, tensor: Tensor, shape: tuple[int, ...]) -> None:
    """Raise ShapeError unless the tensor broadcasts to the shape without changing it."""
    own = tuple(tensor.shape)
    fits = len(own) <= len(shape) and all(
        size in (1, wanted) for size, wanted in zip(reversed(own), reversed(shape), strict=False)
    )
    if not fits:
        raise ShapeError(
            f"{name} has shape {own}: expected one that broadcasts to {shape}, "
            "with the target rows before the source positions."
        )
