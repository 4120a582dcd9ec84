"""The benchmarks' own arithmetic, and that the page in the docs is what they made. Nothing is timed."""

import pytest

from benchmarks import page
from benchmarks.line import Line
from benchmarks.results import kept


@pytest.mark.parametrize(
    ("value", "goal", "at_most", "is_met"),
    [(3.0, 3.0, False, True), (2.9, 3.0, False, False), (10, 20, True, True),
     (21, 20, True, False), (1, None, False, None)],
)  # fmt: skip
def test_a_goal_is_met_from_the_right_side(value, goal, at_most, is_met):
    line = Line("x", value, "x", goal, at_most=at_most)
    assert line.is_met is is_met
    assert ("MISSED" in str(line)) == (is_met is False)


def test_the_page_is_made_from_the_results_that_are_kept():
    if kept("bench") is None and kept("accuracy") is None:
        pytest.skip("no results are kept")
    assert page.text() == page.PAGE.read_text("utf-8")
