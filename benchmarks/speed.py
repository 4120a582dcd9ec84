"""Training and prediction against the usual tutorial loop, at its sizes.

The loop does what such loops do: batches in random order, padded to their
longest pair, a packed encoder, one step after the other. Both sides train on
the same words; a ratio of target symbols a second is quoted, padding not
counted. To tell what comes from the batches and what from the mechanism, it is
quoted for the same batches too.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from benchmarks.data import SIZES, Words, sources, words
from benchmarks.line import Line
from benchmarks.yardstick import TutorialModel
from regard.model import Saved, build
from regard.precision import device_of, rounds_to_bfloat16
from regard.predictor import Predictor
from regard.text import Batch
from regard.training.trainer import Trainer

BATCHES = 15
LEARNT = 200
"""Updates before anything is predicted. Speed needs no good model, but one whose ends come as data
has them: of 640 words, 64 at a time, the longest take 11.7 steps with the end; after 60 updates
ours made 6 to 8 and the yardstick 10.9, after 200 ours makes 10.9 to 11.3."""


@dataclass(frozen=True)
class Rate:
    """What an update took.

    Attributes:
        symbols: Real target symbols.
        seconds: Wall time.
        products: Multiplications and additions of its matrix products.
    """

    symbols: int
    seconds: float
    products: float


def training() -> Iterator[Line]:
    for precision, goal in (("float32", 3.0), ("auto", 6.0)):
        data = words({**SIZES, "training.precision": precision})
        ours, same, theirs = _updates(data)
        name = f"training, {precision}: target symbols a second, against the tutorial loop"
        rates = [
            sum(rate.symbols for rate in each) / sum(rate.seconds for rate in each)
            for each in (ours, same, theirs)
        ]
        note = f"{rates[0]:.0f} against {rates[2]:.0f}; on the same batches {rates[0] / rates[1]:.2f} x"
        yield Line(name, rates[0] / rates[2], "x", goal, note=note)
        is_rounded = rounds_to_bfloat16(data.settings.training.precision, device_of("cpu"))
        speed = _product_speed(torch.bfloat16 if is_rounded else torch.float32)
        bare = sum(rate.products for rate in ours) / speed
        share = bare / sum(rate.seconds for rate in ours)
        kind = "bfloat16" if is_rounded else "float32"
        yield Line(
            f"training, {precision}: share of the bare products' speed ({kind})",
            share,
            "",
            note=f"bare products run at {speed / 1e9:.0f} GFLOP/s",
        )


def prediction() -> Iterator[Line]:
    data = words(SIZES)
    predictor = _predictor(data)
    given = sources(10_000)
    theirs = _learnt_tutorial(data)
    for name, sized in (
        ("at its sizes", predictor),
        ("at the default sizes", _predictor(words({}))),
    ):
        ours, other = _twice(
            lambda sized=sized: sized.predict(given), lambda: _tutorial_greedy(data, theirs, given)
        )
        yield Line(
            f"greedy, 10,000 words, against the tutorial loop, {name}",
            other / ours,
            "x",
            10,
            note=f"{len(given) / ours:.0f} against {len(given) / other:.0f} words a second",
        )
    predictor = _predictor(words({}))
    few = given[:2000]
    ours, other = _twice(
        lambda: predictor.predict(few, beam_size=5), lambda: predictor.predict(few)
    )
    yield Line(
        "beam of 5: share of greedy's speed, 2,000 words",
        other / ours,
        "x",
        0.25,
        note=f"{len(few) / ours:.0f} against {len(few) / other:.0f} words a second",
    )
    word = "e" * 30
    times = []
    for _ in range(30):
        began = time.perf_counter()
        predictor.predict(word)
        times.append(time.perf_counter() - began)
    yield Line("one word of 30 symbols", 1e3 * statistics.median(times), "ms", 20, at_most=True)


def _updates(data: Words) -> tuple[list[Rate], list[Rate], list[Rate]]:
    """Ours, the loop's on our batches, and the loop's on its own; in turn."""
    maker, training = data.maker, data.settings.training
    model = build(data.model, data.vocabularies)
    trainer = Trainer(model, maker, settings=training, evaluate=_nothing)
    tutorial = _Tutorial(data)
    rows = maker.corpus.batches(64, 20_000, seed=0, epoch=0)
    order = np.random.default_rng(0).permutation(len(maker.corpus))
    own = np.array_split(order, len(order) // 64)

    rates: tuple[list[Rate], ...] = ([], [], [])
    for turn in range(BATCHES + 2):
        parts = ((rows[turn], True), (rows[turn], False), (own[turn], False))
        for side, (chosen, is_ours) in zip(rates, parts, strict=True):
            began = time.perf_counter()
            if is_ours:
                trainer.update(chosen)
            else:
                tutorial.update(maker.batch(chosen))
            taken = time.perf_counter() - began
            if turn > 1:
                batch = maker.batch(chosen)
                side.append(Rate(int(batch.mask.sum()), taken, _products(data, batch)))
    return rates


def _nothing() -> None:
    raise AssertionError("nothing is evaluated here")


def _products(data: Words, batch: Batch) -> float:
    """The floating-point operations of the products of an update, forwards and backwards."""
    encoder, decoder = data.model.encoder, data.model.decoder
    count, read = batch.source.tokens.shape
    written = batch.target.shape[1]
    size, state = decoder.hidden_size or 0, 2 * (encoder.hidden_size or 0)
    reading = read * 4 * state * ((encoder.embedding_size or 0) + state // 2)
    writing = written * 4 * size * ((decoder.embedding_size or 0) + size)
    looking = read * state * size + written * read * (size + state)
    output = written * size * (size + state + len(data.vocabularies.target))
    return 3 * 2 * count * float(reading + writing + looking + output)


def _product_speed(kind: torch.dtype) -> float:
    """Operations a second of a large product of this kind."""
    left, right = torch.randn(768, 640).to(kind), torch.randn(640, 2048).to(kind)
    times = []
    for _ in range(30):
        began = time.perf_counter()
        left @ right
        times.append(time.perf_counter() - began)
    return 2 * 768 * 640 * 2048 / statistics.median(times)


class _Tutorial:
    """The tutorial loop's model, and how such loops train it."""

    def __init__(self, data: Words) -> None:
        known = data.vocabularies
        self.model = TutorialModel(len(known.source), len(known.target), 128, 512)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.drop = nn.Dropout(0.3)

    def update(self, batch: Batch) -> None:
        lengths = batch.source.mask.sum(1)
        logits = self.drop(self.model(batch.source.tokens, lengths, batch.inputs))
        loss = cross_entropy(logits.flatten(0, 1), batch.target.flatten().long(), ignore_index=0)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()


