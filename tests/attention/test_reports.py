"""Faults that were found once, each with its whole kind."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from jaxtyping import TypeCheckError

from regard import (
    AdditiveScore,
    Attention,
    ConcatScore,
    DotScore,
    GeneralScore,
    KindError,
    MultiHeadAttention,
    ScaledDotScore,
    SettingsError,
    ShapeError,
    attend,
    causal_mask,
    context_jacobian,
    softmax,
    sparsemax,
    summarize,
)

NAN = torch.nan
WITH_PARAMETERS = [
    lambda: GeneralScore(4, 4),
    lambda: AdditiveScore(4, 4, size=3),
    lambda: ConcatScore(4, 4, size=3),
]


@pytest.mark.parametrize("with_gradients", [False, True])
def test_the_process_does_not_grow_by_the_matrix(with_gradients):
    """In its own process: the resident peak, not what tensors say of themselves."""
    code = f"""
import resource, torch, regard
q, k, v = (torch.randn(8192, 16, requires_grad={with_gradients}) for _ in range(3))
regard.summarize(q[:64], k, v).context.sum()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = regard.summarize(q, k, v)
if {with_gradients}:
    (found.context.sum() + found.coverage.square().sum()).backward()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert int(done.stdout) < 100, done.stderr  # the matrix alone has 256 MiB


class TestHiddenByOneRowOfMask:
    def test_a_bias_hides_nan(self):
        keys = torch.randn(5, 4)
        keys[4] = NAN
        bias = torch.zeros(1, 5)
        bias[0, 4] = -torch.inf
        for context in (
            attend(torch.randn(1, 4), keys, bias=bias).context,
            summarize(torch.randn(1, 4), keys, bias=bias).context,
        ):
            assert torch.isfinite(context).all()

    @pytest.mark.parametrize("needs_weights", [True, False])
    def test_a_mask_beside_the_memorys_hides_nan(self, needs_weights):
        states = torch.randn(1, 5, 4)
        states[0, 4] = NAN
        mask = torch.ones(1, 1, 5, dtype=torch.bool)
        mask[..., 4] = False
        query = torch.randn(1, 3, 4)
        attention = Attention(ScaledDotScore())
        assert torch.isfinite(attention(query, attention.memorize(states), mask=mask).context).all()
        heads = MultiHeadAttention(4, 2)
        attended = heads(query, heads.memorize(states), mask=mask, needs_weights=needs_weights)
        assert torch.isfinite(attended.context).all()

    @pytest.mark.parametrize("make", WITH_PARAMETERS)
    def test_a_query_of_an_empty_item_does_not_reach_the_parameters(self, make):
        mask = torch.ones(2, 5, dtype=torch.bool)
        mask[0] = False
        query = torch.randn(2, 3, 4)
        query[0] = NAN
        attention = Attention(make())
        attention(query, attention.memorize(torch.randn(2, 5, 4), mask)).context.sum().backward()
        assert all(torch.isfinite(p.grad).all() for p in attention.parameters())

    @pytest.mark.parametrize("make", WITH_PARAMETERS)
    def test_a_bias_hides_nan_from_the_parameters(self, make):
        keys = torch.randn(5, 4)
        keys[4] = NAN
        bias = torch.zeros(3, 5)
        bias[:, 4] = -torch.inf
        score = make()
        attend(
            torch.randn(3, 4), keys, torch.randn(5, 2), bias=bias, score=score
        ).context.sum().backward()
        assert all(torch.isfinite(p.grad).all() for p in score.parameters())

    def test_coverage_of_padding_is_not_read(self):
        score = AdditiveScore(4, 4, size=3, uses_coverage=True)
        attention = Attention(score)
        mask = torch.tensor([[True, True, False]])
        memory = attention.memorize(torch.randn(1, 3, 4), mask)
        coverage = torch.tensor([[0.0, 1.0, NAN]])
        attention(torch.randn(1, 1, 4), memory, coverage=coverage).context.sum().backward()
        assert all(torch.isfinite(p.grad).all() for p in score.parameters())


