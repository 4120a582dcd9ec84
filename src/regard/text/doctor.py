"""The data doctor: what is wrong with files of pairs, before anything is trained on them.

The first file is what is trained on; later ones are compared with all before
them. Files are read as a whole, and looked at as they are: nothing is mended
here (see `text.cure`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from regard.text.ailments import (
    BYTE_ORDER_MARK,
    DUPLICATES,
    EDGE_BLANKS,
    EMPTY,
    ENCODING,
    HANGUL,
    KINDS,
    LENGTH_RATIO,
    LINE_ENDS,
    LONG,
    ONE_SIDED,
    OTHER_FORM,
    SAME_PAIR,
    SAME_SOURCE,
    TAG_ORDER,
    TOO_LONG,
    Finding,
    Findings,
    excerpt,
)
from regard.text.characters import look_at_characters
from regard.text.columns import Columns
from regard.text.pairs import Pair, Parallel
from regard.text.repetitions import (
    Index,
    compare,
    look_at_repetitions,
    look_at_tag_order,
    look_for_swapped,
    look_for_unseen,
    symbols_of,
)
from regard.text.sheet import Sheet, TwoSheets, read_sheets
from regard.text.sides import form_of, look_at_lengths, look_at_side, segmenter_of
from regard.text.symbols import Form, Segmenter
from regard.text.table import Table, read_table, table_of
from regard.text.tags import parts_of, tags_of

QUICK = 100_000
"""So many pairs are looked at before a training."""

STEPS = 4
"""So often a listener is called for each file."""

_NOT_SAID = (DUPLICATES, HANGUL, LENGTH_RATIO, LONG, SAME_SOURCE, TAG_ORDER, TOO_LONG)


@dataclass(frozen=True)
class Report:
    """What was found in a file.

    Attributes:
        path: The file, or both of two that are parallel.
        encoding: What it is written in (see `text.sheet`).
        lines: How many lines it has.
        pairs: How many of them hold a source and a target.
        forms: The Unicode forms of source and target.
        found: What was found.
    """

    path: str
    encoding: str
    lines: int
    pairs: int
    forms: tuple[Form, Form]
    found: Findings


@dataclass(frozen=True)
class _Known:
    """What later files are compared with."""

    path: str
    index: Index
    forms: tuple[Form, Form]
    segmenters: tuple[Segmenter, Segmenter]
    symbols: dict[str, set[str]]


def examine(
    paths: Sequence[str | Path | Parallel],
    columns: Columns | None = None,
    listen: Callable[[], None] = lambda: None,
) -> Iterator[Report]:
    """Look at files of pairs, one after the other.

    Args:
        paths: Files, or two parallel ones; the first is what is trained on.
        columns: Where source, target and tags stand; source and target if None.
        listen: Is called `STEPS` times for each file.

    Raises:
        DataError: A file cannot be read at all.
    """
    known: list[_Known] = []
    for path in paths:
        layout = columns or Columns()
        found, sheet = Findings(), read_sheets(path, layout)
        listen()
        _look_at_sheets(sheet, found)
        look_at_characters(sheet.texts(), found)
        listen()
        asked = sheet.columns(layout)
        table = read_table(sheet.rows(), asked, found, is_first=not known)
        if not table.numbers and sheet.encoding != "unknown":
            found.add(EMPTY, Finding(0, ""))
        listen()
        segmenters = known[0].segmenters if known else _segmenters(table)
        forms = _look_at_table(table, segmenters, found)
        if not known:
            _look_for_hangul(table, segmenters, found)
        now = _Known(str(path), Index.of(table), forms, segmenters, {})
        look_at_repetitions(now.index, found)
        if len(paths) > 1 and table.numbers:
            now.symbols.update(_symbols(table, segmenters))
            _compare(now, known, found)
            known.append(now)
        listen()
        lines = len(sheet.lines)
        yield Report(str(path), sheet.encoding, lines, len(table.numbers), forms, found)


def doubts(train: Iterable[Pair], dev: Iterable[Pair]) -> str:
    """What is doubtful about training data, in one line; empty if nothing is.

    It looks at the first `QUICK` pairs of each.
    """
    found, counts = Findings(), list[str]()
    tables = [table_of(islice(pairs, QUICK)) for pairs in (train, dev)]
    for table in tables:
        if table.numbers:
            cells = [table.sources, table.targets]
            look_at_characters(list(map("\t".join, zip(*cells, strict=True))), found)
            _look_at_table(table, _segmenters(tables[0]), found)
            for cell in (cell for column in cells for cell in column if cell != cell.strip()):
                found.add(EDGE_BLANKS, Finding(0, excerpt(cell)))
    first, second = (Index.of(table) for table in tables)
    look_at_repetitions(first, found)
    compare(second, first, "training", found)
    for kind in KINDS:
        count = sum(count for _, count, _ in found.of(kind))
        if kind is SAME_PAIR and count:
            counts.append(f"{count:,} dev {'pair is' if count == 1 else 'pairs are'} in training")
        elif count and kind not in _NOT_SAID:
            counts.append(f"{count:,} {kind.one if count == 1 else kind.many}")
    is_cut = QUICK in map(len, (table.numbers for table in tables))
    return ", ".join(counts) + (f" among the first {QUICK:,} pairs" if counts and is_cut else "")


def _look_at_sheets(sheet: Sheet | TwoSheets, found: Findings) -> None:
    if isinstance(sheet, Sheet):
        _look_at_sheet(sheet, "", found)
        return
    for side, one in (("source", sheet.source), ("target", sheet.target)):
        _look_at_sheet(one, side, found)
    shorter, longer = sorted((sheet.source, sheet.target), key=lambda one: len(one.lines))
    if len(shorter.lines) < len(longer.lines) and sheet.encoding != "unknown":
        note = f"{shorter.path} has ended, {longer.path} goes on"
        found.add(ONE_SIDED, Finding(len(shorter.lines) + 1, "", note=note))


def _look_at_sheet(sheet: Sheet, side: str, found: Findings) -> None:
    is_known = sheet.encoding != "unknown"
    if sheet.has_mark and is_known:
        found.add(BYTE_ORDER_MARK, Finding(1, sheet.encoding, side))
    names = {"CRLF": sheet.ends.crlf, "CR": sheet.ends.cr}
    count = sum(names.values())
    if count and is_known:
        names["LF"] = sheet.ends.lf
        text = ", ".join(f"{number:,} {name}" for name, number in names.items() if number)
        found.add(LINE_ENDS, Finding(0, text, side), count=count)
    if sheet.encoding != "utf-8" and not sheet.broken:
        text = sheet.encoding if is_known else "no text that is known"
        found.add(ENCODING, Finding(0, text, side), count=max(1, len(sheet.lines)))
    for number, (place, byte) in sheet.broken.items():
        read = f", read as {sheet.encoding}" if is_known else ", in no encoding that is known"
        text = excerpt(sheet.lines[number - 1]) if sheet.lines else ""
        note = f"byte 0x{byte:02x} at place {place}{read}"
        found.add(ENCODING, Finding(number, text, side, note))


def _segmenters(table: Table) -> tuple[Segmenter, Segmenter]:
    return segmenter_of(table.sources, "source"), segmenter_of(table.targets, "target")


def _look_at_table(
    table: Table, segmenters: tuple[Segmenter, Segmenter], found: Findings
) -> tuple[Form, Form]:
    if not table.numbers:
        return "none", "none"
    forms = form_of(table.sources), form_of(table.targets)
    for (side, cells), segmenter, form in zip(table.sides, segmenters, forms, strict=True):
        look_at_side(table, side, cells, segmenter, form, found)
    look_at_lengths(table, segmenters, found)
    if table.tags:
        look_at_tag_order(table, found)
    return forms


def _look_for_hangul(table: Table, segmenters: Sequence[Segmenter], found: Findings) -> None:
    note = "train takes them apart into letters (nfd), which is best"
    for (side, cells), segmenter in zip(table.sides, segmenters, strict=True):
        if segmenter.normalize == "nfd":
            found.add(HANGUL, Finding(0, excerpt(cells[0]), side, note))


def _symbols(table: Table, segmenters: Sequence[Segmenter]) -> dict[str, set[str]]:
    symbols = {
        side: symbols_of(cells, segmenter)
        for (side, cells), segmenter in zip(table.sides, segmenters, strict=True)
    }
    return symbols | {"tags": {tag for tags in set(table.tags) for tag in _tags(tags)}}


def _tags(tags: str) -> tuple[str, ...]:
    return parts_of(tags_of(tags))


def _compare(now: _Known, known: Sequence[_Known], found: Findings) -> None:
    for other in known:
        compare(now.index, other.index, other.path, found)
    if not known:
        return
    table, first = now.index.table, known[0]
    look_for_swapped(table, first.index.table, first.path, found)
    for side, own, expected in zip(("source", "target"), now.forms, first.forms, strict=True):
        if "none" not in (own, expected) and own != expected:
            text = f"{own.upper()}, but {expected.upper()} in {first.path}"
            found.add(OTHER_FORM, Finding(0, text, side))
    source, target = first.segmenters
    cuts = {"source": source.texts, "target": target.texts, "tags": _tags}
    for side, cut in cuts.items():
        unseen = now.symbols[side] - first.symbols[side]
        if unseen:
            look_for_unseen(table, side, cut, unseen, first.path, found)
