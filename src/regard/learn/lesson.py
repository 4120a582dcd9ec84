"""What a lesson is: words and named numbers, each number computed by the library itself.

A figure is what the terminal prints as a table, the page draws as a panel and
JSON holds under the figure's name: one and the same record, so that all three
show the same numbers.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float
from torch import Tensor

from regard.errors import ShapeError
from regard.learn.bench import Bench

_DIGITS = 10


@dataclass(frozen=True, eq=False)
class Figure:
    """Named numbers.

    Attributes:
        name: Unique in its lesson.
        caption: What the numbers are, in a line.
        numbers: One number, a row, or a table.
        rows: A label for each row of a table.
        columns: A label for each number of a row.
        kind: Numbers of any sign, or weights, which are drawn as shares.

    Raises:
        ShapeError: Labels and numbers do not fit together.
    """

    name: str
    caption: str
    numbers: Float[np.ndarray, "*axes"]
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    kind: Literal["numbers", "weights"] = "numbers"

    def __post_init__(self) -> None:
        labels = {0: (), 1: (self.columns,), 2: (self.rows, self.columns)}[self.numbers.ndim]
        if self.numbers.shape != tuple(len(names) for names in labels):
            raise ShapeError(
                f"figure {self.name!r} has numbers of shape {self.numbers.shape}, "
                f"{len(self.rows)} labels of rows and {len(self.columns)} of columns."
            )

    def to_json(self) -> object:
        """The numbers as (nested) lists."""
        return _plain(self.numbers)


@dataclass(frozen=True, eq=False)
class Part:
    """One step of a lesson.

    Attributes:
        heading: What it is about.
        text: Paragraphs.
        figures: The numbers that they speak of.
        bench: The operands of its look, to be changed by hand; None if it has no single look.
    """

    heading: str
    text: tuple[str, ...]
    figures: tuple[Figure, ...] = ()
    bench: Bench | None = None


@dataclass(frozen=True, eq=False)
class Lesson:
    """A lesson on one topic.

    Attributes:
        topic: Its name on the command line.
        title: What it shows, in a sentence.
        parts: Its steps, in order.
    """

    topic: str
    title: str
    parts: tuple[Part, ...]

    def figure(self, name: str) -> Figure:
        """The figure of that name."""
        return next(one for part in self.parts for one in part.figures if one.name == name)

    def to_table(self) -> dict[str, object]:
        """Every number by its name."""
        figures = [figure for part in self.parts for figure in part.figures]
        return {"topic": self.topic, "title": self.title} | {
            figure.name: figure.to_json() for figure in figures
        }


def scalar(name: str, caption: str, number: float | Tensor) -> Figure:
    """A figure of one number."""
    return Figure(name, caption, np.array(_float(number)))


def row(
    name: str,
    caption: str,
    numbers: Tensor,
    columns: tuple[str, ...],
    kind: Literal["numbers", "weights"] = "numbers",
) -> Figure:
    """A figure of a row of numbers."""
    return Figure(name, caption, _array(numbers), columns=columns, kind=kind)


def table(
    name: str,
    caption: str,
    numbers: Tensor,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    kind: Literal["numbers", "weights"] = "numbers",
) -> Figure:
    """A figure of a table of numbers."""
    return Figure(name, caption, _array(numbers), rows, columns, kind)


def names(stem: str, count: int) -> tuple[str, ...]:
    """Labels such as "key 1", "key 2"."""
    return tuple(f"{stem} {number}" for number in range(1, count + 1))


def told(number: float | Tensor, digits: int = 3) -> str:
    """A number within a sentence, without a minus sign before zero."""
    return f"{_float(number):z.{digits}f}"


def apart(number: float | Tensor) -> str:
    """How far two results are apart, within a sentence.

    Examples:
        >>> apart(0.0), apart(2e-16)
        ('not at all', 'by 2e-16 at most')
    """
    return f"by {_float(number):.0e} at most" if _float(number) else "not at all"


def vector(numbers: Tensor) -> str:
    """A vector within a sentence."""
    shown = (told(number).rstrip("0").rstrip(".") for number in numbers)
    return "(" + ", ".join(shown) + ")"


def _plain(numbers: np.ndarray | np.floating) -> object:
    """Nested lists, to so many significant digits; what is no number is null."""
    if isinstance(numbers, np.ndarray) and numbers.ndim:
        return [_plain(part) for part in numbers]
    number = float(numbers)
    return float(f"{number:.{_DIGITS}g}") if math.isfinite(number) else None


def _float(number: float | Tensor) -> float:
    return float(number.detach()) if isinstance(number, Tensor) else number


def _array(numbers: Tensor) -> np.ndarray:
    return numbers.detach().double().cpu().numpy()
