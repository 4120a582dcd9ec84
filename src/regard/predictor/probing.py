"""The exact checks on a few strings of a model's own symbols, made when it is loaded."""

import numpy as np

from regard.inspection import Check, check_map
from regard.model import Saved
from regard.predictor.reader import ReadSource
from regard.predictor.searcher import Searcher
from regard.text import SPECIAL

_PROBES = ((1, 3), (4, 2), (2, 5))
"""How many symbols each probe reads and writes."""


def checks_of(saved: Saved, searcher: Searcher) -> tuple[Check, ...]:
    """The exact checks on a few strings of the model's own symbols."""
    if saved.model.decoder.alignment is None:
        return ()
    chance, known, first = np.random.default_rng(0), saved.vocabularies, len(SPECIAL)

    def drawn(count: int, size: int) -> list[int]:
        return chance.integers(min(first, size - 1), size, size=count).tolist()

    tags = 0 if known.tags is None else len(known.tags)
    asked = [
        ReadSource(
            "",
            drawn(read, len(known.source)),
            (),
            drawn(min(read, tags), tags),
            searcher.reader.source,
        )
        for read, _ in _PROBES
    ]
    targets = [drawn(written, len(known.target)) for _, written in _PROBES]
    return tuple(check_map(saved.model, searcher.batch(asked, targets)))
