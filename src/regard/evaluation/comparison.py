"""Two models on the same pairs: how far apart, and whether chance explains it.

    difference   second - first, with a bootstrap interval over the pairs
    p            of the paired randomisation test: how often the difference is at
                 least as large when the models of each pair are told apart by a coin

Noreen (1989); Yeh (2000), arXiv:cs/0008005. A pair that both models write alike
says nothing of their difference, so only the others can move it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from jaxtyping import Float
from rapidfuzz.distance import Levenshtein

from regard.errors import DataError
from regard.evaluation.measure import RESAMPLES
from regard.evaluation.metrics import Scored

FLIPS = 10_000
"""How often the coins are thrown; less often where very many pairs differ."""

_COINS = 20_000_000


@dataclass(frozen=True)
class Difference:
    """By how much the second model's figure is larger than the first's.

    Attributes:
        value: Second less first.
        low: Lower end of its 95 % interval.
        high: Upper end.
        p: How often chance alone makes it as large.
    """

    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Comparison:
    """What two models scored on the same pairs.

    Attributes:
        pairs: How many.
        accuracy: Of both, the difference being in favour of the second where it is positive.
        symbol_error_rate: Likewise; a negative difference favours the second.
        both: Rows that both write exactly.
        first_only: Rows that the first alone writes exactly.
        second_only: Rows that the second alone writes exactly.
        neither: Rows that neither does.
    """

    pairs: int
    accuracy: Difference
    symbol_error_rate: Difference
    both: tuple[int, ...]
    first_only: tuple[int, ...]
    second_only: tuple[int, ...]
    neither: tuple[int, ...]

    def to_table(self) -> dict[str, object]:
        """The figures as plain tables, for JSON."""
        return {
            "pairs": self.pairs,
            "difference": {
                "accuracy": asdict(self.accuracy),
                "symbol_error_rate": asdict(self.symbol_error_rate),
            },
            "both": len(self.both),
            "first_only": len(self.first_only),
            "second_only": len(self.second_only),
            "neither": len(self.neither),
        }


def compare(
    first: Sequence[Scored], second: Sequence[Scored], resamples: int = RESAMPLES
) -> Comparison:
    """Compare two models, pair by pair.

    Args:
        first: What the first wrote, beside what is right.
        second: The same of the second, in the same order.
        resamples: How often pairs are drawn anew for the intervals.

    Raises:
        DataError: There are no pairs, or they are not the same ones.
    """
    if [one.references for one in first] != [one.references for one in second]:
        raise DataError(
            f"expected both models on the same pairs, found {len(first)} and {len(second)} that "
            "differ."
        )
    if not first:
        raise DataError("expected pairs to compare on, found none.")
    own, others = _parts(first), _parts(second)
    rows = np.arange(len(first))
    ones = np.ones(len(first))
    right, other = own.right, others.right
    return Comparison(
        len(first),
        _difference(_Rates(right, ones), _Rates(other, ones), resamples),
        _difference(
            _Rates(own.edits, own.lengths), _Rates(others.edits, others.lengths), resamples
        ),
        *(
            tuple(rows[(right == one) & (other == two)].tolist())
            for one, two in ((1, 1), (1, 0), (0, 1), (0, 0))
        ),
    )


@dataclass(frozen=True, eq=False)
class _Parts:
    right: Float[np.ndarray, " pairs"]
    edits: Float[np.ndarray, " pairs"]
    lengths: Float[np.ndarray, " pairs"]


@dataclass(frozen=True, eq=False)
class _Rates:
    parts: Float[np.ndarray, " pairs"]
    wholes: Float[np.ndarray, " pairs"]

    def of(self, counts: Float[np.ndarray, "draws pairs"]) -> Float[np.ndarray, " draws"]:
        """The pooled rate of each draw, given how often each pair was drawn."""
        return (counts @ self.parts) / np.maximum(counts @ self.wholes, 1)


def _parts(scored: Sequence[Scored]) -> _Parts:
    right = np.array([float(one.predicted == one.target) for one in scored])
    edits = np.array([float(Levenshtein.distance(one.predicted, one.target)) for one in scored])
    return _Parts(right, edits, np.array([float(len(one.target)) for one in scored]))


def _difference(first: _Rates, second: _Rates, resamples: int) -> Difference:
    chance, count = np.random.default_rng(0), len(first.parts)
    whole = np.ones((1, count))
    value = float((second.of(whole) - first.of(whole))[0])
    drawn = np.concatenate(
        [second.of(counts) - first.of(counts) for counts in _drawn(chance, count, resamples)]
    )
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Difference(value, float(low), float(high), _p(first, second, value, chance))


def _drawn(
    chance: np.random.Generator, pairs: int, draws: int
) -> Iterator[Float[np.ndarray, "draws pairs"]]:
    """How often each pair is drawn, some draws at a time."""
    for start in range(0, draws, 100):
        size = min(100, draws - start)
        yield chance.multinomial(pairs, np.full(pairs, 1 / pairs), size=size).astype(float)


def _p(first: _Rates, second: _Rates, value: float, chance: np.random.Generator) -> float:
    differs = (first.parts != second.parts) | (first.wholes != second.wholes)
    if not differs.any():
        return 1.0
    same = ~differs
    fixed = [(rates.parts[same].sum(), rates.wholes[same].sum()) for rates in (first, second)]
    own = [_Rates(rates.parts[differs], rates.wholes[differs]) for rates in (first, second)]
    count = int(differs.sum())
    flips = min(FLIPS, max(1000, _COINS // count))
    as_large = 0
    for start in range(0, flips, 100):
        coins = chance.integers(2, size=(min(100, flips - start), count)).astype(float)
        rates = [
            (fixed[side][0] + coins @ one.parts + (1 - coins) @ other.parts)
            / np.maximum(fixed[side][1] + coins @ one.wholes + (1 - coins) @ other.wholes, 1)
            for side, (one, other) in enumerate((own, own[::-1]))
        ]
        as_large += int((np.abs(rates[1] - rates[0]) >= abs(value) - 1e-12).sum())
    # The observed division of the pairs is one of those that chance may give.
    return (as_large + 1) / (flips + 1)
