"""What erasing showed: how much each row depended on where it looked.

    effect_ts = log p(y_t) - log p(y_t | position s erased, the rest renormalised)
    uniform_t = log p(y_t) - log p(y_t | all positions alike)
    permuted_t = log p(y_t) - median log p(y_t | the weights permuted)

in nats, the decoder's state held fixed. A row is

    misdirected   another position matters more than the strongest one of its block
    used          erasing the strongest position makes the symbol less likely
    spread        no single position does, but all together do
    idle          nothing does: the symbol does not depend on this look

A block is positions that share a distribution: all of them, or symbols and tags
apart. Each block has a strongest position, and that of a row is the one of the
block in which erasing costs most.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Int

RowLabel = Literal["used", "misdirected", "spread", "idle"]

EFFECT = 0.1
"""From how many nats on an effect counts: a factor of 1.105 in probability."""


@dataclass(frozen=True, eq=False)
class Trust:
    """What erasing showed of one map.

    Attributes:
        effects: Of erasing each position, in nats; a row for each target symbol.
        uniform: Of looking everywhere alike.
        permuted: Of permuting the weights, the median of some permutations.
        threshold: From how many nats on an effect counts.
        blocks: How many positions share a distribution, one block after the other;
            none says all of them.
    """

    effects: Float[np.ndarray, "target source"]
    uniform: Float[np.ndarray, " target"]
    permuted: Float[np.ndarray, " target"]
    threshold: float = EFFECT
    blocks: tuple[int, ...] = ()

    def strongest(self, weights: Float[np.ndarray, "target source"]) -> Int[np.ndarray, " target"]:
        """The strongest position of each row, of the block in which erasing costs most.

        Args:
            weights: The map that was tested.
        """
        return strongest_of(weights, self.effects, self.blocks)

    def labels(self, weights: Float[np.ndarray, "target source"]) -> tuple[RowLabel, ...]:
        """How each row was used.

        Args:
            weights: The map that was tested.
        """
        return tuple(
            row_label(
                int(strongest),
                self.effects[place],
                self.threshold,
                max(float(self.uniform[place]), float(self.permuted[place])),
            )
            for place, strongest in enumerate(self.strongest(weights))
        )

    def summary(self, weights: Float[np.ndarray, "target source"], rows: int) -> str:
        """All of it in a sentence.

        Args:
            weights: The map that was tested.
            rows: How many of its rows write content symbols; they stand first.
        """
        if not rows:
            return "No content was written, so nothing was tested."
        labels = self.labels(weights)[:rows]
        leaders = leaders_of(weights, self.blocks)
        leading = np.take_along_axis(self.effects, leaders, 1)[:rows]
        others = self.effects[:rows].sum(1) - leading.sum(1)
        others /= max(1, weights.shape[1] - leaders.shape[1])
        counted = ", ".join(
            f"{labels.count(kind)} {kind}" for kind in get_args(RowLabel) if kind in labels
        )
        return (
            f"Of {rows} rows: {counted}. Erasing the strongest position lowers the "
            f"log-probability of a symbol by {leading.mean():z.2f} nats on average, erasing "
            f"another by {others.mean():z.2f}."
        )


def strongest_of(
    weights: Float[np.ndarray, "target source"],
    effects: Float[np.ndarray, "target source"],
    blocks: Sequence[int],
) -> Int[np.ndarray, " target"]:
    """The strongest position of each row, of the block in which erasing costs most.

    Args:
        weights: A map.
        effects: Of erasing each position.
        blocks: How many positions share a distribution; none says all.

    Examples:
        >>> row = np.array([[0.1, 0.4, 0.3, 0.2]])
        >>> strongest_of(row, np.array([[0.0, 0.1, 2.0, 0.0]]), [2, 2])
        array([2])
    """
    block = block_of(effects.argmax(1), blocks)
    return np.take_along_axis(leaders_of(weights, blocks), block[:, None], 1)[:, 0]


def leaders_of(
    weights: Float[np.ndarray, "target source"], blocks: Sequence[int]
) -> Int[np.ndarray, "target blocks"]:
    """The strongest position of each block, the first of equals.

    Args:
        weights: A map.
        blocks: How many positions each has; none says one of all.

    Examples:
        >>> leaders_of(np.array([[0.1, 0.4, 0.3, 0.2]]), [2, 2])
        array([[1, 2]])
    """
    starts = [0, *np.cumsum(blocks or [weights.shape[1]])]
    return np.stack([weights[:, start:end].argmax(1) + start for start, end in pairwise(starts)], 1)


def block_of(
    positions: Int[np.ndarray, " target"], blocks: Sequence[int]
) -> Int[np.ndarray, " target"]:
    """In which block some positions are."""
    return np.searchsorted(np.cumsum(blocks)[:-1], positions, side="right")


def row_label(
    strongest: int, effects: Float[np.ndarray, " source"], threshold: float, together: float
) -> RowLabel:
    """How one row was used.

    Args:
        strongest: The position of the largest weight, of the block in which an effect is largest.
        effects: Of erasing each position.
        threshold: From where on an effect counts.
        together: The effect of looking everywhere alike, or of permuting, the larger.

    Examples:
        >>> row_label(0, np.array([2.0, 0.1]), 0.1, 2.0)
        'used'
        >>> row_label(0, np.array([0.0, 0.1]), 0.1, 0.0)
        'misdirected'
    """
    own, most = float(effects[strongest]), float(effects.max())
    if most >= max(threshold, own + threshold):
        return "misdirected"
    if own >= threshold:
        return "used"
    return "spread" if together >= threshold else "idle"
