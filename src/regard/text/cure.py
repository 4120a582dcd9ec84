"""Clean copies of files of pairs, and a log of every change.

A copy has as many lines as its original, in the same order: what is wrong on a
line is mended or left, and nothing is dropped, joined or made up. Whatever
needs somebody who knows the data is left: wrong columns, lines with one side,
look-alikes, quotes, repetitions.
"""

import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from regard.errors import DataError, SettingsError
from regard.files import write_file
from regard.text.ailments import (
    BLANKS,
    BYTE_ORDER_MARK,
    EDGE_BLANKS,
    ENCODING,
    LINE_ENDS,
    MIXED_FORMS,
    SEPARATORS,
    ZERO_WIDTH,
    Findings,
    Kind,
    visible,
    with_marks,
)
from regard.text.characters import BLANK, HALF, SEPARATOR, WIDTHLESS
from regard.text.columns import Columns
from regard.text.lines import open_output
from regard.text.pairs import Parallel
from regard.text.parquet import is_parquet
from regard.text.sheet import Sheet, fields_of, object_of, read_sheet
from regard.text.sides import form_of
from regard.text.symbols import Form
from regard.text.table import read_table

_LINES = Columns(0, None, allows_more=True)
"""One of two parallel files has nothing but a string on a line."""

LOG = "changes.tsv"
"""The log of changes, beside the copies."""

_HEAD = "file\tline\tkind\tbefore\tafter\n"


@dataclass(frozen=True)
class Mended:
    """Something that was mended.

    Attributes:
        line: Its line, the same in the original and the copy; 0 for the whole file.
        kind: What was wrong.
        before: What stood there, in visible form.
        after: What stands there now, in visible form.
    """

    line: int
    kind: Kind
    before: str
    after: str


@dataclass(frozen=True)
class Copy:
    """What became of a file.

    Attributes:
        original: The file.
        path: Its clean copy; None if it is in no encoding that we know.
        changes: How many changes it took.
    """

    original: str
    path: Path | None
    changes: int


