"""Lessons on scores and on the weights that become of them."""

import math

import torch
from torch import Tensor
from torch.linalg import vector_norm

from regard.attention import CosineScore, DotScore, attend, softmax
from regard.learn.bench import Bench, exact
from regard.learn.lesson import Lesson, Part, apart, names, row, scalar, table, told, vector

FIVE_KEYS = ((1.0, 0.0, 0.5), (0.8, 0.1, 0.4), (0.0, 1.0, 0.0), (-0.5, 0.2, -0.3), (0.4, 0.0, 0.6))
QUERY = (1.0, 0.0, 0.5)
FOUR_SCORES = (1.2, 0.8, 0.3, -0.5)

_READINGS = (
    (15, "the same way"),
    (60, "nearly the same way"),
    (85, "a little towards it"),
    (95, "at a right angle: no answer"),
    (120, "a little away from it"),
    (181, "away from it"),
)


def similarity() -> Lesson:
    """One query, five keys."""
    query, keys = exact(QUERY), exact(FIVE_KEYS)
    parts = (_compared(query, keys), _lengthened(query, keys), _bounded(query, keys))
    return Lesson("similarity", "How well does a key answer a query? A dot product says.", parts)


def reading(cosine: float) -> str:
    """Where a key points, seen from the query, in words.

    Examples:
        >>> reading(0.99), reading(-0.7)
        ('the same way', 'away from it')
    """
    angle = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
    return next(words for limit, words in _READINGS if angle < limit)


def weighing() -> Lesson:
    """Scores become weights."""
    scores = exact(FOUR_SCORES)
    return Lesson(
        "softmax",
        "Scores become weights: positive, and one in all.",
        (_three_steps(scores), _variants(scores)),
    )


def _compared(query: Tensor, keys: Tensor) -> Part:
    columns = names("key", len(keys))
    scores, cosines = _dots(query, keys), _cosines(query, keys)
    readings = (
        f"Key {place}, {vector(key)}: {told(score, 2)}, {reading(float(cosine))}."
        for place, (key, score, cosine) in enumerate(zip(keys, scores, cosines, strict=True), 1)
    )
    return Part(
        "The score of each key",
        (
            f"The query is {vector(query)}. A score multiplies number by number and adds up: it is large "
            "where query and key point the same way, zero at a right angle, negative where they point "
            "apart.",
            *readings,
        ),
        (
            row("query", "the query", query, names("number", 3)),
            table("keys", "the keys", keys, columns, names("number", 3)),
            row("scores", "dot product with the query", scores, columns),
            row("lengths", "length of the key", vector_norm(keys, dim=-1), columns),
            row("cosines", "cosine of the angle with the query", cosines, columns),
        ),
        Bench((QUERY,), FIVE_KEYS),
    )


def _lengthened(query: Tensor, keys: Tensor) -> Part:
    longer, columns = keys.clone(), names("key", len(keys))
    longer[1] *= 2
    scores, cosines = _dots(query, longer), _cosines(query, longer)
    return Part(
        "A longer key speaks louder",
        (
            f"Let key 2 be twice as long. It points where it pointed, so its cosine stays "
            f"{told(cosines[1])}; its score doubles to {told(scores[1], 2)}, and key "
            f"{int(scores.argmax()) + 1} is now the best answer. A dot product measures direction and "
            "length together.",
        ),
        (
            row("scores_longer", "dot product, key 2 twice as long", scores, columns),
            row("cosines_longer", "cosine, key 2 twice as long", cosines, columns),
        ),
    )


def _bounded(query: Tensor, keys: Tensor) -> Part:
    columns = names("key", len(keys))
    weights = attend(query, keys, score="dot").known_weights()
    even = attend(query, keys, score="cosine").known_weights()
    limit = math.e**2 / (math.e**2 + len(keys) - 1)
    return Part(
        "What becomes of it",
        (
            f"A cosine is never above one, so its weights stay flat: over {len(keys)} keys no weight can "
            f"exceed {told(limit)}, and here the largest is {told(even.max())} against "
            f"{told(weights.max())} under the dot product. A look by cosine needs a factor to be sharp.",
        ),
        (
            row("weights", "weights under the dot product", weights, columns, "weights"),
            row("weights_cosine", "weights under the cosine", even, columns, "weights"),
            scalar(
                "largest_cosine_weight", "the most that a weight under the cosine can be", limit
            ),
        ),
    )


def _dots(query: Tensor, keys: Tensor) -> Tensor:
    return DotScore()(query[None], keys)[0]


def _cosines(query: Tensor, keys: Tensor) -> Tensor:
    score = CosineScore()
    return score(query[None], score.prepare(keys))[0]


def _three_steps(scores: Tensor) -> Part:
    columns = names("score", len(scores))
    powers, gap = scores.exp(), scores[0] - scores[1]
    return Part(
        "Three steps",
        (
            f"Take e to the power of each score, so that all are positive; add them up, "
            f"{told(powers.sum())}; divide each by the sum. Differences of scores become ratios of "
            f"weights: score 1 is {told(gap, 1)} above score 2, so its weight is {told(gap.exp())} times "
            "as large.",
        ),
        (
            row("scores", "the scores", scores, columns),
            row("powers", "e to the power of each", powers, columns),
            scalar("sum", "their sum", powers.sum()),
            row("weights", "the weights", softmax(scores), columns, "weights"),
        ),
        Bench(((1.0,),), tuple((score,) for score in FOUR_SCORES)),
    )


def _variants(scores: Tensor) -> Part:
    variants = {
        "as they are": scores,
        "all 100 larger": scores + 100,
        "doubled": 2 * scores,
        "halved": scores / 2,
        "two equal": scores[[0, 0, 2, 3]],
        "all equal": 0 * scores,
        "a thousand times": 1000 * scores,
    }
    lines, columns = tuple(variants), names("score", len(scores))
    rows = softmax(torch.stack(list(variants.values())))
    entropies = -torch.xlogy(rows, rows).sum(-1)
    shift = (rows[1] - rows[0]).abs().max()
    return Part(
        "What changes them, and what does not",
        (
            f"Adding 100 to all scores changes the weights {apart(shift)}. Doubling all makes the "
            f"largest {told(rows[2].max())} instead of {told(rows[0].max())}: sharper. Halving makes it "
            f"{told(rows[3].max())}: flatter. Equal scores get equal weights. Scores a thousand times as "
            "large leave one weight of one, and nothing overflows: only differences count, so the largest "
            "score may be taken off first.",
        ),
        (
            table("variants", "the weights of each variant", rows, lines, columns, "weights"),
            row("entropies", "entropy in nats: zero where one weight is one", entropies, lines),
            row(
                "effective",
                "over how many scores each spreads: e to the power of the entropy",
                entropies.exp(),
                lines,
            ),
        ),
    )
