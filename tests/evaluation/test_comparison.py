import itertools

import numpy as np
import pytest

from regard import DataError
from regard.evaluation import Scored, compare, evaluate


def scored(rights: str, target: str = "ab") -> list[Scored]:
    """A pair for each mark: 1 is right, 0 wrong by one symbol."""
    texts = [target if right == "1" else target[:-1] + "x" for right in rights]
    return [Scored(text, tuple(text), (target,), (tuple(target),)) for text in texts]


def test_who_wins_where():
    found = compare(scored("1100"), scored("1010"))
    assert (found.both, found.first_only, found.second_only, found.neither) == (
        (0,),
        (1,),
        (2,),
        (3,),
    )


def test_the_difference_is_that_of_the_evaluations():
    first, second = scored("1100110010"), scored("1110111010")
    found = compare(first, second)
    one, other = (evaluate(side, "") for side in (first, second))
    assert found.accuracy.value == pytest.approx(other.accuracy.value - one.accuracy.value)
    assert found.symbol_error_rate.value == pytest.approx(
        other.symbol_error_rate.value - one.symbol_error_rate.value
    )
    assert found.accuracy.low <= found.accuracy.value <= found.accuracy.high


def test_the_same_twice_differs_by_nothing():
    found = compare(scored("1101"), scored("1101"))
    assert (found.accuracy.value, found.accuracy.low, found.accuracy.high) == (0, 0, 0)
    assert found.accuracy.p == 1


def test_the_other_way_round_is_the_opposite():
    one, other = scored("1100110010"), scored("1110111110")
    here, there = compare(one, other), compare(other, one)
    assert here.accuracy.value == -there.accuracy.value
    assert here.accuracy.p == pytest.approx(there.accuracy.p, abs=0.02)


def test_p_is_that_of_all_ways_to_throw_the_coins():
    """A second route: every division of the six pairs that differ."""
    first, second = scored("1000000011"), scored("1111111011")
    gains = np.array([1] * 6)
    flips = [abs(np.dot(gains, signs)) for signs in itertools.product((1, -1), repeat=6)]
    exact = np.mean([flip >= 6 for flip in flips])
    assert compare(first, second).accuracy.p == pytest.approx(exact, abs=0.006)


def test_a_clear_difference_is_told_from_chance_and_a_small_one_is_not():
    clear = compare(scored("0" * 40 + "1" * 60), scored("1" * 90 + "0" * 10))
    assert clear.accuracy.p < 0.05
    small = compare(scored("10" * 50), scored("01" * 50))
    assert small.accuracy.p > 0.5


def test_no_pairs_are_refused():
    with pytest.raises(DataError, match="expected pairs to compare on"):
        compare([], [])
