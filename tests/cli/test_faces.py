"""The faces of lessons, server and comparison: as a person types them."""

import json
import socket

import pytest

from regard.cli import main
from regard.learn import TOPICS
from tests.web.served import predictor


class TestLearn:
    def test_the_topics_are_listed(self, capsys):
        assert main(["learn"]) == 0
        told = capsys.readouterr().out
        assert [line.split()[2] for line in told.splitlines()[1:]] == list(TOPICS)
        assert main(["learn", "--json"]) == 0
        assert list(json.loads(capsys.readouterr().out)) == list(TOPICS)

    @pytest.mark.parametrize("width", ["20", "40", "80", "200"])
    @pytest.mark.parametrize("topic", ["similarity", "context", "masks", "scaling"])
    def test_a_lesson_fits_any_width_and_is_plain_when_piped(
        self, topic, width, capsys, monkeypatch
    ):
        monkeypatch.setenv("COLUMNS", width)
        assert main(["learn", topic]) == 0
        told = capsys.readouterr().out
        assert "\x1b" not in told
        assert "…" not in told
        if width == "200":
            assert max(map(len, told.splitlines())) <= 200

    def test_it_can_be_told_in_ascii(self, capsys, monkeypatch):
        monkeypatch.setattr("regard.cli.learning.is_unicode", lambda _: False)
        assert main(["learn", "softmax"]) == 0
        assert "▃" not in capsys.readouterr().out

    def test_json_holds_every_number_by_its_name(self, capsys):
        assert main(["learn", "softmax", "--json"]) == 0
        table = json.loads(capsys.readouterr().out)
        assert [round(weight, 3) for weight in table["weights"]] == [0.443, 0.297, 0.18, 0.081]

    def test_an_unknown_topic_is_exit_code_two(self, capsys):
        assert main(["learn", "sofmax"]) == 2
        assert "expected similarity, softmax" in capsys.readouterr().err


class TestServe:
    def test_a_port_that_is_taken(self, capsys):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            assert main(["serve", "--port", str(port)]) == 2
        assert f"cannot listen at 127.0.0.1:{port}" in capsys.readouterr().err

    def test_a_folder_that_is_none_and_one_given_twice(self, tmp_path, capsys):
        assert main(["serve", str(tmp_path / "none")]) == 1
        predictor().save(tmp_path / "model")
        assert main(["serve", str(tmp_path / "model"), str(tmp_path / "model")]) == 2
        assert "is given twice" in capsys.readouterr().err

    def test_a_setting_that_is_none(self, capsys):
        assert main(["serve", "--set", "longst=3"]) == 2
        assert "longest" in capsys.readouterr().err

    def test_without_its_extra(self, capsys, monkeypatch):
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        assert main(["serve"]) == 1
        assert "pip install 'regard[serve]'" in capsys.readouterr().err


class TestCompare:
    @pytest.fixture
    def models(self, tmp_path):
        predictor().save(tmp_path / "one")
        predictor("transformer").save(tmp_path / "two")
        own = predictor()
        rows = ["abc", "hgf", "aab", "bcd"]
        pairs = tmp_path / "pairs.tsv"
        pairs.write_text("".join(f"{row}\t{own.predict(row).text}\n" for row in rows))
        return [str(tmp_path / "one"), str(tmp_path / "two"), str(pairs)]

    def test_the_difference_is_told(self, models, capsys):
        assert main(["compare", *models]) == 0
        told = capsys.readouterr().out
        assert "only the first 4, only the second 0" in told
        assert "second less first" in told
        assert "only the first is right" in told

    def test_json_holds_both_and_their_difference(self, models, capsys):
        assert main(["compare", *models, "--json"]) == 0
        table = json.loads(capsys.readouterr().out)
        assert table["first"]["accuracy"]["value"] == 1
        assert table["difference"]["accuracy"]["value"] == -1
        assert table["first_only"] == len(table["cases"]["first_only"]) == 4

    def test_one_twice_is_refused(self, models, capsys):
        assert main(["compare", models[0], models[0], models[2]]) == 2
        assert "found one twice" in capsys.readouterr().err
