import numpy as np
import pytest

from regard import DataError
from regard.evaluation import Confusion, Scored, evaluate
from regard.evaluation.metrics import ratio


def scored(predicted: str, target: str) -> Scored:
    return Scored("s", tuple(predicted), tuple(target))


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
