import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard import VocabularyError
from regard.text import END, PADDING, SPECIAL, START, UNKNOWN, Vocabulary


def test_ids_begin_behind_the_four_special_ones():
    vocabulary = Vocabulary.of(["aab", "<unknown>"])
    assert (PADDING, START, END, UNKNOWN) == (0, 1, 2, 3)
    assert vocabulary.symbols[:2] == ("n", "a")
    assert min(vocabulary.encode(vocabulary.symbols)) == len(SPECIAL)


def test_an_unseen_symbol_is_unknown():
    assert Vocabulary.of(["a"]).encode(["a", "x"]) == [4, UNKNOWN]


def test_a_users_symbol_cannot_collide_with_a_special_one():
    vocabulary = Vocabulary.of([["<padding>", "<end>"]])
    assert set(vocabulary.encode(["<padding>", "<end>"])) == {4, 5}


def test_equal_counts_are_ordered_by_symbol_so_that_ids_are_the_same_everywhere():
    assert Vocabulary.of(["ba"]) == Vocabulary.of(["ab"])


@given(st.lists(st.text(min_size=1, max_size=3)))
def test_json_there_and_back(symbols):
    vocabulary = Vocabulary.of([symbols])
    assert Vocabulary.from_json(vocabulary.to_json()) == vocabulary
    assert vocabulary.decode(vocabulary.encode(symbols)) == symbols


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"special": [], "symbols": []}',
        json.dumps({"special": SPECIAL, "symbols": [["a", 1], ["a", 2]]}),
        json.dumps({"special": SPECIAL, "symbols": [["a"]]}),
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(VocabularyError):
        Vocabulary.from_json(text)
