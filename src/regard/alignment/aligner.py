"""An aligner that needs no model: which source symbol goes with which target symbol.

    p(y_t, s) = p0 t(y_t | nothing)                              from nowhere
              + (1 - p0) d(s | t, T, S) t(y_t | x_s)             from position s
    d(s | t, T, S) ~ exp(-tension |s / S - t / T|)

learnt by expectation maximisation over all pairs, with a sparse prior on the
translation table, so that rare symbols do not gather what nothing else explains.
A tension of 0 leaves all positions alike (free); otherwise it is fitted to the
data, and links keep near the diagonal as far as the data does.

IBM model 1: Brown et al. (1993); the diagonal and its tension: Dyer, Chahuneau
and Smith (2013), N13-1073, their a and lambda; the variational step: Riley and
Gildea (2012).
"""

from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float, Int, Integer

Order = Literal["diagonal", "free"]

_NOWHERE = 0.08
_PRIOR = 0.01
_ROUNDS = 5
_TENSION = 4.0
_TENSIONS = (0.1, 14.0)
_STEPS = 8
_STEP = 20.0


class Sides(NamedTuple):
    """All pairs' symbols as ids, one pair after the other.

    Attributes:
        source: Ids of all sources.
        source_starts: Where each source begins, and where the last ends.
        target: Ids of all targets.
        target_starts: The same of the targets.
    """

    source: Integer[np.ndarray, " sources"]
    source_starts: Integer[np.ndarray, " pairs_and_one"]
    target: Integer[np.ndarray, " targets"]
    target_starts: Integer[np.ndarray, " pairs_and_one"]

    def turned(self) -> "Sides":
        """The same with target and source exchanged."""
        return Sides(self.target, self.target_starts, self.source, self.source_starts)


def best_sources(sides: Sides, order: Order = "diagonal") -> Int[np.ndarray, " targets"]:
    """The likeliest source position of each target symbol, or -1 for nowhere.

    Args:
        sides: All pairs; nothing else is known.
        order: Whether links keep near the diagonal, or all positions are alike.

    Examples:
        >>> source, target = np.array([1, 2, 1, 3, 2, 3]), np.array([2, 1, 3, 1, 3, 2])
        >>> starts = np.array([0, 2, 4, 6])
        >>> best_sources(Sides(source, starts, target, starts), "free").tolist()
        [1, 0, 1, 0, 1, 0]
    """
    cells = _Cells(sides)
    table = np.full(cells.kinds, 1.0)
    tension = _TENSION if order == "diagonal" else 0.0
    for _ in range(_ROUNDS):
        posterior = cells.posterior(table, tension)
        table = cells.table(posterior)
        if order == "diagonal":
            tension = cells.fitted(posterior, tension)
    return cells.best(cells.posterior(table, tension))


class _Cells:
    """Every target symbol with every source position of its pair, and with nowhere."""

    def __init__(self, sides: Sides) -> None:
        lengths = np.diff(sides.source_starts)
        self.pairs = np.repeat(np.arange(len(lengths)), np.diff(sides.target_starts))
        self.widths = lengths[self.pairs] + 1  # nowhere stands first
        self.starts = np.concatenate([[0], np.cumsum(self.widths)])
        row = np.repeat(np.arange(len(self.pairs)), self.widths)
        self.column = np.arange(self.starts[-1]) - self.starts[row] - 1
        self.is_nowhere = self.column < 0
        place = sides.source_starts[self.pairs[row]] + np.maximum(self.column, 0)
        read = (
            np.where(self.is_nowhere, 0, sides.source[place].astype(np.int64) + 1)
            if len(sides.source)
            else (np.zeros_like(row))
        )
        codes = read.astype(np.int64) * (int(sides.target.max(initial=0)) + 1) + sides.target[row]
        known, self.kind = np.unique(codes, return_inverse=True)
        self.kinds = len(known)
        self.source_of_kind = known // (int(sides.target.max(initial=0)) + 1)
        target_lengths = np.diff(sides.target_starts)[self.pairs]
        within = np.arange(len(self.pairs)) - sides.target_starts[self.pairs]
        across = np.where(self.is_nowhere, 0, self.column + 1) / np.maximum(1, self.widths[row] - 1)
        self.away = np.abs(across - ((within + 1) / np.maximum(1, target_lengths))[row])

    def prior(self, tension: float) -> Float[np.ndarray, " cells"]:
        """How likely each position is before any symbol is looked at."""
        near = np.where(self.is_nowhere, 0.0, np.exp(-tension * self.away))
        return near / np.repeat(np.maximum(self._sums(near), 1e-300), self.widths)

    def posterior(self, table: np.ndarray, tension: float) -> Float[np.ndarray, " cells"]:
        """How likely each position is, given both strings."""
        prior = np.where(self.is_nowhere, _NOWHERE, (1 - _NOWHERE) * self.prior(tension))
        joint = prior * table[self.kind]
        return joint / np.repeat(np.maximum(self._sums(joint), 1e-300), self.widths)

    def table(self, posterior: np.ndarray) -> Float[np.ndarray, " kinds"]:
        """What each source symbol is written as, from what was counted."""
        counts = np.bincount(self.kind, posterior, self.kinds) + _PRIOR
        totals = np.maximum(np.bincount(self.source_of_kind, counts), _PRIOR)
        return np.exp(_digamma(counts) - _digamma(totals)[self.source_of_kind])

    def fitted(self, posterior: np.ndarray, tension: float) -> float:
        """A tension under which links are as far from the diagonal as they were found to be."""
        linked = np.where(self.is_nowhere, 0.0, posterior)
        found = float((linked * self.away).sum() / max(linked.sum(), 1e-300))
        for _ in range(_STEPS):
            expected = float((self.prior(tension) * self.away).sum() / max(1, len(self.pairs)))
            tension = float(np.clip(tension + _STEP * (expected - found), *_TENSIONS))
        return tension

    def best(self, posterior: np.ndarray) -> Int[np.ndarray, " targets"]:
        """The likeliest column of each row, the first of equals."""
        most = np.repeat(np.maximum.reduceat(posterior, self.starts[:-1]), self.widths)
        at_most = np.flatnonzero(posterior == most)
        rows, first = np.unique(
            np.searchsorted(self.starts, at_most, "right") - 1, return_index=True
        )
        assert len(rows) == len(self.pairs)
        return self.column[at_most[first]].astype(np.int64)

    def _sums(self, values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values, self.starts[:-1])


def _digamma(values: Float[np.ndarray, " any"]) -> Float[np.ndarray, " any"]:
    """The derivative of the logarithm of the gamma function, of positive numbers.

    Six steps of its recurrence, then its asymptotic series (Abramowitz and
    Stegun 1964, 6.3.5 and 6.3.18).
    """
    shifted, found = values.astype(np.float64), np.zeros(len(values))
    for _ in range(6):
        found -= 1 / shifted
        shifted = shifted + 1
    square = 1 / shifted**2
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return found + np.log(shifted) - 0.5 / shifted - series
