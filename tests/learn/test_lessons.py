"""The lessons: the founding numbers, and what each says follows from its own figures."""

import json
import math

import numpy as np
import pytest
import torch

from regard import SettingsError, ShapeError
from regard.learn import TOPICS, Figure, lesson_on, mistakes
from regard.learn.bench import Bench, look_at
from regard.learn.scoring import reading

LIGHT = [name for name, topic in TOPICS.items() if topic.updates == 0]


def numbers(topic, name, digits=3):
    return (lesson_on(topic).figure(name).numbers.round(digits) + 0.0).tolist()


@pytest.mark.parametrize("topic", LIGHT)
def test_every_number_of_a_lesson_has_a_name_and_is_a_number(topic):
    lesson = lesson_on(topic)
    figures = [figure for part in lesson.parts for figure in part.figures]
    assert len({figure.name for figure in figures}) == len(figures) > 0
    # Weights that are no numbers are what one part of the lesson on masks is about.
    assert all(
        np.isfinite(one.numbers).all() for one in figures if (topic, one.name) != ("masks", "total")
    )
    table = json.loads(json.dumps(lesson.to_table(), allow_nan=False))
    assert set(table) == {"topic", "title"} | {figure.name for figure in figures}


@pytest.mark.parametrize("topic", LIGHT)
def test_weights_are_a_distribution_unless_the_lesson_breaks_them(topic):
    for part in lesson_on(topic).parts:
        for figure in part.figures:
            if figure.kind == "weights" and topic != "masks":
                assert np.allclose(figure.numbers.sum(-1), 1)


@pytest.mark.parametrize("topic", LIGHT)
def test_a_bench_gives_the_numbers_of_its_part(topic):
    """The page computes with the bench, the terminal prints the figures: they are one."""
    for part in lesson_on(topic).parts:
        if part.bench is None:
            continue
        looked = look_at(part.bench)
        for figure in part.figures:
            if figure.name in ("scores", "weights", "context", "contexts") and topic != "scaling":
                whole = {"scores": looked.scores, "weights": looked.weights}
                found = whole.get(figure.name, looked.context)
                own = figure.numbers if figure.numbers.ndim == 2 else figure.numbers[None]
                # In the lesson on masks the first row is the right one.
                own = own[1:2] if figure.name == "contexts" and topic == "masks" else own
                assert np.allclose(found, own[: len(found)], atol=1e-9)


def test_the_founding_numbers_are_shown():
    assert numbers("similarity", "scores", 2) == [1.25, 1.0, 0.0, -0.65, 0.7]
    assert numbers("softmax", "weights") == [0.443, 0.297, 0.18, 0.081]
    assert numbers("context", "scores") == [0.85, 0.65, 0.34, 0.33]
    assert numbers("context", "weights") == [0.332, 0.272, 0.199, 0.197]
    assert numbers("context", "context") == [0.283, 0.472, 0.062, 0.284]
    assert numbers("decoder", "weights", 2)[0] == [0.47, 0.37, 0.06, 0.05, 0.05]
    assert numbers("scaling", "weights")[0] == [0.993, 0.007, 0.0, 0.0]
    assert numbers("scaling", "weights")[2] == [0.359, 0.288, 0.211, 0.142]
    assert numbers("masks", "weights", 4)[0] == [0.6457, 0.3543, 0.0, 0.0]


def test_a_reading_follows_from_the_angle():
    assert [reading(math.cos(math.radians(angle))) for angle in (0, 45, 70, 90, 110, 180)] == [
        "the same way",
        "nearly the same way",
        "a little towards it",
        "at a right angle: no answer",
        "a little away from it",
        "away from it",
    ]


def test_adding_a_constant_changes_nothing_and_doubling_sharpens():
    lesson = lesson_on("softmax")
    rows = lesson.figure("variants")
    by_name = dict(zip(rows.rows, rows.numbers, strict=True))
    assert np.allclose(by_name["as they are"], by_name["all 100 larger"])
    assert by_name["doubled"].max() > by_name["as they are"].max() > by_name["halved"].max()
    assert len(set(by_name["all equal"])) == 1
    assert by_name["a thousand times"].max() == 1


def test_the_variance_of_a_dot_product_is_the_size():
    rows = lesson_on("scaling").figure("growth").numbers
    assert np.allclose(rows[0], [1, 4, 16, 64, 256, 512], rtol=0.06)
    assert np.allclose(rows[1], 1, rtol=0.06)
    assert (np.diff(rows[2]) > -1e-9).all()
    assert rows[4, -1] < rows[5, -1]


def test_the_cost_is_counted_not_claimed():
    lesson = lesson_on("cost")
    assert lesson.figure("scores").numbers == 3000
    assert lesson.figure("encoder_calls").numbers == 1


def test_padding_zeroed_afterwards_loses_weight():
    sums = lesson_on("masks").figure("row_sums").numbers
    assert np.isclose(sums[0], 1)
    assert sums[1] < 0.5
    assert lesson_on("masks").figure("numbers").numbers.tolist() == [0, 4, 4]
    assert lesson_on("masks").to_table()["total"] == [None, 1, 0]


