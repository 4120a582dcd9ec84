import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard import SettingsError, attend, summarize
from regard.attention.largest import largest
from tests.strategies import Look, looks


@given(looks(), st.integers(1, 5))
def test_it_says_what_the_dense_look_says(look: Look, block: int):
    dense = attend(look.query, look.keys, look.values, mask=look.mask)
    summary = summarize(look.query, look.keys, look.values, mask=look.mask, block=block)
    weights = dense.weights
    torch.testing.assert_close(summary.context, dense.context)
    torch.testing.assert_close(summary.coverage, weights.sum(-2))
    if weights.shape[-1]:
        torch.testing.assert_close(summary.peak, weights.amax(-1))
    entropy = torch.special.entr(weights).sum(-1)
    torch.testing.assert_close(summary.entropy, entropy)


@given(looks(smallest=1))
def test_log_sum_exp_is_that_of_the_scores(look: Look):
    summary = summarize(look.query, look.keys, look.values, mask=look.mask, block=2)
    scores = look.query @ look.keys.mT * look.query.shape[-1] ** -0.5
    expected = scores.masked_fill(~look.mask, -torch.inf).logsumexp(-1)
    torch.testing.assert_close(summary.log_sum_exp, expected)


@given(looks(smallest=1))
def test_top_weights_stand_at_their_positions(look: Look):
    summary = summarize(look.query, look.keys, look.values, mask=look.mask, top=3)
    weights = attend(look.query, look.keys, look.values, mask=look.mask).weights
    found = summary.top_positions >= 0
    there = weights.gather(-1, summary.top_positions.clamp(min=0))
    torch.testing.assert_close(summary.top_weights[found], there[found])
    assert (summary.top_weights[~found] == 0).all()
    assert (summary.top_weights.diff(dim=-1) <= 0).all()


def test_an_empty_row_says_nothing():
    mask = torch.tensor([[True, True], [False, False]])
    summary = summarize(torch.randn(2, 3), torch.randn(2, 3), mask=mask)
    assert summary.context[1].tolist() == [0.0] * 3
    assert summary.log_sum_exp[1] == -torch.inf
    assert (summary.entropy[1], summary.peak[1], summary.argmax[1]) == (0, 0, -1)
    assert summary.top_positions[1].tolist() == [-1, -1]
    assert summary.coverage.sum() == pytest.approx(1.0)


@given(looks(smallest=1), st.integers(1, 4))
def test_gradients_are_those_of_the_dense_look(look: Look, block: int):
    upstream = torch.randn(look.keys.shape[:-1], dtype=torch.float64)
    ours = [part.clone().requires_grad_() for part in (look.query, look.keys, look.values)]
    theirs = [part.clone().requires_grad_() for part in (look.query, look.keys, look.values)]
    summary = summarize(*ours, mask=look.mask, block=block)
    dense = attend(*theirs, mask=look.mask)
    (summary.context.square().sum() + (summary.coverage * upstream).sum()).backward()
    (dense.context.square().sum() + (dense.weights.sum(-2) * upstream).sum()).backward()
    for own, their in zip(ours, theirs, strict=True):
        torch.testing.assert_close(own.grad, their.grad)


def test_gradients_of_entropy_peak_and_log_sum_exp_are_right():
    parts = [torch.randn(3, 2, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    mask = torch.tensor([[True, True, False], [True, True, True], [False, False, False]])

    def summary(*parts):
        found = summarize(*parts, mask=mask, block=2)
        return found.entropy, found.peak, found.log_sum_exp[:2]

    assert torch.autograd.gradcheck(summary, parts)


def test_leading_axes_broadcast_and_single_queries_come_back_single():
    query, keys = torch.randn(2, 4, 3, 5), torch.randn(1, 6, 5)
    summary = summarize(query, keys, block=2)
    dense = attend(query, keys)
    torch.testing.assert_close(summary.context, dense.context)
    torch.testing.assert_close(summary.coverage, dense.weights.sum(-2))
    single = summarize(query[0, 0, 0], keys[0], top=2)
    assert (single.context.shape, single.peak.shape, single.top_weights.shape) == ((5,), (), (2,))


def test_a_bias_shifts_the_log_sum_exp():
    query, keys = torch.randn(2, 3), torch.randn(4, 3)
    plain = summarize(query, keys)
    shifted = summarize(query, keys, bias=torch.full((2, 4), 5.0))
    torch.testing.assert_close(shifted.log_sum_exp, plain.log_sum_exp + 5)
    torch.testing.assert_close(shifted.context, plain.context)


@pytest.mark.parametrize("options", [{"block": 0}, {"top": 0}])
def test_a_block_of_nothing_is_refused(options):
    with pytest.raises(SettingsError, match="at least one"):
        summarize(torch.ones(1, 2), torch.ones(1, 2), **options)


def test_the_matrix_is_never_there():
    """No tensor of the look is larger than a block of rows: counted, not timed."""
    largest = 0

    class Sizes(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            nonlocal largest
            result = function(*args, **(kwargs or {}))
            for part in result if isinstance(result, tuple | list) else [result]:
                if isinstance(part, torch.Tensor):
                    largest = max(largest, part.untyped_storage().nbytes())
            return result

    query, keys = torch.randn(500, 4), torch.randn(600, 4)
    with Sizes(), torch.no_grad():
        summarize(query, keys, block=10)
    assert largest <= 10 * 600 * 8


@pytest.mark.parametrize("length", [256, 260, 287, 1000])
@pytest.mark.parametrize("kind", ["spread", "equal", "sharp at the end", "many zeros"])
def test_the_largest_of_a_long_row_are_those_of_the_whole_row(length, kind):
    """Long rows are searched by pieces; the whole row is the other route."""
    chance = torch.Generator().manual_seed(0)
    weights = {
        "spread": torch.rand(5, length, generator=chance).softmax(-1),
        "equal": torch.full((5, length), 1 / length),
        "sharp at the end": torch.eye(length)[-5:],
        "many zeros": torch.nn.functional.pad(torch.rand(5, 9, generator=chance), (0, length - 9)),
    }[kind]
    found = largest(weights, 8)
    assert torch.equal(weights.gather(-1, found.positions), weights.topk(8, -1).values)
    assert torch.equal(found.first, weights.max(-1).indices)
    assert all(len(set(row)) == 8 for row in found.positions.tolist())
