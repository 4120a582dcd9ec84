"""The strict reader of pairs.

A file is UTF-8, with or without a byte-order mark. Only LF, CRLF and CR end a
line; no other character does, and no quote means anything. What is not as
expected is refused with file and line; nothing is dropped or mended.

    .tsv and others    columns separated by a tab
    .jsonl             an object a line: source, target, tags
    .gz after any      compressed
    -                  standard input
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import cast

from regard.errors import DataError, SettingsError
from regard.text.lines import read_lines

_TAG = re.compile(r"[^;,|()\s]+")
_IMPOSSIBLE = re.compile("[\r\n\t\ud800-\udfff]")
_NAMES = ("source", "target", "tags")


@dataclass(frozen=True, slots=True)
class Pair:
    """A source, its target, and what else is known of it.

    Attributes:
        source: The string that is read.
        target: The string that is written.
        tags: An unordered set of features, such as of an inflected form.
        line: Where it stood in its file, from one; 0 if it came from a program.
        file: Its file; empty if it came from a program.
        others: Further targets that are right as well.
    """

    source: str
    target: str
    tags: tuple[str, ...] = ()
    line: int = field(default=0, compare=False)
    file: str = field(default="", compare=False)
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Columns:
    """Which column of a file holds what, counted from zero.

    Attributes:
        source: The source's column.
        target: The target's column, or None for files of sources alone.
        tags: The tags' column, or None.
        allows_more: Whether further columns are passed over.
        has_others: Whether further columns hold targets that are right as well.
    """

    source: int = 0
    target: int | None = 1
    tags: int | None = None
    allows_more: bool = False
    has_others: bool = False

    def with_others(self) -> "Columns":
        """The same, with further targets behind the last column, unless those are passed over."""
        return self if self.allows_more else replace(self, has_others=True)

    @classmethod
    def parse(cls, text: str) -> "Columns":
        """Read an order such as "source,tags,target", or "1,3,2".

        Numbers say, from one, where source, target and tags stand. Names list
        the columns in their order, with "-" for one that is passed over.

        Raises:
            SettingsError: It is neither.
        """
        words = [word.strip() for word in text.replace("\t", ",").split(",")]
        if all(word.isdecimal() and len(word) < 10 and int(word) > 0 for word in words) and len(
            words
        ) in (2, 3):
            places = [int(word) - 1 for word in words]
        elif all(word in (*_NAMES, "-") for word in words) and {"source", "target"} <= set(words):
            places = [words.index(name) for name in _NAMES if name in words]
        else:
            places = []
        if not places or len(set(places)) != len(places):
            raise SettingsError(
                f"columns are {text!r}: expected names such as 'source,tags,target' "
                "or the numbers of source, target and tags such as '1,3,2'."
            )
        return cls(places[0], places[1], places[2] if len(places) > 2 else None, allows_more=True)

    @property
    def count(self) -> int:
        """How many columns a line must have."""
        return 1 + max(place for place in (self.source, self.target, self.tags, 0)
                       if place is not None)  # fmt: skip


def read_rows(path: str | Path, columns: Columns | None = None) -> Iterator[Pair | None]:
    """One pair for each line of a file, None for a blank one.

    Args:
        path: The file; its ending says how it is written.
        columns: Where source, target and tags stand; source and target if None.

    Raises:
        DataError: A line is not as expected.
    """
    columns = Columns() if columns is None else columns
    is_json = str(path).removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            yield None
        elif is_json:
            yield _pair_of_json(line, columns, path, number)
        else:
            yield _pair_of_columns(line, columns, path, number)


def read_pairs(path: str | Path, columns: Columns | None = None) -> Iterator[Pair]:
    """The pairs of a file, one at a time. Blank lines are passed over.

    Raises:
        DataError: A line is not as expected, or the file holds no pair at all.
    """
    yield from _filled(read_rows(path, columns), path)


@dataclass(frozen=True)
class Parallel:
    """Two files whose lines belong together.

    Attributes:
        source: The file of sources.
        target: The file of targets.
    """

    source: Path
    target: Path

    def __str__(self) -> str:
        return f"{self.source} + {self.target}"


def read_parallel_rows(source: str | Path, target: str | Path) -> Iterator[Pair | None]:
    """One pair for each line of two files, None where both are blank.

    Raises:
        DataError: One file is shorter, or a line is blank on one side only.
    """
    sides = zip_longest(read_lines(source), read_lines(target))
    for number, (left, right) in enumerate(sides, 1):
        if left is None or right is None:
            path, other = (source, target) if left is None else (target, source)
            message = f"ends here, but {other} goes on: expected as many lines."
            raise DataError(message, path, number - 1)
        if not left.strip() and not right.strip():
            yield None
        elif left.strip() and right.strip():
            yield Pair(left, right, line=number, file=str(source))
        else:
            path, other = (target, source) if left.strip() else (source, target)
            message = f"expected text, for {other} has some on this line; found none."
            raise DataError(message, path, number)


def read_parallel(source: str | Path, target: str | Path) -> Iterator[Pair]:
    """The pairs of two files, line by line. Lines blank in both are passed over.

    Raises:
        DataError: The files do not belong together, or hold no pair at all.
    """
    yield from _filled(read_parallel_rows(source, target), source)


def pairs_of(rows: Iterable[object]) -> list[Pair]:
    """Pairs from a program's own (source, target) or (source, target, tags) rows.

    Raises:
        DataError: A row is something else, or a side is empty.
    """
    pairs: list[Pair] = []
    for number, row in enumerate(rows, 1):
        if isinstance(row, Pair):
            pairs.append(row)
            continue
        cells = list(cast(Iterable[object], row)) if isinstance(row, tuple | list) else []
        texts = [cell for cell in cells[:2] if isinstance(cell, str)]
        if len(cells) not in (2, 3) or len(texts) != 2:
            raise DataError(f"pair {number}: expected (source, target) or (source, target, tags), "
                            f"found {row!r}.")  # fmt: skip
        if not all(text.strip() for text in texts):
            raise DataError(f"pair {number}: expected text on both sides, found {row!r}.")
        tags = tags_of(cells[2]) if len(cells) == 3 else ()
        pairs.append(Pair(texts[0], texts[1], tags))
    if not pairs:
        raise DataError("expected pairs, found none.")
    return pairs


def tags_of(tags: object) -> tuple[str, ...]:
    """Tags from "V;PST;3;SG", from nested "N;ABL(PL)", or from a list of them.

    Example:
        >>> tags_of("N;ABL(PL;PSS(1,PL))")
        ('N', 'ABL', 'PL', 'PSS', '1', 'PL')
    """
    if isinstance(tags, str):
        return tuple(_TAG.findall(tags))
    if isinstance(tags, list | tuple):
        return tuple(str(tag) for tag in cast(list[object], tags))
    raise DataError(f"expected tags such as 'V;PST;3;SG' or a list of them, found {tags!r}.")


def _filled(rows: Iterable[Pair | None], path: str | Path) -> Iterator[Pair]:
    is_empty = True
    for row in rows:
        if row is not None:
            is_empty = False
            yield row
    if is_empty:
        raise DataError("expected lines of text, found none.", path)


def _pair_of_columns(line: str, columns: Columns, path: str | Path, number: int) -> Pair:
    cells = line.split("\t")
    expected = columns.count
    is_open = columns.allows_more or columns.has_others
    if len(cells) < expected or (len(cells) > expected and not is_open):
        noun = "column" if expected == 1 else "columns separated by a tab"
        hint = " Tags are read with --tags-column, other orders with --columns."
        hint = hint if len(cells) > expected else ""
        raise DataError(f"expected {expected} {noun}, found {len(cells)}.{hint}", path, number)
    pair = _checked(
        cells[columns.source],
        "" if columns.target is None else cells[columns.target],
        () if columns.tags is None else tags_of(cells[columns.tags]),
        columns, path, number,
    )  # fmt: skip
    others = tuple(cells[expected:]) if columns.has_others else ()
    if not all(other.strip() for other in others):
        raise DataError("expected a further target in each further column, found none.",
                        path, number)  # fmt: skip
    return replace(pair, others=others) if others else pair


def _pair_of_json(line: str, columns: Columns, path: str | Path, number: int) -> Pair:
    try:
        row: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"expected a JSON object, found {error}.", path, number) from None
    needed = _NAMES[: 1 if columns.target is None else 2]
    table = cast(dict[str, object], row) if isinstance(row, dict) else {}
    for name in needed:
        if not isinstance(table.get(name), str):
            raise DataError(f"expected an object with a string {name!r}, found {line[:60]!r}.",
                            path, number)  # fmt: skip
        if _IMPOSSIBLE.search(str(table[name])):
            raise DataError(f"expected text that fits on a line in {name!r}, found a line end, a "
                            "tab or half of a character.", path, number)  # fmt: skip
    source, target = (str(table.get(name, "")) for name in ("source", "target"))
    try:
        tags = tags_of(table.get("tags", []))
    except DataError as error:
        raise DataError(str(error), path, number) from None
    return _checked(source, target, tags, columns, path, number)


def _checked(
    source: str,
    target: str,
    tags: tuple[str, ...],
    columns: Columns,
    path: str | Path,
    number: int,
) -> Pair:
    if not source.strip():
        raise DataError("expected text in the source column, found none.", path, number)
    if columns.target is not None and not target.strip():
        raise DataError("expected text in the target column, found none.", path, number)
    return Pair(source, target, tags, number, str(path))