def mend(
    paths: Sequence[str | Path | Parallel],
    folder: Path,
    columns: Columns | None = None,
    listen: Callable[[], None] = lambda: None,
) -> list[Copy]:
    """Write clean copies of files into a folder, and `LOG` beside them.

    Args:
        paths: Files, or two parallel ones.
        folder: Where copies of the same names go; made if it is not there.
        columns: Where source, target and tags stand; source and target if None.
        listen: Is called for each copy.

    Raises:
        SettingsError: A copy would take the place of an original, of another
            copy or of the log, or standard input or Parquet was given.
        DataError: A file cannot be read, or a copy cannot be written.
    """
    files = [each for path in paths for each in _files(path, columns or Columns())]
    targets = [_target(file.path, folder) for file in files]
    for place, target in enumerate(targets):
        if target in targets[:place]:
            raise SettingsError(
                f"two files are called {target.name}: copies keep their names, so they "
                "need folders of their own."
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot be made: {error.strerror}.", folder) from None
    copies: list[Copy] = []
    with open_output(folder / LOG) as log:
        log.write(_HEAD.encode())
        for file, target in zip(files, targets, strict=True):
            copies.append(_copy(file, target, log))
            listen()
    return copies


def cured(cell: str, form: Form) -> Iterator[tuple[Kind, str]]:
    """What is mended in a field, step by step, and what it is after each.

    Args:
        cell: The field.
        form: The Unicode form that it is brought to; "none" leaves it.

    Examples:
        >>> [(kind.name, text) for kind, text in cured("a\u00a0b ", "none")]
        [('blanks', 'a b '), ('edge_blanks', 'a b')]
    """
    before = None
    # One step may make room for another, such as a mark that now follows its letter.
    while cell != before and not _is_plain(cell):
        before = cell
        for kind, step in _STEPS:
            after = step(cell)
            if after != cell:
                cell = after
                yield kind, cell
        if form != "none":
            after = unicodedata.normalize("NFC" if form == "nfc" else "NFD", cell)
            if after != cell:
                cell = after
                yield MIXED_FORMS, cell


_STEPS: tuple[tuple[Kind, Callable[[str], str]], ...] = (
    (SEPARATORS, lambda cell: SEPARATOR.sub(" ", cell)),
    (BLANKS, lambda cell: BLANK.sub(" ", cell)),
    (ZERO_WIDTH, lambda cell: WIDTHLESS.sub("", cell)),
    (EDGE_BLANKS, str.strip),
)


def _is_plain(cell: str) -> bool:
    return cell.isascii() and cell.isprintable() and cell[:1] != " " != cell[-1:]


@dataclass(frozen=True)
class _File:
    path: str | Path
    columns: Columns
    is_half: bool


def _files(path: str | Path | Parallel, columns: Columns) -> tuple[_File, ...]:
    if isinstance(path, Parallel):
        return _File(path.source, _LINES, True), _File(path.target, _LINES, True)
    return (_File(path, columns, False),)


def _target(path: str | Path, folder: Path) -> Path:
    if str(path) == "-":
        raise SettingsError("standard input has no name: write it to a file to have it mended.")
    if is_parquet(path):
        raise SettingsError(
            f"{path}: clean copies are of lines of text, and Parquet has none: write it as JSON Lines "
            "to have it mended."
        )
    target = folder / Path(path).name
    if target.name == LOG:
        raise SettingsError(f"{path}: the log of changes has that name: rename the file.")
    if target.resolve() == Path(path).resolve() or _is_same(target, Path(path)):
        raise SettingsError(f"{folder} holds the original {path}: name another folder.")
    return target


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _copy(file: _File, target: Path, log: IO[bytes]) -> Copy:
    path, columns = file.path, file.columns
    sheet = read_sheet(path, columns, is_half=file.is_half)
    if sheet.encoding == "unknown":
        return Copy(str(path), None, 0)
    table = read_table(sheet.rows(), sheet.columns(columns), Findings(), is_first=False)
    forms: dict[int, Form] = {}
    for (_, cells), place in zip(table.sides, _places(sheet.columns(columns)), strict=True):
        forms[place] = form_of(_last(cell, cured(cell, "none")) for cell in cells)
    count = 0
    lines: list[str] = []
    for change in _mended(sheet, forms, lines):
        row = (visible(str(path)), str(change.line), change.kind.name, change.before, change.after)
        log.write(("\t".join(row) + "\n").encode())
        count += 1
    if count:
        # A last line of which nothing is left is still one.
        is_closed = sheet.ends.is_closed or lines[-1:] == [""]
        text = "\n".join(lines) + ("\n" if is_closed else "")
        with open_output(target) as copy:
            copy.write(text.encode())
    else:
        _copy_bytes(Path(path), target)
    return Copy(str(path), target, count)


def _last(cell: str, steps: Iterator[tuple[Kind, str]]) -> str:
    for _, after in steps:
        cell = after
    return cell


def _copy_bytes(path: Path, target: Path) -> None:
    try:
        write_file(target, path.read_bytes())
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror}.", target) from None


def _places(columns: Columns) -> tuple[int, int]:
    return columns.source, 1 if columns.target is None else columns.target


def _mended(sheet: Sheet, forms: dict[int, Form], lines: list[str]) -> Iterator[Mended]:
    """Fill in the clean lines, and tell what is changed."""
    if sheet.has_mark:
        yield Mended(0, BYTE_ORDER_MARK, visible("\ufeff"), "")
    if sheet.ends.crlf or sheet.ends.cr:
        yield Mended(0, LINE_ENDS, f"{sheet.ends.crlf} CRLF, {sheet.ends.cr} CR", "LF")
    if sheet.encoding != "utf-8" and not sheet.broken:
        yield Mended(0, ENCODING, sheet.encoding, "utf-8")
    for number, line in enumerate(sheet.lines, 1):
        if number in sheet.broken:
            yield Mended(number, ENCODING, sheet.encoding, visible(line))
        row = object_of(line) if sheet.is_json else None
        cells = (fields_of(row, sheet.names) or []) if sheet.is_json else sheet.fields(line)
        clean: list[str] = []
        for place, cell in enumerate(cells):
            for kind, after in cured(cell, forms.get(place, "none")):
                show = with_marks if kind is MIXED_FORMS else visible
                yield Mended(number, kind, show(cell), show(after))
                cell = after
            clean.append(cell)
        lines.append(line if clean == cells else _written(row, clean, sheet.names))


def _written(row: dict[str, object] | None, cells: list[str], names: tuple[str, str, str]) -> str:
    if row is None:
        return "\t".join(cells)
    changed = {
        name: cell
        for name, cell in zip(names, cells, strict=True)
        if isinstance(row.get(name), str)
    }
    text = json.dumps(row | changed, ensure_ascii=False)
    # Halves of characters, in fields that are not ours, cannot be written but as numbers.
    return json.dumps(row | changed) if HALF.search(text) else text
