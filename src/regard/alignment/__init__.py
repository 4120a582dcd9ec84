"""Alignment: where the decoder looked, as plain data, and its pictures."""

from regard.alignment.alignment import Alignment
from regard.alignment.labels import Label, Role
from regard.alignment.links import Link, parse_pharaoh, pharaoh
from regard.alignment.terminal import draw as draw_text

__all__ = ["Alignment", "Label", "Link", "Role", "draw_text", "parse_pharaoh", "pharaoh"]
