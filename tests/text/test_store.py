import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from regard import CheckpointError
from regard.text import TokenStore, Vocabulary, taking_in

LETTERS = Vocabulary.of(["abcdef"])
ENCODERS = (LETTERS.encode,) * 3


def store_in(folder: Path, key: str = "k", words: tuple[str, ...] = ("abc", "de")) -> TokenStore:
    store = TokenStore(folder / "m.tokens", key)
    with taking_in(store, 0) as intake:
        for word in words:
            intake.add(word, word[::-1], [])
        intake.flush()
        store.keep(intake.parts(ENCODERS), {"words": list(words)})
    return store


def interrupted(store: TokenStore) -> None:
    with taking_in(store, 0) as intake:
        intake.add("a", "b", [])
        intake.flush()
        assert intake.folder is not None
        raise KeyboardInterrupt


def test_what_was_kept_comes_back_from_the_file(tmp_path):
    stored = store_in(tmp_path).load()
    assert stored.about == {"words": ["abc", "de"]}
    assert stored.corpus.source.padded(np.array([1, 0])).tolist() == [[7, 8, 0], [4, 5, 6]]
    assert stored.corpus.target.padded(np.array([1])).tolist() == [[8, 7]]
    assert stored.corpus.tags.padded(np.array([0, 1])).shape == (2, 0)
    assert not stored.corpus.source.values.flags.writeable
    assert [path.name for path in tmp_path.iterdir()] == ["m.tokens"]
    assert sorted(path.suffix for path in (tmp_path / "m.tokens").iterdir()) == sorted(
        [".ids", ".offsets"] * 3 + [".json"]
    )


def test_of_other_data_or_damaged_it_counts_for_nothing_and_is_made_anew(tmp_path):
    store = store_in(tmp_path)
    assert TokenStore(store.folder, "other").load() is None
    for name in [path.name for path in store.folder.iterdir()]:
        path = store_in(tmp_path).folder / name
        whole = path.read_bytes()
        path.write_bytes(whole[:-1] + b"?" if whole else b"?")
        assert store.load() is None, name
        path.unlink()
        assert store.load() is None, name
        shutil.rmtree(store.folder)
    assert store_in(tmp_path, "new", ("a",)).load().about == {"words": ["a"]}
    assert len(store_in(tmp_path, "newer").load().corpus) == 2


def test_what_is_no_store_is_left_alone(tmp_path):
    (tmp_path / "m.tokens").mkdir()
    (tmp_path / "m.tokens" / "mine").write_text("x")
    assert TokenStore(tmp_path / "m.tokens", "k").load() is None
    with pytest.raises(CheckpointError, match=r"found something else.*training\.store=memory"):
        store_in(tmp_path)
    assert (tmp_path / "m.tokens" / "mine").read_text() == "x"


def test_a_fault_on_the_way_leaves_the_store_before_and_nothing_else(tmp_path, monkeypatch):
    before = store_in(tmp_path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("regard.text.store._write", full)
    with pytest.raises(CheckpointError, match=r"No space left on device.*training\.store=memory"):
        store_in(tmp_path, "new")
    assert before.load() is not None
    assert [path.name for path in tmp_path.iterdir()] == ["m.tokens"]
    monkeypatch.undo()
    with pytest.raises(KeyboardInterrupt):
        interrupted(before)
    assert [path.name for path in tmp_path.iterdir()] == ["m.tokens"]


def test_what_a_killed_process_left_is_swept_away(tmp_path):
    left = tmp_path / ".m.tokens.writing-999999999"
    left.mkdir()
    (left / "source.tokens.chunks").write_bytes(b"x")
    store_in(tmp_path)
    assert os.listdir(tmp_path) == ["m.tokens"]
