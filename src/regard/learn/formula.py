"""Lessons on the formula: queries, keys and values, and why scores are scaled."""

import math

import torch
from torch import Tensor

from regard.attention import DotScore, MultiHeadAttention, ScaledDotScore, attend, context_jacobian
from regard.learn.bench import Bench, exact
from regard.learn.lesson import Lesson, Part, apart, names, row, scalar, table, told

LARGE_SCORES = (15.0, 10.0, 3.0, -6.0)
SIZES = (1, 4, 16, 64, 256, 512)
_DRAWN = 4000
_KEYS = 8


def scaling() -> Lesson:
    """Why scores are divided by the square root of the size."""
    return Lesson(
        "scaling",
        "Why scores are divided by the square root of the size.",
        (
            _four_scores(),
            _growth(),
        ),
    )


def pipeline() -> Lesson:
    """Q, K and V as a pipeline with shapes."""
    generator = torch.Generator().manual_seed(0)
    queries, keys, values = (
        torch.randn(*shape, dtype=torch.float64, generator=generator)
        for shape in ((3, 4), (5, 4), (5, 6))
    )
    return Lesson(
        "formula",
        "softmax(Q K' / sqrt(d)) V, one stage after the other.",
        (
            _stages(queries, keys, values),
            _origins(generator),
            _separate(queries, keys, values),
        ),
    )


def _four_scores() -> Part:
    scores, columns = exact(LARGE_SCORES), names("score", 4)
    keys, query = scores[:, None], exact((1,))
    rows = torch.stack(
        [
            attend(query, keys, score="dot", scale=scale).known_weights()
            for scale in (1.0, 4**-0.5, 512**-0.5)
        ]
    )
    left = 1 - rows.square().sum(-1)
    labels = ("not scaled", "size 4", "size 512")
    return Part(
        "Four large scores",
        (
            f"Vectors of 512 numbers easily have dot products such as these. As they are, one weight is "
            f"{told(rows[0].max())}; divided by the square root of 512 the largest is {told(rows[2].max())}. "
            f"How far weights can still move is told by one less the sum of their squares: {told(left[0])} "
            f"against {told(left[2])}, where even weights would have 0.75. At a size of 4 such scores hardly "
            "occur, and the divisor is only 2.",
        ),
        (
            row("scores", "the scores", scores, columns),
            table("weights", "the weights", rows, labels, columns, "weights"),
            row(
                "gradient_left",
                "1 - sum of squared weights: zero where nothing moves",
                left,
                labels,
            ),
        ),
        Bench(((1.0,),), tuple((score,) for score in LARGE_SCORES), temperature=512**0.5),
    )


def _growth() -> Part:
    rows = torch.stack([_measured(size) for size in SIZES], 1)
    columns = tuple(f"size {size}" for size in SIZES)
    labels = (
        "variance of a dot product",
        "variance when scaled",
        "median largest weight",
        "median largest weight when scaled",
        "1 - sum of squared weights",
        "1 - sum of squared weights when scaled",
    )
    return Part(
        "What grows with the size",
        (
            f"Draw {_DRAWN:,} queries and {_KEYS} keys for each, all numbers from a normal distribution of "
            f"variance one. The variance of a dot product is the size: {told(rows[0, 1], 1)} measured for 4, "
            f"{told(rows[0, -1], 0)} for 512. Divided by the square root of the size it is "
            f"{told(rows[1, -1], 2)}. Without that, the largest of {_KEYS} weights is "
            f"{told(rows[2, -1])} at size 512 (median), and the softmax is as good as a choice that nothing "
            "can move.",
        ),
        (table("growth", "measured on random vectors", rows, labels, columns),),
    )


