"""N lines in, N lines out: whatever the lines hold."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from regard import DataError, Predictor, Vocabulary, VocabularyError
from regard.cli import main
from regard.model import Saved, Vocabularies, build, save_model
from regard.predictor.reader import Reader
from regard.text import Pair
from tests.tiny import KINDS, model_of, settings_of, vocabularies

LONGEST = 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Untrained models: what they write does not matter."""
    folder = tmp_path_factory.mktemp("predict")
    for kind, tags in (("lstm", False), ("none", False), ("lstm", True)):
        name = "tagged" if tags else kind
        short = settings_of(KINDS[kind] | {"length_ratio": 0.02})
        save_model(folder / name, Saved(short, vocabularies(tags), model_of(kind, tags)))
    return folder


def predicted(folder: Path, content: bytes, *options: str) -> tuple[list[str], int]:
    """The lines that come out, and the exit code."""
    path, out = folder / "in", folder / "out"
    path.write_bytes(content)
    code = main(["predict", str(folder / "lstm"), str(path), "-o", str(out), *options])
    return out.read_bytes().decode().removesuffix("\n").split("\n"), code


ODD = st.sampled_from([
    "", " ", "\u2028", "\u2029", "\x00", "\x0b\x0c\x1c\x1d\x1e", "\x85", "\ufeff", "\u00a0", "\u200b",
    "شكراً", "‮abc‬", "👩🏽‍🚀👨‍👩‍👧‍👦", "e\u0301", "\u0301", "\u1112\u1161\u11ab", "한글", "\U0010ffff",
    "\ufdd0", "a" * (LONGEST + 1), "é" * LONGEST, '"', "'", "\\n", "abc",
])  # fmt: skip
LINES = st.lists(
    st.lists(
        st.one_of(ODD, st.text(st.characters(exclude_categories=["Cs"],
                                             exclude_characters="\n\t"), max_size=8)),
        max_size=4,
    ).map("".join), min_size=1, max_size=8,
)  # fmt: skip


class TestWhateverTheLinesHold:
    @settings(max_examples=40)
    @given(lines=LINES, n_best=st.sampled_from([1, 2]))
    @example(lines=["\ufeff\ufeff", "a\rb\r\r", "\x00", "x" * 5000], n_best=1)
    def test_an_object_a_line_and_every_span_is_the_users_own(self, folder, lines, n_best):
        content = "\n".join(lines)
        looks = folder / "looks"
        rows, _ = predicted(
            folder, f"{content}\n".encode(), "--format", "jsonl", "--alignments", str(looks),
            "--longest", str(LONGEST), "--n-best", str(n_best),
        )  # fmt: skip
        # By another route than the reader's: Python's universal line ends.
        expected = re.sub(r"\r\n?", "\n", content.removeprefix("\ufeff") + "\n")[:-1].split("\n")
        drawn = [json.loads(row) for row in looks.read_text("utf-8").removesuffix("\n").split("\n")]
        assert len(rows) == len(expected) == len(drawn)
        for line, row, look in zip(expected, map(json.loads, rows), drawn, strict=True):
            if row["log_prob"] is None:
                reasons = {"blank", f"longer than {LONGEST} symbols"}
                assert row["reason"] == look["reason"]
                assert row["reason"] in reasons
                assert row["source"] == ("" if row["reason"] == "blank" else line)
                assert (row["target"], look["weights"]) == ("", [])
                continue
            assert row["source"] == line
            assert all(line[one["start"] : one["end"]] == one["symbol"] for one in row["unseen"])
            symbols = [
                text
                for text, role in zip(look["source"], look["source_roles"], strict=True)
                if role == "content"
            ]
            assert "".join(symbols) == line
            assert np.array(look["weights"]).shape == (len(look["target"]), len(look["source"]))

    @settings(max_examples=40)
    @given(lines=LINES, form=st.sampled_from(["text", "tsv"]), scores=st.booleans())
    def test_a_line_a_line(self, folder, lines, form, scores):
        content = "\n".join(lines)
        given_options = ["--format", form, "--longest", str(LONGEST), *(["--scores"] * scores)]
        rows, _ = predicted(folder, f"{content}\n".encode(), *given_options)
        text = re.sub(r"\r\n?", "\n", content.removeprefix("\ufeff") + "\n")[:-1]
        assert len(rows) == text.count("\n") + 1

    @settings(max_examples=40)
    @given(
        source=st.one_of(ODD, st.text(st.characters(exclude_categories=["Cs"]), max_size=40)),
        tags=st.sampled_from([(), ("V",), ("?",)]),
        policy=st.sampled_from(["copy", "error"]),
        has_tags=st.booleans(),
    )
    def test_what_is_refused_of_a_line_has_a_reason(self, source, tags, policy, has_tags):
        model = Saved(settings_of({}), vocabularies(has_tags), model_of("lstm", has_tags))
        predictor = Predictor(model).with_text(longest=LONGEST, unseen=policy)
        pair = Pair(source, "", tags if has_tags else ())
        reasons = rf"blank|longer than {LONGEST} symbols|no tags"
        if policy == "error":
            reasons += r"|unseen symbol .* at place \d+|an unseen tag"
        try:
            read, reason = predictor.reader.read(pair).source, None
        except (DataError, VocabularyError) as error:
            read, reason = None, error.reason
        assert read == source or re.fullmatch(reasons, reason, re.DOTALL)

    def test_each_line_is_cut_once(self, folder, monkeypatch):
        cut: list[str] = []
        read = Reader.read

        def counted(reader: Reader, pair: Pair):
            cut.append(pair.source)
            return read(reader, pair)

        lines = ["abc", "", "a" * 31, "ab", "ß"]
        monkeypatch.setattr(Reader, "read", counted)
        predicted(folder, "\n".join(lines).encode(), "--longest", "30", "--unseen", "error")
        assert cut == [line for line in lines if line]


