"""Looks in blocks, and weights that are changed within blocks."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard import ShapeError
from regard.attention import (
    AdditiveScore,
    Attention,
    GeneralScore,
    Memory,
    ScaledDotScore,
    look_in_blocks,
    renormalize,
    sparsemax,
)

WIDTHS = [3, 2]


def operands(seed: int, widths: list[int], rows: int = 2) -> tuple[torch.Tensor, torch.Tensor]:
    chance = torch.Generator().manual_seed(seed)
    source = sum(widths)
    weights = torch.randn(rows, source, generator=chance).softmax(-1)
    opened = torch.rand(rows, source, generator=chance) < 0.6
    weights = weights * opened
    return weights / weights.sum(-1, keepdim=True).clamp(min=1e-9), opened


@pytest.mark.parametrize(
    "score", [ScaledDotScore(), GeneralScore(4, 4), AdditiveScore(4, 4, size=3)]
)
def test_each_block_is_a_look_of_its_own_and_the_row_their_mixture(score):
    torch.manual_seed(0)
    attention = Attention(score)
    memory = attention.memorize(
        torch.randn(2, 5, 4), torch.tensor([[True] * 5, [True, False, True, True, False]])
    )
    query, bias = torch.randn(2, 3, 4), torch.randn(3, 5)
    found = look_in_blocks(attention, query, memory, widths=WIDTHS, bias=bias)
    context = torch.zeros(2, 3, 4)
    for row, blocks in enumerate([(slice(0, 3), slice(3, 5))] * 2):
        for block in blocks:
            part = Memory(
                *(one[row : row + 1, block] for one in (memory.keys, memory.values, memory.mask))
            )
            look = attention(query[row : row + 1], part, bias=bias[:, block])
            torch.testing.assert_close(found.weights[row, :, block], look.weights[0] / 2)
            context[row] += look.context[0] / 2
    torch.testing.assert_close(found.context, context)
    torch.testing.assert_close(found.weights @ memory.values, found.context)


def test_a_block_with_nothing_open_leaves_the_row_to_the_others():
    attention = Attention(ScaledDotScore(), sparsemax)
    memory = attention.memorize(
        torch.randn(3, 5, 4),
        torch.tensor([[True] * 3 + [False] * 2, [False] * 3 + [True] * 2, [False] * 5]),
    )
    found = look_in_blocks(attention, torch.randn(3, 2, 4), memory, widths=WIDTHS)
    torch.testing.assert_close(found.weights.sum(-1), torch.tensor([[1.0, 1], [1, 1], [0, 0]]))
    assert found.weights[0, :, 3:].eq(0).all()
    assert found.weights[1, :, :3].eq(0).all()


def test_one_block_is_the_look_itself():
    attention = Attention(ScaledDotScore())
    memory = attention.memorize(torch.randn(2, 5, 4), torch.ones(2, 5, dtype=torch.bool))
    query = torch.randn(2, 3, 4)
    found = look_in_blocks(attention, query, memory, widths=[5])
    usual = attention(query, memory)
    assert torch.equal(found.weights, usual.weights)
    assert torch.equal(found.context, usual.context)


@given(st.integers(0, 999), st.lists(st.integers(1, 3), min_size=1, max_size=3))
def test_what_is_kept_has_its_ratios_and_each_block_its_weight(seed, widths):
    weights, opened = operands(seed, widths)
    left = opened & (torch.rand(opened.shape, generator=torch.Generator().manual_seed(seed)) < 0.7)
    found = renormalize(weights, left, widths)
    assert found[~left].eq(0).all()
    has_any = (weights.sum(-1) > 0) & (left.any(-1))
    for row in range(len(weights)):
        parts = list(zip(*(one[row].split(widths) for one in (weights, left, found)), strict=True))
        going = [(own, open_, got) for own, open_, got in parts if open_.any() and own.sum() > 0]
        if not has_any[row] or not going:
            continue
        whole = sum(float(own.sum()) for own, _, _ in going)
        for own, open_, got in going:
            assert float(got.sum()) == pytest.approx(float(own.sum()) / whole, abs=1e-5)
            kept = own * open_
            if kept.sum() > 0:
                torch.testing.assert_close(got / got.sum(), kept / kept.sum(), atol=1e-5, rtol=0)
            else:
                torch.testing.assert_close(got / got.sum(), open_ / open_.sum())


def test_what_had_all_the_weight_and_is_closed_leaves_all_else_alike():
    opened = torch.tensor([True, True, False])
    assert renormalize(torch.tensor([0.0, 0.0, 1.0]), opened, [2, 1]).tolist() == [0.5, 0.5, 0.0]
    assert renormalize(torch.tensor([0.0, 0.0, 1.0]), opened, [3]).tolist() == [0.5, 0.5, 0.0]
    assert (
        renormalize(torch.ones(3) / 3, torch.zeros(3, dtype=torch.bool), [2, 1]).tolist() == [0] * 3
    )


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_rows_sum_to_one_in_the_precision_of_the_operands(kind):
    attention = Attention(ScaledDotScore())
    opened = torch.tensor([[True] * 5, [True] * 3 + [False] * 2, [False] * 5])
    states, query = torch.randn(3, 5, 4, dtype=kind), torch.randn(3, 2, 4, dtype=kind)
    found = look_in_blocks(attention, query, attention.memorize(states, opened), widths=WIDTHS)
    sums = found.weights.double().sum(-1)
    near = 4 * torch.finfo(kind).eps
    torch.testing.assert_close(
        sums, torch.tensor([[1.0, 1], [1, 1], [0, 0]]).double(), atol=near, rtol=0
    )


def test_a_block_that_a_bias_hides_is_a_block_with_nothing_open():
    attention = Attention(ScaledDotScore())
    memory = attention.memorize(torch.randn(1, 5, 4), torch.ones(1, 5, dtype=torch.bool))
    bias = torch.tensor([[0.0] * 3 + [-torch.inf] * 2, [0.0] * 5])
    found = look_in_blocks(attention, torch.randn(1, 2, 4), memory, widths=WIDTHS, bias=bias)
    torch.testing.assert_close(found.weights[0, :, 3:].sum(-1), torch.tensor([0.0, 0.5]))
    torch.testing.assert_close(found.weights.sum(-1), torch.ones(1, 2))


def test_blocks_of_another_memory_are_refused():
    attention = Attention(ScaledDotScore())
    memory = attention.memorize(torch.randn(1, 5, 4), torch.ones(1, 5, dtype=torch.bool))
    with pytest.raises(ShapeError, match="expected 5 positions"):
        look_in_blocks(attention, torch.randn(1, 2, 4), memory, widths=[3, 3])
