"""The benchmarks' own arithmetic, and that the page in the docs is what they made. Nothing is timed."""

import re

import pytest

from benchmarks import page
from benchmarks.line import Line
from benchmarks.picture import curves_of_large
from benchmarks.results import kept


@pytest.mark.parametrize(
    ("value", "goal", "at_most", "is_met"),
    [
        (3.0, 3.0, False, True),
        (2.9, 3.0, False, False),
        (10, 20, True, True),
        (21, 20, True, False),
        (1, None, False, None),
    ],
)
def test_a_goal_is_met_from_the_right_side(value, goal, at_most, is_met):
    line = Line("x", value, "x", goal, at_most=at_most)
    assert line.is_met is is_met
    assert ("MISSED" in str(line)) == (is_met is False)


def test_the_page_is_made_from_the_results_that_are_kept():
    if kept("bench") is None and kept("accuracy") is None:
        pytest.skip("no results are kept")
    assert page.text() == page.PAGE.read_text("utf-8")


@pytest.mark.parametrize("path", page.pictures(), ids=lambda path: path.name)
def test_a_picture_is_drawn_from_the_results_that_are_kept(path, tmp_path):
    """Up to where another version of the library puts its lines: all that is written is the same."""
    pytest.importorskip("matplotlib")
    page.draw(page.pictures()[path], tmp_path / "again.svg")
    texts = [
        re.findall("<!-- (.*?) -->", one.read_text("utf-8"))
        for one in (path, tmp_path / "again.svg")
    ]
    assert texts[0] == texts[1]
    assert f"({path.name})" in page.text()


def test_curves_of_large_data_are_figures_of_its_table():
    row = {"count": 1_000, "prepare_seconds": 0.02, "again_seconds": 0.01, "order_seconds": 0.001,
           "prepare_peak": 3.0, "order_peak": 2.0, "anonymous": 90.0}  # fmt: skip
    curves = curves_of_large({"rows": {"b": row | {"count": 4_000}, "a": row}})
    assert [curve.places for curve in curves] == [(1_000, 4_000)] * 6
    assert [curve.values for curve in curves] == [
        (20.0, 5.0),
        (10.0, 2.5),
        (1.0, 0.25),
        (3.0, 3.0),
        (2.0, 2.0),
        (90.0, 90.0),
    ]


@pytest.mark.parametrize(
    ("command", "seeds"), [("regard train a.tsv", 1), ("regard train a.tsv --seeds 5", 5)]
)
def test_seeds_are_those_of_the_command(command, seeds):
    assert page.seeds_of(command) == seeds


def test_threads_seeds_and_signature_stand_beside_each_larger_task():
    text = page.text()
    assert "1 threads" not in text
    for task, row in (kept("larger") or {"tasks": {}})["tasks"].items():
        line = next(line for line in text.splitlines() if line.startswith(f"| {task} |"))
        cells = [cell.strip() for cell in line.split("|")]
        assert cells[-2] == str(row["threads"])
        assert cells[-4] == str(page.seeds_of(row["train"]))
        score = row["scores"]["bleu"] if row["measure"] == "bleu" else row["scores"]
        assert f"- {task}: `{score['signature']}`" in text
