import sys

import numpy as np
import pytest

from regard import DataError, MissingExtraError
from regard.evaluation import Confusion, Scored, TextMeasures, evaluate
from regard.evaluation.measure import ratio
from regard.evaluation.translation import text_scores


def scored(predicted: str, target: str) -> Scored:
    return Scored(predicted, tuple(predicted), (target,), (tuple(target),))


def test_figures_by_hand():
    found = evaluate([scored("abc", "abc"), scored("ab", "abc"), scored("xbcd", "abc")], "sign")
    assert found.pairs == 3
    assert found.accuracy.value == pytest.approx(1 / 3)
    assert found.word_error_rate.value == pytest.approx(2 / 3)
    assert found.symbol_error_rate.value == pytest.approx((0 + 1 + 2) / 9)
    assert found.signature == "sign | bootstrap 1000, seed 0"


def test_confusions_count_what_was_written_in_the_place_of_what():
    found = evaluate([scored("xb", "ab"), scored("xc", "ac"), scored("a", "ab")], "")
    assert found.confusions[0] == Confusion("a", "x", 2)
    assert Confusion("b", "", 1) in found.confusions


def test_intervals_hold_the_figure_and_shrink_with_the_data():
    chance = np.random.default_rng(0)
    widths = []
    for count in (50, 5000):
        right = (chance.random(count) < 0.8).astype(float)
        measure = ratio(right, np.ones(count))
        assert measure.low <= measure.value <= measure.high
        widths.append(measure.high - measure.low)
    assert widths[1] < widths[0] / 5
    expected = 2 * 1.96 * np.sqrt(0.8 * 0.2 / 5000)
    assert widths[1] == pytest.approx(expected, rel=0.15)


def test_the_interval_of_the_word_error_rate_is_turned_round():
    found = evaluate([scored("a", "a")] * 9 + [scored("a", "b")], "")
    error = found.word_error_rate
    assert error.low <= error.value <= error.high
    assert (error.low, error.high) == (1 - found.accuracy.high, 1 - found.accuracy.low)


def test_tables_hold_plain_numbers():
    table = evaluate([scored("a", "a")], "").to_table()
    assert table["accuracy"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert set(table) == {"pairs", "accuracy", "symbol_error_rate", "signature"}


def test_nothing_to_evaluate_is_refused():
    with pytest.raises(DataError, match="found none"):
        evaluate([], "")


class TestSeveralReferences:
    def test_any_of_them_is_right_and_edits_are_those_to_the_nearest(self):
        one = Scored("ab", tuple("ab"), ("xyz", "ab"), (tuple("xyz"), tuple("ab")))
        other = Scored("ax", tuple("ax"), ("uvw", "ay"), (tuple("uvw"), tuple("ay")))
        found = evaluate([one, other], "")
        assert found.accuracy.value == 0.5
        assert found.symbol_error_rate.value == pytest.approx(1 / 4)
        assert found.confusions == (Confusion("y", "x", 1),)


class TestTexts:
    TEXTS = ("the cat sat on the mat", "a dog runs fast in the park", "nobody is at home today")
    RIGHT = ("The cat sat on a mat", "a dog is running in the park", "nobody was at home today")

    def found(self, **options):
        pytest.importorskip("sacrebleu")
        scored = [
            Scored(text, (), (right,), ((),))
            for text, right in zip(self.TEXTS, self.RIGHT, strict=True)
        ]
        return text_scores(
            TextMeasures(**options),
            [one.text for one in scored],
            [one.references for one in scored],
            resamples=100,
        )

    def test_bleu_is_the_field_s_by_hand(self):
        """Counted by hand: 14 of 18 words agree, 8 of 15 pairs, 4 of 12 threes, 1 of 9 fours."""
        (score,) = self.found(bleu=True, lower_case=True)
        expected = 100 * (14 / 18 * 8 / 15 * 4 / 12 * 1 / 9) ** 0.25
        assert score.measure.value == pytest.approx(expected, abs=0.01)
        assert "case:lc" in score.signature
        assert score.measure.low <= score.measure.value <= score.measure.high

    def test_texts_that_share_nothing_have_an_interval_too(self):
        pytest.importorskip("sacrebleu")
        texts = ["the cat sat on the mat", *["x"] * 9]
        references = [["the cat sat on the mat"], *[["y"]] * 9]
        (score,) = text_scores(TextMeasures(bleu=True), texts, references, resamples=100)
        assert 0 == score.measure.low < score.measure.value < score.measure.high

    def test_the_figure_is_the_one_that_sacrebleu_itself_gives(self):
        metrics = pytest.importorskip("sacrebleu.metrics")
        scores = self.found(bleu=True, chrf=True)
        for score, metric in zip(scores, (metrics.BLEU(), metrics.CHRF()), strict=True):
            expected = metric.corpus_score(self.TEXTS, [self.RIGHT]).score
            assert score.measure.value == pytest.approx(expected)

    def test_capitals_count_unless_they_are_passed_over(self):
        (lower,), (plain,) = self.found(bleu=True, lower_case=True), self.found(bleu=True)
        assert plain.measure.value < lower.measure.value

    def test_chrf_beside_it_and_nothing_unasked(self):
        assert [score.name for score in self.found(bleu=True, chrf=True)] == ["bleu", "chrf"]
        assert self.found() == ()

    def test_a_missing_library_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
        with pytest.raises(MissingExtraError, match=r"regard\[mt\]"):
            text_scores(TextMeasures(bleu=True), ["a"], [["a"]], resamples=10)
