"""Hard links from soft weights, and the Pharaoh format.

A link pairs a source with a target position, both counted from zero among
content symbols. Pharaoh writes the links of a pair on one line, `0-0 1-2`.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from regard.errors import DataError


class Link(NamedTuple):
    """A source position and a target position that belong together."""

    source: int
    target: int


def best_links(weights: Float[np.ndarray, "target source"]) -> list[Link]:
    """Each target position with its strongest source position, the first of equals."""
    if not weights.size:
        return []
    return [Link(int(source), target) for target, source in enumerate(weights.argmax(1))]


def strong_links(weights: Float[np.ndarray, "target source"], threshold: float) -> list[Link]:
    """All pairs whose weight is at least the threshold."""
    return [Link(int(source), int(target)) for target, source in np.argwhere(weights >= threshold)]


def pharaoh(links: Iterable[Link]) -> str:
    """Links as `source-target` pairs, in the source's order.

    Example:
        >>> pharaoh([Link(1, 0), Link(0, 1)])
        '0-1 1-0'
    """
    return " ".join(f"{link.source}-{link.target}" for link in sorted(links))


def parse_pharaoh(text: str) -> list[Link]:
    """Read what `pharaoh` wrote.

    Raises:
        DataError: A pair is something else.
    """
    links: list[Link] = []
    for word in text.split():
        source, dash, target = word.partition("-")
        if not dash or not source.isdecimal() or not target.isdecimal():
            raise DataError(f"expected links such as 0-0, found {word!r}.")
        links.append(Link(int(source), int(target)))
    return links
