"""What is looked at: keys to be scored, values to be mixed, and which are open.

A memory is made once per source by `Attention.memorize` and read at every
step; nothing about the looking is stored in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.errors import ShapeError


@dataclass(frozen=True)
class Memory:
    """Keys, values and mask of one batch of sources.

    Attributes:
        keys: What the scores compare with the query.
        values: What the weights mix.
        mask: True where a position may be looked at.

    Raises:
        ShapeError: The three were made for different batches or lengths.
    """

    keys: Float[Tensor, "*batch source key"]
    values: Float[Tensor, "*batch source value"]
    mask: Bool[Tensor, "*#batch source"]

    def __post_init__(self) -> None:
        if self.keys.shape[:-1] != self.values.shape[:-1]:
            raise ShapeError(
                f"keys have shape {tuple(self.keys.shape)} but values have shape "
                f"{tuple(self.values.shape)}: all but the last axis must be equal."
            )
        if self.mask.shape[-1] != self.keys.shape[-2]:
            raise ShapeError(
                f"mask has shape {tuple(self.mask.shape)} but keys have shape "
                f"{tuple(self.keys.shape)}: both must have the same number of positions."
            )

    def select(self, rows: Int[Tensor, " rows"]) -> "Memory":
        """Keep, drop or repeat rows of the batch."""
        return Memory(self.keys[rows], self.values[rows], self.mask[rows])

    def split(self, widths: Sequence[int]) -> "list[Memory]":
        """Positions one after the other, apart.

        Args:
            widths: How many positions each part has.
        """
        each = list(widths)
        parts = (self.keys.split(each, -2), self.values.split(each, -2), self.mask.split(each, -1))
        return [Memory(*part) for part in zip(*parts, strict=True)]
