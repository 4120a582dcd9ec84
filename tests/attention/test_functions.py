import numpy as np
import pytest
import torch
from hypothesis import given
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from regard import (
    AdditiveScore,
    CosineScore,
    GeneralScore,
    KindError,
    SettingsError,
    ShapeError,
    attend,
    causal_mask,
    context_jacobian,
    sparsemax,
)
from tests.strategies import DTYPES, Look, looks

FIVE = [(1, 0, 0.5), (0.8, 0.1, 0.4), (0, 1, 0), (-0.5, 0.2, -0.3), (0.4, 0, 0.6)]
STATES = [
    (0.9, 0.1, 0, 0.1),
    (0.8, 0.3, 0.1, 0),
    (0.1, 0.9, 0.2, 0),
    (0, 0.8, 0.3, 0.1),
    (0, 0.1, 0.2, 0.9),
]


def printed(numbers, digits):
    return [round(float(number), digits) + 0.0 for number in torch.as_tensor(numbers).flatten()]


class TestTheFoundingNumbers:
    def test_dot_products_of_a_query_with_five_keys(self):
        products = torch.tensor(FIVE) @ torch.tensor([1, 0, 0.5])
        assert printed(products, 2) == [1.25, 1.00, 0.00, -0.65, 0.70]

    def test_weights_over_five_keys(self):
        keys = [*FIVE[:4], (0.6, 0, 0.8)]
        weights = attend([1, 0, 0.5], keys, score="dot").weights
        assert printed(weights, 3) == [0.334, 0.260, 0.096, 0.050, 0.260]

    def test_scores_weights_and_context_of_four_keys(self):
        query = [0.5, 0.8, -0.2, 0.3]
        keys = [
            (0.1, 0.9, -0.1, 0.2),
            (0.7, 0.2, 0.5, 0.8),
            (0.3, 0.1, -0.4, 0.1),
            (0, 0.5, 0.2, -0.1),
        ]
        context, weights = attend(query, keys, score="dot")
        assert printed(torch.tensor(keys) @ torch.tensor(query), 3) == [0.85, 0.65, 0.34, 0.33]
        assert printed(weights, 3) == [0.332, 0.272, 0.199, 0.197]
        assert printed(context, 3) == [0.283, 0.472, 0.062, 0.284]

    def test_three_steps_over_five_encoder_states(self):
        queries = 2.5 * torch.eye(4)[[0, 1, 3]]
        context, weights = attend(queries, STATES, score="dot")
        assert printed(weights, 2) == [0.47, 0.37, 0.06, 0.05, 0.05, 0.06, 0.10, 0.44, 0.34, 0.06,
                                       0.09, 0.07, 0.07, 0.09, 0.68]  # fmt: skip
        assert printed(context, 3) == [0.723, 0.259, 0.074, 0.097, 0.176, 0.712, 0.213, 0.094,
                                       0.146, 0.235, 0.184, 0.626]  # fmt: skip

    @pytest.mark.parametrize(
        ("scale", "expected"),
        [(1.0, [0.993, 0.007, 0.0, 0.0]), (512**-0.5, [0.359, 0.288, 0.211, 0.142])],
    )
    def test_large_scores_saturate_unless_they_are_scaled(self, scale, expected):
        weights = attend([1.0], [[15.0], [10.0], [3.0], [-6.0]], score="dot", scale=scale).weights
        assert printed(weights, 3) == expected

    def test_softmax_of_four_scores(self):
        weights = attend([1.0], [[1.2], [0.8], [0.3], [-0.5]], score="dot").weights
        assert printed(weights, 3) == [0.443, 0.297, 0.180, 0.081]

    def test_a_hidden_position_has_no_weight(self):
        keys, mask = [(1, 0), (0, 1), (0.5, 0.5)], [True, True, False]
        context, weights = attend([0.8, 0.2], keys, mask=mask, score="dot")
        assert printed(weights, 4) == [0.6457, 0.3543, 0.0]
        assert printed(context, 4) == [0.6457, 0.3543]


