"""Predictor: text in; text, log-probability and alignment out."""

from regard.predictor.prediction import Candidate, LookedUp, Prediction, Unseen
from regard.predictor.predictor import CHUNK, Pairs, Predictor, load
from regard.predictor.reader import Given, replace_tags

__all__ = [
    "CHUNK",
    "Candidate",
    "Given",
    "LookedUp",
    "Pairs",
    "Prediction",
    "Predictor",
    "Unseen",
    "load",
    "replace_tags",
]
