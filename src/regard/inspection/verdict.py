"""May this map be believed? Figures over many pairs, and a verdict.

    gap      mean over rows of (effect of the strongest position - mean effect of the others)
    agree    share of rows whose strongest position has the largest effect, less chance
             (with tags apart: the strongest symbol and the strongest tag, either)
    uniform  mean over rows of the effect of looking everywhere alike
    keep     share of symbols that stay the likeliest with the look spoilt

Rows that write content only. Intervals draw pairs anew, not rows, for the rows
of a pair are no independent witnesses.

The verdict is about the decoder's use of positions, on these pairs, in this
look; it is no cause and no explanation. Its order of questions: is the map
valid; are there pairs enough; is it of no use (both upper ends below the
effect that counts); is it of use (lower ends above); partly; else undetermined.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from regard.alignment import RowLabel, Trust, block_of, leaders_of
from regard.evaluation import Measure, ratio
from regard.inspection.checks import Check
from regard.inspection.config import InspectionSettings
from regard.inspection.erasure import Erasure

Verdict = Literal["supported", "partial", "not supported", "undetermined", "invalid"]
LABELS: tuple[RowLabel, ...] = get_args(RowLabel)


@dataclass(frozen=True)
class HeadUse:
    """How one head, or one member of an ensemble, is used alone.

    Attributes:
        name: Which it is.
        top: Mean effect of erasing its strongest position, in it alone.
        gap: The same less the mean effect of the others.
    """

    name: str
    top: Measure
    gap: Measure


@dataclass(frozen=True)
class PositionUse:
    """What erasing showed over many pairs.

    Attributes:
        pairs: How many pairs were tested.
        rows: How many rows that write content.
        gap: In nats.
        top: Mean effect of erasing the strongest position.
        other: Mean effect of erasing another.
        agree: Above chance.
        chance: The share of agreement that chance gives.
        uniform: In nats.
        keep_uniform: Share of symbols kept, looking everywhere alike.
        keep_permuted: The same with permuted weights.
        keep_erased: The same with the strongest position erased.
        labels: Share of rows of each kind.
        end_labels: The same for rows that write the end.
        heads: Each head alone, where there are several.
    """

    pairs: int
    rows: int
    gap: Measure
    top: Measure
    other: Measure
    agree: Measure
    chance: float
    uniform: Measure
    keep_uniform: Measure
    keep_permuted: Measure
    keep_erased: Measure
    labels: dict[RowLabel, float]
    end_labels: dict[RowLabel, float]
    heads: tuple[HeadUse, ...]


@dataclass(frozen=True)
class Judgement:
    """A verdict and why.

    Attributes:
        verdict: The verdict.
        reasons: Sentences.
        modifiers: What else must be said beside it: shifted, idle rows, guided.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    modifiers: tuple[str, ...] = ()


def position_use(
    tested: Sequence[Erasure], settings: InspectionSettings, members: int = 1
) -> PositionUse:
    """The figures over some pairs.

    Args:
        tested: What erasing showed of each; the last row of each writes the end.
        settings: From where on an effect counts.
        members: How many models write together; each has its own heads.
    """
    rows = [_Rows.of(one) for one in tested]
    counts = np.array([len(one.top) for one in rows], np.float64)

    def measure(values: Sequence[np.ndarray]) -> Measure:
        sums = np.array([float(each.sum()) for each in values])
        return ratio(sums, counts, settings.resamples)

    kinds = [labels_of(one, settings) for one in tested]
    content: list[RowLabel] = [label for each in kinds for label in each[:-1]]
    heads = max((len(one.head_effects) for one in tested), default=0)
    chance = measure([one.chance for one in rows]).value
    return PositionUse(
        len(tested),
        int(counts.sum()),
        measure([one.top - one.other for one in rows]),
        measure([one.top for one in rows]),
        measure([one.other for one in rows]),
        measure([one.agrees - one.chance for one in rows]),
        chance,
        measure([one.uniform[:-1] for one in tested]),
        measure([one.keeps_uniform[:-1] for one in tested]),
        measure([one.keeps_permuted[:-1] for one in tested]),
        measure([one.keeps_erased[:-1] for one in tested]),
        _shares(content),
        _shares([each[-1] for each in kinds]),
        tuple(
            HeadUse(
                _head_name(head, heads, members),
                measure([_Rows.of(one, head).top for one in tested]),
                measure([(own := _Rows.of(one, head)).top - own.other for one in tested]),
            )
            for head in range(heads)
        ),
    )


