import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard import Alignment, DataError, ShapeError
from regard.alignment import (
    SHIFTS,
    Label,
    ShapeSettings,
    Trust,
    describe,
    draw_text,
    flags_of,
    head_divergence,
    picture,
)
from regard.alignment.descriptors import diagonal, longest_stall, tau
from regard.alignment.trust import row_label
from tests.alignment.test_alignment import alignment_of, labels
from tests.strategies import alignments


def map_of(weights, source: str | None = None, target: str | None = None) -> Alignment:
    """A map whose last row and column are the ends."""
    weights = np.array(weights, np.float32)
    source = source or "abcdefghijkl"[: weights.shape[1] - 1]
    target = target or "mnopqrstuvwx"[: weights.shape[0] - 1]
    return Alignment(labels(source), labels(target), weights)


def diagonal_map(size: int, sharp: float = 0.9, *, is_reversed: bool = False) -> Alignment:
    weights = np.full((size + 1, size + 1), (1 - sharp) / size)
    for row in range(size + 1):
        weights[row, size - 1 - row if is_reversed and row < size else row] = sharp
    return map_of(weights)


@given(alignments(), st.integers(1, 4), st.floats(0.1, 0.9))
def test_the_shape_of_a_map_with_tags_is_that_of_its_symbols(alignment, tags, share):
    """However much goes to the tags, and to whichever."""
    rows, columns = alignment.weights.shape
    weights = np.full((rows, columns + tags), share / tags, np.float32)
    weights[:, :columns] = alignment.weights * (1 - share)
    labels = (*alignment.source, *(Label(f"T{tag}", 9, 9, "tag") for tag in range(tags)))
    own, found = describe(alignment), describe(replace(alignment, source=labels, weights=weights))
    assert found.sinks[columns:] == (0.0,) * tags
    for name, value in vars(own).items():
        other = vars(found)[name]
        other = other[:columns] if name == "sinks" else other
        if isinstance(value, int | float | tuple) and not isinstance(value, bool):
            assert other == pytest.approx(value, abs=1e-4), name


class TestShape:
    def test_a_uniform_map_is_flat_and_unordered(self):
        shape = describe(map_of(np.full((4, 5), 0.2)))
        assert shape.flatness == pytest.approx(1)
        assert shape.spread == pytest.approx(5)
        assert shape.peak == pytest.approx(0.2)
        assert shape.order is None
        assert shape.saturation == pytest.approx(1 - 5 * 0.04)

    def test_a_diagonal_is_in_order_and_near_itself(self):
        shape = describe(diagonal_map(6))
        assert shape.order == pytest.approx(1)
        assert not shape.is_reversed
        assert shape.band_mass > 0.9
        assert shape.band_lift == pytest.approx(shape.band_mass / ((6 + 5 + 5) / 36))
        assert SHIFTS[int(np.argmax(shape.shift))] == 0

    def test_a_reversed_diagonal_is_the_other_one(self):
        shape = describe(diagonal_map(6, is_reversed=True))
        assert shape.order == pytest.approx(-1)
        assert shape.is_reversed
        assert SHIFTS[int(np.argmax(shape.shift))] == 0

    def test_a_map_one_place_off_says_so(self):
        weights = np.roll(diagonal_map(6).weights[:, :-1], 1, axis=1)
        shape = describe(map_of(np.hstack([weights, np.zeros((7, 1))])))
        assert SHIFTS[int(np.argmax(shape.shift))] == 1

    def test_coverage_is_one_on_average_and_leaves_the_end_out(self):
        shape = describe(diagonal_map(4, 1.0))
        assert shape.coverage == pytest.approx((1, 1, 1, 1))
        assert shape.sinks == pytest.approx((0.2,) * 5)

    def test_penalties_of_the_literature_by_hand(self):
        # Content weights [[1, 0], [1, 0]]: coverage 2 and 0.
        shape = describe(map_of([[1, 0, 0], [1, 0, 0], [0, 0, 1]]))
        assert shape.cdp == pytest.approx(-(np.log(2) + np.log(2)) / 2)
        assert shape.cp == pytest.approx(0.2 * np.log(1e-12))
        assert shape.ap_out == 0
        assert shape.ap_in == pytest.approx(-np.log(2) / 2)

    def test_a_map_without_content_says_nothing(self):
        shape = describe(map_of([[1.0]], "", ""))
        assert (shape.order, shape.band_mass, shape.flatness, shape.peak) == (None,) * 4
        assert flags_of(map_of([[1.0]], "", ""), shape) == []

    @given(alignments())
    def test_every_figure_is_in_its_range(self, alignment):
        shape = describe(alignment)
        for value, low, high in (
            (shape.flatness, -1e-6, 1 + 1e-6),
            (shape.peak, 0, 1 + 1e-6),
            (shape.order, -1, 1),
            (shape.band_mass, -1e-6, 1 + 1e-6),
            (shape.saturation, -1e-6, 1),
            (shape.cdp, -50, 0),
            (shape.marginal_tv, 0, 1),
        ):
            assert value is None or low <= value <= high
        assert json.dumps([flag.text for flag in flags_of(alignment, shape)])

    @pytest.mark.parametrize(
        ("path", "expected"), [([0, 1, 2, 3], 1), ([3, 2, 1, 0], -1), ([0, 2, 1], 1 / 3)]
    )
    def test_order_of_a_path(self, path, expected):
        assert tau(np.array(path)) == pytest.approx(expected)

    def test_the_line_of_a_longer_source(self):
        np.testing.assert_allclose(diagonal(3, 5, 1), [0, 2, 4])
        np.testing.assert_allclose(diagonal(3, 5, -1), [4, 2, 0])
        np.testing.assert_allclose(diagonal(1, 5, 1), [0])

    def test_heads_that_look_alike_do_not_diverge(self):
        one = np.eye(3)[None]
        assert head_divergence(np.concatenate([one, one])) == pytest.approx(0)
        other = np.roll(one, 1, axis=2)
        assert head_divergence(np.concatenate([one, other])) == pytest.approx(np.log(2))
        assert head_divergence(one) is None


