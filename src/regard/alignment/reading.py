"""Other readings of one map: its rows moved by one, its pieces joined to words.

Row t holds the weights that were used to write symbol t. Where a score compares
states alone, some read the row after it, whose query has just taken in symbol
t (Luong et al. 2015, footnote 14): which of the two is nearer to people's links
is a question to measure, not to settle.
"""

from dataclasses import replace

import numpy as np

from regard.alignment.alignment import Alignment
from regard.alignment.labels import Label


def following(alignment: Alignment) -> Alignment:
    """Each row replaced by the one after it; the last, of the end symbol, stays."""
    rows = np.minimum(np.arange(len(alignment.weights)) + 1, len(alignment.weights) - 1)
    return replace(
        alignment,
        weights=alignment.weights[rows],
        look=f"{alignment.look}, the row after",
        trust=None,
    )


def by_words(alignment: Alignment) -> Alignment:
    """Pieces joined to the words that they stand in, told by the blanks between them.

    Weights are summed over the pieces of a source word, averaged over those of
    a target word, and so still sum to one (Kobayashi et al. 2020,
    arXiv:2004.10102, section 5.1).
    """
    source, target = _words(alignment.source), _words(alignment.target)
    summed = np.add.reduceat(alignment.weights, source, axis=1)
    counts = np.diff([*target, len(alignment.target)])[:, None]
    weights = np.add.reduceat(summed, target, axis=0) / counts
    return replace(
        alignment,
        source=_joined(alignment.source, source),
        target=_joined(alignment.target, target),
        weights=weights.astype(np.float32),
        trust=None,
    )


def _words(labels: tuple[Label, ...]) -> list[int]:
    """Where each word, end symbol or tag begins."""
    return [
        place
        for place, label in enumerate(labels)
        if place == 0 or label.role != "content" or label.start > labels[place - 1].end
    ]


def _joined(labels: tuple[Label, ...], starts: list[int]) -> tuple[Label, ...]:
    parts = [
        labels[start:end] for start, end in zip(starts, [*starts[1:], len(labels)], strict=True)
    ]
    return tuple(
        Label("".join(label.text for label in part), part[0].start, part[-1].end, part[0].role)
        for part in parts
    )
