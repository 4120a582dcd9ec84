"""Lessons on masks, and on what a look costs."""

import numpy as np
import torch
from torch import Tensor

from regard.attention import DotScore, attend, length_mask
from regard.learn.bench import Bench, exact
from regard.learn.lesson import Lesson, Part, names, row, scalar, table, told
from regard.learn.practice import untrained
from regard.text import SPECIAL, START, source_of

_KEYS = ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (2.0, 2.0))
_QUERY = (0.8, 0.2)
_REAL = 2
_SOURCE, _TARGET = 50, 60


def masking() -> Lesson:
    """Before the softmax, not after it."""
    query, keys = exact(_QUERY), exact(_KEYS)
    mask = length_mask(torch.tensor([_REAL]), len(keys))[0]
    return Lesson(
        "masks",
        "A mask belongs before the softmax.",
        (
            _hidden(query, keys, mask),
            _nothing(query, keys),
        ),
    )


def cost() -> Lesson:
    """What is computed, and how often."""
    return Lesson("cost", "What a look costs, counted.", (_counted(), _grown()))


def _hidden(query: Tensor, keys: Tensor, mask: Tensor) -> Part:
    columns = (*names("symbol", _REAL), *names("padding", len(keys) - _REAL))
    scores = DotScore()(query[None], keys)[0]
    alone = attend(query, keys[:_REAL], score="dot")
    right = attend(query, keys, mask=mask, score="dot")
    afterwards = scores.softmax(-1) * mask
    rows = torch.stack([right.known_weights(), afterwards, scores.softmax(-1)])
    contexts = torch.stack([alone.context, right.context, afterwards @ keys, rows[2] @ keys])
    labels = ("hidden before the softmax", "set to zero after it", "not hidden")
    return Part(
        "Two symbols and their padding",
        (
            "A batch makes short strings as long as the longest. The padding holds numbers too, and here "
            "they score high.",
            f"Hidden before the softmax, the two symbols share all the weight, as they would alone. Set to "
            f"zero after it, the row sums to {told(rows[1].sum())}: the padding took its share before it was "
            f"removed, and the context shrinks. Not hidden, {told(rows[2, _REAL:].sum())} of the weight lies "
            "on padding, and the result depends on the length of the batch-mates.",
        ),
        (
            row("scores", "the scores", scores, columns),
            table("weights", "the weights", rows, labels, columns, "weights"),
            row("row_sums", "what each row sums to", rows.sum(-1), labels),
            table(
                "contexts",
                "the context",
                contexts,
                ("the string alone", *labels),
                names("number", 2),
            ),
        ),
        Bench((_QUERY,), _KEYS, mask=(True, True, False, False)),
    )


def _nothing(query: Tensor, keys: Tensor) -> Part:
    scores = DotScore()(query[None], keys)[0]
    mask = torch.zeros(len(keys), dtype=torch.bool)
    ours = attend(query, keys, mask=mask, score="dot").known_weights()
    filled = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    large = scores.masked_fill(~mask, -1e9).softmax(-1)
    finite = exact([float(row.isfinite().sum()) for row in (filled, large, ours)])
    labels = ("filled with minus infinity", "filled with -1e9", "regard")
    return Part(
        "Nothing to look at",
        (
            "A row may have nothing open at all. Filled with minus infinity, the softmax has nothing to "
            f"divide by: {int(finite[0])} of its {len(keys)} weights are numbers. Filled with a large negative "
            f"number, all scores are equal, and the row looks evenly ({told(large[0], 2)} each) at what it "
            "may not see. Here such a row has weights of zero, a context of zero and gradients of zero.",
        ),
        (
            row("numbers", "how many of the weights are numbers", finite, labels),
            row(
                "total",
                "how much weight lies on hidden positions; none where weights are no numbers",
                exact([float(filled.sum()), float(large.sum()), float(ours.sum())]),
                labels,
            ),
        ),
    )


def _counted() -> Part:
    model = untrained("scaled dot")
    calls: list[int] = []
    seen: list[int] = []
    model.encoder.register_forward_hook(lambda *_: calls.append(1))
    source = source_of(np.full((1, _SOURCE - 1), len(SPECIAL)), np.zeros((1, 0), np.int64))
    state = model.decoder.start(model.encode(source))
    for _ in range(_TARGET):
        step = model.decoder.step(torch.tensor([START]), state)
        scores = model.decoder.scores(step.hidden, state)
        assert scores is not None
        seen.append(scores.numel())
        state = step.state
    return Part(
        "Fifty read, sixty written",
        (
            f"Every step scores every position: {_TARGET} steps of {_SOURCE} scores are {sum(seen):,}, "
            f"counted as a model wrote. The encoder was called {len(calls)} time: its states serve all "
            f"steps. To read the source again at each step would be {_TARGET} calls for the same states.",
        ),
        (
            scalar("scores", "scores that were computed", float(sum(seen))),
            scalar("encoder_calls", "calls of the encoder", float(len(calls))),
            scalar(
                "encoder_calls_when_read_again",
                "calls if each step read the source again",
                float(_TARGET),
            ),
        ),
    )


def _grown() -> Part:
    lengths = (10, 100, 1000, 10_000)
    scores = exact([float(length * length) for length in lengths])
    columns = tuple(f"{length:,} x {length:,}" for length in lengths)
    return Part(
        "Twice as long, four times as much",
        (
            f"Source and target both ten times as long make a hundred times as many scores. At 10,000 by "
            f"10,000 the matrix alone takes {told(4 * scores[-1] / 1e6, 0)} MB; regard.summarize looks block "
            "by block and never holds it.",
        ),
        (
            row("growth", "scores", scores, columns),
            row("megabytes", "megabytes in float32", 4 * scores / 1e6, columns),
        ),
    )
