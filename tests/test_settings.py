import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard import RunSettings, SettingsError
from regard.settings import read_toml, to_toml

TYPOS = {
    "decoder.attenton=dot": "unknown setting decoder.attenton; did you mean 'attention'?",
    "decodr.attention=dot": "unknown setting decodr; did you mean 'decoder'?",
    "training.epoch=3": "did you mean 'epochs'?",
    "encoder.hiden_size=3": "did you mean 'hidden_size'?",
    "xyzzy=1": "unknown setting xyzzy; there are",
    "training.epochs.more=1": "training",
    "decoder.attention=dots": "decoder.attention",
    "training.epochs=-1": "training.epochs is -1",
    "training.epochs=2.5": "training.epochs is 2.5",
    "training.epochs=many": "training.epochs is 'many'",
    "encoder.dropout=1.5": "encoder.dropout is 1.5",
    "decoder.input_feeding=1": "decoder.input_feeding is 1",
    "epochs": "expected NAME=VALUE",
}


@pytest.mark.parametrize("assignment", TYPOS)
def test_a_wrong_setting_is_refused_with_what_was_expected(assignment):
    with pytest.raises(SettingsError) as caught:
        RunSettings().changed(assignment)
    assert TYPOS[assignment] in str(caught.value)


def test_values_are_read_as_toml_or_as_text():
    settings = RunSettings().changed("training.learning_rate=0.01").changed("text.unseen=error")
    settings = settings.changed("decoder.input_feeding=true").changed('text.columns="1,2,3"')
    assert settings.training.learning_rate == 0.01
    assert settings.text.unseen == "error"
    assert settings.decoder.input_feeding is True
    assert settings.text.columns == "1,2,3"


def test_what_was_said_is_known_from_what_is_usual():
    usual = RunSettings()
    assert usual.said() == {}
    said = usual.changed("training.seeds=1").changed("decoder.attention=dot")
    assert said.said() == {"training.seeds": 1, "decoder.attention": "dot"}
    assert said.flat() == usual.flat() | {"decoder.attention": "dot"}
    assert RunSettings.of({"training": {"seed": 0}}).said() == {"training.seed": 0}


def test_settings_are_frozen():
    with pytest.raises(ValueError, match="frozen"):
        RunSettings().length_ratio = 3.0


def test_toml_there_and_back(tmp_path):
    settings = RunSettings().changed("training.epochs=7").changed("decoder.attention=concat")
    path = tmp_path / "run.toml"
    path.write_text(settings.to_toml(), encoding="utf-8")
    assert RunSettings.of(read_toml(path)) == settings


texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.dictionaries(
        st.from_regex(r"[a-z_]+", fullmatch=True),
        st.one_of(texts, st.integers(-(2**63), 2**63 - 1), st.booleans(), st.lists(texts)),
    )
)
def test_any_plain_table_survives_toml(table):
    import tomllib

    assert tomllib.loads(to_toml({"part": table}))["part"] == table


def test_a_file_that_is_no_toml_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="No such file"):
        read_toml(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("a = ")
    with pytest.raises(SettingsError, match=r"bad\.toml"):
        read_toml(tmp_path / "bad.toml")
