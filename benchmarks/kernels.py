"""The attention kernels against torch's own."""

from collections.abc import Iterator

import torch
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.line import Line, growth_of, ratio
from regard import MultiHeadAttention, attend, summarize

_BY_HAND = "weights = (q @ k.mT * 8 ** -1).softmax(-1); context = weights @ k"


@torch.no_grad()
def kernels() -> Iterator[Line]:
    for shape, runs in (((64, 1, 12, 512), 50), ((1, 8, 1024, 64), 10)):
        query, keys, values = (torch.randn(shape) for _ in range(3))

        def by_hand(query=query, keys=keys, values=values):
            weights = (query @ keys.mT * query.shape[-1] ** -0.5).softmax(-1)
            return weights @ values, weights

        def ours(query=query, keys=keys, values=values):
            return attend(query, keys, values)

        name = "x".join(str(size) for size in shape)
        yield ratio(f"attend with weights, against by hand, {name}", ours, by_hand, runs, goal=1)
    yield _memory()
    yield _fused()
    yield _summary()
    yield _summary_memory()


def _memory() -> Line:
    setup = "import torch, regard\nq, k = torch.randn(2, 2048, 64), torch.randn(2, 4096, 64)\n"
    setup += "torch.set_grad_enabled(False)\nregard.attend(q[:, :8], k[:, :8])"
    ours = growth_of(setup, "found = regard.attend(q, k)")
    theirs = growth_of(setup, _BY_HAND)
    return Line(
        "attend with weights: memory against by hand, 2x2048x4096",
        ours / theirs,
        "x",
        1.1,
        at_most=True,
        note=f"{ours:.0f} against {theirs:.0f} MiB",
    )


def _fused() -> Line:
    heads = MultiHeadAttention(512, 8)
    states = torch.randn(1, 1024, 512)

    def bare():
        parts = (
            layer(states).unflatten(-1, (8, -1)).transpose(1, 2)
            for layer in (heads.query, heads.key, heads.value)
        )
        return heads.merge(scaled_dot_product_attention(*parts).transpose(1, 2).flatten(-2))

    def ours():
        return heads(states, heads.memorize(states), needs_weights=False)

    return ratio("8 heads without weights, against torch's fused kernel", ours, bare, 10, goal=0.91)


def _summary() -> Line:
    query, keys, values = (torch.randn(4096, 64) for _ in range(3))

    def products():
        return [(part @ keys.T) @ values for part in query.split(64)]

    def ours():
        return summarize(query, keys, values)

    return ratio(
        "summarize 4096 x 4096, against its two products", ours, products, 5, goal=0.5, cpu=True
    )


def _summary_memory() -> Line:
    setup = "import torch, regard\ntorch.set_grad_enabled(False)\n"
    setup += (
        "q, k = torch.randn(16384, 64), torch.randn(16384, 64)\nregard.summarize(q[:64], k[:64])"
    )
    grown = growth_of(setup, "regard.summarize(q, k)")
    return Line("summarize 16,384 x 16,384: the process grows by", grown, "MiB", 64, at_most=True)
