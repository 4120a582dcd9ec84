"""Evaluation: how good predictions are, and how far links are from the right ones."""

from regard.evaluation.comparison import Comparison, Difference, compare
from regard.evaluation.gold import Gold, LinkLayout, read_links
from regard.evaluation.links import LinkScores, score_links
from regard.evaluation.measure import RESAMPLES, Measure, ratio
from regard.evaluation.metrics import Confusion, Evaluation, Scored, evaluate
from regard.evaluation.translation import TextMeasures, TextScore

__all__ = [
    "RESAMPLES",
    "Comparison",
    "Confusion",
    "Difference",
    "Evaluation",
    "Gold",
    "LinkLayout",
    "LinkScores",
    "Measure",
    "Scored",
    "TextMeasures",
    "TextScore",
    "compare",
    "evaluate",
    "ratio",
    "read_links",
    "score_links",
]
