"""Read the source once: one state per position.

Tags, where a task has them, are further positions in no order: they stand
behind the symbols in every encoding, so the decoder looks at symbols and tags
with one and the same query.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.errors import ShapeError
from regard.text import PADDING, Source


@dataclass(frozen=True)
class Encoding:
    """What the encoder made of a batch of sources.

    Attributes:
        states: One per position: the symbols, the end symbol, the tags.
        mask: True where a position is real.
        final: The whole source in one vector, tags included: where a decoder
            begins, and all that one without attention is given.
        told: What the tags say together, at every step; no columns without tags.
        tag_count: How many of the last positions are tags, or padding of them.

    Raises:
        ShapeError: The three do not belong to one batch.
    """

    states: Float[Tensor, "batch source state"]
    mask: Bool[Tensor, "batch source"]
    final: Float[Tensor, "batch final"]
    told: Float[Tensor, "batch told"]
    tag_count: int = 0

    def __post_init__(self) -> None:
        if self.states.shape[:2] != self.mask.shape or len(self.final) != len(self.mask):
            raise ShapeError(
                f"states have shape {tuple(self.states.shape)}, mask {tuple(self.mask.shape)}, "
                f"final {tuple(self.final.shape)}: all must be of one batch and source."
            )


class Encoder(nn.Module, ABC):
    """Reads the source once.

    Attributes:
        state_size: Width of a state.
        final_size: Width of the final vector.
        told_size: Width of what the tags say together; 0 without tags.
    """

    state_size: int
    final_size: int
    told_size: int

    @abstractmethod
    def forward(self, source: Source) -> Encoding:
        """Read a batch of sources; padding changes nothing."""


class Tags(nn.Module):
    """A state for each tag of a set; their order means nothing.

    Args:
        vocabulary: How many tags there are, special ids included.
        size: Width of a state.
    """

    def __init__(self, vocabulary: int, size: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, size, padding_idx=PADDING)
        self.bend = nn.Linear(size, size)

    def forward(self, tags: Int[Tensor, "batch tags"]) -> Float[Tensor, "batch tags state"]:
        """The states of the tags."""
        return self.bend(self.table(tags)).tanh()


def mean_state(
    states: Float[Tensor, "batch source state"], mask: Bool[Tensor, "batch source"]
) -> Float[Tensor, "batch state"]:
    """The mean over real positions; zero where there is none."""
    shares = mask / mask.sum(1, keepdim=True).clamp(min=1)
    return torch.einsum("bs,bsd->bd", shares.to(states.dtype), states)
