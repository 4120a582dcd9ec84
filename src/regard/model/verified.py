"""What is read from a model folder, which anybody may have made.

Nothing is executed, nothing outside the folder is read, and nothing is made as
large as the settings say before the parameters that are there agree. Whatever
is amiss is a CheckpointError of one sentence.
"""

import hashlib
import json
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, cast

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load as load_tensors
from torch import Tensor

from regard.errors import CheckpointError
from regard.model.build import Vocabularies, build
from regard.model.config import ModelSettings
from regard.settings import toml_of
from regard.text import Vocabulary
from regard.version import VERSION

FORMAT = 2
PARAMETERS = "parameters.safetensors"
TABLES = ("model.toml", "source.json", "target.json", "tags.json")

DAMAGE = (
    SafetensorError,
    struct.error,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What reading bytes that are not what they should be may come to."""

# The reader of TOML takes a time that grows with the square of some files.
_LONGEST = 65_536

# What a folder is that was written before there were these settings.
_LEFT_OUT = {
    "encoder.dropout": 0.0,
    "decoder.dropout": 0.0,
    "encoder.residual": False,
    "decoder.relative_bias": False,
    "decoder.tags_apart": False,
}


def own_file(folder: Path, name: str) -> Path | None:
    """A file of a folder; None if it is not there.

    Raises:
        CheckpointError: It is no file, or leads out of the folder.
    """
    path = folder / name
    if not path.exists() and not path.is_symlink():
        return None
    try:
        is_inside = path.resolve().is_relative_to(folder.resolve())
    except RuntimeError:  # links that lead to each other
        is_inside = False
    if not is_inside:
        raise CheckpointError(f"{path}: leads out of its folder, and is not followed.")
    if not path.is_file():
        raise CheckpointError(f"{path}: expected a file.")
    return path


def text_of(folder: Path, name: str) -> str:
    """A file's text; empty if it is not there."""
    path = own_file(folder, name)
    return "" if path is None else path.read_text("utf-8")


def read_tables(folder: Path) -> dict[str, bytes]:
    """The files that the parameters know the checksums of."""
    paths = {name: own_file(folder, name) for name in TABLES}
    return {name: path.read_bytes() for name, path in paths.items() if path is not None}


class Described(NamedTuple):
    """What model.toml says.

    Attributes:
        settings: What the model is made of.
        training: How it was trained, as plain tables.
        format: The number of the folder's format.
    """

    settings: ModelSettings
    training: dict[str, object]
    format: int


def readable_settings(folder: Path, content: bytes) -> Described:
    """What the model is made of, how it was trained, and in which format that stands.

    Raises:
        CheckpointError: The format is newer, or the file something else.
        SettingsError: It is no TOML, or a setting is wrong.
    """
    place = folder / "model.toml"
    if len(content) > _LONGEST:
        raise CheckpointError(f"{place}: has {len(content):,} bytes, expected some thousand.")
    table = toml_of(content, place)
    number, writer = table.pop("format", None), table.pop("regard", "?")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise CheckpointError(f"{place}: expected a format number, found {shortened(number)}.")
    if number > FORMAT:
        raise CheckpointError(
            f"{folder}: has format {number}, this regard {VERSION} reads up to {FORMAT}: "
            f"regard {writer} or newer is needed."
        )
    training = table.pop("training", {})
    if not isinstance(training, dict) or not _is_plain(training.values()):
        raise CheckpointError(f"{place}: training holds what no training has written.")
    settings = _with_left_out(ModelSettings.of(table))
    return Described(settings, cast(dict[str, object], training), number)


def _with_left_out(settings: ModelSettings) -> ModelSettings:
    """The same, settled where the folder is from before there was such a setting."""
    known = settings.flat()
    return settings.with_values(
        {name: value for name, value in _LEFT_OUT.items() if name not in known}
    )


def read_vocabularies(tables: Mapping[str, bytes]) -> Vocabularies:
    """The symbols.

    Raises:
        VocabularyError: A file is no vocabulary.
    """
    return Vocabularies(
        *(
            Vocabulary.from_json(tables[name].decode("utf-8"))
            for name in TABLES[1:]
            if name in tables or name != "tags.json"
        )
    )


def verified_tensors(folder: Path, tables: Mapping[str, bytes]) -> dict[str, Tensor]:
    """The parameters, if they and the tables are what was saved together.

    Raises:
        CheckpointError: They are missing, damaged, or of another model.
    """
    path = own_file(folder, PARAMETERS)
    if path is None:
        raise CheckpointError(f"{folder}: {PARAMETERS} is missing.")
    try:
        with safe_open(path, "pt") as file:
            metadata = dict(file.metadata() or {})
        checksums = dict(json.loads(metadata.get("checksums", "{}")))
        tensors = load_tensors(path.read_bytes())
        is_whole = checksums.pop("tensors", None) == tensors_checksum(tensors)
    except DAMAGE as error:
        raise CheckpointError(f"{path}: is damaged: {first_line(error)}.") from None
    if not is_whole:
        raise CheckpointError(f"{path}: is damaged: its checksum does not fit.")
    for name in TABLES:
        if checksums.get(name) != (checksum(tables[name]) if name in tables else None):
            raise CheckpointError(
                f"{folder / name}: is not the file that this model was saved with."
            )
    return tensors


def require_described(
    settings: ModelSettings, vocabularies: Vocabularies, tensors: Mapping[str, Tensor]
) -> None:
    """Refuse parameters that are not those of the settings, before anything of that size is made.

    Raises:
        CheckpointError: One is missing, too many, of another shape or kind, or no number.
        SettingsError: The settings contradict each other.
    """
    layers = settings.members * ((settings.encoder.layers or 1) + (settings.decoder.layers or 1))
    if layers > len(tensors):
        raise CheckpointError(f"its settings say {layers} layers, which its parameters are not of.")
    with torch.random.fork_rng(devices=()), torch.device("meta"):
        described = build(settings, vocabularies).state_dict()
    for name in sorted({*described, *tensors}):
        expected, found = described.get(name), tensors.get(name)
        if expected is None or found is None or _kind(expected) != _kind(found):
            raise CheckpointError(
                f"parameter {shortened(name)}: expected {_shown(expected)}, found {_shown(found)}."
            )
        if not torch.isfinite(found.float()).all():
            raise CheckpointError(f"parameter {shortened(name)}: expected finite numbers.")


def checksum(content: bytes) -> str:
    """The checksum of a file."""
    return hashlib.sha256(content).hexdigest()


def tensors_checksum(tensors: Mapping[str, Tensor]) -> str:
    """A checksum of tensors with their names, kinds and shapes."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.contiguous().flatten().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def first_line(error: BaseException) -> str:
    """What an error says, in one line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].rstrip(".: ")[:300]


def shortened(value: object) -> str:
    """A value as a message may hold it."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _is_plain(values: Iterable[object]) -> bool:
    return all(
        isinstance(value, str | bool | int)
        or (isinstance(value, float) and abs(value) < float("inf"))
        or (isinstance(value, list) and _is_plain(cast(list[object], value)))
        for value in values
    )


def _kind(tensor: Tensor) -> tuple[object, bool]:
    return tuple(tensor.shape), tensor.is_floating_point()


def _shown(tensor: Tensor | None) -> str:
    return "none" if tensor is None else f"{tensor.dtype} of shape {shortened(tuple(tensor.shape))}"