class TestWhereSourcesAndTagsStand:
    """The options of columns say in `predict` what they say in every other command."""

    @pytest.fixture
    def named(self, folder) -> Path:
        options = {"text.columns": "source=word,target=phones,tags=forms", "length_ratio": 0.02}
        save_model(
            folder / "named",
            Saved(settings_of(options), vocabularies(True), model_of("lstm", True)),
        )
        return folder / "named"

    def written(self, folder: Path, model: str, name: str, content: str, *options: str):
        """What is written for a file, and the exit code."""
        (folder / name).write_text(content)
        code = main(["predict", str(folder / model), str(folder / name), "-o", str(folder / "out"),
                     "--refused", "stop", "--scores", *options])  # fmt: skip
        return (folder / "out").read_text() if code == 0 else "", code

    def expected(self, model: Path) -> str:
        prediction = Predictor.load(model).predict("abc", tags="V")
        return f"{prediction.text}\t{prediction.log_prob:.6f}\n"

    @pytest.mark.parametrize(
        ("content", "options"),
        [
            ("abc\tV\n", []),
            ("abc\tV\n", ["--tags-column", "2"]),
            ("abc\tx\tV\n", ["--tags-column", "3"]),
            ("abc\tx\tV\n", ["--tags-column"]),
            ("abc\tx\ty\tV\n", ["--tags-column", "4"]),
            ("abc\tx\tV\ty\n", ["--tags-column", "3"]),
            ("abc\tx\tV\n", ["--columns", "1,2", "--tags-column", "3"]),
            ("x\tabc\tV\n", ["--columns", "target,source", "--tags-column", "3"]),
            ("x\tabc\tV\n", ["--columns", "2,1,3"]),
            ("V\tx\tabc\n", ["--columns", "tags,target,source"]),
        ],
    )
    def test_tags_are_read_where_they_are_said_to_be(self, folder, named, content, options):
        expected = self.expected(folder / "tagged")
        for model in ("tagged", "named"):
            found = self.written(folder, model, "t.tsv", content, *options)
            assert found == (expected, 0)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--columns", "source=word,tags=f", "--tags-column", "9"], "as tags=NAME"),
            (["--columns", "1,2", "--tags-column", "2"], "found that of the target"),
            (["--columns", "1,2", "--tags-column", "1"], "found that of the source"),
            (["--tags-column", "1"], "found that of the source"),
        ],
    )
    @pytest.mark.parametrize("command", ["predict", "evaluate", "align", "score", "inspect"])
    def test_what_one_command_refuses_they_all_do(self, folder, command, options, message, capsys):
        (folder / "t.tsv").write_text("abc\tab\tV\n")
        assert main([command, str(folder / "tagged"), str(folder / "t.tsv"), *options]) == 2
        assert message in capsys.readouterr().err

    def test_names_are_those_of_training_unless_others_are_said(self, folder, named):
        row = '{"word": "abc", "phones": "ab", "forms": ["V"]}\n'
        expected = self.expected(named)
        assert self.written(folder, "named", "t.jsonl", row) == (expected, 0)
        assert main(["evaluate", str(named), str(folder / "t.jsonl")]) == 0
        other = '{"form": "abc", "tags": "V"}\n'
        given_options = ["--columns", "source=form"]
        found = self.written(folder, "named", "t.jsonl", other, *given_options)
        assert found == (expected, 0)
        assert self.written(folder, "named", "t.jsonl", other)[1] == 1
        assert self.written(folder, "named", "t.tsv", "abc\tV\n") == (expected, 0)


