import pytest
import torch
from jaxtyping import TypeCheckError
from torch.nn.functional import scaled_dot_product_attention

from regard import (
    AdditiveScore,
    Attention,
    ConcatScore,
    CosineScore,
    DotScore,
    GeneralScore,
    KindError,
    Memory,
    MultiHeadAttention,
    ScaledDotScore,
    SettingsError,
    ShapeError,
    causal_mask,
    length_mask,
    softmax,
    sparsemax,
)
from regard.attention import RelativeBias, add_coverage, no_coverage, window_mask

SCORES = {
    "dot": DotScore,
    "scaled dot": ScaledDotScore,
    "cosine": CosineScore,
    "general": lambda: GeneralScore(4, 4),
    "additive": lambda: AdditiveScore(4, 4, size=5),
    "concat": lambda: ConcatScore(4, 4, size=5),
}


@pytest.mark.parametrize("normalize", [softmax, sparsemax])
@pytest.mark.parametrize("name", SCORES)
class TestEveryScore:
    def test_first_and_second_derivatives_are_right(self, name, normalize):
        attention = Attention(SCORES[name](), normalize).double()
        mask = torch.tensor([[True, True, False], [False, False, False]])
        query = torch.randn(2, 2, 4, dtype=torch.float64, requires_grad=True)
        states = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)

        def context(query, states):
            return attention(query, attention.memorize(states, mask)).context

        assert torch.autograd.gradcheck(context, (query, states))
        if normalize is softmax:
            assert torch.autograd.gradgradcheck(context, (query, states))

    @pytest.mark.parametrize("poison", [0.0, torch.nan, torch.inf])
    def test_a_finite_bias_and_one_that_hides_are_two_ways_to_one_result(
        self, name, normalize, poison
    ):
        attention = Attention(SCORES[name](), normalize).double()
        mask = torch.tensor([[True, True, False], [False, False, False]])
        query, bias = torch.randn(2, 2, 4).double(), torch.randn(1, 2, 3).double()
        states = torch.randn(2, 3, 4).double().masked_fill(~mask.unsqueeze(-1), poison)
        found = []
        for added in (bias, bias.masked_fill(~mask.unsqueeze(1), -torch.inf)):
            added = added.clone().requires_grad_()
            memory = attention.memorize(states, mask)
            context, weights = attention(query, memory, bias=added)
            context.sum().backward()
            found.append((context, weights, added.grad.sum(0)))
        for one, other in zip(*found, strict=True):
            torch.testing.assert_close(one, other)

    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
    def test_empty_rows_are_zero_and_gradients_finite(self, name, normalize, dtype):
        attention = Attention(SCORES[name](), normalize)
        mask = torch.tensor([[True, True, False], [False, False, False]])
        query = torch.randn(2, 2, 4).to(dtype).requires_grad_()
        states = torch.randn(2, 3, 4).to(dtype).requires_grad_()
        prepared = attention.memorize(states.float(), mask)
        context, weights = attention(query, prepared)
        context.float().sum().backward()
        assert (context[1] == 0).all()
        assert (weights[1] == 0).all()
        assert (query.grad[1] == 0).all()
        for gradient in [query.grad, states.grad, *(p.grad for p in attention.parameters())]:
            assert torch.isfinite(gradient).all()

    def test_padding_and_batch_mates_change_nothing(self, name, normalize):
        attention = Attention(SCORES[name](), normalize)
        states, query = torch.randn(1, 3, 4), torch.randn(1, 2, 4)
        alone = attention(query, attention.memorize(states))
        padded = torch.cat([states, torch.full((1, 5, 4), torch.nan)], 1)
        batch = torch.cat([padded, torch.randn(1, 8, 4)])
        memory = attention.memorize(batch, length_mask(torch.tensor([3, 8]), 8))
        among = attention(query.expand(2, -1, -1), memory)
        torch.testing.assert_close(among.context[0], alone.context[0], atol=1e-6, rtol=1e-5)
        torch.testing.assert_close(among.weights[0, :, :3], alone.weights[0], atol=1e-6, rtol=1e-5)

    def test_hidden_nan_does_not_reach_the_parameters(self, name, normalize):
        attention = Attention(SCORES[name](), normalize)
        states = torch.randn(1, 3, 4)
        states[0, 2] = torch.nan
        memory = attention.memorize(states, torch.tensor([[True, True, False]]))
        query = torch.randn(1, 2, 4, requires_grad=True)
        attention(query, memory).context.sum().backward()
        assert torch.isfinite(query.grad).all()
        assert all(torch.isfinite(p.grad).all() for p in attention.parameters())

    def test_nan_ahead_of_a_causal_mask_stays_ahead(self, name, normalize):
        attention = Attention(SCORES[name](), normalize)
        states = torch.randn(1, 3, 4)
        states[0, 2] = torch.nan
        context = attention(
            torch.randn(1, 3, 4), attention.memorize(states), mask=causal_mask(3, 3)
        ).context
        assert torch.isfinite(context[0, :2]).all()
        assert torch.isnan(context[0, 2]).all()


