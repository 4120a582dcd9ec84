"""A map of effects in the place of weights: what matters, not where the decoder looked."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from regard.alignment import Alignment


def effect_map(
    alignment: Alignment, effects: Float[np.ndarray, "rows columns"], method: str
) -> Alignment:
    """The same rows and columns, with the share of each effect that is positive.

    Args:
        alignment: Where the decoder looked.
        effects: In nats. They may leave out the end and the tags, which then have none.
        method: How they were found.
    """
    positive = np.zeros(alignment.weights.shape, np.float32)
    positive[: effects.shape[0], : effects.shape[1]] = np.maximum(effects, 0)
    total = positive.sum(1, keepdims=True)
    # A row without any effect says nothing: it stays as the decoder looked.
    shares = np.where(total > 0, positive / np.where(total > 0, total, 1), alignment.weights)
    look = f"{alignment.look}, by {method}"
    return replace(alignment, weights=shares.astype(np.float32), look=look, trust=None)
