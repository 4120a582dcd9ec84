import dataclasses
import json
import os
import shutil
from pathlib import Path

import pytest
import torch

from regard import Attention, CheckpointError, DotScore, SettingsError
from regard.model import (
    FORMAT,
    DecoderSettings,
    EncoderSettings,
    ModelSettings,
    Saved,
    build,
    checkpoint,
    load_model,
    recover,
    save_model,
)
from tests.tiny import KINDS, model_of, settings_of, sources, vocabularies


def saved_of(kind: str = "lstm", tags: bool = False, seed: int = 0) -> Saved:
    return Saved(
        settings_of(KINDS[kind]),
        vocabularies(tags),
        model_of(kind, tags, seed),
        {"seed": seed, "train": "train.tsv"},
        '{"epoch": 1}\n',
        "# card\n",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_model(tmp_path / "model", saved_of())
    return tmp_path / "model"


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_saved_and_loaded_is_the_same(tmp_path, kind, tags):
    saved = saved_of(kind, tags)
    save_model(tmp_path / "model", saved)
    again = load_model(tmp_path / "model")
    assert again.settings == saved.settings
    assert again.vocabularies == saved.vocabularies
    assert (dict(again.training), again.log, again.card) == (
        dict(saved.training),
        saved.log,
        saved.card,
    )
    source = sources(3, 5, tags=tags)
    inputs = torch.full((2, 3), 4)
    assert torch.equal(saved.model(source, inputs).logits, again.model(source, inputs).logits)
    assert not again.model.training


def test_saving_again_replaces_the_whole_folder(folder):
    save_model(folder, saved_of("additive", seed=3))
    assert load_model(folder).settings.decoder.attention == "additive"
    assert sorted(path.name for path in folder.parent.iterdir()) == ["model"]


class TestDamage:
    @pytest.mark.parametrize("place", [0.02, 0.3, 0.6, 0.98])
    @pytest.mark.parametrize(
        "name", ["parameters.safetensors", "model.toml", "source.json", "target.json"]
    )
    def test_a_flipped_byte_is_found(self, folder, name, place):
        content = bytearray((folder / name).read_bytes())
        content[int(len(content) * place)] ^= 1
        (folder / name).write_bytes(content)
        with pytest.raises(CheckpointError, match=str(folder)):
            load_model(folder)

    @pytest.mark.parametrize("kept", [0, 7, 100, 2000])
    def test_truncated_parameters_are_found(self, folder, kept):
        path = folder / "parameters.safetensors"
        path.write_bytes(path.read_bytes()[:kept])
        with pytest.raises(CheckpointError, match="damaged"):
            load_model(folder)

    @pytest.mark.parametrize(
        "name", ["parameters.safetensors", "model.toml", "source.json", "target.json"]
    )
    def test_a_missing_file_is_named(self, folder, name):
        (folder / name).unlink()
        with pytest.raises(CheckpointError, match=name):
            load_model(folder)

    def test_vocabularies_of_another_model_are_found(self, folder, tmp_path):
        save_model(tmp_path / "other", saved_of(tags=True))
        shutil.copy(tmp_path / "other" / "tags.json", folder)
        with pytest.raises(CheckpointError, match=r"tags\.json: is not the file"):
            load_model(folder)

    def test_no_folder_and_no_model_folder(self, tmp_path):
        with pytest.raises(CheckpointError, match="no such folder"):
            load_model(tmp_path / "none")
        with pytest.raises(CheckpointError, match="no model folder"):
            load_model(tmp_path)

    def test_a_newer_format_is_refused_with_the_version_that_is_needed(self, folder):
        path = folder / "model.toml"
        text = path.read_text().replace(f"format = {FORMAT}", f"format = {FORMAT + 1}")
        path.write_text(text.replace('regard = "', 'regard = "9.'))
        with pytest.raises(CheckpointError, match=r"regard 9\.\S+ or newer is needed"):
            load_model(folder)
        path.write_text("regard = 1\n")
        with pytest.raises(CheckpointError, match="expected a format number"):
            load_model(folder)

    def test_a_pickle_under_a_parameters_name_is_not_opened(self, folder):
        torch.save({"x": torch.ones(1)}, folder / "parameters.safetensors")
        with pytest.raises(CheckpointError, match="damaged"):
            load_model(folder)


class TestCrashes:
    @pytest.mark.parametrize("call", ["replace", "fsync"])
    def test_a_full_disk_leaves_the_old_model(self, folder, monkeypatch, call):
        def full(*_):
            raise OSError(28, "No space left on device")

        before = load_model(folder).settings
        monkeypatch.setattr(os, call, full)
        with pytest.raises(CheckpointError, match="No space left on device"):
            save_model(folder, saved_of("additive"))
        monkeypatch.undo()
        assert load_model(folder).settings == before
        assert [path.name for path in folder.parent.iterdir()] == ["model"]

    def test_a_crash_between_two_renames_is_put_right(self, folder):
        folder.rename(checkpoint.previous_of(folder))
        recover(folder)
        assert load_model(folder).card == "# card\n"

    def test_a_failing_rename_puts_the_old_model_back(self, folder, monkeypatch):
        rename, calls = Path.rename, []

        def second_fails(path, target):
            calls.append(target)
            if len(calls) == 2:
                raise OSError(5, "Input/output error")
            return rename(path, target)

        monkeypatch.setattr(Path, "rename", second_fails)
        with pytest.raises(CheckpointError, match="Input/output error"):
            save_model(folder, saved_of("additive"))
        assert load_model(folder).settings.decoder.attention == "scaled dot"

    def test_a_folder_that_is_no_model_is_not_replaced(self, tmp_path):
        (tmp_path / "notes").mkdir()
        (tmp_path / "notes" / "thesis.txt").write_text("all my work")
        with pytest.raises(CheckpointError, match="exists and is no model folder"):
            save_model(tmp_path / "notes", saved_of())
        assert (tmp_path / "notes" / "thesis.txt").exists()


IMPOSSIBLE = {
    "unlike sizes": ({"decoder.hidden_size": 6}, "compares like with like"),
    "coverage of a dot score": ({"decoder.coverage": True}, "needs an additive or concat score"),
    "nothing to feed": (
        {"decoder.attention": "none", "decoder.input_feeding": True}, "never looks back"),
    "nothing to bias": ({"decoder.attention": "none", "decoder.relative_bias": True}, "never looks back"),
    "a transformer with a relative bias": (
        {"decoder.kind": "transformer", "decoder.relative_bias": True}, "recurrent decoders"),
    "a transformer that adds": (
        {"decoder.kind": "transformer", "decoder.attention": "additive"}, "scaled dot and softmax"),
    "a transformer that feeds": (
        {"decoder.kind": "transformer", "decoder.input_feeding": True}, "recurrent decoders"),
    "heads that do not divide": (
        {"encoder.kind": "transformer", "encoder.hidden_size": 6, "encoder.heads": 4}, "divide"),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_settings_that_contradict_each_other_are_refused(name):
    options, message = IMPOSSIBLE[name]
    with pytest.raises(SettingsError, match=message):
        build(settings_of(options), vocabularies())


def test_an_open_size_is_refused():
    with pytest.raises(SettingsError, match=r"encoder\.hidden_size is open"):
        build(ModelSettings(), vocabularies())


@pytest.mark.parametrize(
    ("side", "name"),
    [
        (side, name)
        for side, kind in (("encoder", EncoderSettings), ("decoder", DecoderSettings))
        for name, field in kind.model_fields.items()
        if field.default is None
    ],
)
def test_a_setting_that_was_lost_on_the_way_is_refused_and_gives_no_other_model(side, name):
    whole = settings_of({})
    inner = vars(whole)[side].model_copy(update={name: None})
    with pytest.raises(SettingsError, match=rf"{side}\.{name} is open"):
        build(whole.model_copy(update={side: inner}), vocabularies())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "lstm"])
def test_every_option_changes_what_it_claims_to_change(kind):
    plain, other = model_of("lstm"), model_of(kind)
    source, inputs = sources(4, 4), torch.full((2, 3), 4)
    assert not torch.allclose(plain(source, inputs).logits, other(source, inputs).logits)


GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize("name", ["model-format-1", "model-format-2"])
def test_folders_of_every_released_format_load_and_predict_as_they_did(name):
    saved = load_model(GOLDEN / name)
    expected = json.loads((GOLDEN / f"{name}.json").read_text())
    source = sources(*expected["lengths"], tags=True)
    logits = saved.model(source, torch.tensor(expected["inputs"])).logits
    torch.testing.assert_close(logits, torch.tensor(expected["logits"]), atol=1e-4, rtol=1e-4)
    assert dataclasses.is_dataclass(saved)


def test_a_model_whose_look_was_replaced_is_not_saved(tmp_path):
    """Its folder would give another model back, without a word."""
    model = model_of("lstm")
    model.decoder.attention = Attention(DotScore())
    with pytest.raises(CheckpointError, match=r"decoder\.attention\.score is DotScore, but"):
        save_model(tmp_path / "model", Saved(settings_of({}), vocabularies(), model))
    assert not (tmp_path / "model").exists()