def _measured(size: int) -> Tensor:
    generator = torch.Generator().manual_seed(size)
    query = torch.randn(_DRAWN, 1, size, dtype=torch.float64, generator=generator)
    keys = torch.randn(_DRAWN, _KEYS, size, dtype=torch.float64, generator=generator)
    found: list[Tensor] = []
    weights = [
        attend(query, keys, score=score).known_weights()[:, 0] for score in ("dot", "scaled dot")
    ]
    for score in (DotScore(), ScaledDotScore()):
        found.append(score(query, score.prepare(keys)).var())
    found += [own.amax(-1).median() for own in weights]
    found += [(1 - own.square().sum(-1)).mean() for own in weights]
    return torch.stack(found)


def _stages(queries: Tensor, keys: Tensor, values: Tensor) -> Part:
    products = queries @ keys.T
    scores = products / math.sqrt(queries.shape[1])
    weights = scores.softmax(-1)
    context = weights @ values
    stages = {
        "Q": queries,
        "K": keys,
        "V": values,
        "Q K'": products,
        "Q K' / sqrt(d)": scores,
        "softmax": weights,
        "softmax times V": context,
    }
    shapes = exact([list(stage.shape) for stage in stages.values()])
    away = (attend(queries, keys, values).context - context).abs().max()
    return Part(
        "Stage by stage",
        (
            "Three queries, five keys with their values. Queries and keys share a size, 4, for they are "
            "multiplied; values may have another, 6. The scores have a row a query and a column a key; the "
            "softmax goes along the rows; the context has a row a query again.",
            f"Written out in four lines or asked of the library, the context is the same: they differ "
            f"{apart(away)}.",
        ),
        (
            table("shapes", "the shape of each stage", shapes, tuple(stages), ("rows", "columns")),
            table("weights", "the weights", weights, names("query", 3), names("key", 5), "weights"),
            table("context", "the context", context, names("query", 3), names("number", 6)),
            scalar("difference", "largest difference between the two ways", away),
        ),
    )


def _origins(generator: torch.Generator) -> Part:
    states, hidden = (torch.randn(1, length, 8, generator=generator) for length in (5, 3))
    torch.manual_seed(0)
    heads = MultiHeadAttention(8, heads=2)
    looks = {
        "sequence to sequence": attend(hidden, states, score="dot").known_weights(),
        "self-attention": heads(states, heads.memorize(states)).known_weights()[:, 0],
        "cross-attention": heads(hidden, heads.memorize(states)).known_weights()[:, 0],
    }
    sizes = exact([list(weights.shape[1:]) for weights in looks.values()])
    return Part(
        "Where Q, K and V come from",
        (
            "Sequence to sequence: the queries are the decoder's states, keys and values are the encoder's "
            "states as they are.",
            "Self-attention: one sequence asks itself; queries, keys and values are three linear maps of the "
            "same states, so the weights are a square.",
            "Cross-attention: queries are mapped from the decoder's states, keys and values from the "
            "encoder's.",
        ),
        (
            table(
                "weights_shapes",
                "shape of the weights: 5 states read, 3 written",
                sizes,
                tuple(looks),
                ("rows", "columns"),
            ),
        ),
    )


def _separate(queries: Tensor, keys: Tensor, values: Tensor) -> Part:
    before, after = attend(queries, keys, values), attend(queries, keys, 2 * values + 1)
    moved = (after.known_weights() - before.known_weights()).abs().max()
    shifted = attend(queries, keys + 3, values)
    return Part(
        "Keys apart from values",
        (
            "Keys decide where the look goes, values what it brings. Change all values, and the weights move "
            f"{apart(moved)}; the context becomes another. Add one vector to all keys, and every score "
            "of a row moves by the same amount: the weights stay.",
        ),
        (
            scalar("weights_moved_by_values", "how far weights move when values change", moved),
            scalar(
                "context_moved_by_values",
                "how far the context moves then",
                (after.context - before.context).abs().max(),
            ),
            scalar(
                "weights_moved_by_shifted_keys",
                "how far weights move when all keys are shifted",
                (shifted.known_weights() - before.known_weights()).abs().max(),
            ),
            scalar(
                "gradient",
                "size of d context / d query",
                context_jacobian(queries, keys, values).norm(),
            ),
        ),
    )
