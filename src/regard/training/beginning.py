"""What stands in the output folder, before a training begins."""

import tempfile
from pathlib import Path

from regard.errors import CheckpointError, SettingsError
from regard.model import load_model, recover
from regard.training.config import RunSettings, TrainingSettings

_FREE = ("training.store",)
"""What may change between two sessions: no bit depends on it."""


def settings_of(folder: Path | None, asked: RunSettings) -> RunSettings:
    """The settings of the training that a folder holds.

    Raises:
        SettingsError: Others are asked for, or there is no folder.
        CheckpointError: The folder holds no model.
    """
    if folder is None:
        raise SettingsError("resuming needs the model folder: give it as output (-o).")
    recover(folder)
    saved = load_model(folder)
    names = TrainingSettings.model_fields
    training = {name: value for name, value in saved.training.items() if name in names}
    whole = {name: value for name, value in saved.settings.to_table().items() if name != "guided"}
    settings = RunSettings.of(whole | {"members": 1, "training": training})
    stored, usual = settings.flat(), RunSettings().flat()
    for name, value in asked.flat().items():
        if name not in _FREE and value not in (usual.get(name), stored.get(name)):
            raise SettingsError(
                f"{name} is {value!r}, but this training began with {stored.get(name)!r}: it cannot "
                "be resumed with other settings. Train anew with --overwrite, or under another name."
            )
    return settings


def refuse_taken(folder: Path, overwrite: bool) -> None:
    """Refuse a folder that holds something, or that cannot be written.

    Raises:
        CheckpointError: It is so.
    """
    recover(folder)
    if folder.exists() and not folder.is_dir():
        raise CheckpointError(f"{folder}: expected a folder, found a file.")
    if folder.is_dir() and any(folder.iterdir()) and not overwrite:
        raise CheckpointError(
            f"{folder}: holds a model or other files already. Choose another name with -o, go on "
            "with --resume, or replace it with --overwrite."
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder.parent):
            pass
    except OSError as error:
        raise CheckpointError(f"{folder}: cannot be written: {error.strerror}.") from None
