"""The strict reader of pairs.

A file is UTF-8, with or without a byte-order mark. Only LF, CRLF and CR end a
line; no other character does, and no quote means anything. What is not as
expected is refused with file and line; nothing is dropped or mended.

    .tsv and others    columns separated by a tab
    .jsonl             an object a line: source, target, tags
    .parquet           columns named so; a row is a line
    .gz after text     compressed
    -                  standard input
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import cast

from regard.errors import DataError
from regard.text.columns import Columns
from regard.text.lines import BREAKING, read_lines
from regard.text.parquet import Cells, is_parquet, read_cells
from regard.text.tags import parts_of, tags_of


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

    @property
    def asked(self) -> tuple[str, frozenset[str]]:
        """What a model is asked: pairs that are alike in this ask the same."""
        return self.source, frozenset(parts_of(self.tags))


def read_rows(path: str | Path, columns: Columns | None = None) -> Iterator[Pair | None]:
    """One pair for each line of a file, None for a blank one.

    Args:
        path: The file; its ending says how it is written.
        columns: Where source, target and tags stand; source and target if None.

    Raises:
        DataError: A line is not as expected.
    """
    columns = Columns() if columns is None else columns
    if is_parquet(path):
        for number, cells in enumerate(read_cells(path, columns), 1):
            yield _pair_of_cells(cells, columns, path, number)
        return
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
            yield Pair(left, right, line=number, file=f"{source} + {target}")
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


def pairs_of(rows: Iterable[object], *, needs_targets: bool = True) -> list[Pair]:
    """Pairs from a program's own (source, target) or (source, target, tags) rows.

    Args:
        rows: The rows, or pairs.
        needs_targets: Whether a target must have text.

    Raises:
        DataError: A row is something else, or a side is empty.
    """
    pairs: list[Pair] = []
    for number, row in enumerate(rows, 1):
        pair = _pair_of_row(row, number)
        if not (pair.source.strip() and (pair.target.strip() or not needs_targets)):
            raise DataError(f"pair {number}: expected text on both sides, found {row!r}.")
        pairs.append(pair)
    if not pairs:
        raise DataError("expected pairs, found none.")
    return pairs


def _pair_of_row(row: object, number: int) -> Pair:
    if isinstance(row, Pair):
        return row
    cells = list(cast(Iterable[object], row)) if isinstance(row, tuple | list) else []
    # A caller's own kind of string becomes a plain one, which other processes know.
    texts = [str(cell) for cell in cells[:2] if isinstance(cell, str)]
    if len(cells) not in (2, 3) or len(texts) != 2:
        hint = " Files are given as Path objects." if isinstance(row, str | Path) else ""
        raise DataError(
            f"pair {number}: expected (source, target) or (source, target, tags), "
            f"found {row!r}.{hint}"
        )
    return Pair(texts[0], texts[1], tags_of(cells[2]) if len(cells) == 3 else ())


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
        columns,
        path,
        number,
    )
    others = tuple(cells[expected:]) if columns.has_others else ()
    if not all(other.strip() for other in others):
        raise DataError(
            "expected a further target in each further column, found none.", path, number
        )
    return replace(pair, others=others) if others else pair


def _pair_of_json(line: str, columns: Columns, path: str | Path, number: int) -> Pair:
    try:
        row: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"expected a JSON object, found {error}.", path, number) from None
    table = cast(dict[str, object], row) if isinstance(row, dict) else {}
    for name in columns.needed:
        if not isinstance(table.get(name), str):
            raise DataError(
                f"expected an object with a string {name!r}, found {line[:60]!r}.", path, number
            )
        _refuse_impossible(str(table[name]), name, path, number)
    source, target = (str(table.get(name, "")) for name in columns.names[:2])
    return _checked(
        source, target, _tags(table.get(columns.names[2], []), path, number), columns, path, number
    )


def _pair_of_cells(cells: Cells, columns: Columns, path: str | Path, number: int) -> Pair | None:
    if not any(isinstance(cell, str) and cell.strip() for cell in cells[:2]):
        return None
    for name, cell in zip(columns.names, cells[:2], strict=False):
        _refuse_impossible(cell or "", name, path, number)
    tags = () if cells.tags is None else _tags(cells.tags, path, number)
    return _checked(cells.source or "", cells.target or "", tags, columns, path, number)


def _refuse_impossible(text: str, name: str, path: str | Path, number: int) -> None:
    if BREAKING.search(text):
        raise DataError(
            f"expected text that fits on a line in {name!r}, found a line end, a "
            "tab or half of a character.",
            path,
            number,
        )


def _tags(tags: object, path: str | Path, number: int) -> tuple[str, ...]:
    try:
        return tags_of(tags)
    except DataError as error:
        raise DataError(str(error), path, number) from None


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
