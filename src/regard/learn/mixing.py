"""Lessons on the mixture: one context, and one for every step of a decoder."""

import torch
from torch import Tensor

from regard.attention import DotScore, attend
from regard.learn.bench import Bench, exact
from regard.learn.lesson import Lesson, Part, names, row, table, told, vector

WORDS = ("the", "small", "grey", "cat")
WORD_KEYS = (
    (0.1, 0.9, -0.1, 0.2),
    (0.7, 0.2, 0.5, 0.8),
    (0.3, 0.1, -0.4, 0.1),
    (0.0, 0.5, 0.2, -0.1),
)
WORD_QUERY = (0.5, 0.8, -0.2, 0.3)
OTHER_VALUES = ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (1.0, 1.0))
READ = ("guten", "Tag", "lieber", "Freund", "heute")
WRITTEN = ("hello", "friend", "today")
STATES = (
    (0.9, 0.1, 0.0, 0.1),
    (0.8, 0.3, 0.1, 0.0),
    (0.1, 0.9, 0.2, 0.0),
    (0.0, 0.8, 0.3, 0.1),
    (0.0, 0.1, 0.2, 0.9),
)
QUERIES = ((2.5, 0.0, 0.0, 0.0), (0.0, 2.5, 0.0, 0.0), (0.0, 0.0, 0.0, 2.5))
_COLUMNS = names("number", 4)


def mixing() -> Lesson:
    """Score, normalise, mix over four words."""
    query, keys = exact(WORD_QUERY), exact(WORD_KEYS)
    context, weights = attend(query, keys, score="dot")
    assert weights is not None
    return Lesson(
        "context",
        "The context is a mixture of what was looked at.",
        (
            _scored(query, keys),
            Part(
                "Normalise",
                ("The softmax makes weights of the scores.",),
                (row("weights", "the weights", weights, WORDS, "weights"),),
            ),
            Part(
                "Mix",
                (
                    "Each word's vector is multiplied by its weight, and the four are added up: "
                    f"{vector(context)}.",
                ),
                (
                    table(
                        "shares", "weight times vector", weights[:, None] * keys, WORDS, _COLUMNS
                    ),
                    row("context", "the context, their sum", context, _COLUMNS),
                ),
                Bench((WORD_QUERY,), WORD_KEYS),
            ),
            _enclosed(keys, context),
            _apart(query, keys),
        ),
    )


def decoding() -> Lesson:
    """Five words are read, three are written."""
    queries, states = exact(QUERIES), exact(STATES)
    context, weights = attend(queries, states, score="dot")
    assert weights is not None
    return Lesson(
        "decoder",
        "A decoder looks anew at every step.",
        (
            Part(
                "Read once",
                (
                    f"The encoder has read '{' '.join(READ)}' and keeps a state for each word. They stay as they "
                    "are while the decoder writes.",
                ),
                (table("states", "the encoder's states", states, READ, _COLUMNS),),
            ),
            Part(
                "Ask three times",
                (
                    f"To write '{' '.join(WRITTEN)}' the decoder asks three times, each time with another query, "
                    "its own state.",
                ),
                (
                    table("queries", "the queries", queries, WRITTEN, _COLUMNS),
                    table("scores", "the scores", DotScore()(queries, states), WRITTEN, READ),
                ),
            ),
            _distributions(weights),
            Part(
                "Three contexts",
                (
                    "From each row comes a context of its own: a model that never looks back has one and the "
                    "same for all three steps.",
                ),
                (table("contexts", "the contexts", context, WRITTEN, _COLUMNS),),
                Bench(QUERIES, STATES),
            ),
        ),
    )


def _scored(query: Tensor, keys: Tensor) -> Part:
    scores = DotScore()(query[None], keys)[0]
    return Part(
        "Score",
        (
            f"The decoder asks {vector(query)} of four words. The scores are dot products; "
            f"'{WORDS[int(scores.argmax())]}' answers best.",
        ),
        (
            row("query", "the query", query, _COLUMNS),
            table("keys", "a vector for each word", keys, WORDS, _COLUMNS),
            row("scores", "the scores", scores, WORDS),
        ),
    )


def _enclosed(keys: Tensor, context: Tensor) -> Part:
    hull = torch.stack([keys.min(0).values, context, keys.max(0).values])
    return Part(
        "It lies between them",
        (
            "The weights are positive and one in all, so the context lies inside the hull of the vectors: "
            "no number of it is below the smallest or above the largest of its column.",
        ),
        (
            table(
                "hull",
                "smallest, context, largest",
                hull,
                ("smallest", "context", "largest"),
                _COLUMNS,
            ),
        ),
    )


def _apart(query: Tensor, keys: Tensor) -> Part:
    values, columns = exact(OTHER_VALUES), names("number", 2)
    context, weights = attend(query, keys, values, score="dot")
    assert weights is not None
    return Part(
        "Keys are compared, values are mixed",
        (
            "So far one vector of each word was both compared and mixed, as in the first models of this "
            f"kind. Give the words other values: the weights stay as they are, and the context is "
            f"{vector(context)}, a mixture of the values.",
        ),
        (
            table("values", "other values", values, WORDS, columns),
            row("weights_with_values", "the weights", weights, WORDS, "weights"),
            row("context_of_values", "the mixture of the values", context, columns),
        ),
        Bench((WORD_QUERY,), WORD_KEYS, OTHER_VALUES),
    )


def _distributions(weights: Tensor) -> Part:
    spread = (-torch.xlogy(weights, weights).sum(-1)).exp()
    sentences: list[str] = []
    for place, (word, own) in enumerate(zip(WRITTEN, weights, strict=True)):
        looks = " and ".join(
            f"'{READ[at]}' ({told(own[at], 2)})" for at in own.topk(2).indices.tolist()
        )
        sentences.append(
            f"Step {place + 1} writes '{word}', looks most at {looks}, and spreads over "
            f"{told(spread[place], 1)} words."
        )
    return Part(
        "Three distributions",
        (
            *sentences,
            "Stacked, the three rows are the soft alignment.",
        ),
        (
            table("weights", "the alignment: a row a step", weights, WRITTEN, READ, "weights"),
            row("effective", "over how many words each step spreads", spread, WRITTEN),
        ),
    )
