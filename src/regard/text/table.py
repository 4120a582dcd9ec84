"""The pairs of a file, column by column, and what keeps a line from being a pair."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from regard.text.ailments import (
    BLANK_LINES,
    COLUMNS,
    EDGE_BLANKS,
    FURTHER_COLUMNS,
    JSON,
    ONE_SIDED,
    Finding,
    Findings,
    excerpt,
)
from regard.text.characters import WIDTHLESS
from regard.text.columns import Columns
from regard.text.pairs import Pair


@dataclass(frozen=True)
class Table:
    """The pairs of a file, column by column.

    Attributes:
        numbers: Their lines.
        sources: The sources.
        targets: The targets.
        tags: The tags as they stand; empty if the file has none.
    """

    numbers: list[int] = field(default_factory=list[int])
    sources: list[str] = field(default_factory=list[str])
    targets: list[str] = field(default_factory=list[str])
    tags: list[str] = field(default_factory=list[str])

    @property
    def sides(self) -> tuple[tuple[str, list[str]], tuple[str, list[str]]]:
        """Both sides, by name."""
        return ("source", self.sources), ("target", self.targets)

    def side(self, name: str) -> list[str]:
        """The column of a side, or of the tags."""
        return dict(self.sides).get(name, self.tags)


def read_table(
    rows: Iterable[list[str] | None], columns: Columns, found: Findings, *, is_first: bool
) -> Table:
    """The pairs among rows.

    Args:
        rows: The fields of each line; None where they cannot be told.
        columns: Where source, target and tags stand.
        found: Is told of lines that are no pairs.
        is_first: Whether it is trained on: then a line has no further targets.
    """
    table, expected = Table(), columns.count
    places = [place for place in (columns.source, columns.target) if place is not None]
    for number, row in enumerate(rows, 1):
        if row is None:
            found.add(JSON, Finding(number, ""))
            continue
        for cell in row:
            if cell != cell.strip() and not cell.isspace():
                place = 0 if cell[0].isspace() else len(cell)
                found.add(EDGE_BLANKS, Finding(number, excerpt(cell, place)))
        if not any(cell and not cell.isspace() for cell in row):
            found.add(BLANK_LINES, Finding(number, ""))
            continue
        count = len(row)
        if count != expected and not (count > expected and columns.allows_more):
            is_further = count > expected and not is_first and all(map(str.strip, row))
            hint = "; tags are read with --tags-column, other orders with --columns"
            note = f"expected {expected}, found {count}" + (hint if count > expected else "")
            kind = FURTHER_COLUMNS if is_further else COLUMNS
            found.add(kind, Finding(number, excerpt("\t".join(row)), note=note))
            if not is_further:
                continue
        cells = [row[place] for place in places]
        blank = [_is_blank(cell) for cell in cells]
        if any(blank):
            side = "source" if blank[0] else "target"
            text = excerpt("\t".join(row))
            found.add(ONE_SIDED, Finding(number, text, side, f"no {side}"))
            continue
        table.numbers.append(number)
        table.sources.append(cells[0])
        table.targets.append("" if columns.target is None else cells[1])
        if columns.tags is not None:
            table.tags.append(row[columns.tags])
    return _trimmed(table)


def _is_blank(cell: str) -> bool:
    return not (cell.strip() and (cell.isascii() or WIDTHLESS.sub("", cell).strip()))


def table_of(pairs: Iterable[Pair]) -> Table:
    """The table of pairs that were read already."""
    table = Table()
    for number, pair in enumerate(pairs, 1):
        table.numbers.append(pair.line or number)
        table.sources.append(pair.source)
        table.targets.append(pair.target)
        table.tags.append(";".join(pair.tags))
    return _trimmed(table)


def _trimmed(table: Table) -> Table:
    return table if any(table.tags) else Table(table.numbers, table.sources, table.targets)