class TestFlags:
    def names(self, alignment: Alignment, **settings) -> list[str]:
        return [
            flag.name
            for flag in flags_of(alignment, describe(alignment), ShapeSettings(**settings))
        ]

    def test_a_healthy_map_has_none(self):
        assert self.names(diagonal_map(6)) == []

    def test_flat(self):
        assert self.names(map_of(np.full((4, 5), 0.2))) == ["flat"]

    def test_a_sink_is_named_with_number_threshold_and_place(self):
        weights = np.full((9, 12), 0.4 / 11)
        weights[:, 2] = 0.6
        (flag, *_) = flags_of(map_of(weights), describe(map_of(weights)))
        assert flag.name == "sink"
        assert flag.where == "source 3 'c'"
        assert "0.6 against 0.3" in flag.text

    def test_a_stall_needs_a_symbol_that_is_written_again(self):
        weights = np.vstack([np.eye(6)[[0, 0, 0, 0, 1, 2]], np.eye(6)[[5]]])
        again, other = map_of(weights, target="xyxyab"), map_of(weights, target="uvwxab")
        assert "stalled" in self.names(again)
        assert "stalled" not in self.names(other)
        stall = longest_stall(np.array([0, 0, 0, 0, 1, 2]), again.target)
        assert (stall.first, stall.length, stall.column) == (0, 4, 0)

    def test_skipped_and_doubled_symbols_are_listed(self):
        weights = np.vstack([np.eye(5)[[0, 0, 0, 3]], np.eye(5)[[4]]])
        found = self.names(map_of(weights))
        assert found.count("skipped") == 2
        assert found.count("doubled") == 1
        assert "saturated" in found

    def test_thresholds_are_settings(self):
        assert self.names(map_of(np.full((4, 5), 0.2)), saturated=0.9) == ["flat", "saturated"]