def _head_name(head: int, heads: int, members: int) -> str:
    each = max(1, heads // members)
    names = [f"model {head // each + 1}"] if members > 1 else []
    return ", ".join([*names, *([f"head {head % each + 1}"] if each > 1 else [])])


def labels_of(tested: Erasure, settings: InspectionSettings) -> tuple[RowLabel, ...]:
    """How each row was used, that of the end included."""
    return trust_of(tested, settings).labels(tested.weights)


def trust_of(tested: Erasure, settings: InspectionSettings) -> Trust:
    """What erasing showed, as it is kept beside a map."""
    return Trust(tested.effects, tested.uniform, tested.permuted, settings.effect, tested.blocks)


def judge(
    use: PositionUse | None, checks: Sequence[Check], settings: InspectionSettings
) -> Judgement:
    """The verdict on the figures.

    Args:
        use: The figures; None where the map is not valid, and nothing was tested.
        checks: The exact checks.
        settings: From where on a figure counts.
    """
    failed = [check.text for check in checks if not check.is_met]
    if failed or use is None:
        return Judgement("invalid", ("map not valid", *failed))
    if use.pairs < settings.least_pairs or not use.rows:
        return Judgement(
            "undetermined",
            (
                f"{_pairs(use.pairs)} with {use.rows} rows were tested; {settings.least_pairs} are needed",
            ),
        )
    effect = settings.effect
    figures = (
        f"on {'this' if use.pairs == 1 else 'these'} {_pairs(use.pairs)}, erasing the attended position lowers the log-probability of "
        f"the symbol that is written by {_interval(use.top)} nats; erasing another lowers it by "
        f"{use.other.value:z.2f}: gap {_interval(use.gap)}",
        f"the attended position has the largest effect in {use.agree.value + use.chance:.0%} of "
        f"rows, where chance gives {use.chance:.0%}",
        f"looking everywhere alike costs {_interval(use.uniform)} nats and keeps "
        f"{use.keep_uniform.value:.0%} of the symbols",
    )
    if use.gap.high < effect and use.uniform.high < effect:
        verdict: Verdict = "not supported"
    elif use.gap.low >= effect and use.agree.low > 0 and use.agree.value >= (1 - use.chance) / 2:
        verdict = "supported"
    elif use.gap.low > 0 and use.agree.low > 0:
        verdict = "partial"
    else:
        verdict = "undetermined"
    idle = use.labels["idle"]
    idle_rows = (f"{idle:.0%} of rows idle",) if idle >= 0.1 else ()
    return Judgement(verdict, figures, (*idle_rows, "end rows excluded"))


@dataclass(frozen=True)
class _Rows:
    """The content rows of one pair, each in numbers."""

    top: np.ndarray
    other: np.ndarray
    agrees: np.ndarray
    chance: np.ndarray

    @classmethod
    def of(cls, tested: Erasure, head: int | None = None) -> "_Rows":
        """Of the whole look, or of one head."""
        weights, effects = (
            (tested.weights, tested.effects)
            if head is None
            else (tested.heads[head], tested.head_effects[head])
        )
        weights, effects = weights[:-1], effects[:-1].astype(np.float64)
        leaders = leaders_of(weights, tested.blocks)
        leading = np.take_along_axis(effects, leaders, 1)
        other = (effects.sum(1) - leading.sum(1)) / max(1, effects.shape[1] - leaders.shape[1])
        best = effects.argmax(1)
        widths = np.array(tested.blocks or [effects.shape[1]])
        return cls(
            leading.mean(1),
            other,
            (leaders == best[:, None]).any(1).astype(np.float64),
            1 / widths[block_of(best, tested.blocks)],
        )


def _shares(labels: Sequence[RowLabel]) -> dict[RowLabel, float]:
    return {kind: labels.count(kind) / max(1, len(labels)) for kind in LABELS}


def _interval(measure: Measure) -> str:
    return f"{measure.value:z.2f} (95 % {measure.low:z.2f} to {measure.high:z.2f})"


def _pairs(count: int) -> str:
    return f"{count} pair{'' if count == 1 else 's'}"
