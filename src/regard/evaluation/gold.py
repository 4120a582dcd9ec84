"""Files of links that people, or other aligners, have made.

Two formats are read, told apart by what stands in the first line:

    0-0 1-2 3p2 4?4            a line a sentence: source, target; p or ? for possible
    0001 1 1 S                 a line a link (NAACL 2003): sentence, source, target, S or P

Sure links must be found, possible ones may be; every sure link is possible.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from regard.alignment import Link
from regard.errors import DataError, SettingsError
from regard.text import read_lines

_LINK = re.compile(r"([0-9]{1,9})([-p?])([0-9]{1,9})")
_NAACL = re.compile(r"([0-9]{1,9})\s+([0-9]{1,9})\s+([0-9]{1,9})(?:\s+([SP]))?(?:\s+[0-9.]+)?")
_MOST_SENTENCES = 10_000_000


@dataclass(frozen=True)
class Gold:
    """The right links of one pair.

    Attributes:
        sure: Links that must be found.
        possible: Links that may be; the sure ones among them.
    """

    sure: frozenset[Link]
    possible: frozenset[Link]

    def __post_init__(self) -> None:
        if not self.sure <= self.possible:
            raise DataError("every sure link must be a possible one.")


@dataclass(frozen=True)
class LinkLayout:
    """How the links of a file are to be read.

    Attributes:
        first: The number of the first position, 0 or 1.
        is_reversed: Whether each link names the target first.
        column: Which tab column holds the links, from one; the whole line if None.

    Raises:
        SettingsError: `first` or `column` is another number.
    """

    first: int = 0
    is_reversed: bool = False
    column: int | None = None

    def __post_init__(self) -> None:
        if self.first not in (0, 1):
            raise SettingsError(f"links count from {self.first}: expected 0 or 1.")
        if self.column is not None and self.column < 1:
            raise SettingsError(f"links stand in column {self.column}: expected 1 or more.")

    def link(self, one: str, other: str) -> Link:
        """The link of two numbers.

        Raises:
            DataError: A position is before the first.
        """
        source, target = int(one) - self.first, int(other) - self.first
        if min(source, target) < 0:
            raise DataError(f"a link to position 0, but links count from {self.first}.")
        return Link(target, source) if self.is_reversed else Link(source, target)


def read_links(path: str | Path, layout: LinkLayout | None = None) -> list[Gold]:
    """The links of each pair, in the file's order.

    Args:
        path: The file; .gz is read as such.
        layout: How it is to be read.

    Raises:
        DataError: The file cannot be read, or a line is something else.
    """
    layout, lines = layout or LinkLayout(), list(read_lines(path))
    first = next((line for line in lines if line.strip()), "")
    if layout.column is None and _NAACL.fullmatch(first.strip()):
        return _by_link(lines, layout, path)
    return [_by_line(line, layout, path, number) for number, line in enumerate(lines, 1)]


def _by_line(line: str, layout: LinkLayout, path: str | Path, number: int) -> Gold:
    if layout.column is not None:
        cells = line.split("\t")
        if len(cells) < layout.column:
            raise DataError(
                f"expected links in column {layout.column}, found {len(cells)} columns.",
                path,
                number,
            )
        line = cells[layout.column - 1]
    sure, possible = set[Link](), set[Link]()
    for word in line.split():
        found = _LINK.fullmatch(word)
        if found is None:
            raise DataError(
                f"expected links such as 0-0 or 0p0, found {word[:60]!r}.", path, number
            )
        link = _placed(layout, found[1], found[3], path, number)
        possible.add(link)
        if found[2] == "-":
            sure.add(link)
    return Gold(frozenset(sure), frozenset(possible))


def _by_link(lines: Iterable[str], layout: LinkLayout, path: str | Path) -> list[Gold]:
    found: dict[int, tuple[set[Link], set[Link]]] = {}
    for number, line in _full(lines):
        parts = _NAACL.fullmatch(line)
        if parts is None:
            raise DataError(f"expected a link such as 1 1 1 S, found {line[:60]!r}.", path, number)
        sentence, source, target, kind = parts.groups()
        if not 1 <= int(sentence) <= _MOST_SENTENCES:
            raise DataError(
                f"sentences count from 1 to {_MOST_SENTENCES:,}, found {sentence}.", path, number
            )
        sure, possible = found.setdefault(int(sentence), (set(), set()))
        link = _placed(layout, source, target, path, number)
        possible.add(link)
        if kind != "P":
            sure.add(link)
    golds = {
        sentence: Gold(frozenset(sure), frozenset(possible))
        for sentence, (sure, possible) in found.items()
    }
    none = Gold(frozenset(), frozenset())
    return [golds.get(sentence, none) for sentence in range(1, max(golds, default=0) + 1)]


def _full(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    return ((number, line.strip()) for number, line in enumerate(lines, 1) if line.strip())


def _placed(layout: LinkLayout, one: str, other: str, path: str | Path, number: int) -> Link:
    try:
        return layout.link(one, other)
    except DataError as error:
        raise DataError(str(error), path, number) from None
