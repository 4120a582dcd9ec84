"""Several files as one: each file once, and patterns that nobody expanded."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

from regard.errors import DataError

_SHOWN = 3


@dataclass(frozen=True)
class Files:
    """Files that are read one after the other.

    Attributes:
        paths: The files, in their order.
    """

    paths: tuple[str, ...]

    @classmethod
    def of(cls, given: Iterable[str | Path]) -> "Files":
        """The files that paths and patterns such as "part-*.tsv" mean.

        What a pattern matches is sorted by name; a file that is really called
        so is no pattern.

        Raises:
            DataError: A pattern matches nothing, or a file is given twice.
        """
        seen: dict[str, str] = {}
        for path in (path for one in given for path in _meant(str(one))):
            real = path if path == "-" else os.path.realpath(path)
            if real in seen:
                also = "" if seen[real] == path else f", also as {seen[real]}"
                raise DataError(f"is given twice{also}: expected each file once.", path)
            seen[real] = path
        return cls(tuple(seen.values()))

    def __str__(self) -> str:
        rest = len(self.paths) - _SHOWN
        if rest <= 0:
            return ", ".join(self.paths)
        return f"{', '.join(self.paths[: _SHOWN - 1])} and {rest + 1} more"


def _meant(path: str) -> Iterator[str]:
    if not has_magic(path) or os.path.lexists(path):
        yield path
        return
    found = sorted(glob(path, recursive=True))
    if not found:
        raise DataError("no file matches this pattern.", path)
    yield from found
