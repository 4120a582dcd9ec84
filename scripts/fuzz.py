"""Let a coverage-guided fuzzer look for bytes that a reader does not expect.

pip install atheris
python scripts/fuzz.py -max_total_time=300 [folder of found inputs]

An input begins with a byte that says which reader takes the rest. Any error
that is not one of our own ends the run and is written to a file. `tests/` tries
the same readers with inputs that are drawn.
"""

import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["regard", "json", "tomllib"]):
    from regard.alignment import Alignment
    from regard.errors import RegardError
    from regard.evaluation import LinkLayout, read_links
    from regard.settings import read_toml
    from regard.text import (
        Columns,
        Parallel,
        Vocabulary,
        examine,
        read_lines,
        read_pairs,
        read_parallel,
    )
    from regard.training import RunSettings

FOLDER = Path(tempfile.mkdtemp())


def of_file(ending: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    """A reader of files as one of bytes."""
    path = FOLDER / f"f.{ending}"

    def reader(content: bytes) -> object:
        path.write_bytes(content)
        return read(path)

    return reader


def of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    """A reader of text as one of bytes."""
    return lambda content: read(content.decode("utf-8", "surrogateescape"))


READERS = (
    of_file("txt", lambda path: list(read_lines(path))),
    of_file("gz", lambda path: list(read_lines(path))),
    of_file("tsv", lambda path: list(read_pairs(path))),
    of_file("tsv", lambda path: list(read_pairs(path, Columns(0, 1, 2)))),
    of_file("jsonl", lambda path: list(read_pairs(path))),
    of_file("txt", lambda path: list(read_parallel(path, path))),
    of_file("tsv", lambda path: list(examine([path]))),
    of_file("jsonl", lambda path: list(examine([path]))),
    of_file("txt", lambda path: list(examine([Parallel(path, path)]))),
    of_file("txt", read_links),
    of_file("txt", lambda path: read_links(path, LinkLayout(1, True, 2))),
    of_file("toml", lambda path: RunSettings.of(read_toml(path))),
    of_text(Alignment.from_json),
    of_text(Vocabulary.from_json),
    of_text(Columns.parse),
)


def one_input(content: bytes) -> None:
    if content:
        with suppress(RegardError):
            READERS[content[0] % len(READERS)](content[1:])


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
