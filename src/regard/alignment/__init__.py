"""Alignment: where the decoder looked, as plain data, and its pictures."""

from regard.alignment.aligner import Order, Sides, best_sources
from regard.alignment.alignment import Alignment
from regard.alignment.descriptors import SHIFTS, Shape, describe, head_divergence
from regard.alignment.flags import Flag, ShapeSettings, flags_of, sink_threshold
from regard.alignment.labels import Label, Role, effective_sources
from regard.alignment.links import Link, LinkMethod, links_of, parse_pharaoh, pharaoh
from regard.alignment.reading import by_words, following
from regard.alignment.svg import draw as picture
from regard.alignment.symmetry import Symmetry, symmetrized
from regard.alignment.terminal import draw as draw_text
from regard.alignment.trust import EFFECT, RowLabel, Trust, block_of, leaders_of, strongest_of

__all__ = [
    "EFFECT",
    "SHIFTS",
    "Alignment",
    "Flag",
    "Label",
    "Link",
    "LinkMethod",
    "Order",
    "Role",
    "RowLabel",
    "Shape",
    "ShapeSettings",
    "Sides",
    "Symmetry",
    "Trust",
    "best_sources",
    "block_of",
    "by_words",
    "describe",
    "draw_text",
    "effective_sources",
    "flags_of",
    "following",
    "head_divergence",
    "leaders_of",
    "links_of",
    "parse_pharaoh",
    "pharaoh",
    "picture",
    "sink_threshold",
    "strongest_of",
    "symmetrized",
]
