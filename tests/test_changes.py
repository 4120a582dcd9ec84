"""Weights of a step, changed by hand: what is said of a position holds of the mean of the heads."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard import SettingsError
from regard.predictor import Change
from regard.predictor.looking import changed
from regard.text import Pair
from tests.tiny import KINDS
from tests.web.served import predictor

LOOKING = [kind for kind in KINDS if "none" not in kind]


def drawn(heads: int, source: int, seed: int) -> torch.Tensor:
    return torch.randn(heads, source, generator=torch.Generator().manual_seed(seed)).softmax(-1)


@given(st.integers(1, 4), st.integers(2, 7), st.integers(0, 99), st.floats(0, 1))
def test_rows_still_sum_to_one_and_the_mean_is_what_was_asked_for(heads, source, seed, share):
    weights = drawn(heads, source, seed)
    found = changed(weights, Change(moved={0: share}), [source])
    torch.testing.assert_close(found.sum(-1), torch.ones(heads))
    assert float(found[:, 0].mean()) == pytest.approx(share, abs=1e-5)
    assert float(found.min()) >= -1e-6


@given(st.integers(1, 4), st.integers(2, 7), st.integers(0, 99))
def test_moving_a_weight_to_where_it_is_changes_nothing(heads, source, seed):
    weights = drawn(heads, source, seed)
    found = changed(weights, Change(moved={1: float(weights[:, 1].mean())}), [source])
    torch.testing.assert_close(found, weights, atol=1e-5, rtol=0)


def test_all_erased_leaves_nothing_and_no_nan():
    assert changed(drawn(2, 3, 0), Change(erased=(0, 1, 2)), [3]).tolist() == [[0.0] * 3] * 2


def test_what_a_head_had_alone_is_shared_out_evenly():
    found = changed(torch.tensor([[1.0, 0.0, 0.0]]), Change(moved={0: 0.4}), [3])
    torch.testing.assert_close(found, torch.tensor([[0.4, 0.3, 0.3]]))


@pytest.mark.parametrize("kind", LOOKING)
def test_in_every_decoder_no_change_is_no_change(kind):
    model = predictor(kind)
    pair = Pair("abcd", "hg")
    before = model.look_up(pair, 2)
    own = Change(moved={1: float(before.weights[1])})
    after = model.look_up(pair, 2, own)
    assert after.chances == pytest.approx(before.chances, abs=1e-4)


@pytest.mark.parametrize(
    "change", [Change(erased=(9,)), Change(moved={9: 0.5}), Change(moved={0: 2.0})]
)
def test_a_position_or_a_weight_that_is_none_is_refused(change):
    with pytest.raises(SettingsError, match="expected 0 to"):
        predictor().look_up(Pair("abcd", "hg"), 1, change)
