"""A file as it stands: its encoding, its line ends and its lines, whatever they hold.

Where the reader of pairs refuses, a sheet goes on, so that everything that is
wrong can be told at once. It holds the whole file. Two parallel files are two
sheets side by side; a row of Parquet stands here as the JSON object that says
the same.
"""

import codecs
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from regard.text.columns import NAMES, Columns
from regard.text.lines import BREAKING, read_bytes
from regard.text.pairs import Parallel
from regard.text.parquet import is_parquet, read_cells

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WESTERN = "windows-1252"
_HIGHEST_SHARE = 0.4
_UNDEFINED = {byte: chr(byte) for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}


@dataclass(frozen=True)
class Ends:
    """How lines end, in numbers.

    Attributes:
        lf: Those that end in LF.
        crlf: Those that end in CRLF.
        cr: Those that end in CR.
        is_closed: Whether the last line has an end.
    """

    lf: int
    crlf: int
    cr: int
    is_closed: bool


@dataclass(frozen=True)
class Sheet:
    """A file as it stands.

    Attributes:
        path: The file.
        encoding: What it is written in: "utf-8", "utf-16-le", "windows-1252"
            where some or all lines are that or Latin-1, ...; "unknown" if it
            is no text that we know.
        has_mark: Whether it begins with a byte-order mark.
        ends: How its lines end.
        lines: The lines, without their ends; none if the encoding is unknown.
        broken: The numbers of lines that are not UTF-8, with the place and the
            value of the first byte that is not.
        names: What JSON objects call source, target and tags.
        is_half: Whether a line is one string: the file is one of two parallel ones.
    """

    path: str
    encoding: str
    has_mark: bool
    ends: Ends
    lines: list[str]
    broken: dict[int, tuple[int, int]]
    names: tuple[str, str, str] = NAMES
    is_half: bool = False

    @property
    def is_json(self) -> bool:
        """Whether lines are JSON objects."""
        if self.is_half:
            return False
        is_named_so = self.path.removesuffix(".gz").endswith((".jsonl", ".ndjson"))
        return is_named_so or is_parquet(self.path)

    def rows(self) -> Iterator[list[str] | None]:
        """The fields of each line; None for a line that is no JSON object of strings."""
        if not self.is_json:
            yield from map(self.fields, self.lines)
            return
        for line in self.lines:
            yield fields_of(object_of(line), self.names) if line.strip() else [""]

    def fields(self, line: str) -> list[str]:
        """What stands between the tabs of a line that is no JSON object."""
        return [line] if self.is_half else line.split("\t")

    def texts(self) -> list[str]:
        """The lines, with what JSON objects hold in place of the objects."""
        if not self.is_json:
            return self.lines
        return ["\t".join(row or ()) for row in self.rows()]

    def columns(self, asked: Columns) -> Columns:
        """Where source, target and tags stand in `rows`."""
        return Columns(0, 1, 2, allows_more=True) if self.is_json else asked


@dataclass(frozen=True)
class TwoSheets:
    """Two files whose lines belong together, as they stand.

    Attributes:
        source: The sources.
        target: Their targets.
    """

    source: Sheet
    target: Sheet

    @property
    def encoding(self) -> str:
        """What both are written in; "unknown" if one of them is no text that we know."""
        names = {self.source.encoding, self.target.encoding}
        return "unknown" if "unknown" in names else " and ".join(sorted(names))

    @property
    def lines(self) -> list[str]:
        """The lines of the longer one."""
        return max(self.source.lines, self.target.lines, key=len)

    def rows(self) -> Iterator[list[str]]:
        """Both lines of each number, until one of the files ends."""
        yield from map(list, zip(self.source.lines, self.target.lines, strict=False))

    def texts(self) -> list[str]:
        """Both lines of each number, one behind the other."""
        return list(map("\t".join, self.rows()))

    def columns(self, asked: Columns) -> Columns:
        """Where source and target stand in `rows`."""
        return Columns()


def read_sheets(path: str | Path | Parallel, columns: Columns) -> Sheet | TwoSheets:
    """Read a file, or two that are parallel; see `read_sheet`."""
    if isinstance(path, Parallel):
        source, target = (
            read_sheet(half, columns, is_half=True) for half in (path.source, path.target)
        )
        return TwoSheets(source, target)
    return read_sheet(path, columns)


