"""Folders that somebody made to do harm: each is refused in a sentence, and nothing is executed."""

import json
import os
import pickle
import resource
import shutil
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from regard import CheckpointError
from regard.model import Saved, checkpoint, load_model, save_model
from regard.model.verified import PARAMETERS, TABLES, checksum, tensors_checksum
from regard.training.latest import load_latest
from tests.tiny import model_of, settings_of, vocabularies

FILES = ("model.toml", "source.json", "target.json", "tags.json", PARAMETERS, "training.jsonl",
         "card.md")  # fmt: skip
LOG = '{"epoch": 1, "is_best": true}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    saved = Saved(
        settings_of({}), vocabularies(True), model_of("lstm", True), {"seed": 0}, LOG, "# card\n"
    )
    save_model(tmp_path / "model", saved)
    return tmp_path / "model"


def sealed(folder: Path, tensors=None) -> None:
    """Make the checksums fit again, as somebody would who means harm."""
    tensors = load_file(folder / PARAMETERS) if tensors is None else tensors
    checksums = {
        name: checksum((folder / name).read_bytes()) for name in TABLES if (folder / name).exists()
    }
    checksums["tensors"] = tensors_checksum(tensors)
    save_file(tensors, folder / PARAMETERS, {"checksums": json.dumps(checksums)})


