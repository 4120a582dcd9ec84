"""An alignment drawn with matplotlib, for PNG and PDF. The only room that knows it.

Nothing global is changed, and fonts are looked for: where the default font
lacks a script, any installed font that has it is used; where none has, a
warning names the script. From 3.11 on matplotlib shapes every script itself.
"""

import io
import logging
import unicodedata
from typing import NamedTuple

import numpy as np

from regard.alignment.labels import Drawable, caption, title
from regard.alignment.trust import RowLabel
from regard.errors import MissingExtraError

_CELL = 0.34
_DEFAULT = "DejaVu Sans"


def draw(drawable: Drawable, kind: str) -> bytes:
    """The picture as the content of a file.

    Args:
        drawable: The alignment.
        kind: "png" or "pdf".

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing PNG or PDF", "plot") from None
    rows, columns = len(drawable.target), len(drawable.source)
    size = (max(4.0, 1.6 + columns * _CELL), max(3.0, 1.6 + rows * _CELL))
    figure = Figure(figsize=(min(size[0], 40), min(size[1], 40)), layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(drawable.weights, cmap="cividis", vmin=0, vmax=1, aspect="auto")
    heading = title(drawable).replace("\u2068", "").replace("\u2069", "")
    shown = [[label.shortened(16) for label in side] for side in (drawable.source, drawable.target)]
    families = _families(heading + "".join(shown[0] + shown[1]))
    every = [max(1, -(-count // 120)) for count in (columns, rows)]
    axes.set_xticks(np.arange(0, columns, every[0]), shown[0][:: every[0]], family=families)
    axes.set_yticks(np.arange(0, rows, every[1]), shown[1][:: every[1]], family=families)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False)
    for label in axes.get_xticklabels():
        if len(label.get_text()) > 3:
            label.set(rotation=60, ha="left", rotation_mode="anchor")
    axes.set_title(heading, family=families, fontsize=11)
    axes.set_xlabel(caption(drawable), fontsize=7)
    figure.colorbar(image, ax=axes)
    for mark in _marked(drawable):
        if mark.label in ("used", "misdirected"):
            ink = "white" if mark.label == "used" else "tab:red"
            axes.plot(
                mark.column, mark.row, "o", fillstyle="none", markeredgecolor=ink, markersize=9
            )
        else:
            hatch = "////" if mark.label == "idle" else "//"
            axes.barh(
                mark.row, columns, 1, -0.5, fill=False, hatch=hatch, edgecolor="white", linewidth=0
            )
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=200)
    return content.getvalue()


class _Marked(NamedTuple):
    row: int
    column: int
    label: RowLabel


def _marked(drawable: Drawable) -> list[_Marked]:
    """Each row with what matters most in it; nothing where nothing was tested."""
    trust = drawable.trust
    if trust is None:
        return []
    return [
        _Marked(row, int(trust.effects[row].argmax()), label)
        for row, label in enumerate(trust.labels(drawable.weights))
    ]


def _families(text: str) -> list[str]:
    from matplotlib import font_manager, ft2font

    missing = {character for character in text if not character.isspace()}
    families: list[str] = []
    # A font of last resort has every character, each as an empty box.
    fonts = sorted(
        (font for font in font_manager.fontManager.ttflist if "Last Resort" not in font.name),
        key=lambda font: (font.name != _DEFAULT, "Noto" not in font.name, font.name),
    )
    for font in fonts:
        if not missing:
            break
        try:
            charmap = ft2font.FT2Font(font.fname).get_charmap()
        except (OSError, RuntimeError):
            continue
        found = {character for character in missing if ord(character) in charmap}
        if found:
            families.append(font.name)
            missing -= found
    if missing:
        names = sorted({unicodedata.name(character, "?").split()[0] for character in missing})
        logging.getLogger(__name__).warning(
            "no installed font has %s: install one (such as Noto Sans), or save as .svg or .html.",
            ", ".join(names),
        )
    return families or [_DEFAULT]