def _predictor(data: Words) -> Predictor:
    torch.manual_seed(0)
    model = build(data.model, data.vocabularies)
    trainer = Trainer(model, data.maker, settings=data.settings.training, evaluate=_nothing)
    for rows in islice(cycle(trainer.batches()), LEARNT):
        trainer.update(rows)
    return Predictor(Saved(data.model, data.vocabularies, model.eval()))


def _learnt_tutorial(data: Words) -> TutorialModel:
    """Trained like ours, or it would never write the end, and make more steps than it needs."""
    torch.manual_seed(0)
    tutorial = _Tutorial(data)
    batches = data.maker.corpus.batches(64, 20_000, seed=0, epoch=0)
    for rows in islice(cycle(batches), LEARNT):
        tutorial.update(data.maker.batch(rows))
    return tutorial.model


def _tutorial_greedy(data: Words, model: TutorialModel, given: list[str]) -> None:
    known = data.vocabularies.source
    longest = int(data.maker.corpus.target.lengths.max()) + 1
    for first in range(0, len(given), 64):
        ids = [[*known.encode(word), 2] for word in given[first : first + 64]]
        lengths = torch.tensor([len(row) for row in ids])
        source = nn.utils.rnn.pad_sequence([torch.tensor(row) for row in ids], batch_first=True)
        model.greedy(source, lengths, longest)


def _twice(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(2):
        for side, call in zip(times, (ours, theirs), strict=True):
            began = time.perf_counter()
            call()
            side.append(time.perf_counter() - began)
    return min(times[0]), min(times[1])
