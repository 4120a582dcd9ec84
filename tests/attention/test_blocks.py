"""Looks in blocks, and weights that are changed within blocks."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.attention import (
    AdditiveScore,
    Attention,
    GeneralScore,
    Memory,
    ScaledDotScore,
    evened,
    look_in_blocks,
    renormalised,
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
    query, bias, shares = torch.randn(2, 3, 4), torch.randn(3, 5), torch.rand(2, 3, 2).softmax(-1)
    found = look_in_blocks(attention, query, memory, widths=WIDTHS, shares=shares, bias=bias)
    context = torch.zeros(2, 3, 4)
    for row, blocks in enumerate([(slice(0, 3), slice(3, 5))] * 2):
        for number, block in enumerate(blocks):
            part = Memory(
                *(one[row : row + 1, block] for one in (memory.keys, memory.values, memory.mask))
            )
            look = attention(query[row : row + 1], part, bias=bias[:, block])
            share = shares[row, :, number, None]
            torch.testing.assert_close(found.weights[row, :, block], look.weights[0] * share)
            context[row] += look.context[0] * share
    torch.testing.assert_close(found.context, context)
    torch.testing.assert_close(found.weights @ memory.values, found.context)


def test_a_block_with_nothing_open_leaves_the_row_to_the_others():
    attention = Attention(ScaledDotScore(), sparsemax)
    memory = attention.memorize(
        torch.randn(3, 5, 4),
        torch.tensor([[True] * 3 + [False] * 2, [False] * 3 + [True] * 2, [False] * 5]),
    )
    shares = torch.rand(3, 2, 2).softmax(-1)
    found = look_in_blocks(attention, torch.randn(3, 2, 4), memory, widths=WIDTHS, shares=shares)
    torch.testing.assert_close(found.weights.sum(-1), torch.tensor([[1.0, 1], [1, 1], [0, 0]]))
    assert found.weights[0, :, 3:].eq(0).all()
    assert found.weights[1, :, :3].eq(0).all()


def test_one_block_is_the_look_itself():
    attention = Attention(ScaledDotScore())
    memory = attention.memorize(torch.randn(2, 5, 4), torch.ones(2, 5, dtype=torch.bool))
    query = torch.randn(2, 3, 4)
    found = look_in_blocks(attention, query, memory, widths=[5], shares=torch.ones(2, 3, 1))
    usual = attention(query, memory)
    assert torch.equal(found.weights, usual.weights)
    assert torch.equal(found.context, usual.context)


@given(st.integers(0, 999), st.lists(st.integers(1, 3), min_size=1, max_size=3))
def test_what_is_kept_has_its_ratios_and_each_block_its_weight(seed, widths):
    weights, opened = operands(seed, widths)
    left = opened & (torch.rand(opened.shape, generator=torch.Generator().manual_seed(seed)) < 0.7)
    found = renormalised(weights, left, widths)
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


@given(st.integers(0, 999), st.lists(st.integers(1, 3), min_size=1, max_size=3))
def test_what_is_spread_is_even_and_each_block_keeps_its_weight(seed, widths):
    weights, opened = operands(seed, widths)
    found = evened(weights, opened, widths)
    assert found[~opened].eq(0).all()
    for own, open_, got in zip(
        *(one.split(widths, -1) for one in (weights, opened, found)), strict=True
    ):
        torch.testing.assert_close(got.sum(-1), own.sum(-1) * open_.any(-1))
        for row in range(len(got)):
            assert got[row][open_[row]].unique().numel() <= 1
