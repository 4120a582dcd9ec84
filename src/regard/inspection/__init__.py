"""Inspection: may this map be believed?"""

from regard.inspection.checks import Check, check_map
from regard.inspection.config import InspectionSettings
from regard.inspection.effects import effect_map
from regard.inspection.erasure import Erasure, erase
from regard.inspection.inspection import Case, Inspection, Mode
from regard.inspection.report import report
from regard.inspection.shapes import Histogram, ShapeSummary, outliers, summarize_shapes
from regard.inspection.substitution import substitute
from regard.inspection.verdict import (
    HeadUse,
    Judgement,
    PositionUse,
    Verdict,
    judge,
    position_use,
    trust_of,
)
from regard.inspection.words import WordUse, word_use

__all__ = [
    "Case",
    "Check",
    "Erasure",
    "HeadUse",
    "Histogram",
    "Inspection",
    "InspectionSettings",
    "Judgement",
    "Mode",
    "PositionUse",
    "ShapeSummary",
    "Verdict",
    "WordUse",
    "check_map",
    "effect_map",
    "erase",
    "judge",
    "outliers",
    "position_use",
    "report",
    "substitute",
    "summarize_shapes",
    "trust_of",
    "word_use",
]
