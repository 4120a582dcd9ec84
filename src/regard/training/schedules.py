"""The learning rate's course: a rise to the peak, then a fall to nothing.

    factor(p) = p / w                                   while p < w
    factor(p) = (1 + cos(pi (p - w) / (1 - w))) / 2     afterwards

with p the share of the training that is done and w that of the warm-up
(Loshchilov and Hutter 2017, arXiv:1608.03983, without restarts).
"""

import math


def rate_factor(done: float, warm_up: float) -> float:
    """The learning rate as a share of its peak.

    Args:
        done: Share of the training that is done, from 0 to 1.
        warm_up: Share of the training in which it rises.

    Examples:
        >>> [round(rate_factor(done, 0.1), 2) for done in (0.05, 0.1, 0.55, 1.0)]
        [0.5, 1.0, 0.5, 0.0]
    """
    if done < warm_up:
        return done / warm_up
    fallen = (min(done, 1.0) - warm_up) / (1 - warm_up)
    return (1 + math.cos(math.pi * fallen)) / 2