def test_an_unknown_topic_is_refused_with_the_known_ones():
    with pytest.raises(
        SettingsError, match=r"unknown topic 'sofmax': expected similarity, softmax"
    ):
        lesson_on("sofmax")


def test_a_figure_whose_labels_do_not_fit_is_refused():
    with pytest.raises(ShapeError, match="figure 'weights' has numbers of shape"):
        Figure("weights", "", np.zeros(3), columns=("one", "two"))


class TestTheBench:
    def test_a_step_is_followed_as_the_gradient_says(self):
        bench = Bench(
            [[1.0, 0.0]],
            [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]],
            [[10.0, 0.0], [0.0, 10.0], [-10.0, 0.0]],
            step=[1e-4, -2e-4],
        )
        for score in ("dot", "scaled dot", "cosine"):
            for hiding in ("before", "after", "not"):
                looked = look_at(
                    Bench(bench.query, bench.keys, bench.values, [True, True, False], score,
                          None, 0.7, hiding, None, bench.step)
                )  # fmt: skip
                assert np.allclose(looked.predicted, looked.moved, atol=1e-6)

    def test_a_mask_done_wrong_is_wrong(self):
        def sums(hiding):
            return look_at(
                Bench([[1.0]], [[1.0], [2.0]], mask=[True, False], hiding=hiding)
            ).weights.tolist()

        assert sums("before") == [[1.0, 0.0]]
        assert 0 < sums("after")[0][0] < 1
        assert sums("not")[0][1] > 0.5

    def test_a_larger_size_only_adds_to_a_smaller_one(self):
        bench = Bench([[1.0, 0.5]], [[1.0, 0.0], [0.0, 1.0]])
        variances = [
            look_at(Bench(bench.query, bench.keys, score="dot", size=size)).variance
            for size in (2, 8, 512)
        ]
        assert variances[0] == look_at(bench).variance
        assert variances[2] > variances[1]

    def test_nothing_open_is_no_nan(self):
        looked = look_at(Bench([[1.0]], [[1.0], [2.0]], mask=[False, False], step=[0.1]))
        assert looked.weights.tolist() == [[0.0, 0.0]]
        assert looked.moved.tolist() == [0.0]

    @pytest.mark.parametrize(
        ("operands", "message"),
        [
            ({"query": [[1.0]], "keys": [[1.0, 2.0]]}, "query has 1 numbers, keys have 2"),
            ({"query": [[1.0]], "keys": [[1.0]], "values": [[1.0], [2.0]]}, "1 keys and 2 values"),
            ({"query": [[1.0]], "keys": [[1.0]], "mask": [True, True]}, "2 marks of the mask"),
            ({"query": [[1.0]], "keys": [[1.0]], "step": [1.0, 2.0]}, "the step has 2 numbers"),
            ({"query": [[1.0], [1.0, 2.0]], "keys": [[1.0]]}, "query: expected rows"),
        ],
    )
    def test_operands_that_do_not_fit_are_refused(self, operands, message):
        with pytest.raises(ShapeError, match=message):
            Bench(**operands)

    def test_a_temperature_of_zero_is_refused(self):
        with pytest.raises(SettingsError, match="a temperature of 0"):
            Bench([[1.0]], [[1.0]], temperature=0.0)


@pytest.mark.slow
def test_the_bottleneck_moves_less_than_the_look():
    lesson = lesson_on("bottleneck")
    moves = lesson.figure("contexts_move").numbers
    assert moves[0] > 2 * moves[5:].mean()
    assert moves[0] > lesson.figure("last_state_moves").numbers
    right = lesson.figure("right_with_attention").numbers.mean()
    assert right > lesson.figure("right_from_last_state").numbers.mean() + 0.3


@pytest.mark.slow
def test_each_mistake_shows_and_is_found_by_the_check_that_should_find_it(monkeypatch):
    for name, value in (("UPDATES", 150), ("LONGEST", 5)):
        monkeypatch.setattr(mistakes, name, value)
    lesson = lesson_on("mistakes")
    shares = lesson.figure("shares")
    known, _, alone = dict(zip(shares.rows, shares.numbers, strict=True))["softmax over the target"]
    assert known > 0.8
    assert alone < 0.1
    found = {part.heading: part.text[-1] for part in lesson.parts}
    assert found["no mistake"] == "The exact checks all hold."
    for name, check in (
        ("softmax over the target", "I1"),
        ("padding zeroed after the softmax", "I1"),
        ("no mask", "I2"),
        ("context from the last state", "I5"),
        ("source read again at each step", "I4"),
    ):
        assert check in found[name], name


@pytest.mark.slow
def test_the_exercises_answer_themselves():
    torch.manual_seed(0)
    lesson = lesson_on("exercises")
    assert np.allclose(lesson.figure("hand_weights").numbers, [0.665, 0.245, 0.090], atol=5e-4)
    assert lesson.figure("identical_gradient").numbers < 1e-12
    for name in ("covariance", "closed_form"):
        assert np.allclose(lesson.figure(name).numbers, lesson.figure("automatic").numbers)
    offsets = lesson.figure("offsets").numbers
    assert offsets[0, 2] > offsets[1, 2]
    assert offsets[1, 3] > 0.5
