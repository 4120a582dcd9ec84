"""What is odd about a map, in words that name number, threshold and place."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from regard.alignment.descriptors import Shape
from regard.alignment.labels import Drawable, Label
from regard.settings import Amount, Settings, Share


class ShapeSettings(Settings):
    """From where on a shape is odd.

    Attributes:
        uniform: Median entropy as a share of the largest possible: at least.
        ignored: Coverage of a source symbol: less.
        doubled: Coverage of a source symbol: more.
        sink: Share of all rows that go to one position: at least, and at least
            three times an even share.
        stall: Rows that stay at one position while symbols repeat: at least, and
            at least twice as many as there are target for source symbols.
        saturated: Median of 1 - sum of squares: less.
        redundant: Divergence of a look's heads, in nats: less.
    """

    uniform: Share = 0.95
    ignored: Amount = 0.2
    doubled: Amount = 2.0
    sink: Share = 0.3
    stall: Annotated[int, Field(ge=2)] = 3
    saturated: Share = 0.02
    redundant: Amount = 0.02


@dataclass(frozen=True)
class Flag:
    """One odd thing.

    Attributes:
        name: flat, sink, stalled, skipped, doubled, saturated, ...
        value: The number.
        threshold: What it was compared with.
        where: The position, from one, and its symbol; empty for the whole map.
        text: All of it as a sentence.
    """

    name: str
    value: float
    threshold: float
    where: str
    text: str


def flags_of(drawable: Drawable, shape: Shape, settings: ShapeSettings | None = None) -> list[Flag]:
    """What is odd about one map, the gravest first."""
    settings = settings or ShapeSettings()
    found: list[Flag] = []
    if shape.flatness is not None and shape.flatness >= settings.uniform and shape.rows:
        found.append(
            _flag("flat", shape.flatness, settings.uniform, "", "the median row is nearly uniform")
        )
    found += _sinks(drawable, shape, settings)
    found += _stalls(drawable, shape, settings)
    for name, is_odd, threshold, text in (
        (
            "skipped",
            lambda value: value < settings.ignored,
            settings.ignored,
            "was hardly looked at",
        ),
        (
            "doubled",
            lambda value: value > settings.doubled,
            settings.doubled,
            "was looked at often",
        ),
    ):
        found += [
            _flag(name, value, threshold, _where(column, drawable.source[column]), text)
            for column, value in enumerate(shape.coverage)
            if shape.rows and is_odd(value)
        ]
    if shape.saturation is not None and shape.saturation < settings.saturated:
        found.append(
            _flag(
                "saturated",
                shape.saturation,
                settings.saturated,
                "",
                "rows are one-hot: hardly any gradient reaches the scores",
            )
        )
    return found


def _sinks(drawable: Drawable, shape: Shape, settings: ShapeSettings) -> list[Flag]:
    threshold = sink_threshold(len(shape.sinks), settings)
    return [
        _flag(
            "sink",
            share,
            threshold,
            _where(column, drawable.source[column]),
            "takes much of all rows",
        )
        for column, share in enumerate(shape.sinks)
        if share >= threshold and shape.rows
    ]


def sink_threshold(columns: int, settings: ShapeSettings) -> float:
    """Which share of all rows makes a position a sink: never all of a short source."""
    return max(settings.sink, min(3 / max(1, columns), 0.999))


def _stalls(drawable: Drawable, shape: Shape, settings: ShapeSettings) -> list[Flag]:
    stall = shape.stall
    if stall is None:
        return []
    threshold = max(settings.stall, 2 * int(np.ceil(shape.rows / max(1, shape.columns))))
    if stall.length < threshold:
        return []
    written = " ".join(
        label.shown for label in drawable.target[stall.first : stall.first + stall.length]
    )
    where = f"{_where(stall.column, drawable.source[stall.column])}, rows {stall.first + 1} to "
    where += f"{stall.first + stall.length} ({written})"
    return [_flag("stalled", float(stall.length), float(threshold), where, "the look stood still")]


def _where(column: int, label: Label) -> str:
    return f"source {column + 1} '{label.shown}'"


def _flag(name: str, value: float, threshold: float, where: str, text: str) -> Flag:
    numbers = f"{value:.3g} against {threshold:.3g}"
    sentence = f"{name}: {where + ' ' if where else ''}{text} ({numbers})"
    return Flag(name, float(value), float(threshold), where, sentence)