class TestProperties:
    @given(looks())
    def test_weights_are_a_distribution_over_open_positions_or_nothing(self, look: Look):
        weights = attend(look.query, look.keys, look.values, mask=look.mask).weights
        sums = look.mask.any(-1).to(weights.dtype)
        assert torch.isfinite(weights).all()
        assert (weights >= 0).all()
        assert (weights[~look.mask] == 0).all()
        torch.testing.assert_close(weights.sum(-1), sums)

    @given(looks(smallest=1))
    def test_the_context_lies_between_the_open_values(self, look: Look):
        context = attend(look.query, look.keys, look.values, mask=look.mask).context
        each = look.values.unsqueeze(1)
        opened = look.mask.unsqueeze(-1)
        low = each.masked_fill(~opened, torch.inf).amin(-2)
        high = each.masked_fill(~opened, -torch.inf).amax(-2)
        rows = look.mask.any(-1)
        assert (context[rows] >= low[rows] - 1e-9).all()
        assert (context[rows] <= high[rows] + 1e-9).all()
        assert (context[~rows] == 0).all()

    @given(looks(smallest=1))
    def test_permuting_the_source_permutes_the_weights(self, look: Look):
        order = torch.randperm(look.keys.shape[1])
        before = attend(look.query, look.keys, look.values, mask=look.mask)
        after = attend(
            look.query, look.keys[:, order], look.values[:, order], mask=look.mask[..., order]
        )
        torch.testing.assert_close(after.weights, before.weights[..., order])
        torch.testing.assert_close(after.context, before.context)

    @given(looks(smallest=1))
    def test_a_vector_added_to_all_keys_changes_nothing(self, look: Look):
        shift = torch.randn(look.keys.shape[-1], dtype=look.keys.dtype)
        before = attend(look.query, look.keys, look.values, mask=look.mask)
        after = attend(look.query, look.keys + shift, look.values, mask=look.mask)
        torch.testing.assert_close(after.context, before.context, atol=1e-6, rtol=1e-6)

    @given(looks(smallest=2))
    def test_hiding_a_key_is_deleting_it(self, look: Look):
        mask = torch.ones_like(look.mask)
        mask[..., 0] = False
        hidden = attend(look.query, look.keys, look.values, mask=mask).context
        deleted = attend(look.query, look.keys[:, 1:], look.values[:, 1:]).context
        torch.testing.assert_close(hidden, deleted)

    @given(looks(smallest=1))
    def test_scale_zero_gives_the_mean_of_the_open_values(self, look: Look):
        mask = torch.ones_like(look.mask)
        context = attend(look.query, look.keys, look.values, mask=mask, scale=0.0).context
        mean = look.values.mean(1, keepdim=True).expand_as(context)
        torch.testing.assert_close(context, mean)

    @pytest.mark.parametrize("poison", [torch.nan, torch.inf, -torch.inf, 1e38])
    @given(look=looks(torch.float32, smallest=1))
    def test_what_is_hidden_from_all_changes_no_bit(self, poison: float, look: Look):
        seen = look.mask.any(1, keepdim=True).transpose(1, 2)
        clean, dirty = (self.run_backward(look, seen, value) for value in (0.0, poison))
        for before, after in zip(clean, dirty, strict=True):
            assert torch.equal(before, after)

    def run_backward(self, look: Look, seen, value: float):
        parts = [
            look.query,
            torch.where(seen, look.keys, value),
            torch.where(seen, look.values, value),
        ]
        parts = [part.clone().requires_grad_() for part in parts]
        context, weights = attend(*parts, mask=look.mask)
        context.sum().backward()
        return [context, weights, *(part.grad for part in parts)]

    @given(looks(torch.float32, smallest=2))
    def test_nan_that_some_rows_may_see_reaches_those_rows_alone(self, look: Look):
        keys = look.keys.clone()
        keys[:, -1, 0] = torch.nan
        query = look.query.clone().requires_grad_()
        context = attend(query, keys, look.values, mask=look.mask).context
        context.nansum().backward()
        touched = look.mask[..., -1]
        assert torch.isfinite(context[~touched]).all()
        assert torch.isnan(context[touched]).all()
        assert torch.isfinite(query.grad[~touched]).all()

    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("normalize", [None, sparsemax])
    def test_empty_rows_are_zero_with_zero_gradients(self, dtype, normalize):
        parts = [torch.randn(2, 3, 4).to(dtype).requires_grad_() for _ in range(3)]
        mask = torch.ones(2, 3, 3, dtype=torch.bool)
        mask[0, 1] = False
        options = {} if normalize is None else {"normalize": normalize}
        context, weights = attend(*parts, mask=mask, **options)
        assert (context[0, 1] == 0).all()
        assert (weights[0, 1] == 0).all()
        context.sum().backward()
        assert (parts[0].grad[0, 1] == 0).all()
        assert all(torch.isfinite(part.grad).all() for part in parts)

    @given(looks(torch.float64, smallest=1))
    def test_it_agrees_with_torch_forwards_and_backwards(self, look: Look):
        ours = [part.clone().requires_grad_() for part in (look.query, look.keys, look.values)]
        theirs = [part.clone().requires_grad_() for part in (look.query, look.keys, look.values)]
        context = attend(*ours, mask=look.mask).context
        with sdpa_kernel(SDPBackend.MATH):
            expected = scaled_dot_product_attention(*theirs, attn_mask=look.mask)
        torch.testing.assert_close(context, expected)
        context.square().sum().backward()
        expected.square().sum().backward()
        for own, their in zip(ours, theirs, strict=True):
            torch.testing.assert_close(own.grad, their.grad)

    @pytest.mark.parametrize("score", ["dot", "scaled dot", "cosine"])
    def test_second_derivatives_are_right(self, score):
        parts = [torch.randn(2, 3, dtype=torch.float64, requires_grad=True) for _ in range(3)]
        mask = torch.tensor([[True, False], [False, False]])

        def look(*parts):
            return attend(*parts, mask=mask, score=score).context

        assert torch.autograd.gradcheck(look, parts)
        assert torch.autograd.gradgradcheck(look, parts)

    @given(looks(smallest=1))
    def test_a_constant_bias_is_a_shift(self, look: Look):
        bias = torch.full((1, 1), -1e9)
        plain = attend(look.query.float(), look.keys.float(), mask=look.mask)
        shifted = attend(look.query.float(), look.keys.float(), mask=look.mask, bias=bias)
        assert torch.equal(plain.weights, shifted.weights)

    def test_a_bias_of_minus_infinity_hides_and_gets_no_gradient(self):
        bias = torch.tensor([[0.0, -torch.inf], [-torch.inf, -torch.inf]], requires_grad=True)
        context, weights = attend(torch.randn(2, 3), torch.randn(2, 3), bias=bias)
        assert weights.tolist() == [[1.0, 0.0], [0.0, 0.0]]
        context.sum().backward()
        assert bias.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]


