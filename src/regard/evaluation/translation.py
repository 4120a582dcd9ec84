"""How near whole texts are to their references: BLEU and chrF, by sacrebleu.

BLEU (Papineni et al. 2002) counts the words and short phrases that agree, chrF
(Popovic 2015) the short strings of characters; both run from 0 to 100 and are
reported with the signature by which others get the same figure (Post 2018,
arXiv:1804.08771).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from regard.errors import MissingExtraError
from regard.evaluation.measure import Measure, bootstrap


@dataclass(frozen=True)
class TextMeasures:
    """Which measures of whole texts are wanted.

    Attributes:
        bleu: Whether BLEU is.
        chrf: Whether chrF is.
        lower_case: Whether both pass over capitals.
    """

    bleu: bool = False
    chrf: bool = False
    lower_case: bool = False


@dataclass(frozen=True)
class TextScore:
    """A measure of whole texts.

    Attributes:
        name: "bleu" or "chrf".
        measure: From 0 to 100, with its interval.
        signature: How sacrebleu was told to count.
    """

    name: str
    measure: Measure
    signature: str


def text_scores(
    wanted: TextMeasures,
    texts: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    resamples: int,
) -> tuple[TextScore, ...]:
    """Score texts against their references.

    Args:
        wanted: Which measures.
        texts: What was written.
        references: For each text one or more that are right.
        resamples: How often texts are drawn anew for the intervals.

    Raises:
        MissingExtraError: sacrebleu is not installed.
    """
    if not wanted.bleu and not wanted.chrf:
        return ()
    try:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
    except ImportError:
        raise MissingExtraError("BLEU and chrF", "mt") from None
    columns = [
        # sacrebleu passes over None, which its annotations do not say.
        cast(list[str], [each[index] if index < len(each) else None for each in references])
        for index in range(max(len(each) for each in references))
    ]

    def scored(name: str, metric: BLEU | CHRF) -> TextScore:
        # sacrebleu's own interval fails where some of the draws score nothing, and is symmetric.
        # What makes another possible is private, so the project takes no later major version.
        counts = np.array(metric._extract_corpus_statistics(texts, columns), float)
        measure = bootstrap(
            lambda rows: float(metric._aggregate_and_compute([counts[rows].sum(0).tolist()]).score),
            len(counts),
            resamples,
        )
        return TextScore(name, measure, str(metric.get_signature()))

    bleu = [scored("bleu", BLEU(lowercase=wanted.lower_case))] if wanted.bleu else []
    chrf = [scored("chrf", CHRF(lowercase=wanted.lower_case))] if wanted.chrf else []
    return (*bleu, *chrf)
