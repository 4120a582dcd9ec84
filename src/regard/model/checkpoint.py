"""A model as a folder that lasts.

    model.toml               settings, the format, and who wrote it
    source.json target.json  vocabularies (and tags.json)
    parameters.safetensors   the parameters, and the checksums of all of these
    training.jsonl           a line an evaluation
    card.md                  what it is, for a person

A file is written under another name, flushed, and renamed; a folder likewise.
So a crash leaves the old one or the new one. Nothing in it is ever executed.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
from safetensors.torch import save as save_tensors
from torch import Tensor

from regard.errors import CheckpointError, RegardError
from regard.files import aside_of, clear_stale, write_file
from regard.model.build import Vocabularies, build
from regard.model.config import ModelSettings
from regard.model.seq2seq import Seq2Seq
from regard.model.verified import (
    FORMAT,
    PARAMETERS,
    TABLES,
    checksum,
    first_line,
    read_tables,
    read_vocabularies,
    readable_settings,
    require_described,
    tensors_checksum,
    text_of,
    verified_tensors,
)
from regard.settings import to_toml
from regard.version import VERSION


@dataclass(frozen=True)
class Saved:
    """All that a model folder holds.

    Attributes:
        settings: What the model is made of.
        vocabularies: Its symbols.
        model: Itself, in evaluation mode.
        training: How it was trained, as plain tables.
        log: The lines of training.jsonl.
        card: The text of card.md.
        format: The format of the folder that it was read from; writing always
            writes the newest.
    """

    settings: ModelSettings
    vocabularies: Vocabularies
    model: Seq2Seq
    training: Mapping[str, object] = field(default_factory=dict[str, object])
    log: str = ""
    card: str = ""
    format: int = FORMAT


def save_model(
    folder: str | Path, saved: Saved, *, fill: Callable[[Path], None] | None = None
) -> None:
    """Write a whole model folder, in the place of one that may be there.

    Args:
        folder: Where.
        saved: What.
        fill: Writes what else belongs into the folder, before it has its name.

    Raises:
        CheckpointError: It cannot be written, or is not what its settings say;
            what was there is still there.
    """
    _require_described(saved)
    folder = Path(folder)
    aside = aside_of(folder)
    try:
        _refuse_foreign(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        clear_stale(folder)
        aside.mkdir()
        for name, content in _tables(saved).items():
            write_file(aside / name, content.encode())
        update_model(aside, saved)
        if fill is not None:
            fill(aside)
        if folder.exists():
            previous = previous_of(folder)
            shutil.rmtree(previous, ignore_errors=True)
            folder.rename(previous)
            aside.rename(folder)
            shutil.rmtree(previous, ignore_errors=True)
        else:
            aside.rename(folder)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        recover(folder)
        if isinstance(error, RegardError):
            raise
        raise CheckpointError(f"{folder}: cannot be written: {error.strerror}.") from None


def _require_described(saved: Saved) -> None:
    """Refuse a model of which a part was replaced: its folder would give another one back."""
    with torch.device("meta"):
        described = build(saved.settings, saved.vocabularies)
    parts = (
        {name: type(module).__qualname__ for name, module in model.named_modules()}
        for model in (saved.model, described)
    )
    own, other = parts
    for name in sorted({*own, *other}):
        if own.get(name) != other.get(name):
            raise CheckpointError(
                f"the model's {name} is {own.get(name, 'not there')}, but its settings say "
                f"{other.get(name, 'nothing')}: a folder of it would give another model back."
            )


def update_model(folder: Path, saved: Saved) -> None:
    """Replace what training changes: the parameters, the log, the card.

    Raises:
        CheckpointError: They cannot be written; each file is the old one or the new one.
    """
    tensors = {
        name: tensor.detach().cpu().contiguous()
        for name, tensor in saved.model.state_dict().items()
    }
    try:
        checksums = {
            name: checksum((folder / name).read_bytes())
            for name in TABLES
            if (folder / name).exists()
        }
        checksums["tensors"] = tensors_checksum(tensors)
        write_file(folder / "training.jsonl", saved.log.encode())
        write_file(folder / "card.md", saved.card.encode())
        write_file(
            folder / PARAMETERS,
            save_tensors(tensors, {"checksums": json.dumps(checksums, sort_keys=True)}),
        )
    except OSError as error:
        raise CheckpointError(f"{folder}: cannot be written: {error.strerror}.") from None


def load_model(folder: str | Path, device: torch.device | str = "cpu") -> Saved:
    """Read a model folder.

    Args:
        folder: Where it is.
        device: Where the parameters go.

    Raises:
        CheckpointError: It is no model folder, is damaged, or of a newer format.
    """
    folder = Path(folder)
    try:
        recover(folder)
        tables = read_tables(folder)
        if "model.toml" not in tables:
            is_there = folder.exists()
            what = "no model folder: it has no model.toml" if is_there else "no such folder"
            raise CheckpointError(f"{folder}: {what}.")
        found = readable_settings(folder, tables["model.toml"])
        settings = found.settings
        tensors = verified_tensors(folder, tables)
        vocabularies = read_vocabularies(tables)
        require_described(settings, vocabularies, tensors)
        model = restored(settings, vocabularies, tensors)
        log, card = text_of(folder, "training.jsonl"), text_of(folder, "card.md")
    except (RegardError, OSError, ValueError, RuntimeError, MemoryError) as error:
        if isinstance(error, CheckpointError) and str(folder) in str(error):
            raise
        raise CheckpointError(f"{folder}: cannot be read: {first_line(error)}.") from None
    model = model.to(device).eval()
    return Saved(settings, vocabularies, model, found.training, log, card, found.format)


def restored(
    settings: ModelSettings, vocabularies: Vocabularies, tensors: Mapping[str, Tensor]
) -> Seq2Seq:
    """A model with given parameters, in evaluation mode.

    The numbers that building draws are thrown away, so torch's generator is
    left as it was.
    """
    with torch.random.fork_rng(devices=()):
        model = build(settings, vocabularies)
    model.load_state_dict(tensors)
    return model.eval()


def recover(folder: Path) -> None:
    """Put a model back that a crash caught between two renames."""
    if not folder.exists() and previous_of(folder).exists():
        previous_of(folder).rename(folder)


def previous_of(folder: Path) -> Path:
    """Where a model stands while another takes its name."""
    return folder.with_name(f".{folder.name}.previous")


def _refuse_foreign(folder: Path) -> None:
    is_free = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    if not is_free and not (folder / "model.toml").exists():
        raise CheckpointError(f"{folder}: exists and is no model folder: choose another name.")


def _tables(saved: Saved) -> dict[str, str]:
    head = f'format = {FORMAT}\nregard = "{VERSION}"\n'
    training = "\n" + to_toml({"training": saved.training}) if saved.training else ""
    files = {
        "model.toml": head + saved.settings.to_toml() + training,
        "source.json": saved.vocabularies.source.to_json(),
        "target.json": saved.vocabularies.target.to_json(),
    }
    if saved.vocabularies.tags is not None:
        files["tags.json"] = saved.vocabularies.tags.to_json()
    return files
