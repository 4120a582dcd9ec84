"""An alignment as an SVG picture: real text, one title a cell, no outside request.

Rows are the target from top to bottom, columns the source from left to right,
both in the order of reading whatever the script. The right margin says over
how many source positions a row spreads, the bottom one how much of all rows
each position received.
"""

import base64
from html import escape

import numpy as np

from regard.alignment.color import hexadecimal
from regard.alignment.labels import Drawable, Label, caption, effective_sources, title
from regard.alignment.png import encode

CELL = 28
SMALLEST_CELL = 6
LARGEST = 150
HUGE = 200
_UPRIGHT = 3
_FONT = "font-family='Noto Sans, DejaVu Sans, Segoe UI, Arial Unicode MS, sans-serif'"


def draw(drawable: Drawable, name: str = "") -> str:
    """The picture as SVG text.

    Args:
        drawable: The alignment.
        name: What tells this picture from others in one page, in its ids.
    """
    return "\n".join(_Drawing(drawable, name).lines()) + "\n"


class _Drawing:
    def __init__(self, drawable: Drawable, name: str) -> None:
        self.drawable, self.name = drawable, name
        self.caption = caption(drawable)
        trust = drawable.trust
        self.kinds = () if trust is None else trust.labels(drawable.weights)
        self.rows, self.columns = len(drawable.target), len(drawable.source)
        longest = max(self.rows, self.columns, 1)
        self.cell = max(SMALLEST_CELL, CELL if longest <= 24 else 28 * 24 // longest)
        if longest > HUGE:
            self.cell = max(1, SMALLEST_CELL * HUGE // longest)
        widest = [
            max((len(label.shortened(16)) for label in side), default=1)
            for side in (drawable.target, drawable.source)
        ]
        self.left = 24 + 9 * widest[0]
        self.top = 62 + (16 if widest[1] <= _UPRIGHT else 8 * widest[1])
        self.width = max(
            self.left + self.columns * self.cell + (130 if self.kinds else 70),
            24 + 6 * len(self.caption),
        )
        self.height = self.top + self.rows * self.cell + 74

    def lines(self) -> list[str]:
        head = title(self.drawable)
        return [
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{self.width}' height='{self.height}' "
            f"viewBox='0 0 {self.width} {self.height}' role='img' {_FONT} font-size='13'>",
            f"<title>{escape(head)}</title>",
            f"<desc>{escape(self.caption)}</desc>",
            f"<defs><pattern id='idle{self.name}' width='5' height='5' patternUnits='userSpaceOnUse' "
            "patternTransform='rotate(45)'><path d='M0 0v5' stroke='white' stroke-width='1.6'/>"
            f"</pattern><pattern id='spread{self.name}' width='9' height='9' patternUnits='userSpaceOnUse' "
            "patternTransform='rotate(45)'><path d='M0 0v9' stroke='white' stroke-width='1'/>"
            "</pattern></defs>"
            if self.kinds
            else "",
            f"<rect width='{self.width}' height='{self.height}' fill='white'/>",
            f"<text x='12' y='22' font-size='15'>{escape(head)}</text>",
            f"<text x='12' y='40' font-size='10' fill='#555'>{escape(self.caption)}</text>",
            *self._column_labels(),
            *self._row_labels(),
            *self._cells(),
            *self._marks(),
            *self._coverage(),
            "</svg>",
        ]

    def _cells(self) -> list[str]:
        weights = self.drawable.weights
        wide, high = self.columns * self.cell, self.rows * self.cell
        if max(self.rows, self.columns) > LARGEST:
            data = base64.b64encode(encode(weights)).decode()
            return [
                f"<image x='{self.left}' y='{self.top}' width='{wide}' height='{high}' "
                f"preserveAspectRatio='none' style='image-rendering:pixelated' "
                f"href='data:image/png;base64,{data}'/>"
            ]
        lines = [
            f"<rect x='{self.left}' y='{self.top}' width='{wide}' height='{high}' "
            f"fill='{hexadecimal(0.0)}'/>"
        ]
        shows_numbers = max(self.rows, self.columns) <= 12
        for row, column in np.argwhere(weights > 0.01):
            lines.append(self._cell(int(row), int(column), shows_numbers))
        return lines

    def _cell(self, row: int, column: int, shows_number: bool) -> str:
        weight = float(self.drawable.weights[row, column])
        x, y = self.left + column * self.cell, self.top + row * self.cell
        target, source = self.drawable.target[row].shown, self.drawable.source[column].shown
        trust = self.drawable.trust
        effect = (
            "" if trust is None else f"; erasing it costs {trust.effects[row, column]:.2f} nats"
        )
        hint = escape(f"{target} looks at {source}: {weight:.3f}{effect}")
        square = (
            f"<path d='M{x} {y}h{self.cell}v{self.cell}h-{self.cell}z' "
            f"fill='{hexadecimal(weight)}'><title>{hint}</title></path>"
        )
        if not shows_number or weight < 0.05:
            return square
        ink = "black" if weight > 0.55 else "white"
        number = f"{weight:.2f}".removeprefix("0")
        return square + (
            f"<text x='{x + self.cell / 2:g}' y='{y + self.cell / 2 + 4:g}' font-size='10' "
            f"text-anchor='middle' fill='{ink}' pointer-events='none'>{number}</text>"
        )

    def _marks(self) -> list[str]:
        """Rings around what matters most, hatches over rows that depend on no single position."""
        trust, lines, wide = self.drawable.trust, list[str](), self.columns * self.cell
        if trust is None:
            return lines
        for row, kind in enumerate(self.kinds):
            y = self.top + row * self.cell
            if kind in ("idle", "spread"):
                lines.append(
                    f"<rect x='{self.left}' y='{y}' width='{wide}' height='{self.cell}' "
                    f"fill='url(#{kind}{self.name})' opacity='.7' pointer-events='none'/>"
                )
            if kind in ("used", "misdirected"):
                x = self.left + int(trust.effects[row].argmax()) * self.cell
                ink = "#e4572e" if kind == "misdirected" else "#ffffff"
                lines.append(
                    f"<circle cx='{x + self.cell / 2:g}' cy='{y + self.cell / 2:g}' "
                    f"r='{max(0.5, self.cell / 2 - 1.5):g}' fill='none' stroke='#111' stroke-width='3' "
                    "pointer-events='none'/>"
                    f"<circle cx='{x + self.cell / 2:g}' cy='{y + self.cell / 2:g}' "
                    f"r='{max(0.5, self.cell / 2 - 1.5):g}' fill='none' stroke='{ink}' stroke-width='1.5' "
                    "pointer-events='none'/>"
                )
        return lines

    def _column_labels(self) -> list[str]:
        every = max(1, -(-9 // self.cell))
        lines: list[str] = []
        for column in range(0, self.columns, every):
            label = self.drawable.source[column]
            x, y = self.left + (column + 0.5) * self.cell, float(self.top - 8)
            is_upright = len(label.shortened(16)) <= _UPRIGHT and self.cell >= 14
            turn = "" if is_upright else f" transform='rotate(-60 {x:g} {y:g})'"
            anchor = "middle" if is_upright else "start"
            lines.append(self._label(label, x, y, anchor, turn))
        return lines

    def _row_labels(self) -> list[str]:
        every = max(1, -(-9 // self.cell))
        effective = effective_sources(self.drawable.weights)
        edge = self.left + self.columns * self.cell + 8
        lines = [f"<text x='{edge}' y='{self.top - 8}' font-size='10' fill='#555'>sources</text>"]
        for row in range(0, self.rows, every):
            y = self.top + (row + 0.5) * self.cell + 4
            lines.append(self._label(self.drawable.target[row], self.left - 8.0, y, "end", ""))
            lines.append(
                f"<text x='{edge}' y='{y:g}' font-size='10' fill='#555'>"
                f"{effective[row]:.1f}{self._kind(row)}</text>"
            )
        return lines

    def _kind(self, row: int) -> str:
        return f" {self.kinds[row]}" if self.kinds else ""

    def _label(self, label: Label, x: float, y: float, anchor: str, turn: str) -> str:
        ink = "black" if label.role == "content" else "#888"
        # In right-to-left text the anchor's start is the right edge.
        if label.direction == "rtl":
            anchor = {"start": "end", "end": "start"}.get(anchor, anchor)
        size = 13 if self.cell >= 14 else max(7, self.cell)
        return (
            f"<text x='{x:g}' y='{y:g}' font-size='{size}' text-anchor='{anchor}' "
            f"direction='{label.direction}' fill='{ink}'{turn}>"
            f"<title>{escape(label.shown)}</title>{escape(label.shortened(16))}</text>"
        )

    def _coverage(self) -> list[str]:
        sums = self.drawable.weights.sum(0)
        base = self.top + self.rows * self.cell + 60
        scale = 44 / max(2.2, float(sums.max(initial=0)))
        lines = [
            f"<text x='{self.left - 8}' y='{base - 4}' font-size='10' fill='#555' "
            "text-anchor='end'>coverage</text>"
        ]
        for column, total in enumerate(sums):
            high = float(total) * scale
            x = self.left + column * self.cell
            name = escape(f"{self.drawable.source[column].shown}: {float(total):.2f}")
            lines.append(
                f"<rect x='{x + 1}' y='{base - high:.1f}' width='{max(1, self.cell - 2)}' "
                f"height='{high:.1f}' fill='#7d7c78'><title>{name}</title></rect>"
            )
        for guide in (0.2, 2.0):
            y = base - guide * scale
            lines.append(
                f"<path d='M{self.left} {y:.1f}h{self.columns * self.cell}' stroke='#bbb' "
                "stroke-dasharray='2 3'/>"
            )
        return lines