def refused(folder: Path) -> str:
    """The sentence with which loading is refused, without much memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(CheckpointError) as caught:
        load_model(folder)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB
    message = str(caught.value)
    assert str(folder) in message
    assert "\n" not in message
    assert len(message) < 600 + len(str(folder))
    return message


SETTINGS = {
    "a size beyond memory": ("embedding_size = 6", "embedding_size = 16384", "shape"),
    "a size beyond what is allowed": ("hidden_size = 4", "hidden_size = 999999999", "hidden_size"),
    "layers beyond the parameters": ("layers = 1", "layers = 64", "65 layers"),
    "members beyond the parameters": ("members = 1", "members = 64", "128 layers"),
    "an integer of many digits": ("hidden_size = 4", f"hidden_size = {'9' * 5000}", "digits"),
    "a NaN": ("length_ratio = 2.0", "length_ratio = nan", "finite"),
    "an infinity": ("length_ratio = 2.0", "length_ratio = inf", "finite"),
    "predictions without end": ("length_ratio = 2.0", "length_ratio = 1e300", "length_ratio"),
    "a deep nesting": ("[text]", f"x = {'[' * 50_000}\n[text]", "recursion"),
    "names without end": ("[text]", f"{'a.' * 500_000}a = 1\n[text]", "bytes"),
    "an unknown setting": ("[text]", "hook = 'os.system'\n[text]", "unknown setting hook"),
    "a value of many letters": ('unseen = "copy"', f'unseen = "{"x" * 50_000}"', "unseen"),
    "training that is no table": ("[training]\nseed = 0", "", "training holds"),
    "training with a date": ("seed = 0", "seed = 2000-01-01", "training holds"),
    "training with a NaN": ("seed = 0", "seed = nan", "training holds"),
    "a format that is no number": ("format = 2", "format = true", "expected a format number"),
    "no UTF-8": ("[text]", "# \udcff\n[text]", "utf-8"),
    "an empty file": (None, "", "format"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(folder, name):
    old, new, message = SETTINGS[name]
    path = folder / "model.toml"
    text = path.read_text()
    assert old is None or old in text
    text = "" if old is None else text.replace(old, new, 1)
    text = f"training = 3\n{text}" if "no table" in name else text
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    sealed(folder)
    assert message in refused(folder)


VOCABULARIES = {
    "duplicates": ('["a", 1]', '["b", 1]', "distinct"),
    "another type": ('["a", 1]', "[7, 1]", "expected a symbol"),
    "half a character": ('["a", 1]', '["\\ud800", 1]', "expected a symbol"),
    "a count without end": ('["a", 1]', '["a", 1e999]', "expected a symbol"),
    "a count that is none": ('["a", 1]', '["a", NaN]', "expected a symbol"),
    "a count of many digits": ('["a", 1]', f'["a", {"9" * 5000}]', "digits"),
    "a row of three": ('["a", 1]', '["a", 1, 2]', "no vocabulary"),
    "another start": ("<padding>", "../../etc/passwd", "special"),
    "a deep nesting": ('["a", 1]', "[" * 100_000, "no vocabulary"),
    "more symbols than parameters": ('["a", 1]', '["a", 1], ["../../x", 1]', "shape"),
    "an empty file": (None, "", "no vocabulary"),
    "another kind": (None, "[]", "no vocabulary"),
    "no UTF-8": (None, "\udcff", "utf-8"),
}


@pytest.mark.parametrize("file", ["source.json", "target.json", "tags.json"])
@pytest.mark.parametrize("name", VOCABULARIES)
def test_vocabularies(folder, name, file):
    old, new, message = VOCABULARIES[name]
    path = folder / file
    text = path.read_text().replace('["N", 1]', '["a", 1]').replace('["V", 1]', '["b", 1]')
    text = new if old is None else text.replace(old, new, 1)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    sealed(folder)
    assert message in refused(folder)


def test_vocabularies_that_were_mixed_up(folder):
    shutil.copy(folder / "tags.json", folder / "source.json")
    sealed(folder)
    assert "shape" in refused(folder)


TENSORS = {
    "a path for a name": lambda t: t | {"../../../etc/passwd": torch.ones(2)},
    "a name of many letters": lambda t: t | {"x" * 50_000: torch.ones(2)},
    "one missing": lambda t: dict(list(t.items())[1:]),
    "none": lambda t: {},
    "one of another shape": lambda t: t | {next(iter(t)): torch.ones(3, 3, 3)},
    "one of nothing": lambda t: t | {next(iter(t)): torch.ones(0)},
    "one of whole numbers": lambda t: t | {next(iter(t)): next(iter(t.values())).long()},
    "one of complex numbers": lambda t: t | {next(iter(t)): next(iter(t.values())) * 1j},
    "one of NaN": lambda t: t | {next(iter(t)): next(iter(t.values())) * float("nan")},
    "one of infinity": lambda t: t | {next(iter(t)): next(iter(t.values())) / 0},
}


@pytest.mark.parametrize("name", TENSORS)
def test_tensors(folder, name):
    sealed(folder, TENSORS[name](load_file(folder / PARAMETERS)))
    message = refused(folder)
    assert "parameter" in message


HEADERS = {
    "beyond the file": (2**62).to_bytes(8, "little") + b"{}",
    "huge tensors": {"x": {"dtype": "F32", "shape": [2**40, 2**20], "data_offsets": [0, 4]}},
    "sizes that overflow": {"x": {"dtype": "F32", "shape": [2**63, 4], "data_offsets": [0, 0]}},
    "sizes below nothing": {"x": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}},
    "an unknown kind": {"x": {"dtype": "OBJECT", "shape": [1], "data_offsets": [0, 4]}},
    "checksums of another kind": {"__metadata__": {"checksums": "[1, 2]"}},
    "checksums that nest": {"__metadata__": {"checksums": "[" * 100_000}},
    "no JSON": (3).to_bytes(8, "little") + b"abc",
    "nothing": b"",
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers(folder, name):
    header = HEADERS[name]
    if isinstance(header, dict):
        text = json.dumps(header).encode()
        header = len(text).to_bytes(8, "little") + text + b"\0" * 4
    (folder / PARAMETERS).write_bytes(header)
    assert "is damaged" in refused(folder)


class Spring:
    """A pickle that says so when it is opened."""

    opened: list[str] = []  # noqa: RUF012

    def __reduce__(self):
        return Spring.opened.append, ("opened",)


@pytest.mark.parametrize("name", FILES)
def test_a_pickle_under_any_name_is_not_opened(folder, name):
    Spring.opened.clear()
    content = pickle.dumps(Spring())
    Spring.opened.clear()
    (folder / name).write_bytes(content)
    if name in (PARAMETERS, *TABLES):
        refused(folder)
    elif name == "training.jsonl":
        load_or_refuse(folder)
    torch.save(Spring(), folder / name)
    load_or_refuse(folder)
    assert Spring.opened == []


def load_or_refuse(folder: Path) -> Saved | None:
    try:
        return load_model(folder)
    except CheckpointError:
        return None


class TestLinks:
    @pytest.mark.parametrize("name", FILES)
    def test_out_of_the_folder_are_not_followed(self, folder, tmp_path, name):
        outside = tmp_path / "secret"
        (folder / name).rename(outside)
        (folder / name).symlink_to(outside)
        assert f"{folder / name}: leads out of its folder" in refused(folder)

    def test_out_of_the_folder_are_not_followed_for_resuming(self, folder, tmp_path):
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "state.safetensors").write_bytes(b"x")
        (folder / "latest").symlink_to(tmp_path / "other")
        with pytest.raises(CheckpointError, match="leads out of its folder"):
            load_latest(folder)

    def test_to_themselves_and_pipes_and_folders(self, folder):
        (folder / "card.md").unlink()
        (folder / "card.md").symlink_to("card.md")
        refused(folder)
        (folder / "card.md").unlink()
        os.mkfifo(folder / "card.md")
        assert "expected a file" in refused(folder)
        (folder / "card.md").unlink()
        (folder / "card.md").mkdir()
        assert "expected a file" in refused(folder)

    def test_to_the_folder_itself_are_followed(self, folder, tmp_path):
        (tmp_path / "link").symlink_to(folder)
        assert load_model(tmp_path / "link").card == "# card\n"


@st.composite
def damages(draw: st.DrawFn, content: bytes) -> bytes:
    """The content with some of its bytes flipped, cut off, or put in."""
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(changed)))
        kind = draw(st.sampled_from(["flip", "cut", "insert"]))
        if kind == "flip" and place < len(changed):
            changed[place] ^= draw(st.integers(1, 255))
        elif kind == "cut":
            del changed[place : place + draw(st.integers(1, 100_000))]
        else:
            changed[place:place] = draw(st.binary(min_size=1, max_size=20))
    return bytes(changed)


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_anywhere_is_found_or_harmless(folder, name, data):
    """The log and the card are for people: what they say is not vouched for, and changes nothing."""
    content = (folder / name).read_bytes()
    before = load_model(folder)
    try:
        (folder / name).write_bytes(data.draw(damages(content)))
        after = load_or_refuse(folder)
    finally:
        (folder / name).write_bytes(content)
    if after is not None:
        assert (after.settings, after.vocabularies) == (before.settings, before.vocabularies)
        assert after.training == before.training
        state = after.model.state_dict()
        assert all(
            torch.equal(tensor, state[key]) for key, tensor in before.model.state_dict().items()
        )
        assert name == "card.md" or after.card == before.card
        assert name == "training.jsonl" or after.log == before.log


def test_what_settings_cannot_say_is_refused_before_it_is_saved():
    """JSON's Infinity is not TOML's: a folder that held it could not be read again."""
    from regard import RunSettings, SettingsError

    for value in ("inf", "nan", "-inf"):
        with pytest.raises(SettingsError, match=r"training\.clip is .*finite"):
            RunSettings().changed(f"training.clip={value}")


def test_a_folder_caught_between_two_renames_where_nothing_may_be_written(folder, monkeypatch):
    folder.rename(checkpoint.previous_of(folder))

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(CheckpointError, match="Permission denied"):
        load_model(folder)
