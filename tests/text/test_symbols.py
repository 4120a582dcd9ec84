import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text import Segmenter
from tests.strategies import lines

SCRIPTS = {
    "combining marks": ("e\u0301a", ["e\u0301", "a"]),
    "Devanagari": ("क्षि", None),
    "Hangul syllables": ("한글", ["한", "글"]),
    "Hangul letters": ("\u1112\u1161\u11ab", ["\u1112", "\u1161", "\u11ab"]),
    "Arabic with marks": ("عَر", ["عَ", "ر"]),
    "an emoji of many parts": ("👩🏽‍🚀a", ["👩🏽‍🚀", "a"]),
    "Thai": ("กำ", None),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_graphemes_are_what_a_reader_calls_characters(name):
    line, expected = SCRIPTS[name]
    symbols = Segmenter("graphemes").texts(line)
    assert "".join(symbols) == line
    assert expected is None or symbols == expected


@given(
    st.one_of(lines(), st.text(st.sampled_from("a\r\n\t\0\u200dé\u1112\u0301 "))),
    st.sampled_from(["graphemes", "characters", "words"]),
    st.sampled_from(["nfc", "nfd", "none"]),
)
def test_the_fast_way_gives_the_symbols_of_the_careful_way(line, kind, form):
    segmenter = Segmenter(kind, form)
    assert segmenter.texts(line) == [symbol.text for symbol in segmenter.split(line)]


@given(lines(), st.sampled_from(["graphemes", "characters"]))
def test_spans_cover_the_users_own_string(line, kind):
    symbols = Segmenter(kind).split(line)
    assert [line[symbol.start : symbol.end] for symbol in symbols] == [s.text for s in symbols]
    assert "".join(symbol.text for symbol in symbols) == line


@given(lines(), st.sampled_from(["nfc", "nfd"]))
def test_normalised_spans_point_at_the_characters_they_came_from(line, form):
    for symbol in Segmenter("graphemes", form).split(line):
        own = unicodedata.normalize(form.upper(), line[symbol.start : symbol.end])
        assert symbol.text in own


@given(lines(), st.sampled_from(["nfc", "nfd"]))
def test_normalising_by_cluster_is_normalising_the_line(line, form):
    joined = "".join(Segmenter("characters", form).texts(line))
    assert unicodedata.normalize("NFC", joined) == unicodedata.normalize("NFC", line)


def test_hangul_syllables_become_letters_and_come_back():
    segmenter = Segmenter("graphemes", "nfd", "nfc")
    symbols = segmenter.split("한a")
    assert [symbol.text for symbol in symbols] == ["\u1112", "\u1161", "\u11ab", "a"]
    assert [(symbol.start, symbol.end) for symbol in symbols] == [(0, 1)] * 3 + [(1, 2)]
    assert segmenter.join([symbol.text for symbol in symbols]) == "한a"


def test_words_stand_between_blanks():
    symbols = Segmenter("words").split("d ʒ  ɑ̃")
    assert [(s.text, s.start, s.end) for s in symbols] == [("d", 0, 1), ("ʒ", 2, 3), ("ɑ̃", 5, 7)]
    assert Segmenter("words").join(["d", "ʒ"]) == "d ʒ"
