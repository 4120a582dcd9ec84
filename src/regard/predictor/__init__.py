"""Predictor: text in; text, log-probability and alignment out."""

from regard.predictor.linking import Linking, MapMethod, Rows, links, maps
from regard.predictor.looking import written_name
from regard.predictor.predicting import predicted
from regard.predictor.prediction import Candidate, Change, LookedUp, Prediction, Unseen
from regard.predictor.predictor import Predictor
from regard.predictor.reader import Given, Pairs, ReadSource, replace_tags
from regard.predictor.scoring import scored_of, with_alternatives
from regard.predictor.searcher import CHUNK

load = Predictor.load

__all__ = [
    "CHUNK",
    "Candidate",
    "Change",
    "Given",
    "Linking",
    "LookedUp",
    "MapMethod",
    "Pairs",
    "Prediction",
    "Predictor",
    "ReadSource",
    "Rows",
    "Unseen",
    "links",
    "load",
    "maps",
    "predicted",
    "replace_tags",
    "scored_of",
    "with_alternatives",
    "written_name",
]
