"""Carries out `regard learn`."""

import json
import math
import sys
import textwrap
from collections.abc import Iterator

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.progress import TextColumn
from rich.table import Table

from regard.cli.words import bar, is_unicode
from regard.learn import TOPICS, Figure, Lesson, lesson_on

_BLOCKS = " ▁▂▃▄▅▆▇█"
_ASCII = " .:-=+*#%@"
_WIDEST = 88


def carry_out(topic: str | None, *, as_json: bool) -> None:
    """List the topics, or give a lesson."""
    if topic is None:
        _list(as_json=as_json)
        return
    lesson = _computed(topic)
    if as_json:
        print(json.dumps(lesson.to_table(), ensure_ascii=False, allow_nan=False))
        return
    console = Console(highlight=False, soft_wrap=False)
    width = min(console.width, _WIDEST)
    ramp = _BLOCKS if is_unicode(sys.stdout.encoding) else _ASCII
    console.print(lesson.title, style="bold", markup=False)
    for part in lesson.parts:
        console.print()
        console.print(part.heading, style="bold cyan", markup=False)
        for paragraph in part.text:
            console.print(textwrap.fill(paragraph, width), markup=False)
        for figure in part.figures:
            _show(console, figure, ramp)
    _point_onwards(console, lesson)


def _computed(topic: str) -> Lesson:
    updates = TOPICS[topic].updates if topic in TOPICS else 0
    if updates == 0:
        return lesson_on(topic)
    with bar(TextColumn("{task.percentage:.0f} %")) as shown:
        task = shown.add_task("training small models", total=updates)
        return lesson_on(topic, lambda: shown.advance(task))


def _list(*, as_json: bool) -> None:
    if as_json:
        print(json.dumps({name: topic.says for name, topic in TOPICS.items()}))
        return
    print("topics, in the order in which they are best read:")
    for name, topic in TOPICS.items():
        print(f"  regard learn {name:<12}{topic.says}")


def _show(console: Console, figure: Figure, ramp: str) -> None:
    if figure.numbers.ndim == 0:
        console.print(f"\n  {figure.caption}: {_number(float(figure.numbers))}", markup=False)
        return
    rows = figure.numbers[None] if figure.numbers.ndim == 1 else figure.numbers
    width = console.width - max((len(label) for label in figure.rows), default=0) - 6
    slices = list(_slices(figure, rows, width))
    if (
        figure.kind == "weights"
        and figure.rows
        and len(slices) > 1
        and 2 * len(figure.columns) <= width
    ):
        _show_map(console, figure, ramp)
        return
    for start, stop in slices:
        shown = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
        shown.add_column("", overflow="fold")
        for label in figure.columns[start:stop]:
            shown.add_column(label, justify="right", overflow="fold")
        for place, numbers in enumerate(rows):
            cells = [_cell(number, figure, ramp) for number in numbers[start:stop]]
            shown.add_row(figure.rows[place] if figure.rows else "", *cells)
        console.print()
        console.print(f"  {figure.caption}", style="italic", markup=False)
        console.print(Padding(shown, (0, 0, 0, 2)))


def _show_map(console: Console, figure: Figure, ramp: str) -> None:
    """Weights as cells, where as numbers they would not stand beside each other."""
    wide = max(len(label) for label in figure.rows)
    console.print(f"\n  {figure.caption}", style="italic", markup=False)
    console.print(f"  {'':{wide}}  columns: {'  '.join(figure.columns)}", markup=False)
    for label, numbers in zip(figure.rows, figure.numbers, strict=True):
        cells = "".join(2 * _mark(float(number), ramp) for number in numbers)
        console.print(f"  {label:<{wide}} |{cells}|", markup=False)


def _mark(share: float, ramp: str) -> str:
    return ramp[min(len(ramp) - 1, round(share * (len(ramp) - 1)))]


def _slices(figure: Figure, rows: np.ndarray, width: int) -> Iterator[tuple[int, int]]:
    """Columns that fit beside each other, a slice after the other."""
    start, used = 0, 0
    for column, label in enumerate(figure.columns):
        longest = max(len(_number(float(number))) for number in rows[:, column])
        wide = max(len(label), longest + (2 if figure.kind == "weights" else 0)) + 2
        if column > start and used + wide > width:
            yield start, column
            start, used = column, 0
        used += wide
    yield start, len(figure.columns)


def _cell(number: float, figure: Figure, ramp: str) -> str:
    text = _number(float(number))
    if figure.kind == "numbers":
        return text
    return f"{text} {_mark(float(number), ramp)}"


def _number(number: float) -> str:
    """A number as one reads it: whole numbers without a point, small ones with an exponent."""
    if math.isnan(number):
        return "none"
    if number == round(number) and abs(number) < 1e15:
        return f"{number:z,.0f}"
    return f"{number:z.3f}" if abs(number) >= 5e-4 else f"{number:.0e}"


def _point_onwards(console: Console, lesson: Lesson) -> None:
    order = list(TOPICS)
    place = order.index(lesson.topic) + 1
    console.print()
    if place < len(order):
        console.print(f"next: regard learn {order[place]}", style="dim", markup=False)
