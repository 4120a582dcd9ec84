"""Lines in and out: UTF-8, compressed or not, and nothing but LF, CRLF and CR ends a line."""

import gzip
import re
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, BinaryIO, cast

from regard.errors import DataError
from regard.files import replacing

BREAKING = re.compile("[\r\n\t\ud800-\udfff]")
"""What no field of a line may hold: a line's end, a tab, half of a character."""


def read_lines(path: str | Path) -> Iterator[str]:
    """The lines of a file, without their ends, one at a time.

    Raises:
        DataError: The file cannot be read, or a line is not UTF-8.
    """
    with _opened(path) as file:
        number = 0
        try:
            for raw in file:
                for line in _split_line_ends(raw):
                    number += 1
                    if number == 1:
                        line = line.removeprefix(b"\xef\xbb\xbf")
                    yield line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"expected UTF-8, found byte 0x{error.object[error.start]:02x} "
                f"at place {error.start + 1} of the line.",
                path,
                number,
            ) from None
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"cannot be read: {error}.", path, number or None) from None


def read_bytes(path: str | Path) -> bytes:
    """All bytes of a file, decompressed.

    Raises:
        DataError: The file cannot be read.
    """
    with _opened(path) as file:
        try:
            return file.read()
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"cannot be read: {error}.", path) from None


@contextmanager
def open_output(path: str | Path) -> Generator[IO[bytes]]:
    """A file to write to, compressed if it ends in .gz; "-" is standard output.

    What is written stands aside until all of it is there: a file of that name
    is replaced at the end, or not at all. Pipes and devices are written to
    directly.

    Raises:
        DataError: It cannot be written.
    """
    if str(path) == "-":
        yield sys.stdout.buffer
        return
    path = Path(path)
    try:
        with (
            replacing(path) as place,
            gzip.open(place, "wb") if path.suffix == ".gz" else open(place, "wb") as file,
        ):
            yield cast(IO[bytes], file)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror}.", path) from None


def _opened(path: str | Path) -> AbstractContextManager[BinaryIO]:
    if str(path) == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        if str(path).endswith(".gz"):
            return cast(BinaryIO, gzip.open(path, "rb"))
        return open(path, "rb")
    except IsADirectoryError:
        raise DataError("expected a file, found a directory.", path) from None
    except FileNotFoundError:
        raise DataError("no such file.", path) from None
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}.", path) from None


def _split_line_ends(raw: bytes) -> list[bytes]:
    body = raw.removesuffix(b"\n").removesuffix(b"\r")
    return body.split(b"\r") if b"\r" in body else [body]
