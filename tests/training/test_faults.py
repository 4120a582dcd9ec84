"""What the world does to a training: a full disk, a folder that may not be written, lost files."""

import os
from pathlib import Path

import pytest

from regard import CheckpointError, DataError, RegardError, StoppedError, load, train
from regard.model import previous_of
from tests.training.test_training import DEV, PAIRS, StopAfter, parameters, tensors, tiny

WRITES = ("open", "os.fsync", "os.replace", "write")


class FullDisk:
    """Refuses one of the writes that follow."""

    def __init__(self, patch: pytest.MonkeyPatch, fatal: int | None) -> None:
        self.count, self.fatal = 0, fatal
        true_open, true_fsync, true_replace = open, os.fsync, os.replace

        def refusing(true):
            def call(*given):
                self.check()
                return true(*given)

            return call

        disk = self

        def opened(*given):
            disk.check()
            file = true_open(*given)
            file_write = file.write

            class Half:
                def __enter__(self):
                    return self

                def __exit__(self, *_):
                    file.close()

                def write(self, content):
                    file_write(content[: len(content) // 2])
                    disk.check()
                    file_write(content[len(content) // 2 :])

                flush, fileno = file.flush, file.fileno

            return Half()

        patch.setattr("regard.files.open", opened, raising=False)
        patch.setattr(os, "fsync", refusing(true_fsync))
        patch.setattr(os, "replace", refusing(true_replace))

    def check(self) -> None:
        self.count += 1
        if self.count == self.fatal:
            raise OSError(28, "No space left on device")


def test_a_disk_that_is_full_at_any_write_keeps_the_last_good_state(tmp_path, monkeypatch):
    settings, whole = tiny(), tmp_path / "whole"
    train(PAIRS, DEV, output=whole, settings=settings)
    folder, fatal, messages = tmp_path / "m", 0, list[str]()
    with pytest.raises(StoppedError):
        train(PAIRS, DEV, output=folder, settings=settings, listen=StopAfter(3))
    while True:
        fatal += 1
        with monkeypatch.context() as patch:
            disk = FullDisk(patch, fatal)
            try:
                train(PAIRS, DEV, output=folder, resume=True)
            except CheckpointError as error:
                messages.append(str(error))
        if disk.count < fatal:
            break
        load(folder)
        assert not list(folder.rglob(".*"))
    assert {
        f"{place}: cannot be written: No space left on device."
        for place in (folder, folder / "latest" / "state.safetensors")
    } == set(messages)
    assert len(messages) >= 16  # four files: opened, written, flushed, renamed
    assert tensors(folder) == tensors(whole)


def test_a_disk_that_is_full_at_the_first_save_leaves_nothing(tmp_path, monkeypatch):
    for fatal in range(1, 24, 2):
        with monkeypatch.context() as patch:
            disk = FullDisk(patch, fatal)
            with pytest.raises(CheckpointError, match="No space left on device"):
                train(PAIRS, DEV, output=tmp_path / "m", settings=tiny(), listen=StopAfter(1))
        assert disk.count >= fatal
        assert list(tmp_path.iterdir()) == []


def test_a_folder_that_may_not_be_written_is_refused_before_training(tmp_path, monkeypatch):
    train(PAIRS, DEV, output=tmp_path / "m", settings=tiny())
    before = parameters(tmp_path / "m")

    def refused(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refused)
    for options in ({"resume": True}, {"overwrite": True}):
        with pytest.raises(CheckpointError, match="cannot be written: Permission denied"):
            train(PAIRS, DEV, output=tmp_path / "m", listen=StopAfter(1), **options)
    assert parameters(tmp_path / "m") == before


class TestFilesThatAreNoLongerWhatTheyWere:
    @pytest.fixture
    def files(self, tmp_path) -> tuple[Path, Path]:
        paths = tmp_path / "train.tsv", tmp_path / "dev.tsv"
        for path, pairs in zip(paths, (PAIRS, DEV), strict=True):
            path.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in pairs))
        with pytest.raises(StoppedError):
            train(*paths, output=tmp_path / "m", settings=tiny(), listen=StopAfter(3))
        return paths

    @pytest.mark.parametrize("which", [0, 1])
    def test_one_that_vanished_is_named_and_the_state_is_kept(self, files, tmp_path, which):
        content = files[which].read_bytes()
        files[which].unlink()
        with pytest.raises(DataError, match=rf"{files[which].name}: no such file"):
            train(*files, output=tmp_path / "m", resume=True)
        files[which].write_bytes(content)
        train(*files, output=tmp_path / "m", resume=True)

    @pytest.mark.parametrize("which", [0, 1])
    def test_other_pairs_are_refused(self, files, tmp_path, which):
        """Other dev pairs would choose another model as the best, without a word."""
        with open(files[which], "a") as file:
            file.write("abc\tcba\n")
        with pytest.raises(RegardError, match="other data or settings"):
            train(*files, output=tmp_path / "m", resume=True)


def test_a_model_that_was_replaced_does_not_come_back(tmp_path):
    """One killed between two renames may leave the old model aside."""
    folder = tmp_path / "m"
    train(PAIRS, DEV, output=folder, settings=tiny())
    previous_of(folder).mkdir()
    (previous_of(folder) / "model.toml").write_text("old")
    train(PAIRS, DEV, output=folder, settings=tiny(), resume=True)
    assert not previous_of(folder).exists()