class TestScores:
    def test_general_with_the_identity_is_dot(self):
        score = GeneralScore(4, 4)
        torch.nn.init.eye_(score.key.weight)
        query, keys = torch.randn(3, 4), torch.randn(5, 4)
        torch.testing.assert_close(
            attend(query, keys, score=score).weights, attend(query, keys, score="dot").weights
        )

    def test_additive_with_a_zero_vector_is_uniform(self):
        score = AdditiveScore(4, 4, size=6)
        torch.nn.init.zeros_(score.vector.weight)
        weights = attend(torch.randn(2, 4), torch.randn(5, 4), score=score).weights
        torch.testing.assert_close(weights, torch.full((2, 5), 0.2))

    @pytest.mark.parametrize("size", [2.0**-75, 1e-40, 1.0, 1e30, 1e38])
    def test_cosine_of_parallel_vectors_is_one_whatever_their_size(self, size):
        vector = torch.full((1, 3), size)
        score = CosineScore()
        product = score(vector, score.prepare(vector))
        torch.testing.assert_close(product, torch.ones(1, 1), atol=1e-6, rtol=0)

    def test_cosine_of_a_zero_vector_is_zero_with_zero_gradient(self):
        query = torch.zeros(1, 3, requires_grad=True)
        weights = attend(query, torch.randn(4, 3), score="cosine").weights
        weights.square().sum().backward()
        assert weights.tolist() == [[0.25] * 4]
        assert query.grad.tolist() == [[0.0] * 3]


