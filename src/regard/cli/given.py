"""From what was typed to pairs and columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from rich.progress import TextColumn

from regard.alignment import LinkMethod, Symmetry
from regard.cli.words import bar, say
from regard.errors import SettingsError
from regard.evaluation import Measure
from regard.predictor import CHUNK, Linking, MapMethod, Predictor, Rows
from regard.text import Columns, Files, Pair, Parallel, read_parallel_rows, read_rows

Data = TypeVar("Data")


def files_given(
    files: Sequence[str], source: Path | None, target: Path | None, name: str
) -> str | Parallel | Files:
    """Files of pairs, patterns among them, or two parallel files; see `data_given`."""
    return _required(files_if_given(files, source, target), name)


def files_if_given(
    files: Sequence[str], source: Path | None, target: Path | None
) -> str | Parallel | Files | None:
    """The same; None where nothing was said."""
    data = data_if_given(files[0] if files else None, source, target)
    return Files.of(files) if len(files) > 1 else data


def data_given(
    file: str | None, source: Path | None, target: Path | None, name: str
) -> str | Parallel:
    """One file of pairs, or two parallel ones.

    Args:
        file: The file of pairs.
        source: The file of sources.
        target: The file of targets.
        name: What the file is called in the command.

    Raises:
        SettingsError: Neither, both, or half of the two are given.
    """
    return _required(data_if_given(file, source, target), name)


def data_if_given(
    file: str | None, source: Path | None, target: Path | None
) -> str | Parallel | None:
    """The same; None where nothing was said.

    Raises:
        SettingsError: Both, or half of the two are given.
    """
    if (source is None) != (target is None):
        raise SettingsError("a file of sources and a file of targets belong together.")
    if source is not None and target is not None:
        if file is not None:
            raise SettingsError(f"expected {file} or two parallel files, found both.")
        return Parallel(source, target)
    return file


def examined_given(
    files: Sequence[str],
    source: Path | None,
    target: Path | None,
    dev_source: Path | None,
    dev_target: Path | None,
) -> list[str | Parallel]:
    """What is to be looked at, training first; see `data_given`."""
    first = data_given(files[0] if files else None, source, target, "FILES")
    dev = data_if_given(None, dev_source, dev_target)
    return [one for one in (first, *files[1:], dev) if one is not None]


def columns_given(columns: str | None, tags_column: int | None) -> str | None:
    """The columns' numbers or names, from the two options that set them."""
    if columns is None and tags_column is None:
        return None
    return _order("1,2" if columns is None else columns, tags_column)


def predictor_given(
    folder: Path,
    device: str,
    data: str | Parallel,
    columns: str | None,
    tags_column: int | None,
    longest: int | None,
) -> Predictor:
    """The model, reading files as the options say, or else as in training."""
    said = {"--columns": columns, "--tags-column": tags_column}
    refuse_beside("--source-file", isinstance(data, Parallel), said)
    predictor = Predictor.load(folder, device)
    return predictor.with_text(columns=columns_given(columns, tags_column), longest=longest)


def require_with(needed: str, is_given: bool, options: Mapping[str, object]) -> None:
    """Refuse options that do nothing without another.

    Args:
        needed: The other one.
        is_given: Whether it is there.
        options: What was said, by its name; None or False where nothing was.

    Raises:
        SettingsError: One of them was said, and the other one was not.
    """
    if not is_given and (said := _said(options)):
        raise SettingsError(f"{said} does nothing without {needed}: expected both or neither.")


def refuse_beside(other: str, is_given: bool, options: Mapping[str, object]) -> None:
    """Refuse options that do nothing beside another; see `require_with`.

    Raises:
        SettingsError: One of them was said, and the other one too.
    """
    if is_given and (said := _said(options)):
        raise SettingsError(f"{said} does nothing beside {other}: expected one of the two.")