def test_additive_is_three_nested_loops():
    score = AdditiveScore(2, 3, size=4)
    query, keys = torch.randn(2, 2), torch.randn(3, 3)
    scores = score(query, score.prepare(keys)).detach()
    for t in range(2):
        for s in range(3):
            inner = score.query.weight @ query[t] + score.key.weight @ keys[s] + score.key.bias
            expected = sum(
                float(score.vector.weight.detach()[0, i]) * float(inner.detach()[i].tanh())
                for i in range(4)
            )
            assert float(scores[t, s]) == pytest.approx(expected, abs=1e-6)


def test_concat_is_one_matrix_over_query_and_key():
    score = ConcatScore(2, 3, size=4)
    query, keys = torch.randn(2, 2), torch.randn(3, 3)
    pairs = torch.cat([query[:, None].expand(2, 3, 2), keys[None].expand(2, 3, 3)], -1)
    expected = score.vector(score.pair(pairs).tanh()).squeeze(-1)
    torch.testing.assert_close(score(query, score.prepare(keys)), expected)


def test_a_scale_takes_the_place_of_the_scores_own():
    query, keys = torch.randn(2, 4), torch.randn(3, 4)
    for make in SCORES.values():
        score = make()
        prepared = score.prepare(keys)
        twice, once = score(query, prepared, scale=2.0), score(query, prepared, scale=1.0)
        torch.testing.assert_close(twice, 2 * once)


def test_coverage_changes_the_scores_that_use_it():
    score = AdditiveScore(4, 4, size=5, uses_coverage=True)
    query, keys = torch.randn(1, 2, 4), score.prepare(torch.randn(1, 3, 4))
    none, some = torch.zeros(1, 3), torch.tensor([[1.0, 0.0, 2.0]])
    before, after = (score(query, keys, coverage=seen) for seen in (none, some))
    assert torch.equal(before[..., 1], after[..., 1])
    assert not torch.equal(before[..., 0], after[..., 0])
    with pytest.raises(SettingsError, match="uses coverage"):
        score(query, keys)


def test_coverage_is_the_sum_of_the_weights():
    memory = Memory(torch.randn(2, 3, 4), torch.randn(2, 3, 4), torch.ones(2, 3, dtype=torch.bool))
    weights = torch.rand(2, 5, 3)
    torch.testing.assert_close(add_coverage(no_coverage(memory), weights), weights.sum(1))


class TestSparsemax:
    def test_three_numbers_by_hand(self):
        assert sparsemax(torch.tensor([1.5, 1.0, -2.0])).tolist() == [0.75, 0.25, 0.0]
        assert sparsemax(torch.tensor([0.2, 0.1, 0.0])).tolist() == pytest.approx(
            [0.2 + 0.7 / 3, 0.1 + 0.7 / 3, 0.7 / 3]
        )

    def test_it_is_the_nearest_point_of_the_simplex(self):
        scores = torch.randn(200, 3)
        weights = sparsemax(scores)
        points = torch.distributions.Dirichlet(torch.ones(3)).sample((2000,))
        own = (scores - weights).square().sum(-1)
        others = (scores[:, None] - points).square().sum(-1).amin(-1)
        assert (own <= others + 1e-6).all()

    def test_a_nan_stays_in_its_row(self):
        weights = sparsemax(torch.tensor([[torch.nan, 0.0], [1.0, 0.0]]))
        assert torch.isnan(weights[0]).all()
        assert weights[1].tolist() == [1.0, 0.0]


