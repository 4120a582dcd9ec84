"""Hard links from soft weights, and the Pharaoh format.

A link pairs a source with a target position, both counted from zero among
content symbols. Pharaoh writes the links of a pair on one line, `0-0 1-2`.

    argmax      each target position with its strongest source position
    threshold   all pairs of at least a given weight
    mutual      pairs that are the strongest of their row and of their column
    itermax     mutual, and once more mutual among what that left free
    matching    the one-to-one links of the greatest sum

Mutual and itermax: Jalili Sabet et al. (2020), arXiv:2004.08728.
"""

from collections.abc import Iterable
from functools import partial
from typing import Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Bool, Float

from regard.alignment.matching import best_matching
from regard.errors import DataError, SettingsError

LinkMethod = Literal["argmax", "threshold", "mutual", "itermax", "matching"]
Weights = Float[np.ndarray, "target source"]
Linked = Bool[np.ndarray, "target source"]

_THRESHOLD = 0.5
_ROUNDS = 2
_DAMPING = 0.9


class Link(NamedTuple):
    """A source position and a target position that belong together."""

    source: int
    target: int


def links_of(weights: Weights, method: LinkMethod, threshold: float | None = None) -> list[Link]:
    """Hard links by a method, sorted by source and target.

    Args:
        weights: Between content symbols.
        method: How; see this module.
        threshold: The least weight of a link, for the method of that name alone;
            0.5 if None.

    Raises:
        SettingsError: There is no such method, or it has no threshold.

    Examples:
        >>> weights = np.array([[0.6, 0.4], [0.7, 0.3]])
        >>> links_of(weights, "argmax")
        [Link(source=0, target=0), Link(source=0, target=1)]
        >>> links_of(weights, "mutual")
        [Link(source=0, target=1)]
        >>> links_of(weights, "matching")
        [Link(source=0, target=1), Link(source=1, target=0)]
    """
    methods = {
        "argmax": best_links,
        "threshold": partial(
            strong_links, threshold=_THRESHOLD if threshold is None else threshold
        ),
        "mutual": mutual_links,
        "itermax": iterated_links,
        "matching": matched_links,
    }
    if method not in methods:
        expected = ", ".join(get_args(LinkMethod))
        raise SettingsError(f"unknown way to link {method!r}: expected one of {expected}.")
    if threshold is not None and method != "threshold":
        raise SettingsError(
            f"links by {method!r} have no threshold: expected the method 'threshold', or none."
        )
    return sorted(methods[method](weights)) if weights.size else []


def best_links(weights: Weights) -> list[Link]:
    """Each target position with its strongest source position, the first of equals."""
    if not weights.size:
        return []
    return [Link(int(source), target) for target, source in enumerate(weights.argmax(1))]


def strong_links(weights: Weights, threshold: float) -> list[Link]:
    """All pairs whose weight is at least the threshold."""
    return _pairs(weights >= threshold)


def mutual_links(weights: Weights) -> list[Link]:
    """Pairs that are the strongest of their row and of their column."""
    return _pairs(_mutual(weights))


def iterated_links(weights: Weights) -> list[Link]:
    """Mutual links; then, with weights of linked rows and columns damped, mutual ones again.

    A pair whose row and column both are linked already is out of the game.
    """
    linked: Linked = _mutual(weights)
    for _ in range(_ROUNDS - 1):
        rows, columns = linked.any(axis=1, keepdims=True), linked.any(axis=0, keepdims=True)
        if rows.all() or columns.all():
            break
        factor = np.where(rows & columns, 0.0, np.where(rows | columns, _DAMPING, 1.0))
        found = _mutual(weights * factor) & (factor > 0) & ~linked
        if not found.any():
            break
        linked |= found
    return _pairs(linked)


def matched_links(weights: Weights) -> list[Link]:
    """One-to-one links of the greatest sum; as many as the shorter side has symbols."""
    return [Link(source, target) for target, source in best_matching(weights)]


def _mutual(weights: Weights) -> Linked:
    rows, columns = np.zeros(weights.shape, bool), np.zeros(weights.shape, bool)
    rows[np.arange(weights.shape[0]), weights.argmax(1)] = True
    columns[weights.argmax(0), np.arange(weights.shape[1])] = True
    return rows & columns & (weights > 0)


def _pairs(linked: np.ndarray) -> list[Link]:
    return [Link(int(source), int(target)) for target, source in np.argwhere(linked)]


def pharaoh(links: Iterable[Link]) -> str:
    """Links as `source-target` pairs, in the source's order.

    Examples:
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
        if not dash or not _is_number(source) or not _is_number(target):
            raise DataError(f"expected links such as 0-0, found {word!r}.")
        links.append(Link(int(source), int(target)))
    return links


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()
