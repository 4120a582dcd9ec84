"""What the shape of a map says, from the weights alone.

Shape describes and proves nothing: a map may be sharp, in order, complete, and
of no use to the decoder (see `regard.inspection` for what can be tested). Only
content symbols are described, told apart by their role. Tags have no place: a row's
weights on symbols and end are made to sum to one, and tags are left out.

    spread      exp(entropy) of a row: over how many positions it spreads
    flatness    entropy / ln S: 1 is uniform
    order       Kendall's tau-b of the strongest positions: 1 monotone, -1 reversed
    band        mass within one place of the better of both diagonals; lift: over a uniform map's
    coverage    what a source symbol got of all rows, 1 on average
    sink        the share of all rows that one position got
    stall       the longest run of rows with one strongest position and a symbol written twice
    saturation  1 - sum of squares, the trace of the softmax's Jacobian: 0 for one-hot rows
    shift       mass d places beside the better diagonal, for d from -3 to 3

    cdp, cp, absentmindedness (ap)     for comparison with published figures

The coverage deviation penalty and the absentmindedness are from Rikters and
Fishel (2017); cp is the coverage penalty of Wu et al. (2016),
arXiv:1609.08144, equation 14, with beta 0.2.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from regard.alignment.labels import Drawable, Label, effective_sources

SHIFTS = tuple(range(-3, 4))
_BETA = 0.2


@dataclass(frozen=True)
class Stall:
    """Rows one after the other with one strongest position.

    Attributes:
        first: The first of these rows.
        length: How many there are.
        column: The position.
    """

    first: int
    length: int
    column: int


@dataclass(frozen=True)
class Shape:
    """What the shape of one map says; None where it has too few symbols to say it.

    Attributes:
        rows: Content symbols of the target.
        columns: Content symbols of the source.
        spread: Median over rows.
        flatness: Median over rows.
        peak: Median over rows of the largest weight.
        saturation: Median over rows of 1 - sum of squares.
        order: From -1 to 1.
        band_mass: From 0 to 1, of the better diagonal.
        band_lift: The same as a multiple of what a uniform map would have.
        is_reversed: Whether the better diagonal is the reversed one.
        shift: Mean mass at each of `SHIFTS` beside that diagonal.
        coverage: Of each content symbol of the source.
        sinks: Share of all rows that each column got, the end included; nothing for tags.
        stall: The longest run that writes a symbol twice, if there is one.
        marginal_tv: Half the absolute difference of `sinks` from uniform, summed.
        cdp: Coverage deviation penalty; 0 is best.
        cp: Coverage penalty; 0 is best.
        ap_out: Minus the mean entropy of the rows.
        ap_in: Minus the mean entropy of the columns.
    """

    rows: int
    columns: int
    spread: float | None
    flatness: float | None
    peak: float | None
    saturation: float | None
    order: float | None
    band_mass: float | None
    band_lift: float | None
    is_reversed: bool
    shift: tuple[float, ...]
    coverage: tuple[float, ...]
    sinks: tuple[float, ...]
    stall: Stall | None
    marginal_tv: float | None
    cdp: float | None
    cp: float | None
    ap_out: float | None
    ap_in: float | None


def describe(drawable: Drawable) -> Shape:
    """The shape of one map."""
    rows, columns = (_content(side) for side in (drawable.target, drawable.source))
    whole = _without_tags(drawable)
    read, inner = whole[:rows], whole[:rows, :columns]
    entropies = np.log(np.maximum(effective_sources(read), 1.0))
    is_empty = not inner.size
    band = (
        _Band(1, 0.0, 0.0)
        if is_empty
        else max((_band(inner, side) for side in (1, -1)), key=lambda one: one.mass)
    )
    coverage = inner.sum(0) * (columns / rows) if rows else np.zeros(columns)
    received = whole.sum(0) / max(1, len(whole))
    tags = len(drawable.source) - len(received)
    return Shape(
        rows,
        columns,
        spread=_median(np.exp(entropies)),
        flatness=_median(entropies / np.log(whole.shape[1])) if whole.shape[1] > 1 else None,
        peak=_median(read.max(1)) if read.size else None,
        saturation=_median(1 - (read**2).sum(1)),
        order=None if is_empty else tau(inner.argmax(1)),
        band_mass=None if is_empty else band.mass,
        band_lift=None if is_empty else band.mass / band.usual,
        is_reversed=band.side < 0,
        shift=() if is_empty else _shifts(inner, band.side),
        coverage=tuple(coverage.tolist()),
        sinks=(*received.tolist(), *[0.0] * tags),
        stall=None if is_empty else longest_stall(inner.argmax(1), drawable.target[:rows]),
        marginal_tv=float(np.abs(received - 1 / len(received)).sum() / 2) if whole.size else None,
        cdp=None if is_empty else float(-np.log1p((1 - inner.sum(0)) ** 2).mean()),
        cp=None if is_empty else float(_BETA * np.log(np.clip(inner.sum(0), 1e-12, 1)).sum()),
        ap_out=None if is_empty else -float(_entropy(inner).mean()),
        ap_in=None if is_empty else -float(_entropy(inner.T).mean()),
    )


def tau(path: Float[np.ndarray, " target"] | np.ndarray) -> float | None:
    """Kendall's tau-b of a path against its own order; None for one that does not move.

    Examples:
        >>> tau(np.array([0, 1, 2])), tau(np.array([2, 1, 0])), tau(np.array([1, 1]))
        (1.0, -1.0, None)
    """
    signs = np.sign(path[None, :].astype(int) - path[:, None])[np.triu_indices(len(path), 1)]
    moves = int((signs != 0).sum())
    return float(signs.sum() / np.sqrt(moves * len(signs))) if moves else None


def diagonal(rows: int, columns: int, side: int) -> Float[np.ndarray, " target"]:
    """Where a straight line stands in each row, forwards (1) or backwards (-1)."""
    places = np.arange(rows) * ((columns - 1) / max(1, rows - 1))
    return places if side > 0 else (columns - 1) - places


def longest_stall(path: np.ndarray, symbols: tuple[Label, ...]) -> Stall | None:
    """The longest run of one strongest position in which a symbol is written twice."""
    best: Stall | None = None
    edges = [0, *(np.flatnonzero(np.diff(path)) + 1).tolist(), len(path)]
    for first, last in pairwise(edges):
        written = {label.text for label in symbols[first:last]}
        length = last - first
        if len(written) < length and (best is None or length > best.length):
            best = Stall(first, length, int(path[first]))
    return best


def head_divergence(weights: Float[np.ndarray, "heads target source"]) -> float | None:
    """How much the heads of a look differ: the mean Jensen-Shannon divergence of two, in nats.

    Zero for heads that look alike, ln 2 for heads that share no position. None for one head.
    """
    heads = weights.astype(np.float64)
    found = [
        float((_entropy((one + other) / 2) - (_entropy(one) + _entropy(other)) / 2).mean())
        for place, one in enumerate(heads)
        for other in heads[:place]
    ]
    return float(np.mean(found)) if found else None


@dataclass(frozen=True)
class _Band:
    side: int
    mass: float
    usual: float


def _band(weights: np.ndarray, side: int) -> _Band:
    rows, columns = weights.shape
    line = diagonal(rows, columns, side)
    inside = np.abs(np.arange(columns) - line[:, None]) <= 1 + 1e-9
    total = max(float(weights.sum()), 1e-12)
    return _Band(side, float((weights * inside).sum()) / total, float(inside.mean()))


def _shifts(weights: np.ndarray, side: int) -> tuple[float, ...]:
    rows, columns = weights.shape
    line = np.floor(diagonal(rows, columns, side) + 0.5).astype(int)
    places = line[:, None] + np.array(SHIFTS)
    inside = (places >= 0) & (places < columns)
    mass = np.take_along_axis(weights, places.clip(0, columns - 1), 1) * inside
    return tuple(mass.mean(0).tolist())


def _entropy(rows: np.ndarray) -> np.ndarray:
    # Of rows made to sum to one; an empty row has none.
    total = rows.sum(-1, keepdims=True)
    share = rows / np.where(total > 0, total, 1)
    return -(share * np.log(np.where(share > 0, share, 1))).sum(-1)


def _median(values: np.ndarray) -> float | None:
    return float(np.median(values)) if values.size else None


def _without_tags(drawable: Drawable) -> np.ndarray:
    kept = [place for place, label in enumerate(drawable.source) if label.role != "tag"]
    weights = drawable.weights[:, kept].astype(np.float64)
    if len(kept) == len(drawable.source):
        return weights
    total = weights.sum(1, keepdims=True)
    return weights / np.where(total > 0, total, 1)


def _content(labels: tuple[Label, ...]) -> int:
    return sum(label.role == "content" for label in labels)
