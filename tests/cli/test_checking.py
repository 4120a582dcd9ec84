"""`regard check` as a person types it, and what `train` says of its data."""

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from regard import DataError
from regard.cli import main
from regard.text import KINDS, Parallel, examine, read_parallel

NAMES = {
    "encoding", "empty", "json", "columns", "one_sided", "too_long", "swapped", "byte_order_mark",
    "line_ends", "separators", "blanks", "zero_width", "edge_blanks", "mixed_forms", "other_form",
    "control", "private_use", "replacement", "mojibake", "quotes", "look_alikes", "two_codings",
    "tag_order", "blank_lines", "further_columns", "long", "length_ratio", "duplicates",
    "several_targets", "same_pair", "same_source", "unseen", "hangul",
}  # fmt: skip
"""Names that programs rely on: more may come, none may go."""


@pytest.fixture
def write(tmp_path):
    def write(content: bytes | str, name: str = "train.tsv") -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


class TestCheck:
    def test_the_summary_comes_first_and_then_places(self, write, capsys):
        train = write("\ufeffchat\tʃ a\ncafe\u0301\tk a f e\né\te\nö\tø\nc\u0430s\tk a\n")
        dev = write("chat\tʃ a\nchut\tʃ y\n", "dev.tsv")
        assert main(["check", train, dev]) == 0
        told = capsys.readouterr()
        assert told.out.split("\n") == [
            f"{train}: 5 lines, 5 pairs",
            "        1  * byte-order mark at the beginning",
            "        1  * field is not in the Unicode form of the others",
            "        1    word mixes scripts",
            f"{dev}: 2 lines, 2 pairs",
            f"        1    pair is in {train} too",
            f"        2    symbols are not in {train}",
            "",
            "byte-order marks at the beginning",
            f"  {train}, line 1: utf-8",
            "",
            "fields are not in the Unicode form of the others",
            f"  {train}, line 2: source cafe<U+0301> (most sources are NFC)",
            "",
            "words mix scripts",
            f"  {train}, line 5: source c<U+0430>s (CYRILLIC SMALL LETTER A)",
            "",
            f"pairs are in {train} too",
            f"  {dev}, line 1: chat → ʃ a (there line 1)",
            "",
            f"symbols are not in {train}",
            f"  {dev}, line 2: source u (on 1 line)",
            f"  {dev}, line 2: target y (on 1 line)",
            "",
        ]
        assert "--fix" in told.err

    def test_a_clean_file_is_a_line(self, write, capsys):
        path = write("chat\tʃ a\n")
        assert main(["check", path]) == 0
        told = capsys.readouterr()
        assert told.out == f"{path}: 1 line, 1 pair; nothing found\n"
        assert told.err == ""

    @pytest.mark.parametrize(
        "content", [b"a\tb\nc\n", b"a\tb\nc\t\n", "é\tb\nabcd\tc\n".encode("latin-1"), b"",
                    b"a\tb\tV\n", "a\tb\n".encode("utf-16"), bytes(range(256)),
                    b"a" * 3000 + b"\tb\n"]
    )  # fmt: skip
    def test_what_training_refuses_ends_with_one(self, write, tmp_path, content, capsys):
        path = write(content)
        assert main(["check", path]) == 1
        assert "! training refuses such a file" in capsys.readouterr().out
        assert main(["train", path, "--dev", path, "-o", str(tmp_path / "m"), "--quiet"]) == 1

    def test_columns_and_tags_are_as_elsewhere(self, write, capsys):
        path = write("a\tV;PST\tb\nc\tPST;V\td\n")
        assert main(["check", path, "--columns", "1,3,2", "--json"]) == 0
        (table,) = json.loads(capsys.readouterr().out)["files"]
        assert table["found"]["tag_order"]["count"] == 1
        assert main(["check", write("a\tb\tV\n"), "--tags-column"]) == 0

    def test_examples_are_as_many_as_asked_for(self, write, capsys):
        path = write("".join(f"{letter} \tb\n" for letter in "acdefgh"))
        for count in (0, 1, 5):
            assert main(["check", path, "--examples", str(count)]) == 0
            assert capsys.readouterr().out.count(", line ") == count

    def test_standard_input_and_archives_are_read(self, tmp_path, monkeypatch, capsys):
        (tmp_path / "a.gz").write_bytes(gzip.compress(b"a\tb\n"))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\tb\n")))
        assert main(["check", str(tmp_path / "a.gz"), "-"]) == 0
        assert "-: 1 line, 1 pair\n" in capsys.readouterr().out

    def test_what_is_no_file_is_one_line(self, write, tmp_path, capsys):
        (tmp_path / "broken.gz").write_bytes(b"no archive")
        for path in (tmp_path, tmp_path / "none", tmp_path / "broken.gz"):
            assert main(["check", str(path)]) == 1
            assert capsys.readouterr().err.startswith(f"regard: {path}: ")
        assert main(["check"]) == 2
        assert main(["check", write("a\tb\n"), "--columns", "x"]) == 2


