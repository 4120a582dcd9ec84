"""A figure and how far chance may have moved it.

Intervals are those of the bootstrap: items are drawn anew a thousand times,
the middle 95 % reported (Efron 1979; Koehn 2004 for text).
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

RESAMPLES = 1000


@dataclass(frozen=True)
class Measure:
    """A figure and how far chance may have moved it.

    Attributes:
        value: The figure.
        low: Lower end of its 95 % interval.
        high: Upper end.
    """

    value: float
    low: float
    high: float


def ratio(
    parts: Float[np.ndarray, " items"],
    wholes: Float[np.ndarray, " items"],
    resamples: int = RESAMPLES,
) -> Measure:
    """sum(parts) / sum(wholes), with its bootstrap interval over the items."""
    value = float(parts.sum() / max(wholes.sum(), 1e-9))
    chance = np.random.default_rng(0)
    draws = np.empty(resamples)
    for index in range(resamples):
        rows = chance.integers(len(parts), size=len(parts))
        draws[index] = parts[rows].sum() / max(wholes[rows].sum(), 1e-9)
    low, high = np.quantile(draws, [0.025, 0.975]) if resamples else (value, value)
    return Measure(value, float(low), float(high))