def read_sheet(path: str | Path, columns: Columns, *, is_half: bool = False) -> Sheet:
    """Read a file, whatever is wrong with it.

    Args:
        path: The file.
        columns: What JSON objects and Parquet call source, target and tags.
        is_half: Whether it is one of two parallel files, which hold lines of
            text whatever their names.

    Raises:
        DataError: It cannot be read at all.
        MissingExtraError: It is Parquet, and pyarrow is not installed.
    """
    names = columns.names
    if is_parquet(path) and not is_half:
        lines = list(_objects(path, columns))
        return Sheet(str(path), "utf-8", False, Ends(0, 0, 0, True), lines, {}, names)
    raw = read_bytes(path)
    encoding, mark = _encoding(raw)
    body = raw.removeprefix(mark)
    if encoding not in ("utf-8", "unknown"):
        try:
            body = body.decode(encoding).encode()
        except UnicodeError:
            encoding = "unknown"
    while body.startswith(codecs.BOM_UTF8):
        body, mark = body.removeprefix(codecs.BOM_UTF8), codecs.BOM_UTF8
    ends = _ends(body)
    flat = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n")
    lines, broken = list[str](), dict[int, tuple[int, int]]()
    if encoding != "unknown" and body:
        try:
            lines = flat.decode().split("\n")
        except UnicodeDecodeError:
            encoding, lines, broken = _patched(flat)
    return Sheet(str(path), encoding, bool(mark), ends, lines, broken, names, is_half)


def _objects(path: str | Path, columns: Columns) -> Iterator[str]:
    """The rows of Parquet as JSON objects; a row without text is a blank line."""
    for cells in read_cells(path, columns):
        source, target = cells.source or "", cells.target or ""
        values = source, target, [] if cells.tags is None else cells.tags
        row = dict(zip(columns.names, values, strict=True))
        is_blank = not (source.strip() or target.strip())
        yield "" if is_blank else json.dumps(row, ensure_ascii=False, default=lambda _: None)


def object_of(line: str) -> dict[str, object] | None:
    """The JSON object on a line, or None."""
    try:
        row: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, object], row) if isinstance(row, dict) else None


def fields_of(
    row: dict[str, object] | None, names: tuple[str, str, str] = NAMES
) -> list[str] | None:
    """Source, target and tags of a JSON object, or None if it does not have them."""
    if row is None or not all(isinstance(row.get(name), str) for name in names[:2]):
        return None
    tags = row.get(names[2], [])
    if not isinstance(tags, str | list):
        return None
    joined = tags if isinstance(tags, str) else ";".join(map(str, cast(list[object], tags)))
    fields = [str(row[names[0]]), str(row[names[1]]), joined]
    return None if any(BREAKING.search(one) for one in fields) else fields


def _encoding(raw: bytes) -> tuple[str, bytes]:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return encoding, mark
    if b"\0" not in raw:
        return "utf-8", b""
    # Text in sixteen bits has an empty half in every tab, line end and Latin letter.
    is_utf8 = _is_utf8(raw)
    if is_utf8 and 4 * raw.count(0) < len(raw):
        return "utf-8", b""
    for encoding, halves in (("utf-16-le", raw[1::2]), ("utf-16-be", raw[::2])):
        if 2 * halves.count(0) > raw.count(0) and _is_text(raw, encoding):
            return encoding, b""
    return "utf-8" if is_utf8 else "unknown", b""


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_text(raw: bytes, encoding: str) -> bool:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return "\0" not in text and any(end in text for end in "\t\n\r")


def _ends(body: bytes) -> Ends:
    crlf = body.count(b"\r\n")
    lf, cr = body.count(b"\n") - crlf, body.count(b"\r") - crlf
    return Ends(lf, crlf, cr, body.endswith((b"\n", b"\r")))


def _patched(flat: bytes) -> tuple[str, list[str], dict[int, tuple[int, int]]]:
    """The lines, with those that are not UTF-8 read as a Western encoding if that is likely."""
    lines, broken, wrong = list[str](), dict[int, tuple[int, int]](), list[bytes]()
    for number, raw in enumerate(flat.split(b"\n"), 1):
        try:
            lines.append(raw.decode())
        except UnicodeDecodeError as error:
            broken[number] = error.start + 1, raw[error.start]
            wrong.append(raw)
            lines.append(_western(raw))
    return (_WESTERN, lines, broken) if _is_western(wrong) else ("unknown", [], broken)


def _western(raw: bytes) -> str:
    # Five bytes mean nothing in Windows-1252; Latin-1 has control characters there.
    return "".join(_WESTERN_TABLE[byte] for byte in raw)


def _is_western(lines: Iterable[bytes]) -> bool:
    # Where most letters are beyond ASCII, it is another alphabet's encoding, or no text.
    body = b"".join(lines)
    high = sum(byte >= 0x80 for byte in body)
    letters = high + sum(chr(byte).isalpha() for byte in body if byte < 0x80)
    return high <= _HIGHEST_SHARE * letters and b"\0" not in body


_WESTERN_TABLE = "".join(
    _UNDEFINED.get(byte) or bytes([byte]).decode(_WESTERN) for byte in range(256)
)
