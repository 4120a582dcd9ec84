"""The shapes of many maps together: medians, histograms, flags of the whole file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from regard.alignment import SHIFTS, Alignment, Flag, Shape, ShapeSettings, sink_threshold

_BINS = 20
_EVERYWHERE = 0.8
_NEAR_MASS = 0.6
_NEAR_LIFT = 2.0
_FOCUSED = 0.5
_ORDERED = 0.8
_UNORDERED = 0.3
_OUTLIERS = 99


@dataclass(frozen=True)
class Histogram:
    """How a figure is spread over the pairs.

    Attributes:
        name: Of the figure.
        median: Of the pairs that have one.
        low: Where the first bin begins.
        high: Where the last ends.
        counts: Pairs in each bin, all of one width.
    """

    name: str
    median: float
    low: float
    high: float
    counts: tuple[int, ...]


@dataclass(frozen=True)
class ShapeSummary:
    """The shapes of many maps together.

    Attributes:
        figures: Each descriptor that has a number for some pair.
        reading: What the medians say, in words.
        flags: Of the whole file.
        counts: How many pairs have each kind of flag.
        shift: Mean mass at each place beside the diagonal; empty where the maps are not near one.
    """

    figures: tuple[Histogram, ...]
    reading: tuple[str, ...]
    flags: tuple[Flag, ...]
    counts: dict[str, int]
    shift: dict[int, float]

    def median(self, name: str) -> float | None:
        """The median of one descriptor, if any pair has it."""
        return next((one.median for one in self.figures if one.name == name), None)


def summarize_shapes(
    alignments: Sequence[Alignment],
    shapes: Sequence[Shape],
    flags: Sequence[Sequence[Flag]],
    settings: ShapeSettings,
    divergence: float | None = None,
) -> ShapeSummary:
    """The shapes of many maps together.

    Args:
        alignments: The maps.
        shapes: Of each.
        flags: Of each.
        settings: From where on a shape is odd.
        divergence: How much the heads of the look differ, if there are several.
    """
    figures: list[Histogram] = []
    for field in fields(Shape):
        values = [getattr(shape, field.name) for shape in shapes]
        numbers = [float(value) for value in values if type(value) in (int, float)]
        if numbers:
            figures.append(_histogram(field.name, np.array(numbers)))
    counts = Counter(name for each in flags for name in {flag.name for flag in each})
    medians = {one.name: one.median for one in figures}
    is_near = (
        medians.get("band_mass", 0.0) >= _NEAR_MASS and medians.get("band_lift", 0.0) >= _NEAR_LIFT
    )
    shift = {}
    if is_near:
        mass = np.mean([shape.shift for shape in shapes if shape.shift], axis=0)
        shift = {place: float(share) for place, share in zip(SHIFTS, mass, strict=True)}
    whole = [*_sinks(alignments, shapes, settings), *_redundant(divergence, settings)]
    return ShapeSummary(
        tuple(figures), tuple(_reading(medians, is_near)), tuple(whole), dict(counts), shift
    )


def outliers(shapes: Sequence[Shape]) -> dict[int, tuple[Flag, ...]]:
    """A flag for each map whose coverage is farther from uniform than 99 of 100 are.

    Args:
        shapes: Of all maps; fewer than a hundred have no such hundredth.
    """
    values = np.array([one.marginal_tv or 0.0 for one in shapes])
    if len(values) < _OUTLIERS + 1:
        return {}
    limit = float(np.percentile(values, _OUTLIERS))
    return {
        int(place): (
            Flag(
                "outlier",
                float(values[place]),
                limit,
                "",
                f"outlier: coverage far from uniform ({values[place]:.3g} against {limit:.3g})",
            ),
        )
        for place in np.flatnonzero(values > limit)
    }


def _histogram(name: str, numbers: np.ndarray) -> Histogram:
    low, high = float(numbers.min()), float(numbers.max())
    low, high = (min(low, 0.0), 1.0) if low >= 0 and high <= 1 else (low, max(high, low + 1e-9))
    counts, _ = np.histogram(numbers, bins=_BINS, range=(low, high))
    return Histogram(name, float(np.median(numbers)), low, high, tuple(counts.tolist()))


def _reading(medians: dict[str, float], is_near: bool) -> list[str]:
    words: list[str] = []
    flatness, peak, order = (medians.get(name) for name in ("flatness", "peak", "order"))
    if flatness is not None:
        kind = "focused" if flatness <= _FOCUSED else "flat" if flatness >= 0.95 else "blurred"
        words.append(f"{kind} (entropy {flatness:.2f} of the largest possible)")
    if peak is not None and peak >= 0.95:
        words.append(f"one-hot (largest weight {peak:.2f})")
    if order is not None:
        kind = (
            "monotone"
            if order >= _ORDERED
            else "reversed"
            if order <= -_ORDERED
            else "unordered"
            if abs(order) < _UNORDERED
            else "partly in order"
        )
        words.append(f"{kind} (order {order:+.2f})")
    if is_near:
        words.append(f"near a diagonal ({medians['band_mass']:.2f} of the mass within one place)")
    return words


def _sinks(
    alignments: Sequence[Alignment], shapes: Sequence[Shape], settings: ShapeSettings
) -> list[Flag]:
    """Positions, from either end, or roles, that are a sink nearly everywhere."""
    places: Counter[str] = Counter()
    for alignment, shape in zip(alignments, shapes, strict=True):
        least, found = sink_threshold(len(shape.sinks), settings), set[str]()
        for column, share in enumerate(shape.sinks):
            if share >= least:
                role = alignment.source[column].role
                found |= (
                    {f"role {role}"}
                    if role != "content"
                    else {
                        f"source {column + 1}",
                        f"source {column - shape.columns} from the end",
                    }
                )
        places.update(found)
    return [
        Flag(
            "sink",
            count / len(shapes),
            _EVERYWHERE,
            place,
            f"sink: {place} takes much of all rows in {count} of {len(shapes)} pairs",
        )
        for place, count in places.most_common()
        if count >= _EVERYWHERE * len(shapes)
    ]


def _redundant(divergence: float | None, settings: ShapeSettings) -> list[Flag]:
    if divergence is None or divergence >= settings.redundant:
        return []
    return [
        Flag(
            "redundant",
            divergence,
            settings.redundant,
            "",
            f"redundant: the heads look alike ({divergence:.3f} against {settings.redundant} nats)",
        )
    ]
