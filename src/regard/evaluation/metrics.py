"""How good predictions are: exact match and symbol error rate, with intervals.

    accuracy            share of pairs whose prediction is exactly the target
    symbol error rate   edit distances / target lengths, pooled over all pairs

The word error rate of pronunciation is 1 - accuracy. Where several targets are
right, a prediction is exact if it equals any of them, and its edits are those
to the nearest.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np
from rapidfuzz.distance import Levenshtein

from regard.errors import DataError
from regard.evaluation.measure import RESAMPLES, Measure, ratio
from regard.evaluation.translation import TextMeasures, TextScore, text_scores


@dataclass(frozen=True)
class Scored:
    """A prediction beside the targets that are right.

    Attributes:
        text: What was written.
        predicted: The same as symbols.
        references: What should have been written: one text, or several that are right.
        targets: The same as symbols.
    """

    text: str
    predicted: tuple[str, ...]
    references: tuple[str, ...]
    targets: tuple[tuple[str, ...], ...]

    @cached_property
    def target(self) -> tuple[str, ...]:
        """The target that is nearest to what was written."""
        return min(self.targets, key=lambda target: Levenshtein.distance(self.predicted, target))


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
        pairs: How many sources it was tried on.
        accuracy: Share of exact matches.
        symbol_error_rate: Edits per target symbol.
        confusions: The kinds of mistakes, the commonest first.
        signature: All one needs to get the same figures again.
        texts: Measures of whole texts, where they were asked for.
    """

    pairs: int
    accuracy: Measure
    symbol_error_rate: Measure
    confusions: tuple[Confusion, ...]
    signature: str
    texts: tuple[TextScore, ...] = ()

    def to_table(self) -> dict[str, object]:
        """The figures as plain tables, for JSON."""
        return {
            "pairs": self.pairs,
            "accuracy": asdict(self.accuracy),
            "symbol_error_rate": asdict(self.symbol_error_rate),
            "signature": self.signature,
            **{
                score.name: asdict(score.measure) | {"signature": score.signature}
                for score in self.texts
            },
        }

    @property
    def word_error_rate(self) -> Measure:
        """1 - accuracy."""
        own = self.accuracy
        return Measure(1 - own.value, 1 - own.high, 1 - own.low)


def evaluate(
    scored: Sequence[Scored],
    signature: str,
    *,
    resamples: int = RESAMPLES,
    text_measures: TextMeasures | None = None,
) -> Evaluation:
    """Score predictions against targets.

    Args:
        scored: Each prediction beside its targets.
        signature: How the predictions were made.
        resamples: How often pairs are drawn anew for the intervals.
        text_measures: Which measures of whole texts are wanted, if any.

    Raises:
        DataError: There are none.
    """
    if not scored:
        raise DataError("expected pairs to evaluate, found none.")
    targets = [one.target for one in scored]
    exact = np.array(
        [one.predicted == target for one, target in zip(scored, targets, strict=True)], float
    )
    edits = np.array(
        [
            Levenshtein.distance(one.predicted, target)
            for one, target in zip(scored, targets, strict=True)
        ],
        float,
    )
    lengths = np.array([len(target) for target in targets], float)
    return Evaluation(
        len(scored),
        ratio(exact, np.ones_like(exact), resamples),
        ratio(edits, lengths, resamples),
        confusions(scored),
        f"{signature} | bootstrap {resamples}, seed 0",
        text_scores(
            text_measures or TextMeasures(),
            [one.text for one in scored],
            [one.references for one in scored],
            resamples=resamples,
        ),
    )


def confusions(scored: Sequence[Scored]) -> tuple[Confusion, ...]:
    """Which symbols were written in the place of which."""
    counts: Counter[tuple[str, str]] = Counter()
    for one in scored:
        target = one.target
        if one.predicted != target:
            for edit in Levenshtein.editops(target, one.predicted):
                meant = "" if edit.tag == "insert" else target[edit.src_pos]
                wrote = "" if edit.tag == "delete" else one.predicted[edit.dest_pos]
                counts[meant, wrote] += 1
    return tuple(Confusion(*kind, count) for kind, count in counts.most_common())
