import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text import Corpus, Tokens, Vocabulary
from regard.text.batch import Sequences
from regard.text.intake import Chunks, Intake

ROWS = st.lists(st.tuples(st.text("abc", min_size=1), st.text("xyz"), st.text("VN", max_size=2)))


def taken(intake: Intake, rows) -> tuple[Corpus, Corpus]:
    """The rows by an intake, and by the vocabulary's own way."""
    known = [Vocabulary.of(row[part] for row in rows) for part in range(3)]
    for row in rows:
        intake.add(*(list(part) for part in row))
    intake.flush()
    corpus = intake.corpus(tuple(one.encode for one in known))
    intake.close()
    expected = (Tokens(*(one.encode(p) for one, p in zip(known, row, strict=True))) for row in rows)
    return corpus, Corpus.of(expected, max(len(one) for one in known))


def same(one: Corpus, other: Corpus) -> bool:
    sides = [(getattr(one, name), getattr(other, name)) for name in Tokens._fields]
    return all(
        np.array_equal(a.values, b.values) and np.array_equal(a.offsets, b.offsets)
        for a, b in sides
    )


@given(ROWS)
def test_tokens_are_those_of_a_vocabulary_that_was_known_before(rows):
    assert same(*taken(Intake(), rows))


@given(rows=ROWS, limit=st.sampled_from([0, 3, 10**9]))
def test_on_disk_or_not_they_are_the_same(rows, limit, tmp_path_factory):
    folder = tmp_path_factory.mktemp("chunks")
    intake = Intake(lambda: folder, limit)
    assert same(*taken(intake, rows))
    tokens = sum(len(part) for row in rows for part in row)
    assert (intake.folder is not None) == (tokens > limit)


@pytest.mark.parametrize("on_disk", [False, True])
def test_many_chunks_of_many_symbols(tmp_path, monkeypatch, on_disk):
    monkeypatch.setattr("regard.text.intake._CHUNK", 7)
    chance = np.random.default_rng(0)
    numbers = chance.integers(0, 70_000, (400, 5)).tolist() + [[index] for index in range(70_000)]
    rows = [([str(one) for one in row], [str(row[0] % 7)], []) for row in numbers]
    intake = Intake((lambda: tmp_path) if on_disk else None, 100)
    corpus, expected = taken(intake, rows)
    assert same(corpus, expected)
    assert (corpus.source.values.itemsize, corpus.target.values.itemsize) == (4, 1)
    assert isinstance(corpus.source, Sequences)


def test_a_block_takes_as_few_bytes_as_hold_it():
    chunks = Chunks()
    for largest in (200, 300, 70_000, 0):
        chunks.put(np.array([largest], np.int32))
    assert chunks.bytes == 1 + 2 + 4 + 1
    assert [chunk.tolist() for chunk in chunks.take()] == [[200], [300], [70_000], [0]]
    assert list(chunks.take()) == []
