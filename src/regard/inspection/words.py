"""Word use over many pairs: is the map about the symbols it is drawn under?

For each row the position of the largest weight is compared with the symbol
whose substitution matters most. A difference that is mostly one number other
than 0 is an alignment that is so many places off, found without any gold.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regard.evaluation import Measure, ratio
from regard.inspection.config import InspectionSettings

_MARGIN = 0.1
_BESIDE = 0.2


@dataclass(frozen=True)
class WordUse:
    """What substituting showed.

    Attributes:
        pairs: How many pairs were tried.
        rows: Rows in which some substitution counts; only these are compared.
        silent: Share of rows in which none does.
        agreement: Share of rows whose strongest position is the symbol that matters most.
        offsets: Strongest position less that symbol's, and the share of rows with it.
        shift: The offset of most rows.
        lead: The share of rows at that offset less the share at 0.
    """

    pairs: int
    rows: int
    silent: float
    agreement: Measure
    offsets: dict[int, float]
    shift: int
    lead: Measure

    @property
    def is_shifted(self) -> bool:
        """Whether the map is off: by a tenth of the rows, and more than chance would have it."""
        return self.shift != 0 and self.lead.value >= _MARGIN and self.lead.low > 0

    @property
    def is_in_place(self) -> bool:
        """Whether most rows are about the symbol that they are drawn under."""
        return self.shift == 0 and self.rows > 0

    @property
    def modifier(self) -> str | None:
        """What must be said beside a verdict on positions; None if nothing."""
        if self.is_shifted:
            return f"shifted by {self.shift:+d}"
        beside = [offset for offset, share in self.offsets.items() if offset and share >= _BESIDE]
        if not beside:
            return None
        offset = max(beside, key=lambda one: self.offsets[one])
        places = "place" if abs(offset) == 1 else "places"
        return f"{offset:+d} {places} off in {self.offsets[offset]:.0%} of rows"

    @property
    def text(self) -> str:
        """All of it as a sentence."""
        if not self.rows:
            return f"Substituting source symbols changed nothing on {self.pairs} pairs."
        share = f"{self.agreement.value:.0%} of {self.rows} rows"
        if self.is_shifted:
            return (
                f"Shifted by {self.shift:+d}: the look is {abs(self.shift)} place"
                f"{'s' if abs(self.shift) > 1 else ''} {'behind' if self.shift > 0 else 'before'} "
                f"the symbol that matters in {self.offsets[self.shift]:.0%} of {self.rows} rows; "
                f"it is at that symbol in {self.offsets.get(0, 0.0):.0%}."
            )
        if self.is_in_place:
            return (
                f"The strongest position is the symbol whose substitution matters most in {share}."
            )
        return f"The strongest position is rarely the symbol that matters most ({share})."


def word_use(
    weights: Sequence[np.ndarray], effects: Sequence[np.ndarray], settings: InspectionSettings
) -> WordUse | None:
    """Compare maps with what substitution showed; None if nothing was substituted.

    Args:
        weights: Of each pair, between content symbols.
        effects: Of each pair, the same shape, in nats.
        settings: From where on an effect counts.
    """
    if not effects:
        return None
    offsets = [
        _offsets(one, other, settings.effect) for one, other in zip(weights, effects, strict=True)
    ]
    everything = np.concatenate(offsets)
    rows = sum(len(one) for one in effects)
    values, counts = np.unique(everything, return_counts=True)
    shares = {
        int(value): float(count) / len(everything)
        for value, count in zip(values, counts, strict=True)
    }
    shift = max(shares, key=lambda offset: (shares[offset], -abs(offset)), default=0)
    sizes = np.array([len(each) for each in offsets], np.float64)

    def measure(hits: list[float]) -> Measure:
        return ratio(np.array(hits), sizes, settings.resamples)

    at_zero = [float((each == 0).sum()) for each in offsets]
    lead = [
        float((each == shift).sum()) - zero for each, zero in zip(offsets, at_zero, strict=True)
    ]
    return WordUse(
        len(effects),
        len(everything),
        1 - len(everything) / max(1, rows),
        measure(at_zero),
        shares,
        shift,
        measure(lead),
    )


def _offsets(weights: np.ndarray, effects: np.ndarray, least: float) -> np.ndarray:
    if not effects.size:
        return np.zeros(0, int)
    counts = effects.max(1) >= least
    return (weights.argmax(1) - effects.argmax(1))[counts]
