import gzip
import io
import sys

import pytest

from regard import DataError, SettingsError
from regard.text import (
    Columns,
    Pair,
    open_output,
    pairs_of,
    read_lines,
    read_pairs,
    read_parallel,
    read_rows,
)


@pytest.fixture
def write(tmp_path):
    def write(content: bytes | str, name: str = "file.tsv"):
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


LINE_ENDS = {
    "LF": (b"a\nb\n", ["a", "b"]),
    "CRLF": (b"a\r\nb\r\n", ["a", "b"]),
    "CR": (b"a\rb\r", ["a", "b"]),
    "no end at the end": (b"a\nb", ["a", "b"]),
    "blank lines": (b"a\n\nb\r\r", ["a", "", "b", ""]),
    "a byte-order mark": (b"\xef\xbb\xbfa\n", ["a"]),
    "a byte-order mark inside": ("a\ufeffb\n".encode(), ["a\ufeffb"]),
    "other separators end no line": ("a\u2028b\x0bc\x0cd\x85e\u0085\n".encode(), None),
    "quotes mean nothing": (b'"a\n"b"\n', ['"a', '"b"']),
}


@pytest.mark.parametrize("name", [name for name in LINE_ENDS if "separators" not in name])
def test_what_ends_a_line(write, name):
    content, expected = LINE_ENDS[name]
    assert list(read_lines(write(content))) == expected


def test_nothing_else_ends_a_line(write):
    line = "a\u2028b\x0bc\x0cd\u0085e\x1cf"
    assert list(read_lines(write(line + "\n"))) == [line]


def test_gz_is_read_as_such(write):
    assert [pair.source for pair in read_pairs(write("a\tb\n", "f.tsv.gz"))] == ["a"]


def test_pairs_carry_their_lines_and_blank_lines_are_passed_over(write):
    pairs = list(read_pairs(write("a\tb\n\nc\td\n")))
    assert pairs == [Pair("a", "b"), Pair("c", "d")]
    assert [pair.line for pair in pairs] == [1, 3]
    assert list(read_rows(write("a\tb\n\nc\td\n")))[1] is None


def test_json_lines(write):
    path = write('{"source": "a", "target": "b", "tags": "V;PST"}\n', "f.jsonl")
    assert list(read_pairs(path)) == [Pair("a", "b", ("V", "PST"))]


@pytest.mark.parametrize(
    ("order", "line", "expected"),
    [
        ("1,3,2", "lemma\tV;PST\tform", Pair("lemma", "form", ("V", "PST"))),
        ("source,tags,target", "lemma\tV\tform", Pair("lemma", "form", ("V",))),
        ("source,-,target", "a\tx\tb\tmore", Pair("a", "b")),
        ("2,1", "b\ta", Pair("a", "b")),
    ],
)
def test_columns_in_other_orders(write, order, line, expected):
    assert list(read_pairs(write(line), Columns.parse(order))) == [expected]


def test_columns_of_json_lines_under_other_names(write):
    path = write('{"word": "a", "phones": "b", "tags": "V", "source": "x"}\n', "f.jsonl")
    columns = Columns.parse("source=word, target=phones")
    assert list(read_pairs(path, columns)) == [Pair("a", "b", ("V",))]
    with pytest.raises(DataError, match="line 1: expected an object with a string 'ipa'"):
        list(read_pairs(path, Columns.parse("source=word,target=ipa")))


@pytest.mark.parametrize(
    "order", ["source=", "source=a,source=b", "word=a", "source=a,target=a", "source=target", "="]
)
def test_names_that_are_unclear_are_refused(order):
    with pytest.raises(SettingsError, match="columns are"):
        Columns.parse(order)


@pytest.mark.parametrize("order", ["", "1", "0,1", "a,b", "1,1", "source,source", "1,2,3,4"])
def test_other_orders_are_refused(order):
    with pytest.raises(SettingsError, match="columns are"):
        Columns.parse(order)


