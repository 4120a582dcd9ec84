"""How far links are from the right ones: the alignment error rate.

    precision  |A ∩ P| / |A|
    recall     |A ∩ S| / |S|
    error rate 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

A are the links, S the sure and P the possible right ones, counted over the
whole file (Och and Ney 2003, doi:10.1162/089120103321337421). The rate of a
map need not follow the quality of what is written (Luong et al. 2015,
section 5.4).
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from regard.alignment import Link
from regard.errors import DataError
from regard.evaluation.gold import Gold
from regard.evaluation.measure import RESAMPLES, Measure, ratio


@dataclass(frozen=True)
class LinkScores:
    """How far links are from the right ones.

    Attributes:
        pairs: How many pairs were compared.
        alignment_error_rate: From 0, all right, to 1.
        precision: Share of the links that are possible.
        recall: Share of the sure links that were found.
    """

    pairs: int
    alignment_error_rate: Measure
    precision: Measure
    recall: Measure

    def to_table(self) -> dict[str, object]:
        """The figures as plain tables, for JSON."""
        return {
            name: asdict(measure)
            for name, measure in (
                ("alignment_error_rate", self.alignment_error_rate),
                ("precision", self.precision),
                ("recall", self.recall),
            )
        }


def score_links(
    links: Sequence[Collection[Link]], gold: Sequence[Gold], *, resamples: int = RESAMPLES
) -> LinkScores:
    """Compare links with the right ones, pair by pair.

    Args:
        links: Of each pair.
        gold: The right ones of each pair.
        resamples: How often pairs are drawn anew for the intervals.

    Raises:
        DataError: There are more of the one than of the other, or there are none.

    Examples:
        >>> sure, possible = frozenset({Link(0, 0)}), frozenset({Link(0, 0), Link(1, 0)})
        >>> scores = score_links([[Link(0, 0), Link(1, 1)]], [Gold(sure, possible)])
        >>> round(scores.alignment_error_rate.value, 3), scores.recall.value
        (0.333, 1.0)
    """
    if len(links) != len(gold):
        raise DataError(f"expected links for each of {len(links)} pairs, found {len(gold)} lines.")
    counts = np.array(
        [
            (len(each), len(right.sure), len(each & right.sure), len(each & right.possible))
            for each, right in zip(map(frozenset, links), gold, strict=True)
        ],
        dtype=np.float64,
    ).reshape(-1, 4)
    found, sure, found_sure, found_possible = counts.T
    if not counts[:, :2].any():
        raise DataError("expected links to compare, found none.")
    right = ratio(found_sure + found_possible, found + sure, resamples)
    return LinkScores(
        len(links),
        Measure(1 - right.value, 1 - right.high, 1 - right.low),
        ratio(found_possible, found, resamples),
        ratio(found_sure, sure, resamples),
    )
