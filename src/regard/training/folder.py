"""What may be begun in a folder, and what may be gone on with."""

import shutil
import tempfile
from pathlib import Path

from regard.errors import CheckpointError, SettingsError
from regard.model import load_model, previous_of, recover
from regard.training.config import RunSettings, TrainingSettings

_FREE = ("length_ratio", "training.store")
"""What may change between two sessions: no bit depends on it, or the data decides."""


def resumed_settings(folder: Path | None, asked: RunSettings) -> RunSettings:
    """The settings that the training of a folder began with.

    Raises:
        CheckpointError: Nothing was saved there, or nothing can be.
        SettingsError: Others are asked for, or there is no folder.
    """
    if folder is None:
        raise SettingsError("resuming needs the model folder: give it as output (-o).")
    _tidy(folder)
    if not folder.exists():
        raise CheckpointError(
            f"{folder}: no such folder: nothing was saved that could be gone on with. Begin without "
            "--resume."
        )
    saved = load_model(folder)
    _require_writable(folder, folder)
    names = TrainingSettings.model_fields
    training = {name: value for name, value in saved.training.items() if name in names}
    whole = {name: value for name, value in saved.settings.to_table().items() if name != "guided"}
    settings = RunSettings.of(whole | {"members": 1, "training": training})
    stored = settings.flat()
    for name, value in asked.said().items():
        if name not in _FREE and value != stored.get(name):
            raise SettingsError(
                f"{name} is {value!r}, but this training began with {stored.get(name)!r}: it cannot "
                "be resumed with other settings. Train anew with --overwrite, or under another name."
            )
    store = asked.training.store
    return settings if store is None else settings.with_values({"training.store": store})


def refuse_taken(folder: Path, overwrite: bool) -> None:
    """Refuse to begin where something else is, or where nothing can be written.

    Raises:
        CheckpointError: That is so.
    """
    _tidy(folder)
    if folder.exists() and not folder.is_dir():
        raise CheckpointError(f"{folder}: expected a folder, found a file.")
    if folder.is_dir() and any(folder.iterdir()) and not overwrite:
        raise CheckpointError(
            f"{folder}: holds a model or other files already. Choose another name with -o, go on "
            "with --resume, or replace it with --overwrite."
        )
    _require_writable(folder.parent, folder)


def _tidy(folder: Path) -> None:
    """Put right what a process left that was killed between two renames."""
    try:
        recover(folder)
    except OSError as error:
        raise CheckpointError(f"{folder}: cannot be put right: {error.strerror}.") from None
    if folder.exists():
        # It would stand for the folder, had somebody removed that one.
        shutil.rmtree(previous_of(folder), ignore_errors=True)


def _require_writable(place: Path, folder: Path) -> None:
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise CheckpointError(f"{folder}: cannot be written: {error.strerror}.") from None
