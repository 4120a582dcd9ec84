"""Pairs in Parquet: columns by name, one group of rows after the other.

It needs the extra `data`; nothing else here knows of pyarrow.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from regard.errors import DataError, MissingExtraError
from regard.text.columns import NAMES, Columns

_ROWS = 8192
_TEXTS = ("string", "large_string", "string_view")


class Cells(NamedTuple):
    """A row, as it stands there; None where nothing does."""

    source: str | None
    target: str | None
    tags: object


def is_parquet(path: str | Path) -> bool:
    """Whether a file is Parquet, by its ending."""
    return str(path).endswith((".parquet", ".pq"))


def read_cells(path: str | Path, columns: Columns) -> Iterator[Cells]:
    """The rows of a file, in as much memory as one group of its rows needs.

    Raises:
        DataError: The file cannot be read, or lacks a column of text.
        MissingExtraError: pyarrow is not installed.
    """
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingExtraError("reading Parquet", "data") from None
    if Path(path).is_dir():
        raise DataError("expected a file, found a directory.", path)
    try:
        with parquet.ParquetFile(path, memory_map=True) as file:
            names = _present(file.schema_arrow, columns, path)
            for batch in file.iter_batches(batch_size=_ROWS, columns=names):
                parts = {name: batch.column(name).to_pylist() for name in names}
                empty: list[None] = [None] * batch.num_rows
                sides = (parts.get(name, empty) for name in columns.names)
                yield from (Cells(*cells) for cells in zip(*sides, strict=True))
    except FileNotFoundError:
        raise DataError("no such file.", path) from None
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split()).rstrip(". ")
        raise DataError(f"cannot be read: {reason}.", path) from None


def _present(schema: Any, columns: Columns, path: str | Path) -> list[str]:
    """The columns that are read; whoever names tags wants them."""
    tags = columns.names[2]
    is_wanted = columns.tags is not None or tags != NAMES[2]
    needed = [*columns.needed, *([tags] if is_wanted else [])]
    for name in needed:
        if name not in schema.names:
            raise DataError(
                f"expected a column {name!r}, found {_listed(schema.names)}. Other names are told "
                "with --columns source=NAME,target=NAME.",
                path,
            )
    for name in columns.needed:
        kind = str(schema.field(name).type)
        # "dictionary<values=string, ...>" is text as well, each string kept once.
        if kind.removeprefix("dictionary<values=").split(",")[0] not in _TEXTS:
            raise DataError(f"expected text in the column {name!r}, found {kind}.", path)
    return [*needed, *([tags] if tags in schema.names and not is_wanted else [])]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names) or "none"