BAD = {
    "an empty file": (b"", "f.tsv", "expected lines of text, found none"),
    "only blank lines": (b"\n\n", "f.tsv", "expected lines of text, found none"),
    "a missing tab": (b"a\tb\nc\n", "f.tsv", "line 2: expected 2 columns.*found 1"),
    "too many tabs": (b"a\tb\tc\n", "f.tsv", "line 1: expected 2 columns.*found 3.*--columns"),
    "no source": (b"\tb\n", "f.tsv", "line 1: expected text in the source column"),
    "no target": (b"a\tb\na\t \n", "f.tsv", "line 2: expected text in the target column"),
    "bytes that are not UTF-8": (b"a\tb\na\t\xff\n", "f.tsv", "line 2: expected UTF-8, found byte 0xff at place 3"),
    "UTF-16": ("a\tb\n".encode("utf-16"), "f.tsv", "line 1: expected UTF-8"),
    "no JSON": (b"a\n", "f.jsonl", "line 1: expected a JSON object"),
    "JSON of another shape": (b"[1]\n", "f.jsonl", "line 1: expected an object with a string 'source'"),
    "a line end in JSON": (b'{"source":"a\\nb","target":"b"}', "f.jsonl", "line 1: expected text that fits"),
    "half a character": (b'{"source":"\\ud800","target":"b"}', "f.jsonl", "half of a character"),
    "JSON without end": (b"[" * 200_000, "f.jsonl", "line 1: expected a JSON object"),
    "tags of another kind": (b'{"source":"a","target":"b","tags":3}', "f.jsonl", "expected tags"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_with_file_and_line(write, name):
    content, file, message = BAD[name]
    path = write(content, file)
    with pytest.raises(DataError, match=message) as caught:
        list(read_pairs(path))
    assert str(path) in str(caught.value)


def test_a_broken_archive_is_refused(tmp_path):
    path = tmp_path / "f.gz"
    path.write_bytes(b"no archive")
    with pytest.raises(DataError, match="cannot be read"):
        list(read_lines(path))
    damaged = bytearray(gzip.compress(bytes(range(1, 10)) * 99))
    damaged[12:40] = b"x" * 28
    path.write_bytes(damaged)
    with pytest.raises(DataError, match="cannot be read"):
        list(read_lines(path))
    path.write_bytes(gzip.compress(b"a\n" * 1000)[:-9])
    with pytest.raises(DataError, match="cannot be read"):
        list(read_lines(path))


def test_a_missing_file_and_a_directory_are_refused(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        list(read_lines(tmp_path / "none"))
    with pytest.raises(DataError, match="found a directory"):
        list(read_lines(tmp_path))


class TestParallelFiles:
    def test_lines_belong_together(self, write):
        pairs = list(read_parallel(write("a\n\nc\n", "s"), write("x\n\nz\n", "t")))
        assert pairs == [Pair("a", "x"), Pair("c", "z")]

    def test_a_shorter_file_is_named(self, write):
        with pytest.raises(DataError, match=r"t, line 1: ends here, but .*s goes on"):
            list(read_parallel(write("a\nb\n", "s"), write("x\n", "t")))
        with pytest.raises(DataError, match="s, line 1: ends here"):
            list(read_parallel(write("a\n", "s"), write("x\ny\n", "t")))

    def test_a_line_blank_on_one_side_is_refused(self, write):
        with pytest.raises(DataError, match="t, line 2: expected text"):
            list(read_parallel(write("a\nb\n", "s"), write("x\n\n", "t")))

    def test_two_empty_files_are_refused(self, write):
        with pytest.raises(DataError, match="found none"):
            list(read_parallel(write("", "s"), write("", "t")))


class TestPairsOfAProgram:
    def test_rows_of_two_and_three(self):
        rows = [("a", "b"), ["c", "d", "V;PST"], Pair("e", "f")]
        assert pairs_of(rows) == [Pair("a", "b"), Pair("c", "d", ("V", "PST")), Pair("e", "f")]

    @pytest.mark.parametrize("rows", [
        [("a",)], ["ab"], [("a", 1)], [("a", "")], [], [Pair("", "a")], [Pair("a", " ")],
    ])  # fmt: skip
    def test_anything_else_is_refused(self, rows):
        with pytest.raises(DataError, match="expected"):
            pairs_of(rows)


def test_standard_input_is_read(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(b"a\nb\n"))
    monkeypatch.setattr(sys, "stdin", stream)
    assert list(read_lines("-")) == ["a", "b"]


def test_output_is_compressed_by_its_name(tmp_path):
    with open_output(tmp_path / "f.gz") as file:
        file.write(b"a\n")
    assert gzip.decompress((tmp_path / "f.gz").read_bytes()) == b"a\n"
    with pytest.raises(DataError, match="cannot be written"), open_output(tmp_path / "none" / "f"):
        pass


def test_output_replaces_a_file_at_the_end_or_not_at_all(tmp_path):
    path = tmp_path / "f"
    path.write_text("before")

    def fail():
        with open_output(path) as file:
            file.write(b"after")
            assert path.read_text() == "before"
            raise DataError("no")

    with pytest.raises(DataError, match="no"):
        fail()
    assert path.read_text() == "before"
    with open_output(path) as file:
        file.write(b"after")
    assert path.read_text() == "after"
    assert [one.name for one in tmp_path.iterdir()] == ["f"]
