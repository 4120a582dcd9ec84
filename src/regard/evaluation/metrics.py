"""How good predictions are: exact match and symbol error rate, with intervals.

    accuracy            share of pairs whose prediction is exactly the target
    symbol error rate   edit distances / target lengths, pooled over all pairs

The word error rate of pronunciation is 1 - accuracy. Intervals are those of
the bootstrap: pairs are drawn anew a thousand times, the middle 95 % reported
(Efron 1979; Koehn 2004 for text).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from jaxtyping import Float
from rapidfuzz.distance import Levenshtein

from regard.errors import DataError

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


@dataclass(frozen=True)
class Scored:
    """A prediction beside its target, as symbols.

    Attributes:
        source: The source string.
        predicted: What was written.
        target: What should have been.
    """

    source: str
    predicted: tuple[str, ...]
    target: tuple[str, ...]


@dataclass(frozen=True)
class Confusion:
    """One kind of mistake; an empty string stands for nothing.

    Attributes:
        target: What should have been written.
        predicted: What was.
        count: How often.
    """

    target: str
    predicted: str
    count: int


@dataclass(frozen=True)
class Evaluation:
    """What a model scored.

    Attributes:
        pairs: How many pairs it was tried on.
        accuracy: Share of exact matches.
        symbol_error_rate: Edits per target symbol.
        confusions: The kinds of mistakes, the commonest first.
        signature: All one needs to get the same figures again.
    """

    pairs: int
    accuracy: Measure
    symbol_error_rate: Measure
    confusions: tuple[Confusion, ...]
    signature: str

    def to_table(self) -> dict[str, object]:
        """The figures as plain tables, for JSON."""
        return {
            "pairs": self.pairs,
            "accuracy": asdict(self.accuracy),
            "symbol_error_rate": asdict(self.symbol_error_rate),
            "signature": self.signature,
        }

    @property
    def word_error_rate(self) -> Measure:
        """1 - accuracy."""
        own = self.accuracy
        return Measure(1 - own.value, 1 - own.high, 1 - own.low)


def evaluate(scored: Sequence[Scored], signature: str, *, resamples: int = RESAMPLES) -> Evaluation:
    """Score predictions against targets.

    Args:
        scored: Each prediction beside its target.
        signature: How the predictions were made.
        resamples: How often pairs are drawn anew for the intervals.

    Raises:
        DataError: There are none.
    """
    if not scored:
        raise DataError("expected pairs to evaluate, found none.")
    exact = np.array([one.predicted == one.target for one in scored], float)
    edits = np.array([Levenshtein.distance(one.predicted, one.target) for one in scored], float)
    lengths = np.array([len(one.target) for one in scored], float)
    return Evaluation(
        len(scored),
        ratio(exact, np.ones_like(exact), resamples),
        ratio(edits, lengths, resamples),
        confusions(scored),
        f"{signature} | bootstrap {resamples}, seed 0",
    )


def ratio(
    parts: Float[np.ndarray, " items"],
    wholes: Float[np.ndarray, " items"],
    resamples: int = RESAMPLES,
) -> Measure:
    """sum(parts) / sum(wholes), with its bootstrap interval over the items."""
    value = float(parts.sum() / wholes.sum())
    chance = np.random.default_rng(0)
    draws = np.empty(resamples)
    for index in range(resamples):
        rows = chance.integers(len(parts), size=len(parts))
        draws[index] = parts[rows].sum() / max(wholes[rows].sum(), 1e-9)
    low, high = np.quantile(draws, [0.025, 0.975]) if resamples else (value, value)
    return Measure(value, float(low), float(high))


def confusions(scored: Sequence[Scored]) -> tuple[Confusion, ...]:
    """Which symbols were written in the place of which."""
    counts: Counter[tuple[str, str]] = Counter()
    for one in scored:
        if one.predicted != one.target:
            for edit in Levenshtein.editops(one.target, one.predicted):
                meant = "" if edit.tag == "insert" else one.target[edit.src_pos]
                wrote = "" if edit.tag == "delete" else one.predicted[edit.dest_pos]
                counts[meant, wrote] += 1
    return tuple(Confusion(*kind, count) for kind, count in counts.most_common())
