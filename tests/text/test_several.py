import os

import pytest

from regard import DataError
from regard.text import Files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("b.tsv", "part-10.tsv", "part-02.tsv", "a.tsv", "[a].tsv"):
        (tmp_path / name).write_text("x\ty\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_keep_their_order_and_what_a_pattern_matches_is_sorted(folder):
    found = Files.of(["b.tsv", "part-*.tsv", "a.tsv", "-"])
    assert found.paths == ("b.tsv", "part-02.tsv", "part-10.tsv", "a.tsv", "-")


def test_a_file_that_is_called_like_a_pattern_is_that_file(folder):
    assert Files.of(["[a].tsv"]).paths == ("[a].tsv",)
    assert Files.of(["[b].tsv"]).paths == ("b.tsv",)


def test_a_pattern_that_matches_nothing_is_refused(folder):
    with pytest.raises(DataError, match=r"^none-\*\.tsv: no file matches this pattern\.$"):
        Files.of(["a.tsv", "none-*.tsv"])


def test_the_same_file_twice_is_refused_under_any_name(folder):
    with pytest.raises(DataError, match=r"^a\.tsv: is given twice: expected each file once"):
        Files.of(["a.tsv", "a.tsv"])
    with pytest.raises(DataError, match=r"^part-02\.tsv: is given twice"):
        Files.of(["part-*.tsv", "part-02.tsv"])
    with pytest.raises(DataError, match=r"^-: is given twice"):
        Files.of(["-", "-"])
    os.symlink("a.tsv", "other.tsv")
    with pytest.raises(DataError, match=r"^other\.tsv: is given twice, also as a\.tsv"):
        Files.of(["a.tsv", "other.tsv"])


def test_a_file_that_is_missing_is_left_to_the_reader(folder):
    assert Files.of(["none.tsv"]).paths == ("none.tsv",)


def test_many_are_not_all_named():
    assert str(Files(("a", "b", "c"))) == "a, b, c"
    assert str(Files(tuple("abcdef"))) == "a, b and 4 more"