class TestUndefinedStaysLocal:
    def test_a_nan_bias_reaches_its_own_row_alone(self):
        query, keys, values = (torch.randn(3, 2, requires_grad=True) for _ in range(3))
        bias = torch.zeros(3, 3)
        bias[1, 0] = NAN
        context = attend(query, keys, values, mask=causal_mask(3, 3), bias=bias).context
        context.square().sum().backward()
        assert torch.isnan(context[1]).all()
        assert torch.isfinite(context[[0, 2]]).all()
        assert torch.isfinite(values.grad[2]).all()
        assert torch.isnan(values.grad[:2]).all()

    def test_an_infinite_gradient_of_an_empty_row_reaches_nothing(self):
        values = torch.randn(3, 2, requires_grad=True)
        mask = torch.ones(2, 3, dtype=torch.bool)
        mask[1] = False
        context = attend(torch.randn(2, 2), torch.randn(3, 2), values, mask=mask).context
        (context / context.norm(dim=-1, keepdim=True)).nansum().backward()
        assert torch.isfinite(values.grad).all()

    def test_a_row_that_a_bias_empties_gives_log_sum_exp_no_gradient(self):
        query, keys = torch.randn(3, 2), torch.randn(4, 2, requires_grad=True)
        query[1] = NAN
        bias = torch.zeros(3, 4)
        bias[1] = -torch.inf
        summarize(query, keys, bias=bias).log_sum_exp[[0, 2]].sum().backward()
        assert torch.isfinite(keys.grad).all()


@pytest.mark.parametrize("shape", [(), (5,), (1, 5)])
@pytest.mark.parametrize("query", [(4,), (3, 4)])
def test_a_bias_of_fewer_axes_broadcasts(shape, query):
    asked, keys, bias = torch.randn(query), torch.randn(5, 4), torch.randn(shape)
    full = bias.expand(1 if len(query) == 1 else 3, 5)
    expected = attend(asked, keys, bias=full)
    torch.testing.assert_close(attend(asked, keys, bias=bias).weights, expected.weights)
    torch.testing.assert_close(summarize(asked, keys, bias=bias).context, expected.context)


def test_a_bias_of_another_precision_is_taken_as_it_is():
    query, keys, bias = (
        torch.randn(3, 4),
        torch.randn(5, 4),
        np.random.default_rng(0).random((3, 5)),
    )
    for context in (
        attend(query, keys, bias=bias).context,
        summarize(query, keys, bias=bias).context,
    ):
        assert context.dtype == torch.float32


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("make", WITH_PARAMETERS)
def test_scores_with_parameters_take_any_precision(make, dtype):
    query, states = torch.randn(1, 2, 4).to(dtype), torch.randn(1, 5, 4).to(dtype)
    assert attend(query, states, score=make()).context.dtype == dtype
    attention = Attention(make()).to(dtype)
    context = attention(query, attention.memorize(states)).context
    assert context.dtype == dtype
    assert torch.isfinite(context).all()


@pytest.mark.parametrize("block", [1, 6, 64])
def test_values_alone_may_carry_the_batch(block):
    query, keys, values = torch.randn(3, 4), torch.randn(5, 4), torch.randn(4, 5, 2)
    summary = summarize(query, keys, values, block=block)
    assert summary.entropy.shape == (4, 3)
    assert summary.coverage.shape == (4, 5)
    attended = attend(query, keys, values)
    assert attended.context.shape == (4, 3, 2)
    assert attended.weights.shape == (4, 3, 5)


@pytest.mark.parametrize("size", [1.0, 1e2, 1e3, 1e4])
def test_gradients_are_the_same_whether_weights_are_wanted_or_not(size):
    attention = MultiHeadAttention(8, 1)
    states = (torch.randn(1, 1, 8) * size).expand(1, 4, 8)
    query = torch.randn(1, 3, 8) * size
    gradients = []
    for needs_weights in (True, False):
        leaf = states.clone().requires_grad_()
        attended = attention(query, attention.memorize(leaf), needs_weights=needs_weights)
        attended.context.sum().backward()
        gradients.append(leaf.grad)
    torch.testing.assert_close(*gradients)


