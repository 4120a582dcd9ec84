import io
import sys
from pathlib import Path

import pytest

from regard import DataError, RunSettings, train
from regard.text import Columns, Files, Pair
from regard.training.sources import pairs_from
from tests.training.test_training import tiny


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name: str, *words: str) -> Path:
        Path(name).write_text("".join(f"{word}\t{word[::-1]}\n" for word in words), "utf-8")
        return Path(name)

    return write


def sources(data) -> list[str]:
    return [pair.source for pair in pairs_from(data, Columns()).again()]


def test_several_files_are_one_set_and_each_pair_knows_its_own_place(write):
    one, other = write("one.tsv", "ab", "cd"), write("other.tsv", "ef")
    pairs = pairs_from([one, other], Columns())
    assert [(pair.source, pair.file, pair.line) for pair in pairs.again()] == [
        ("ab", "one.tsv", 1), ("cd", "one.tsv", 2), ("ef", "other.tsv", 1)
    ]  # fmt: skip
    assert list(pairs.again()) == list(pairs.again())
    assert pairs.name == "one.tsv, other.tsv"
    assert sources(Files.of(["o*.tsv"])) == sources("o*.tsv") == ["ab", "cd", "ef"]


def test_a_list_of_paths_is_files_and_any_other_list_is_rows(write):
    path = write("one.tsv", "ab")
    assert sources([path]) == ["ab"]
    assert sources([("ab", "ba"), Pair("c", "c")]) == ["ab", "c"]
    assert sources(row for row in [("ab", "ba")]) == ["ab"]
    for mixed in ([path, ("ab", "ba")], ["one.tsv", "one.tsv"]):
        with pytest.raises(DataError, match=r"pair 1: .*Files are given as Path objects"):
            pairs_from(mixed, Columns())


def test_a_fault_in_one_of_several_files_is_named_with_its_own_line(write):
    one, other = write("one.tsv", "ab"), write("other.tsv", "cd")
    other.write_text("cd\tdc\nno tab\n")
    with pytest.raises(DataError, match=r"^other\.tsv, line 2: expected 2 columns"):
        sources([one, other])
    other.write_text("cd\tdc\n" + "a" * 50 + "\tb\n")
    settings = RunSettings().with_values({"text.longest": 20})
    with pytest.raises(DataError, match=r"^other\.tsv, line 2: expected a source of at most 20"):
        train([one, other], [("ab", "ba")], settings=settings)
    other.write_text("\n")
    with pytest.raises(DataError, match=r"^other\.tsv: expected lines of text, found none"):
        sources([one, other])


def test_standard_input_is_one_of_several(write, monkeypatch):
    one = write("one.tsv", "ab")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"cd\tdc\n")))
    pairs = pairs_from([one, Path("-")], Columns())
    assert [pair.source for _ in range(2) for pair in pairs.again()] == ["ab", "cd"] * 2


def test_several_files_train_as_one_file_of_their_lines_does(write):
    words = [f"{a}{b}" for a in "abcd" for b in "efgh"]
    parts = [write("part-1.tsv", *words[:9]), write("part-2.tsv", *words[9:])]
    whole, dev = write("whole.tsv", *words), write("dev.tsv", *words[:4])
    one = train(whole, dev, settings=tiny()).model.state_dict()
    other = train(parts, [dev], settings=tiny()).model.state_dict()
    assert all(tensor.equal(other[name]) for name, tensor in one.items())
