import json
from dataclasses import replace

import numpy as np
import pytest

from regard.inspection import (
    Check,
    Erasure,
    InspectionSettings,
    judge,
    position_use,
    word_use,
)

SETTINGS = InspectionSettings(resamples=200)


def case(effects: list[list[float]], weights: list[list[float]], uniform: float = 0.0) -> Erasure:
    """One pair; a last row for the end is added."""
    rows, columns = len(effects) + 1, len(effects[0])
    whole = np.vstack([np.array(effects), np.zeros((1, columns))]).astype(np.float32)
    looked = np.vstack([np.array(weights), np.full((1, columns), 1 / columns)]).astype(np.float32)
    flat = np.zeros(rows, np.float32)
    return Erasure(
        flat, looked, whole, flat + np.float32(uniform), flat, flat > 0, flat, flat > 0,
        looked[None], np.zeros((0, rows, columns), np.float32),
    )  # fmt: skip


def cases(top: float, other: float, count: int = 30, **options) -> list[Erasure]:
    weights = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]]
    effects = [[top, other, other], [other, top, other]]
    return [case(effects, weights, **options) for _ in range(count)]


def verdict(tested: list[Erasure], checks=()) -> str:
    return judge(position_use(tested, SETTINGS), checks, SETTINGS).verdict


class TestVerdict:
    def test_supported(self):
        assert verdict(cases(2.0, 0.0)) == "supported"

    def test_not_supported_where_nothing_matters(self):
        assert verdict(cases(0.0, 0.0)) == "not supported"
        assert verdict(cases(0.01, 0.0)) == "not supported"

    def test_partial_where_little_matters(self):
        assert verdict(cases(0.08, 0.0, uniform=1.0)) == "partial"

    def test_undetermined_where_another_position_matters(self):
        assert verdict(cases(0.0, 1.0, uniform=1.0)) == "undetermined"

    def test_undetermined_with_few_pairs(self):
        assert verdict(cases(2.0, 0.0, count=19)) == "undetermined"

    def test_invalid_where_a_check_fails_whatever_the_figures(self):
        failed = Check("I1", "rows sum to one", 0.5, 1e-4)
        found = judge(position_use(cases(2.0, 0.0), SETTINGS), [failed], SETTINGS)
        assert found.verdict == "invalid"
        assert "I1 FAILS" in found.reasons[1]

    def test_invalid_where_nothing_could_be_tested(self):
        assert judge(None, [Check("I6", "shapes", 1.0, 0.0)], SETTINGS).verdict == "invalid"

    def test_a_figure_that_is_no_number_fails_its_check(self):
        assert not Check("I7", "finite", float("nan"), 1e-4).is_met

    def test_no_verdict_speaks_of_causes(self):
        for tested in (cases(2.0, 0.0), cases(0.0, 0.0), cases(0.0, 1.0)):
            found = judge(position_use(tested, SETTINGS), (), SETTINGS)
            assert "because" not in json.dumps([found.reasons, found.modifiers])


def test_figures_by_hand():
    use = position_use(cases(2.0, 0.5, count=20, uniform=1.5), SETTINGS)
    assert (use.pairs, use.rows) == (20, 40)
    assert use.gap.value == pytest.approx(1.5)
    assert use.top.value == pytest.approx(2)
    assert use.other.value == pytest.approx(0.5)
    assert use.agree.value == pytest.approx(2 / 3)
    assert use.chance == pytest.approx(1 / 3)
    assert use.uniform.value == pytest.approx(1.5)
    assert use.labels == {"used": 1.0, "misdirected": 0.0, "spread": 0.0, "idle": 0.0}
    assert use.end_labels["spread"] == 1.0


def test_figures_by_hand_where_symbols_and_tags_have_each_a_distribution():
    """Two symbols and three tags: the strongest of either counts, whichever matters."""
    weights = [[0.4, 0.1, 0.2, 0.2, 0.1], [0.1, 0.4, 0.1, 0.3, 0.1]]
    effects = [[2.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.2, 0.0, 0.0, 1.0]]
    tested = [replace(case(effects, weights), blocks=(2, 3)) for _ in range(20)]
    use = position_use(tested, SETTINGS)
    assert use.top.value == pytest.approx((2.0 / 2 + 0.2 / 2) / 2)
    assert use.other.value == pytest.approx((0.0 + 1.0 / 3) / 2)
    assert use.chance == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert use.agree.value + use.chance == pytest.approx(1 / 2)
    assert use.labels == {"used": 0.5, "misdirected": 0.5, "spread": 0.0, "idle": 0.0}


def test_intervals_draw_pairs_and_hold_the_figure():
    use = position_use([*cases(2.0, 0.0, 20), *cases(0.0, 0.0, 20)], SETTINGS)
    assert use.gap.low < use.gap.value == pytest.approx(1.0)
    assert use.gap.value < use.gap.high


class TestWords:
    def shifted(self, by: int, count: int = 30):
        weights = np.roll(np.eye(5), by, axis=1)[: 5 - abs(by)] if by >= 0 else np.eye(5)
        return word_use([weights] * count, [2 * np.eye(5)[: len(weights)]] * count, SETTINGS)

    def test_in_place(self):
        found = self.shifted(0)
        assert found.is_in_place
        assert not found.is_shifted
        assert found.agreement.value == 1

    def test_one_place_off_is_found_without_gold(self):
        found = self.shifted(1)
        assert found.is_shifted
        assert found.shift == 1
        assert found.offsets[1] == 1.0
        assert found.text.startswith("Shifted by +1: the look is 1 place behind")

    def test_rows_in_which_nothing_matters_are_left_out(self):
        found = word_use([np.eye(3)], [np.zeros((3, 3))], SETTINGS)
        assert (found.rows, found.silent) == (0, 1.0)
        assert "changed nothing" in found.text

    def test_nothing_tried_is_nothing_said(self):
        assert word_use([], [], SETTINGS) is None