def test_a_padded_item_with_a_nan_query_is_the_same_with_and_without_weights():
    attention = MultiHeadAttention(8, 2)
    mask = torch.tensor([[True, True], [False, False]])
    query = torch.randn(2, 3, 8)
    query[1] = NAN
    with torch.no_grad():
        memory = attention.memorize(torch.randn(2, 2, 8), mask)
        asked, unasked = (
            attention(query, memory, needs_weights=needs).context for needs in (True, False)
        )
    torch.testing.assert_close(asked, unasked)
    assert torch.isfinite(asked).all()


class TestTheModulesDoor:
    MASKS = (torch.ones(1, 5), torch.ones(1, 5, dtype=torch.int32))

    @pytest.mark.parametrize("mask", MASKS)
    def test_masks_of_numbers(self, mask):
        states = torch.randn(1, 5, 4)
        for module in (Attention(DotScore()), MultiHeadAttention(4, 2)):
            with pytest.raises(Exception, match="mask"):
                module.memorize(states, mask)
            with pytest.raises(Exception, match="mask"):
                module(torch.randn(1, 3, 4), module.memorize(states), mask=mask)

    def test_sizes_that_differ(self):
        with pytest.raises(ShapeError, match="axis -1"):
            attend(torch.ones(1, 2), torch.ones(3, 4), score=DotScore())

    def test_a_mask_of_one_row_is_for_all_rows(self):
        heads = MultiHeadAttention(4, 2)
        memory = heads.memorize(torch.randn(1, 3, 4))
        mask = torch.tensor([[[True, True, False]]])
        assert (heads(torch.randn(1, 2, 4), memory, mask=mask).weights[..., 2] == 0).all()


@pytest.mark.parametrize(
    "array",
    [[[1.0, 2.0], [3.0]], None, "text", [["a"]], [[None]], np.array([["a"]])],
)
def test_what_is_no_array_is_refused(array):
    with pytest.raises((KindError, ShapeError, TypeCheckError)):
        attend(array, [[1.0, 2.0]])


def test_reversed_and_foreign_arrays_are_read():
    array = np.arange(6, dtype=np.float64).reshape(3, 2)
    expected = attend([1.0, 1.0], array[::-1].copy()).context
    torch.testing.assert_close(attend([1.0, 1.0], array[::-1]).context, expected)
    torch.testing.assert_close(attend([1.0, 1.0], array[::-1].astype(">f8")).context, expected)


@pytest.mark.parametrize("score", [DotScore, None, 3])
def test_what_is_no_score_is_refused(score):
    with pytest.raises(Exception, match="score"):
        attend([1.0], [[1.0]], score=score)
    assert issubclass(SettingsError, ValueError)


def test_cosine_in_sixteen_bits_is_computed_in_more():
    query, keys = torch.randn(4, 16).bfloat16(), torch.randn(9, 16).bfloat16()
    weights = attend(query, keys, score="cosine", scale=30.0).weights
    expected = attend(query.double(), keys.double(), score="cosine", scale=30.0).weights
    torch.testing.assert_close(weights.double(), expected, atol=1e-5, rtol=1e-4)


def test_automatic_precision_does_not_round_the_jacobian():
    query, keys = torch.randn(2, 8), torch.randn(5, 8)
    expected = context_jacobian(query, keys)
    with torch.autocast("cpu", torch.bfloat16):
        found = context_jacobian(query, keys)
    torch.testing.assert_close(found, expected)


def test_sparsemax_on_the_boundary_gives_a_gradient_between_those_of_both_sides():
    scores = torch.tensor([1.0, 0.0], requires_grad=True)
    sparsemax(scores)[1].backward()
    assert -0.5 <= scores.grad[0] <= 0
    assert 0 <= scores.grad[1] <= 0.5
    assert softmax(scores).sum().item() == pytest.approx(1)
