"""How time and memory grow with what is put in."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from benchmarks.line import growth_of
from regard.model import ModelSettings, Vocabularies, build
from regard.text import Source, Vocabulary
from regard.training.loss import sequence_loss

SIZES: dict[str, object] = {
    "encoder.embedding_size": 128,
    "encoder.hidden_size": 128,
    "encoder.layers": 1,
    "decoder.embedding_size": 128,
    "decoder.hidden_size": 256,
    "encoder.dropout": 0.0,
    "encoder.residual": False,
    "decoder.layers": 1,
    "decoder.dropout": 0.0,
    "decoder.relative_bias": False,
    "decoder.tags_apart": False,
}
STEPS = (8, 16, 32, 64, 128)


@dataclass(frozen=True)
class Curve:
    """One quantity against another.

    Attributes:
        across: What is put in.
        up: What it costs.
        places: How much of it was put in.
        values: What that cost.
    """

    across: str
    up: str
    places: tuple[float, ...]
    values: tuple[float, ...]


def curves() -> list[Curve]:
    known = Vocabulary.of([[chr(97 + index) for index in range(26)]])
    model = build(ModelSettings().with_values(SIZES), Vocabularies(known, known))

    def milliseconds(batch: int, read: int, written: int) -> float:
        tokens = torch.randint(4, 30, (batch, read))
        mask = torch.ones_like(tokens, dtype=torch.bool)
        source = Source(tokens, mask, tokens[:, :0], mask[:, :0])
        inputs = torch.randint(4, 30, (batch, written))

        def update() -> None:
            sequence_loss(model(source, inputs).logits, inputs).backward()
            model.zero_grad()

        return 1e3 * _median(update)

    return [
        _curve(
            "source length S (T = 16, batch 32)",
            "ms an update",
            STEPS,
            lambda each: milliseconds(32, each, 16),
        ),
        _curve(
            "target length T (S = 16, batch 32)",
            "ms an update",
            STEPS,
            lambda each: milliseconds(32, 16, each),
        ),
        _curve(
            "batch (S = T = 16)",
            "ms a pair",
            (4, 8, 16, 32, 64, 128, 256),
            lambda each: milliseconds(each, 16, 16) / each,
        ),
        _curve(
            "pairs of the corpus",
            "µs a pair: an epoch's batches",
            (1_000, 10_000, 100_000, 1_000_000),
            _cutting,
        ),
        _curve(
            "length of source and target",
            "MiB: summarize",
            (1024, 2048, 4096, 8192),
            lambda each: growth_of(_SETUP, f"regard.summarize(q[:{each}], k[:{each}])"),
        ),
        _curve(
            "length of source and target",
            "MiB: attend with weights",
            (1024, 2048, 4096, 8192),
            lambda each: growth_of(_SETUP, f"a = regard.attend(q[:{each}], k[:{each}])"),
        ),
    ]


_SETUP = (
    "import torch, regard\ntorch.set_grad_enabled(False)\n"
    "q, k = torch.randn(8192, 64), torch.randn(8192, 64)\n"
    "regard.summarize(q[:64], k[:64]); regard.attend(q[:64], k[:64])"
)


def _curve(across: str, up: str, places: tuple[int, ...], measure: Callable[[int], float]) -> Curve:
    return Curve(across, up, places, tuple(round(measure(place), 4) for place in places))


def _cutting(pairs: int) -> float:
    from regard.text import Corpus
    from regard.text.batch import Sequences

    chance = np.random.default_rng(0)
    lengths = chance.integers(3, 14, pairs)
    offsets = np.concatenate([[0], lengths.cumsum()]).astype(np.int32)
    each = Sequences(np.full(offsets[-1], 4, np.uint8), offsets)
    corpus = Corpus(each, each, Sequences(each.values[:0], np.zeros_like(offsets)))
    return 1e6 * _median(lambda: corpus.batches(64, 20_000, seed=0, epoch=0), 3) / pairs


def _median(call: Callable[[], object], runs: int = 7) -> float:
    times = []
    for turn in range(runs + 1):
        began = time.perf_counter()
        call()
        if turn:
            times.append(time.perf_counter() - began)
    return statistics.median(times)
