"""A figure and how far chance may have moved it.

Intervals are those of the bootstrap: items are drawn anew a thousand times,
the middle 95 % reported (Efron 1979; Koehn 2004 for text).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

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


def bootstrap(
    figure: Callable[[Int[np.ndarray, " items"]], float], items: int, resamples: int = RESAMPLES
) -> Measure:
    """A figure of some items, with its bootstrap interval over them.

    Args:
        figure: What it is for these rows, each as often as it was drawn.
        items: How many there are.
        resamples: How often they are drawn anew; without any the interval is the figure itself.
    """
    value, chance = figure(np.arange(items)), np.random.default_rng(0)
    draws = [figure(chance.integers(items, size=items)) for _ in range(resamples)] or [value]
    low, high = np.quantile(draws, [0.025, 0.975])
    return Measure(value, float(low), float(high))


def ratio(
    parts: Float[np.ndarray, " items"],
    wholes: Float[np.ndarray, " items"],
    resamples: int = RESAMPLES,
) -> Measure:
    """sum(parts) / sum(wholes), with its bootstrap interval over the items."""
    return bootstrap(
        lambda rows: float(parts[rows].sum() / max(wholes[rows].sum(), 1e-9)), len(parts), resamples
    )
