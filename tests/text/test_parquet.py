import json
import sys
from typing import ClassVar

import pytest

from regard import DataError, MissingExtraError, SettingsError
from regard.text import Columns, Pair, examine, mend, read_pairs, read_rows

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def write(tmp_path):
    def write(columns: dict, name: str = "file.parquet", **options):
        parquet.write_table(pyarrow.table(columns), tmp_path / name, **options)
        return tmp_path / name

    return write


def test_columns_are_found_by_their_names(write):
    path = write({"more": [1, 2], "target": ["b", "d"], "source": ["a", "c"]})
    assert list(read_pairs(path)) == [Pair("a", "b"), Pair("c", "d")]
    assert [pair.line for pair in read_pairs(path)] == [1, 2]


def test_other_names_and_tags(write):
    path = write({"word": ["a"], "phones": ["b"], "tags": ["V;PST"]})
    columns = Columns.parse("source=word,target=phones")
    assert list(read_pairs(path, columns)) == [Pair("a", "b", ("V", "PST"))]
    path = write({"source": ["a", "b"], "target": ["b", "c"], "features": [["V", "PST"], None]})
    columns = Columns.parse("tags=features")
    assert [pair.tags for pair in read_pairs(path, columns)] == [("V", "PST"), ()]


def test_groups_of_rows_follow_each_other_whatever_their_size(write):
    texts = [f"w{index}" for index in range(20_000)]
    path = write({"source": texts, "target": texts}, row_group_size=7_000)
    pairs = list(read_pairs(path))
    assert [pair.source for pair in pairs] == texts
    assert pairs[-1].line == 20_000


def test_strings_that_are_kept_once_are_read(write):
    texts = pyarrow.array(["a", "b", "a"]).dictionary_encode()
    large = pyarrow.array(["x", "y", "z"], pyarrow.large_string())
    pairs = list(read_pairs(write({"source": texts, "target": large})))
    assert [(pair.source, pair.target) for pair in pairs] == [("a", "x"), ("b", "y"), ("a", "z")]


def test_rows_without_text_are_blank_lines(write):
    path = write({"source": ["a", None, " "], "target": ["b", None, ""]})
    assert list(read_rows(path)) == [Pair("a", "b"), None, None]


def test_sources_alone_are_enough_where_nothing_else_is_asked(write):
    path = write({"source": ["a", "b"]})
    assert list(read_rows(path, Columns(0, None))) == [Pair("a", ""), Pair("b", "")]


