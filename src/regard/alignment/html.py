"""An alignment as one HTML file: hover, keyboard, copy; no outside request."""

import base64
import json
from html import escape
from importlib.resources import files

import numpy as np

from regard.alignment import svg
from regard.alignment.labels import Drawable, Label, caption, title
from regard.alignment.links import best_links, pharaoh

_TOP = 5


def page(drawable: Drawable, headline: str = "") -> str:
    """The whole page.

    Args:
        drawable: The alignment.
        headline: A sentence above the picture.
    """
    template = (files("regard.alignment") / "page.html").read_text("utf-8")
    data = json.dumps(_data(drawable), ensure_ascii=False).replace("<", "\\u003c")
    return (
        template.replace("{{title}}", escape(title(drawable)))
        .replace("{{headline}}", escape(headline))
        .replace("{{caption}}", escape(caption(drawable)))
        .replace("{{data}}", data)
    )


def _data(drawable: Drawable) -> dict[str, object]:
    weights = np.clip(np.nan_to_num(drawable.weights), 0, 1)
    # The square root keeps small weights apart: one byte each, an error of at most 0.004.
    code = np.sqrt(weights) * 255
    order = np.argsort(-weights, axis=1, kind="stable")[:, :_TOP]
    rows = sum(label.role == "content" for label in drawable.target)
    columns = sum(label.role == "content" for label in drawable.source)
    return {
        "source": [_label(label) for label in drawable.source],
        "target": [_label(label) for label in drawable.target],
        "code": base64.b64encode(code.round().astype(np.uint8).tobytes()).decode(),
        "top": [
            [[int(column), round(float(weights[row, column]), 4)] for column in order[row]]
            for row in range(len(order))
        ],
        "kinds": [] if drawable.trust is None else drawable.trust.labels(drawable.weights),
        "effects": []
        if drawable.trust is None
        else [[round(float(effect), 3) for effect in row] for row in drawable.trust.effects],
        "pharaoh": pharaoh(best_links(weights[:rows, :columns])),
        "svg": svg.draw(drawable),
    }


def _label(label: Label) -> dict[str, object]:
    return {"text": label.shown, "role": label.role, "direction": label.direction}