class TestLinesThatCannotBePredicted:
    def test_one_of_five_thousand_symbols_is_answered_with_a_reason(self, folder, capsys):
        content = b"abc\n\n" + b"a" * 5000 + b"\nab\n"
        rows, code = predicted(folder, content, "--format", "jsonl")
        table = json.loads(rows[2])
        assert (len(rows), code) == (4, 0)
        assert table == {
            "source": "a" * 5000,
            "target": "",
            "log_prob": None,
            "reason": "longer than 2000 symbols",
            "unseen": [],
        }
        assert json.loads(rows[3])["log_prob"] < 0
        assert (
            "1 of the lines were answered with nothing; the first is line 3: longer than 2000"
            in (capsys.readouterr().err)
        )
        assert predicted(folder, content, "--format", "tsv")[0][2] == "a" * 5000 + "\t"
        assert predicted(folder, content)[0][2] == ""

    def test_the_limit_of_a_run_is_not_that_of_the_model(self, folder):
        content = b"a" * 2500 + b"\n"
        rows, code = predicted(folder, content, "--longest", "2600", "--format", "jsonl")
        assert code == 0
        assert json.loads(rows[0])["log_prob"] < 0

    def test_a_run_may_stop_there_instead(self, folder, capsys):
        (folder / "out").unlink(missing_ok=True)
        path = folder / "long"
        path.write_bytes(b"abc\n" + b"a" * 5000 + b"\n")
        code = main(["predict", str(folder / "lstm"), str(path), "-o", str(folder / "out"),
                     "--refused", "stop"])  # fmt: skip
        assert code == 1
        assert "long, line 2: expected a source of at most 2000" in capsys.readouterr().err
        assert not (folder / "out").exists()

    def test_one_without_tags_where_others_have_some(self, folder, capsys):
        path = folder / "tags.tsv"
        path.write_text("abc\tV\nabc\t\n\nabc\tN\n")
        assert main(["predict", str(folder / "tagged"), str(path), "--format", "jsonl",
                     "-o", str(folder / "out")]) == 0  # fmt: skip
        rows = [json.loads(line) for line in (folder / "out").read_text().splitlines()]
        assert [row.get("reason") for row in rows] == [None, "no tags", "blank", None]
        assert "line 2: no tags" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("content", "message"),
        [("abc\nabc\tx\n", "line 2: expected 1 column, found 2"), ("abc\n\xff", "expected UTF-8")],
    )
    def test_a_file_that_is_laid_out_otherwise_is_refused(self, folder, capsys, content, message):
        (folder / "other").write_bytes(content.encode("latin-1"))
        assert main(["predict", str(folder / "lstm"), str(folder / "other")]) == 1
        assert message in capsys.readouterr().err

    def test_where_none_could_be_predicted_the_exit_code_says_so(self, folder):
        rows, code = predicted(folder, b"a" * 5000 + b"\n\n")
        assert (rows, code) == (["", ""], 1)
        assert predicted(folder, b"\n\n") == (["", ""], 0)