BAD = {
    "no such column": ({"word": ["a"], "target": ["b"]}, None,
                       "expected a column 'source', found 'word', 'target'.*--columns"),
    "tags that were asked for": ({"source": ["a"], "target": ["b"]}, "tags=features",
                                 "expected a column 'features'"),
    "numbers": ({"source": [1], "target": ["b"]}, None,
                "expected text in the column 'source', found int64"),
    "one side only": ({"source": ["a", "a"], "target": ["b", None]}, None,
                      "line 2: expected text in the target column"),
    "a line end": ({"source": ["a\nb"], "target": ["b"]}, None, "line 1: expected text that fits"),
    "tags of another kind": ({"source": ["a"], "target": ["b"], "tags": [3]}, None,
                             "line 1: expected tags"),
    "no rows": ({"source": pyarrow.array([], pyarrow.string()),
                 "target": pyarrow.array([], pyarrow.string())}, None, "found none"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_with_file_and_row(write, name):
    table, order, message = BAD[name]
    path = write(table)
    with pytest.raises(DataError, match=message) as caught:
        list(read_pairs(path, None if order is None else Columns.parse(order)))
    assert str(path) in str(caught.value)


def test_what_is_no_parquet_is_refused(write, tmp_path):
    path = write({"source": ["abc"] * 500, "target": ["b"] * 500})
    content = path.read_bytes()
    for damaged in (b"a\tb\n", content[:-20], content[:4] + b"x" * 40 + content[44:]):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=r"cannot be read: .*\.$"):
            list(read_pairs(path))
    with pytest.raises(DataError, match="no such file"):
        list(read_pairs(tmp_path / "none.parquet"))
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(DataError, match="found a directory"):
        list(read_pairs(tmp_path / "folder.parquet"))


def test_the_extra_is_named_where_it_is_missing(write, monkeypatch):
    path = write({"source": ["a"], "target": ["b"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"reading Parquet needs .*regard\[data\]"):
        list(read_pairs(path))


def is_refused(path) -> bool:
    try:
        list(read_pairs(path))
    except DataError:
        return True
    return False


class TestTheDoctor:
    """Its report is that of the same rows as JSON Lines."""

    ROWS: ClassVar[dict] = {
        "source": ["caf\u00e9", "cafe\u0301", "a\u00a0b", "", None, "x\ty", "c\u0430s", "d ", "\u00e9t\u00e9", "d "],
        "target": ["k", "l", "m", "n", None, "z", "o", "p", None, "p"],
        "tags": [["V"], None, [], ["N"], ["V"], ["V"], ["V", "N"], ["N"], ["V"], ["N"]],
    }  # fmt: skip

    def test_it_finds_what_it_finds_in_the_same_rows_as_lines(self, write, tmp_path):
        path, lines = write(self.ROWS), tmp_path / "file.jsonl"
        rows = zip(*self.ROWS.values(), strict=True)
        lines.write_text(
            "".join(
                json.dumps({"source": source or "", "target": target or "", "tags": tags or []})
                * bool(source or target)
                + "\n"
                for source, target, tags in rows
            )
        )
        one, other = examine([path]), examine([lines])
        for found, expected in zip(one, other, strict=True):
            assert (found.lines, found.pairs) == (expected.lines, expected.pairs) == (10, 6)
            assert found.found.counts == expected.found.counts
            assert found.found.places == expected.found.places
            assert {kind.name for kind, _ in found.found.counts} == {
                "mixed_forms", "blanks", "one_sided", "blank_lines", "json", "look_alikes",
                "edge_blanks", "duplicates",
            }  # fmt: skip

    def test_it_is_grave_where_reading_refuses_and_nowhere_else(self, write):
        for place in range(10):
            row = {name: [cells[place], "x"][:2] for name, cells in self.ROWS.items()}
            row["tags"][1:] = [["V"]]
            path = write(row)
            (report,) = examine([path])
            assert report.found.are_grave == is_refused(path), row

    def test_other_names_are_told_and_missing_ones_refused(self, write):
        path = write({"word": ["a"], "phones": ["b"], "tags": ["V;N"]})
        (report,) = examine([path], Columns.parse("source=word,target=phones"))
        assert (report.pairs, report.found.counts.total()) == (1, 0)
        with pytest.raises(DataError, match="expected a column 'source', found 'word'"):
            list(examine([path]))

    def test_it_is_compared_with_files_of_other_kinds(self, write, tmp_path):
        (tmp_path / "train.tsv").write_text("a\tb\n")
        path = write({"source": ["x", "a"], "target": ["y", "b"]})
        _, report = examine([tmp_path / "train.tsv", path])
        assert {
            (kind.name, place.line)
            for (kind, _), places in report.found.places.items()
            for place in places
        } == {("same_pair", 2), ("unseen", 1)}

    def test_a_clean_copy_is_refused_and_says_what_helps(self, write, tmp_path, capsys):
        from regard.cli import main

        path = str(write(self.ROWS))
        with pytest.raises(SettingsError, match="write it as JSON Lines to have it mended"):
            mend([path], tmp_path / "clean")
        assert not (tmp_path / "clean").exists()
        assert main(["check", path]) == 1
        told = capsys.readouterr()
        assert f"{path}, line 3: a<U+00A0>b" in told.out
        assert "--fix" not in told.err
        assert " * " not in told.out


def test_tags_are_named_once():
    from regard.cli.given import columns_given

    assert columns_given("source=word,tags=features", None) == "source=word,tags=features"
    with pytest.raises(SettingsError, match="name the tags there"):
        columns_given("source=word", 3)
