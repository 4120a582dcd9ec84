"""What erasing showed: how much each row depended on where it looked.

    effect_ts = log p(y_t) - log p(y_t | position s erased, the rest renormalised)
    uniform_t = log p(y_t) - log p(y_t | all positions alike)
    permuted_t = log p(y_t) - median log p(y_t | the weights permuted)

in nats, the decoder's state held fixed. A row is

    misdirected   another position matters more than the strongest one
    used          erasing the strongest position makes the symbol less likely
    spread        no single position does, but all together do
    idle          nothing does: the symbol does not depend on this look
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float

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
    """

    effects: Float[np.ndarray, "target source"]
    uniform: Float[np.ndarray, " target"]
    permuted: Float[np.ndarray, " target"]
    threshold: float = EFFECT

    def labels(self, weights: Float[np.ndarray, "target source"]) -> tuple[RowLabel, ...]:
        """How each row was used.

        Args:
            weights: The map that was tested.
        """
        return tuple(
            row_label(int(row.argmax()), self.effects[place], self.threshold,
                      max(float(self.uniform[place]), float(self.permuted[place])))
            for place, row in enumerate(weights)
        )  # fmt: skip

    def summary(self, weights: Float[np.ndarray, "target source"], rows: int) -> str:
        """All of it in a sentence.

        Args:
            weights: The map that was tested.
            rows: How many of its rows write content symbols; they stand first.
        """
        if not rows:
            return "No content was written, so nothing was tested."
        labels = self.labels(weights)[:rows]
        strongest = np.take_along_axis(self.effects, weights.argmax(1)[:, None], 1)[:rows, 0]
        others = (self.effects[:rows].sum(1) - strongest) / max(1, weights.shape[1] - 1)
        counted = ", ".join(
            f"{labels.count(kind)} {kind}" for kind in get_args(RowLabel) if kind in labels
        )
        return (
            f"Of {rows} rows: {counted}. Erasing the strongest position lowers the "
            f"log-probability of a symbol by {strongest.mean():z.2f} nats on average, erasing "
            f"another by {others.mean():z.2f}."
        )


def row_label(
    strongest: int, effects: Float[np.ndarray, " source"], threshold: float, together: float
) -> RowLabel:
    """How one row was used.

    Args:
        strongest: The position of the largest weight.
        effects: Of erasing each position.
        threshold: From where on an effect counts.
        together: The effect of looking everywhere alike, or of permuting, the larger.

    Example:
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
