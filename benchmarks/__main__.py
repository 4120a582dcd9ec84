"""`make bench`: one table, each line a ratio with its runs.

Both sides of a ratio run in turn, A B A B, in this process; medians are
quoted. Nothing else should run meanwhile.
"""

import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

from benchmarks.yardstick import TutorialModel
from regard import MultiHeadAttention, Vocabulary, attend, summarize
from regard.model import ModelSettings, Vocabularies, build
from regard.text import Source
from regard.training.loss import sequence_loss


@dataclass(frozen=True)
class Line:
    """One line of the table: how many times the second takes the first's time."""

    name: str
    ours: list[float]
    theirs: list[float]

    def __str__(self) -> str:
        ours, theirs = statistics.median(self.ours), statistics.median(self.theirs)
        return (
            f"{self.name:<58} {1e3 * ours:9.2f} ms {1e3 * theirs:9.2f} ms "
            f"{theirs / ours:7.2f} x   ({len(self.ours)} runs)"
        )


def compare(name: str, ours: Callable[[], object], theirs: Callable[[], object], runs: int) -> Line:
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(runs + 2):
        for side, call in enumerate((ours, theirs)):
            began = time.perf_counter()
            call()
            if turn > 1:
                times[side].append(time.perf_counter() - began)
    return Line(name, *times)


def attention() -> list[Line]:
    lines = []
    for shape, runs in (((64, 1, 12, 512), 50), ((1, 8, 1024, 64), 10)):
        query, keys, values = (torch.randn(shape) for _ in range(3))

        def by_hand(query=query, keys=keys, values=values):
            weights = (query @ keys.mT * query.shape[-1] ** -0.5).softmax(-1)
            return weights @ values, weights

        def ours(query=query, keys=keys, values=values):
            return attend(query, keys, values)

        name = "x".join(str(size) for size in shape)
        with torch.no_grad():
            lines.append(compare(f"attend, against the same by hand, {name}", ours, by_hand, runs))
    with torch.no_grad():
        lines += [_fused(), _summary()]
    return lines


def _fused() -> Line:
    heads = MultiHeadAttention(512, 8)
    states = torch.randn(1, 1024, 512)

    def bare():
        parts = (layer(states).unflatten(-1, (8, -1)).transpose(1, 2)
                 for layer in (heads.query, heads.key, heads.value))  # fmt: skip
        return heads.merge(scaled_dot_product_attention(*parts).transpose(1, 2).flatten(-2))

    def ours():
        return heads(states, heads.memorize(states), needs_weights=False)

    return compare("8 heads without weights, against torch's fused kernel", ours, bare, 10)


def _summary() -> Line:
    query, keys, values = (torch.randn(4096, 64) for _ in range(3))

    def products():
        return [(part @ keys.T) @ values for part in query.split(64)]

    def ours():
        return summarize(query, keys, values)

    return compare("summarize 4096 x 4096, against its two products", ours, products, 5)


def training() -> Line:
    known = Vocabulary.of([[chr(97 + index) for index in range(36)]])
    settings = ModelSettings().with_values({
        "encoder.embedding_size": 128, "encoder.hidden_size": 512, "decoder.embedding_size": 128,
        "decoder.hidden_size": 512, "decoder.attention": "general",
        "encoder.dropout": 0.3, "decoder.dropout": 0.3,
    })  # fmt: skip
    model = build(settings, Vocabularies(known, known))
    tutorial = TutorialModel(len(known), len(known), 128, 512)
    chance = np.random.default_rng(0)
    tokens = torch.from_numpy(chance.integers(4, 40, (64, 9)))
    mask = torch.ones_like(tokens, dtype=torch.bool)
    source = Source(tokens, mask, tokens[:, :0], mask[:, :0])
    inputs = torch.from_numpy(chance.integers(4, 40, (64, 7)))
    lengths = torch.full((64,), 9)
    optimizers = [torch.optim.AdamW(one.parameters(), fused=True) for one in (model, tutorial)]

    def update(optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> None:
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    def ours():
        update(optimizers[0], sequence_loss(model(source, inputs).logits, inputs))

    def theirs():
        logits = tutorial(tokens, lengths, inputs)
        update(optimizers[1], cross_entropy(logits.flatten(0, 1), inputs.flatten()))

    return compare("an update in float32, against the tutorial loop", ours, theirs, 10)


def main() -> None:
    torch.manual_seed(0)
    print(f"{platform.processor() or platform.machine()}, {torch.get_num_threads()} threads, "
          f"torch {torch.__version__}, Python {platform.python_version()}")  # fmt: skip
    print(f"{'':<58} {'ours':>12} {'theirs':>12} {'theirs/ours':>9}")
    for line in (*attention(), training()):
        print(line)


if __name__ == "__main__":
    main()
