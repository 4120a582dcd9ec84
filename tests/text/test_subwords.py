import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard import MissingExtraError
from regard.text import TIE, Pieces, Segmenter, learn_pieces
from tests.strategies import lines

LINES = ["the walker walked", "a talker talks and talked", "walking is talking"] * 5


def segmenter(*known: str, form: str = "none") -> Segmenter:
    pieces = Pieces(frozenset(piece.replace("+", TIE) for piece in known))
    return Segmenter("subwords", form, pieces=pieces)


def shown(texts: list[str]) -> list[str]:
    return [text.replace(TIE, "+") for text in texts]


def test_a_word_is_cut_by_the_longest_piece_from_left_to_right():
    cutter = segmenter("w", "walk", "+e", "+ed", "+d", "+alk")
    assert shown(cutter.texts("walked")) == ["walk", "+ed"]
    assert shown(cutter.texts("wed")) == ["w", "+ed"]
    assert shown(cutter.texts("weed walk")) == ["w", "+e", "+ed", "walk"]


def test_what_no_piece_fits_is_a_grapheme_of_its_own():
    assert shown(segmenter("ab").texts("abe\u0301 ß")) == ["ab", "+e\u0301", "ß"]


@given(lines(), st.sets(st.text("abcde+", min_size=1, max_size=3)))
def test_joining_gives_the_words_back_whatever_the_pieces_are(line, known):
    cutter = segmenter(*known)
    texts = cutter.texts(line)
    assert cutter.join(texts) == " ".join(line.split()) or TIE in line or not line.isprintable()


@given(lines(), st.sets(st.text("abcde", min_size=1, max_size=3)))
def test_spans_cover_the_users_own_words(line, known):
    for symbol in segmenter(*known).split(line):
        assert line[symbol.start : symbol.end] == symbol.text.removeprefix(TIE) or TIE in line


def test_a_word_that_normalising_rewrote_is_the_origin_of_all_its_pieces():
    (whole,) = {(symbol.start, symbol.end) for symbol in segmenter("e", form="nfd").split(" é ")}
    assert whole == (1, 2)


@pytest.mark.parametrize("kind", ["graphemes", "words", "subwords"])
def test_symbols_stand_where_they_are_written(kind):
    cutter = segmenter("ab", "+c", "b") if kind == "subwords" else Segmenter(kind)
    texts = cutter.texts("abc b")
    written = cutter.join(texts)
    for symbol in cutter.place(texts):
        assert written[symbol.start : symbol.end] == symbol.text.removeprefix(TIE)


class TestLearning:
    def test_what_is_common_becomes_one_piece_and_no_letter_is_lost(self):
        pytest.importorskip("tokenizers")
        pieces = learn_pieces(LINES, 40)
        cutter = Segmenter("subwords", pieces=pieces)
        assert len(cutter.texts("talked")) < 4
        assert cutter.join(cutter.texts("takes wed")) == "takes wed"

    def test_the_same_text_gives_the_same_pieces_in_another_process(self):
        pytest.importorskip("tokenizers")
        code = (
            f"from regard.text import learn_pieces; print(*sorted(learn_pieces({LINES!r}, 60)"
            ".known))"
        )
        runs = {
            subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
            for _ in range(5)
        }
        assert len(runs) == 1

    def test_a_missing_library_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "tokenizers", None)
        with pytest.raises(MissingExtraError, match=r"regard\[subword\]"):
            learn_pieces(LINES, 40)