class TestTheDoor:
    def test_integers_are_refused(self):
        with pytest.raises(KindError, match=r"query has dtype torch\.int64"):
            attend(torch.ones(1, 2, dtype=torch.long), torch.ones(1, 2))

    @pytest.mark.parametrize("mask", [torch.ones(1, 3, dtype=torch.int32), torch.ones(1, 3)])
    def test_masks_of_numbers_are_refused(self, mask):
        with pytest.raises(KindError, match=r"expected torch\.bool"):
            attend(torch.ones(1, 2), torch.ones(3, 2), mask=mask)

    def test_a_transposed_mask_is_refused(self):
        with pytest.raises(ShapeError, match="broadcasts to"):
            attend(torch.ones(2, 4), torch.ones(3, 4), mask=torch.ones(3, 2, dtype=torch.bool))

    def test_more_values_than_keys_are_refused(self):
        with pytest.raises(ShapeError, match="axis -2 must be equal"):
            attend(torch.ones(1, 2), torch.ones(3, 2), torch.ones(4, 2))

    def test_batches_that_do_not_broadcast_are_refused(self):
        with pytest.raises(ShapeError, match="leading axes"):
            attend(torch.ones(2, 1, 2), torch.ones(3, 1, 2))

    def test_sizes_that_differ_are_refused(self):
        with pytest.raises(ShapeError, match="axis -1 must be equal"):
            attend(torch.ones(1, 2), torch.ones(3, 4))

    def test_an_unknown_score_is_refused_with_the_known_ones(self):
        with pytest.raises(SettingsError, match="'scaled dot'"):
            attend([1.0], [[1.0]], score="dots")

    def test_a_batch_of_one_broadcasts(self):
        query, keys = torch.randn(4, 2, 3), torch.randn(1, 5, 3)
        expected = attend(query, keys.expand(4, 5, 3)).context
        torch.testing.assert_close(attend(query, keys).context, expected)

    def test_arrays_and_tensors_are_brought_to_the_finer_precision(self):
        attended = attend(np.ones((1, 2)), torch.ones(3, 2))
        assert attended.context.dtype == torch.float64

    def test_no_positions_give_a_zero_context(self):
        context, weights = attend(torch.randn(2, 3), torch.zeros(0, 3), torch.zeros(0, 5))
        assert context.tolist() == [[0.0] * 5] * 2
        assert weights.shape == (2, 0)

    def test_no_size_gives_uniform_weights(self):
        weights = attend(torch.zeros(1, 0), torch.zeros(4, 0), torch.randn(4, 2)).weights
        assert weights.tolist() == [[0.25] * 4]


class TestJacobian:
    @given(looks(smallest=1))
    def test_it_is_the_derivative_of_the_context(self, look: Look):
        query, keys, values, mask = (
            part[0] for part in (look.query, look.keys, look.values, look.mask)
        )
        jacobian = context_jacobian(query, keys, values, mask=mask)
        expected = torch.autograd.functional.jacobian(
            lambda query: attend(query, keys, values, mask=mask).context, query
        )
        for row in range(len(query)):
            torch.testing.assert_close(jacobian[row], expected[row, :, row])

    def test_equal_keys_give_the_query_no_gradient(self):
        jacobian = context_jacobian(torch.randn(1, 3), torch.ones(4, 3), torch.randn(4, 2))
        assert jacobian.abs().max() < 1e-6

    def test_nan_that_is_hidden_does_not_reach_it(self):
        keys = torch.tensor([[1.0, 0.0], [0.0, 1.0], [torch.nan, torch.nan]])
        mask = torch.tensor([[True, True, False], [True, True, True]])
        jacobian = context_jacobian(torch.randn(2, 2), keys, mask=mask)
        assert torch.isfinite(jacobian[0]).all()
        assert torch.isnan(jacobian[1]).all()


def test_a_causal_mask_needs_an_offset_unless_it_is_square():
    assert causal_mask(2, 2).tolist() == [[True, False], [True, True]]
    with pytest.raises(ShapeError, match="needs an offset"):
        causal_mask(2, 3)