def linking_given(
    method: MapMethod | None,
    link: LinkMethod | None,
    threshold: float | None,
    rows: Rows | None,
    symmetry: Symmetry | None,
) -> Linking:
    """How links are made; a threshold alone asks for links of that weight."""
    is_other = link not in (None, "threshold")
    refuse_beside(f"--link {link}", is_other, {"--threshold": threshold})
    usual = Linking()
    kind = usual.links if threshold is None else "threshold"
    return Linking(
        method or usual.method,
        link or kind,
        threshold,
        rows or usual.rows,
        symmetry or usual.symmetry,
    )


def other_given(folder: Path | None, device: str) -> Predictor | None:
    """The model of the other direction, if there is one."""
    return None if folder is None else Predictor.load(folder, device)


def sources_given(
    predictor: Predictor, file: str, columns: str | None, tags_column: int | None
) -> Iterator[Pair | None]:
    """The sources of a file, with their tags if the task has them, None for a blank line.

    A file need have no targets, so tags may stand where those would be.
    """
    return read_rows(file, _source_layout(predictor, columns, tags_column))


def rows_given(predictor: Predictor, data: str | Parallel) -> Iterator[list[Pair | None]]:
    """The pairs of a file in chunks, None for a blank line."""
    if isinstance(data, Parallel):
        rows: Iterator[Pair | None] = read_parallel_rows(data.source, data.target)
    else:
        rows = read_rows(data, predictor.settings.text.layout())
    with bar(TextColumn("{task.completed:,} lines")) as shown:
        task = shown.add_task("pairs", total=None)
        while chunk := list(islice(rows, CHUNK)):
            yield chunk
            shown.advance(task, len(chunk))


def note_unseen(predictor: Predictor, pairs: Iterable[Pair]) -> None:
    """Report symbols of given pairs that training never saw: they are scored as unknown."""
    for name, found in predictor.reader.unseen(pairs).items():
        if found:
            symbols = ", ".join(repr(symbol) for symbol in found[:10])
            say(f"note: training never saw the {name} symbols {symbols}.")


def _said(options: Mapping[str, object]) -> str | None:
    """The first option that was said."""
    said = (name for name, value in options.items() if value is not None and value is not False)
    return next(said, None)


def _source_layout(predictor: Predictor, columns: str | None, tags_column: int | None) -> Columns:
    if columns is not None:
        layout = Columns.parse(_order(columns, tags_column))
        return replace(layout, target=None, allows_more=True)
    layout = Columns(0, None, names=predictor.settings.text.layout().names)
    if tags_column is None:
        return replace(layout, tags=1 if predictor.has_tags else None)
    return replace(layout, tags=_tags_place(layout, tags_column), allows_more=True)


def _order(columns: str, tags_column: int | None) -> str:
    layout = Columns.parse(columns)
    if "=" in columns:
        if tags_column is not None:
            raise SettingsError(f"columns are {columns!r}: name the tags there, as tags=NAME.")
        return columns
    tags = layout.tags if tags_column is None else _tags_place(layout, tags_column)
    places = (layout.source, layout.target, tags)
    return ",".join(str(place + 1) for place in places if place is not None)


def _tags_place(layout: Columns, tags_column: int) -> int:
    """Where tags stand, counted from zero."""
    place = tags_column - 1
    taken = {layout.source: "source", layout.target: "target"}
    if place in taken:
        raise SettingsError(
            f"--tags-column {tags_column}: expected a column of its own, found that of the "
            f"{taken[place]}. Other orders are told with --columns, such as source,tags,target."
        )
    return place


def _required(data: Data | None, name: str) -> Data:
    if data is None:
        raise SettingsError(f"expected {name}, or --source-file and --target-file.")
    return data


def percent(measure: Measure) -> str:
    """A measure in percent, with its interval."""
    low, high = 100 * measure.low, 100 * measure.high
    return f"{100 * measure.value:6.2f} %   95 % interval {low:.2f} to {high:.2f}"