class TestTrust:
    def examined(self) -> Alignment:
        alignment = diagonal_map(3, 0.9)
        effects = np.zeros((4, 4), np.float32)
        effects[0, 0], effects[1, 2] = 2.0, 1.0
        uniform = np.array([1.0, 0.5, 0.3, 0.0], np.float32)
        return replace(alignment, trust=Trust(effects, uniform, np.zeros(4, np.float32)))

    def test_each_label_by_its_rule(self):
        assert self.examined().row_labels() == ("used", "misdirected", "spread", "idle")
        assert row_label(0, np.array([0.5, 0.55]), 0.1, 0.0) == "used"
        assert row_label(0, np.array([0.05, 0.1]), 0.1, 0.0) == "idle"
        assert row_label(0, np.array([-1.0, 0.1]), 0.1, 0.0) == "misdirected"

    def test_where_there_are_blocks_each_has_a_strongest_position(self):
        weights = np.array([[0.3, 0.2, 0.1, 0.4], [0.1, 0.4, 0.4, 0.1]], np.float32)
        effects = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.2, 0.0, 2.0]], np.float32)
        flat = np.zeros(2, np.float32)
        whole, apart = Trust(effects, flat, flat), Trust(effects, flat, flat, blocks=(2, 2))
        assert whole.strongest(weights).tolist() == [3, 1]
        assert whole.labels(weights) == ("misdirected", "misdirected")
        assert apart.strongest(weights).tolist() == [0, 2]
        assert apart.labels(weights) == ("used", "misdirected")
        assert "Erasing the strongest position lowers the log-probability of a symbol by 0.30" in (
            apart.summary(weights, 2)
        )

    def test_the_summary_counts_rows_of_content_and_names_no_cause(self):
        summary = self.examined().summary()
        assert summary.startswith("Of 3 rows: 1 used, 1 misdirected, 1 spread.")
        assert "because" not in summary
        assert diagonal_map(3).summary() == "Not tested: the shape alone is no evidence."
        nothing = replace(
            map_of([[1.0]], "", ""),
            trust=Trust(*[np.zeros((1, 1), np.float32)], *[np.zeros(1, np.float32)] * 2),
        )
        assert "nothing was tested" in nothing.summary()

    def test_it_goes_there_and_back(self):
        again = Alignment.from_json(self.examined().to_json())
        assert again.row_labels() == self.examined().row_labels()
        np.testing.assert_allclose(again.trust.effects, self.examined().trust.effects)
        assert again.trust.blocks == ()
        apart = replace(self.examined(), trust=replace(self.examined().trust, blocks=(3, 1)))
        text = apart.to_json()
        assert Alignment.from_json(text).trust.blocks == (3, 1)
        for wrong in ("[3, 2]", "[2.5, 1.5]", "[4, 0]", '"ab"', "[[3], [1]]"):
            with pytest.raises(DataError):
                Alignment.from_json(text.replace('"blocks": [3, 1]', f'"blocks": {wrong}'))
        older = text.replace(', "blocks": [3, 1]', "")
        assert Alignment.from_json(older).trust.blocks == ()

    def test_effects_of_another_shape_are_refused(self):
        with pytest.raises(ShapeError, match="effects have shape"):
            replace(self.examined(), trust=Trust(np.zeros((1, 1)), np.zeros(1), np.zeros(1)))

    def test_every_picture_shows_what_was_tested(self, tmp_path):
        tested = self.examined()
        text, drawn = draw_text(tested), picture(tested)
        assert "tested by erasing" in text
        assert "misdirected" in text
        assert "Of 3 rows" in text
        assert drawn.count("<circle") == 4
        assert "url(#idle)" in drawn
        assert "erasing it costs 2.00 nats" in drawn
        for kind in ("svg", "html", "png", "json"):
            tested.save(tmp_path / f"a.{kind}")
            assert (tmp_path / f"a.{kind}").stat().st_size > 500
        assert "Shape only: not tested." in picture(diagonal_map(3))

    def test_a_large_map_is_drawn_too(self):
        large = alignment_of("a" * 199, "b" * 199)
        effects = np.zeros(large.weights.shape, np.float32)
        trust = Trust(effects, *[np.zeros(len(effects), np.float32)] * 2)
        assert "url(#idle)" in picture(replace(large, trust=trust))

    def test_a_huge_map_stays_of_a_size_that_can_be_looked_at(self):
        drawn = picture(alignment_of("a" * 899, "b" * 499))
        width = int(re.search(r"width='(\d+)'", drawn)[1])
        assert width < 1300
        assert not re.search(r"(width|height|r)='-", drawn)
        assert "font-size='7'" in drawn


def test_labels_stay_as_they_were():
    assert Label("a", 0, 1).shown == "a"
