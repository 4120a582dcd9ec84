"""Evaluation: how good predictions are."""

from regard.evaluation.metrics import (
    RESAMPLES,
    Confusion,
    Evaluation,
    Measure,
    Scored,
    evaluate,
)

__all__ = ["RESAMPLES", "Confusion", "Evaluation", "Measure", "Scored", "evaluate"]
