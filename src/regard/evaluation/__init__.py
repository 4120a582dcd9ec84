"""Evaluation: how good predictions are."""

from regard.evaluation.measure import RESAMPLES, Measure
from regard.evaluation.metrics import Confusion, Evaluation, Scored, evaluate
from regard.evaluation.translation import TextMeasures, TextScore

__all__ = [
    "RESAMPLES",
    "Confusion",
    "Evaluation",
    "Measure",
    "Scored",
    "TextMeasures",
    "TextScore",
    "evaluate",
]