class TestJson:
    def test_every_kind_is_there_by_its_name(self, write, capsys):
        path = write("a\u00a0b\tc\nd\te\nd\tf\n")
        assert main(["check", path, write("d\te\n", "dev.tsv"), "--json"]) == 0
        table = json.loads(capsys.readouterr().out)
        first, second = table["files"]
        assert table["can_be_trained_on"] is True
        assert set(first) == {"file", "encoding", "lines", "pairs", "forms", "found"}
        assert (first["file"], first["encoding"], first["lines"]) == (path, "utf-8", 3)
        assert first["forms"] == {"source": "none", "target": "none"}
        assert set(first["found"]) == set(second["found"]) == NAMES == {one.name for one in KINDS}
        assert first["found"]["blanks"] == {
            "count": 1,
            "is_grave": False,
            "is_mended": True,
            "places": [
                {"line": 1, "side": None, "text": "a<U+00A0>b<TAB>c", "note": None, "other": None}
            ],
        }
        assert second["found"]["same_pair"]["places"][0]["other"] == path

    def test_whether_it_can_be_trained_on(self, write, capsys):
        assert main(["check", write("a\n"), "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["can_be_trained_on"] is False


class TestFix:
    def test_copies_are_clean_and_changes_are_listed(self, write, tmp_path, capsys):
        paths = [write("a \tb\r\n"), write("c\td\n", "dev.tsv"), write(bytes(range(256)), "x.tsv")]
        clean = tmp_path / "clean"
        assert main(["check", *paths, "--fix", str(clean)]) == 1
        told = capsys.readouterr().err
        assert f"{clean / 'train.tsv'}: 2 changes, listed in {clean / 'changes.tsv'}" in told
        assert f"{clean / 'dev.tsv'}: nothing to mend" in told
        assert f"{paths[2]}: is in no encoding that is known here; no copy was written." in told
        assert (clean / "train.tsv").read_bytes() == b"a\tb\n"
        assert (clean / "dev.tsv").read_bytes() == b"c\td\n"
        assert sorted(path.name for path in clean.iterdir()) == [
            "changes.tsv",
            "dev.tsv",
            "train.tsv",
        ]
        assert main(["check", str(clean / "train.tsv"), str(clean / "dev.tsv")]) == 0

    def test_the_folder_of_an_original_is_refused(self, write, tmp_path, capsys):
        path = write("a \tb\n")
        assert main(["check", path, "--fix", str(tmp_path)]) == 2
        assert "holds the original" in capsys.readouterr().err
        assert Path(path).read_bytes() == b"a \tb\n"


class TestTrain:
    OPTIONS = ("--epochs", "1", "--set", "encoder.hidden_size=8", "--set",
               "encoder.embedding_size=8", "--set", "decoder.embedding_size=8",
               "--precision", "float32")  # fmt: skip

    def test_what_is_doubtful_is_one_line(self, write, tmp_path, capsys):
        train, dev = write("a\tb\na\tc\nc\u0430s\td\n"), write("a\tb\n", "dev.tsv")
        assert main(["train", train, "--dev", dev, "-o", str(tmp_path / "m"), *self.OPTIONS]) == 0
        lines = [line for line in capsys.readouterr().err.split("\n") if line.startswith("data:")]
        assert lines == [
            "data: 1 word mixes scripts, 1 source has several targets, 1 dev pair is in training "
            "(regard check says where)"
        ]

    def test_nothing_is_said_where_nothing_is_found(self, write, tmp_path, capsys):
        train, dev = write("a\tb\nc\td\n"), write("ac\tb\n", "dev.tsv")
        assert main(["train", train, "--dev", dev, "-o", str(tmp_path / "m"), *self.OPTIONS]) == 0
        assert "data:" not in capsys.readouterr().err


class TestParallelFiles:
    @staticmethod
    def options(source: str, target: str, side: str = "") -> list[str]:
        return [f"--{side}source-file", source, f"--{side}target-file", target]

    def test_both_files_are_looked_at_line_by_line(self, write, capsys):
        source = write("\ufeffchat\nc\u0430s\n\nchou\n", "s")
        target = write("ʃ a\r\nk a \r\n\r\n\r\n", "t")
        assert main(["check", *self.options(source, target)]) == 1
        assert capsys.readouterr().out.split("\n") == [
            f"{source} + {target}: 4 lines, 2 pairs",
            "        1 !  line has text on one side only",
            "        1  * byte-order mark at the beginning",
            "        4  * lines end in CRLF or CR",
            "        1  * field begins or ends with a blank",
            "        1    word mixes scripts",
            "        1    blank line",
            "! training refuses such a file",
            "",
            "lines have text on one side only",
            f"  {source} + {target}, line 4: target chou<TAB> (no target)",
            "",
            "byte-order marks at the beginning",
            f"  {source} + {target}, line 1: source utf-8",
            "",
            "lines end in CRLF or CR",
            f"  {source} + {target}: target 4 CRLF",
            "",
            "fields begin or end with a blank",
            f"  {source} + {target}, line 2: k a<U+0020>",
            "",
            "words mix scripts",
            f"  {source} + {target}, line 2: source c<U+0430>s (CYRILLIC SMALL LETTER A)",
            "",
            "blank lines",
            f"  {source} + {target}, line 3",
            "",
        ]

    def test_a_half_is_lines_of_text_whatever_its_name(self, write, tmp_path, capsys):
        source, target = write('{"a":\u00a01}\n\tb\n', "s.jsonl"), write("c\nd\n", "t")
        assert main(["check", *self.options(source, target), "--fix", str(tmp_path / "f")]) == 0
        assert (tmp_path / "f" / "s.jsonl").read_text() == '{"a": 1}\nb\n'
        (tmp_path / "s.parquet").write_bytes(b"PAR1\x15\x04\xff\n")
        assert main(["check", *self.options(str(tmp_path / "s.parquet"), write("c\n", "u"))]) == 1

    @pytest.mark.parametrize(
        ("source", "target"),
        [("a\nb\n", "c\n"), ("a\n", "c\n\n"), ("a\n", "c\nd\ne\n"), ("", "c\n"), ("a\n\n", "c\n\n"),
         ("a\tb\n", "c\n"), ("a\n\n", "c\nd\n"), ("\n", "\n"), ("a\n", "c")],
    )  # fmt: skip
    def test_it_is_grave_where_training_refuses_and_nowhere_else(self, write, source, target):
        one, other = write(source, "s"), write(target, "t")
        (report,) = examine([Parallel(Path(one), Path(other))])
        try:
            list(read_parallel(one, other))
        except DataError:
            assert report.found.are_grave
        else:
            assert not report.found.are_grave

    def test_a_file_that_ends_early_is_told_of_once(self, write, capsys):
        source, target = write("a\n" * 5, "s"), write("b\n" * 2, "t")
        assert main(["check", *self.options(source, target)]) == 1
        told = capsys.readouterr().out
        assert "        1 !  line has text on one side only" in told
        assert f"{source} + {target}, line 3: ({target} has ended, {source} goes on)" in told

    def test_dev_files_are_compared_with_training(self, write, capsys):
        source, target = write("chat\nchou\n", "s"), write("ʃ a\nʃ u\n", "t")
        dev = write("chou\n", "dev.s"), write("ʃ u\n", "dev.t")
        assert main(["check", *self.options(source, target), *self.options(*dev, "dev-")]) == 0
        assert f"1    pair is in {source} + {target} too" in capsys.readouterr().out
        train = write("chat\tʃ a\nchou\tʃ u\n")
        assert main(["check", train, *self.options(*dev, "dev-"), "--json"]) == 0
        first, second = json.loads(capsys.readouterr().out)["files"]
        assert (first["file"], second["file"]) == (train, " + ".join(dev))
        assert second["found"]["same_pair"]["count"] == 1

    def test_clean_copies_keep_both_names_and_their_lines(self, write, tmp_path, capsys):
        source = write("\ufeffcafé\ncafe\u0301\n été\n", "s")
        target = write("k a\u00a0f e\na\tb\n\n", "t")
        main(["check", *self.options(source, target), "--fix", str(tmp_path / "clean")])
        assert (tmp_path / "clean" / "s").read_text("utf-8") == "café\ncafé\nété\n"
        assert (tmp_path / "clean" / "t").read_text("utf-8") == "k a f e\na\tb\n\n"
        log = (tmp_path / "clean" / "changes.tsv").read_text("utf-8").splitlines()
        assert [line.split("\t")[:3] for line in log[1:]] == [
            [source, "0", "byte_order_mark"],
            [source, "2", "mixed_forms"],
            [source, "3", "edge_blanks"],
            [target, "1", "blanks"],
        ]

    def test_half_of_a_pair_and_nothing_at_all_are_refused(self, write, capsys):
        source = write("a\n", "s")
        assert main(["check", "--source-file", source]) == 2
        assert "belong together" in capsys.readouterr().err
        assert main(["check", source, *self.options(source, source)]) == 2
        assert "found both" in capsys.readouterr().err
        assert main(["check"]) == 2
        assert "expected FILES, or --source-file and --target-file" in capsys.readouterr().err