class TestTheLimitOfAModel:
    """Whoever meets it is told what lifts it, and can."""

    @pytest.fixture
    def files(self, tmp_path) -> list[str]:
        for name, kind in (("short", "lstm"), ("other", "gru")):
            short = settings_of(KINDS[kind] | {"text.longest": 4, "length_ratio": 0.02})
            save_model(tmp_path / name, Saved(short, vocabularies(), model_of(kind)))
        (tmp_path / "long.tsv").write_text("abcde\tab\n")
        (tmp_path / "target.tsv").write_text("ab\tabcde\n")
        (tmp_path / "long.txt").write_text("abcde\n")
        return [
            str(tmp_path / name)
            for name in ("short", "other", "long.tsv", "target.tsv", "long.txt")
        ]

    @pytest.mark.parametrize("name", ["align", "score", "evaluate", "inspect", "compare", "show",
                                      "show target", "predict", "align target"])  # fmt: skip
    def test_every_command_lifts_it(self, files, name, capsys):
        model, other, long, target, text = files
        words = {
            "compare": ["compare", model, other, long],
            "show": ["show", model, "abcde"],
            "show target": ["show", model, "ab", "--target", "abcde"],
            "predict": ["predict", model, text, "--refused", "stop"],
            "align target": ["align", model, target],
        }.get(name, [name, model, long])
        assert main(words) == 1
        told = capsys.readouterr().err
        side = "target" if "target" in name else "source"
        assert f"expected a {side} of at most 4 symbols, found 5" in told
        assert "--longest N or with_text(longest=N) replaces for one run" in told
        assert main([*words, "--longest", "5"]) == 0

    def test_a_program_does_so_too(self, files):
        predictor = Predictor.load(files[0])
        with pytest.raises(DataError, match=r"with_text\(longest=N\)"):
            predictor.predict("abcde")
        assert predictor.with_text(longest=5).predict("abcde").source == "abcde"


class TestUnseenSymbolsInOneRun:
    def test_error_answers_the_line_with_the_symbol_and_goes_on(self, folder, capsys):
        content = "abc\nabß\nab\n".encode()
        rows, code = predicted(folder, content, "--unseen", "error", "--format", "jsonl")
        reasons = [json.loads(row).get("reason") for row in rows]
        assert (reasons, code) == ([None, "unseen symbol 'ß' at place 2", None], 0)
        assert "answered with nothing; the first is line 2" in capsys.readouterr().err

    def test_every_policy_overrides_the_models(self):
        model = model_of("lstm")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "regard.predictor.writer.Writer._symbols",
                lambda self, asked, hypothesis: [self.unseen],
            )
            predictor = Predictor(Saved(settings_of({}), vocabularies(), model))
            for policy in ("copy", "unknown"):
                assert predictor.with_text(unseen=policy).predict("ß").text == policy
        assert predictor.settings.text.unseen == "copy"
        with pytest.raises(VocabularyError):
            predictor.with_text(unseen="error").predict("ß")


def test_targets_of_several_lines_do_not_shift_those_after_them(tmp_path, capsys):
    """A program may have trained a model whose symbols no line can hold."""
    symbols = Vocabulary.of(["\n", "\t"])
    known = Vocabularies(Vocabulary.of(["ab"]), symbols)
    save_model(tmp_path / "lstm", Saved(settings_of({}), known, build(settings_of({}), known)))
    rows, _ = predicted(tmp_path, b"ab\nab\nb\n", "--format", "text")
    assert len(rows) == 3
    assert "held line ends or tabs" in capsys.readouterr().err
    rows, _ = predicted(tmp_path, b"ab\nab\nb\n", "--format", "jsonl")
    assert "\n" in json.loads(rows[0])["target"] or "\t" in json.loads(rows[0])["target"]