class TestMultiHead:
    def test_weights_asked_for_or_not_the_context_is_the_same(self):
        attention = MultiHeadAttention(8, 2)
        mask = torch.tensor([[True, True, False], [False, False, False]])
        memory = attention.memorize(torch.randn(2, 3, 8), mask)
        query = torch.randn(2, 4, 8)
        for extra in (None, torch.rand(4, 3) < 0.5):
            asked = attention(query, memory, mask=extra)
            unasked = attention(query, memory, mask=extra, needs_weights=False)
            torch.testing.assert_close(asked.context, unasked.context)
            assert unasked.weights is None
            assert asked.weights.shape == (2, 2, 4, 3)

    def test_one_head_with_identities_is_torchs_own(self):
        attention = MultiHeadAttention(4, 1)
        for part in (attention.query, attention.key, attention.value, attention.merge):
            torch.nn.init.eye_(part.weight)
            torch.nn.init.zeros_(part.bias)
        query, states = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
        context = attention(query, attention.memorize(states)).context
        torch.testing.assert_close(context, scaled_dot_product_attention(query, states, states))

    def test_nan_ahead_of_a_causal_mask_stays_ahead_without_weights(self):
        attention = MultiHeadAttention(4, 2)
        states = torch.randn(1, 3, 4)
        states[0, 2] = torch.nan
        context = attention(
            torch.randn(1, 3, 4),
            attention.memorize(states),
            mask=causal_mask(3, 3),
            needs_weights=False,
        ).context
        assert torch.isfinite(context[0, :2]).all()

    def test_the_mixture_of_its_own_weights_is_its_context(self):
        attention = MultiHeadAttention(4, 2)
        memory = attention.memorize(torch.randn(1, 3, 4))
        attended = attention(torch.randn(1, 2, 4), memory)
        torch.testing.assert_close(attention.mix(attended.weights, memory), attended.context)

    def test_heads_must_divide_the_size(self):
        with pytest.raises(SettingsError, match="3 heads do not divide a size of 8"):
            MultiHeadAttention(8, 3)


def test_automatic_precision_does_not_round_the_scores():
    attention = Attention(ScaledDotScore())
    query, states = torch.randn(1, 2, 64) * 8, torch.randn(1, 9, 64) * 8
    expected = attention(query, attention.memorize(states)).weights
    with torch.autocast("cpu", torch.bfloat16):
        weights = attention(query, attention.memorize(states)).weights
    assert weights.dtype == torch.float32
    torch.testing.assert_close(weights, expected)


def test_a_memory_of_two_batches_is_refused():
    # Under the tests' shape checks the annotation speaks first; the record's own check is the same.
    keys, mask = torch.ones(1, 2, 3), torch.ones(1, 2, dtype=torch.bool)
    for values, opened in ((torch.ones(1, 3, 3), mask), (keys, torch.ones(1, 3) > 0)):
        with pytest.raises((ShapeError, TypeCheckError)):
            Memory(keys, values, opened)
        record = object.__new__(Memory)
        for name, part in (("keys", keys), ("values", values), ("mask", opened)):
            object.__setattr__(record, name, part)
        with pytest.raises(ShapeError, match="must"):
            record.__post_init__()


def test_a_memory_keeps_drops_and_repeats_rows():
    mask = torch.tensor([[True, False], [True, True]])
    memory = Memory(torch.randn(2, 2, 3), torch.randn(2, 2, 3), mask)
    chosen = memory.select(torch.tensor([1, 1, 0]))
    assert torch.equal(chosen.keys, memory.keys[[1, 1, 0]])
    assert chosen.mask.tolist() == [[True, True], [True, True], [True, False]]


def test_a_mask_of_numbers_is_refused_by_the_modules():
    states, mask = torch.ones(1, 2, 4), torch.ones(1, 2)
    with pytest.raises(Exception, match="mask"):
        Attention(DotScore()).memorize(states, mask)
    assert issubclass(KindError, TypeError)


def test_a_window_opens_a_band():
    band = window_mask(3, 4, before=1, after=1)
    assert band.long().tolist() == [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1]]


def test_no_positions_give_no_weights():
    assert sparsemax(torch.zeros(2, 0)).shape == (2, 0)
    attention = Attention(DotScore())
    memory = attention.memorize(torch.ones(3, 2, 4))
    with pytest.raises(ShapeError, match="one batch"):
        Attention.forward.__wrapped__(attention, torch.ones(2, 1, 4), memory)


@pytest.mark.parametrize("first", [0, 2, 30])
def test_a_relative_bias_is_of_the_distance_alone(first):
    relative = RelativeBias(3)
    bias = relative(first, 4, source=9, symbols=7)
    for row in range(4):
        alone = relative(first + row, 1, source=9, symbols=7)
        assert torch.equal(bias[row], alone[0])
        for position in range(9):
            distance = max(-3, min(3, position - first - row))
            expected = relative.table[3 + distance] if position < 7 else 0
            assert bias[row, position] == expected
