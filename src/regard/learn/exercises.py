"""Exercises: a question, the answer computed, and a variation to try."""

import torch
from torch import Tensor

from regard.attention import attend, context_jacobian
from regard.learn.bench import Bench, exact
from regard.learn.lesson import (
    Figure,
    Lesson,
    Part,
    apart,
    names,
    row,
    scalar,
    table,
    told,
    vector,
)
from regard.learn.practice import Heartbeat, practised, reversals, strings
from regard.learn.scoring import FIVE_KEYS, QUERY, reading
from regard.predictor import Predictor

UPDATES = 400
LENGTH = 10
_KEYS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))
_VALUES = ((10.0, 0.0), (0.0, 10.0), (-10.0, 0.0))
_TRAINED_ON = 2000
_TRIED = 50


def exercises(listen: Heartbeat | None = None) -> Lesson:
    """Six exercises with worked answers."""
    return Lesson(
        "exercises",
        "Six exercises, each answered by computing.",
        (
            _by_hand(),
            _identical_keys(),
            _cosine(),
            _concatenated(),
            _gradient(),
            _reversal(listen),
        ),
    )


def _by_hand() -> Part:
    query, keys, values = exact((1, 0)), exact(_KEYS), exact(_VALUES)
    context, weights = attend(query, keys, values, score="dot")
    assert weights is not None
    columns = names("key", 3)
    readings = ", ".join(reading(float(key @ query)) for key in keys)
    return Part(
        "1. Attention by hand",
        (
            "Take the query (1, 0), the keys (1, 0), (0, 1), (-1, 0) and the values (10, 0), (0, 10), "
            "(-10, 0). Which weights, which context, and why?",
            f"Answer. The keys point {readings}: the scores are 1, 0 and -1, the weights "
            f"{vector(weights)}, each e = 2.718 times the next. The context is {vector(context)}: the first "
            f"value pulls with {told(10 * weights[0], 2)}, the third back with {told(10 * weights[2], 2)}, "
            f"and the second, though it does not answer, still brings {told(10 * weights[1], 2)}.",
            "Try: divide the scores by the square root of two. Which number of the context grows?",
        ),
        (
            row("hand_weights", "the weights", weights, columns, "weights"),
            row("hand_context", "the context", context, names("number", 2)),
            row(
                "hand_context_scaled",
                "the context with scaled scores",
                attend(query, keys, values).context,
                names("number", 2),
            ),
        ),
        Bench(((1.0, 0.0),), _KEYS, _VALUES),
    )


def _identical_keys() -> Part:
    values = exact(_VALUES)
    keys = exact([(0.3, -0.7)] * 3)
    context, weights = attend(exact((2, 1)), keys, values, score="dot")
    assert weights is not None
    gradient = context_jacobian(exact((2, 1)), keys, values, scale=1.0)
    return Part(
        "2. Identical keys",
        (
            "All keys are the same. What are weights and context, and what does the query learn?",
            f"Answer. All scores are equal, so each weight is {told(weights[0])} and the context is the mean "
            f"of the values, {vector(context)}. Whatever the query, that stays so: the gradient of the context "
            f"with respect to it is {told(gradient.abs().max())}. A decoder cannot learn to tell positions "
            "apart whose keys are one.",
            "Try: make one key differ by a little. Does the gradient grow with the difference, or with its "
            "square?",
        ),
        (
            row("identical_weights", "the weights", weights, names("key", 3), "weights"),
            row("identical_context", "the context", context, names("number", 2)),
            scalar(
                "identical_gradient", "largest number of d context / d query", gradient.abs().max()
            ),
            row(
                "identical_gradient_grows",
                "the same when one key differs by so much",
                torch.stack([_apart(step) for step in (0.1, 0.2, 0.4)]),
                ("0.1", "0.2", "0.4"),
            ),
        ),
        Bench(((2.0, 1.0),), ((0.3, -0.7),) * 3, _VALUES),
    )


def _apart(step: float) -> Tensor:
    keys = exact([(0.3, -0.7), (0.3, -0.7), (0.3 + step, -0.7)])
    return context_jacobian(exact((2, 1)), keys, exact(_VALUES), scale=1.0).abs().max()


def _cosine() -> Part:
    query, keys = exact(QUERY), exact(FIVE_KEYS)
    rows = {
        "dot": attend(query, keys, score="dot"),
        "dot, query ten times as long": attend(10 * query, keys, score="dot"),
        "cosine": attend(query, keys, score="cosine"),
        "cosine, query ten times as long": attend(10 * query, keys, score="cosine"),
        "cosine, factor 10": attend(query, keys, score="cosine", scale=10.0),
    }
    weights = torch.stack([one.known_weights() for one in rows.values()])
    return Part(
        "3. Cosine in the place of dot",
        (
            "What changes if the score is the cosine of the angle?",
            f"Answer. Lengths no longer count. A query ten times as long makes the dot product's largest "
            f"weight {told(weights[1].max())} instead of {told(weights[0].max())}; under the cosine it stays "
            f"{told(weights[3].max())}. So a decoder can no longer say by the length of its query how sure "
            f"it is; a factor says it instead: with 10, the largest is {told(weights[4].max())}.",
            "Try: which factor gives the cosine the entropy of the dot product?",
        ),
        (table("cosine_weights", "the weights", weights, tuple(rows), names("key", 5), "weights"),),
    )


def _concatenated() -> Part:
    torch.manual_seed(0)
    hidden, contexts = torch.randn(4).double(), torch.randn(2, 3).double()
    join = torch.nn.Linear(7, 4).double()
    with torch.no_grad():
        vectors = [join(torch.cat([hidden, context])).tanh() for context in contexts]
        parts = join.weight[:, :4] @ hidden, join.weight[:, 4:] @ contexts[0], join.bias
        muted = join(torch.cat([hidden, torch.zeros(3).double()])).tanh()
    away = (sum(parts, torch.zeros(())).tanh() - vectors[0]).abs().max()
    return Part(
        "4. Context beside the decoder's state",
        (
            "Before a symbol is written, context and state are joined: tanh(W [state; context] + b). What "
            "does W see?",
            f"Answer. It is two matrices side by side, one for each: W1 state + W2 context + b gives the same "
            f"vector (they differ {apart(away)}). Another context moves the vector by "
            f"{told((vectors[1] - vectors[0]).norm())}; without any, it moves by "
            f"{told((muted - vectors[0]).norm())}. Were W2 zero, the map could be as handsome as you like and "
            "nothing that is written would depend on it.",
            "Try: mute the state instead. What can the model still write?",
        ),
        (
            table(
                "joined",
                "the joined vector",
                torch.stack([*vectors, muted]),
                ("first context", "second context", "no context"),
                names("number", 4),
            ),
            scalar("joined_difference", "difference between one matrix and two", away),
        ),
    )


def _gradient() -> Part:
    query, keys, values = exact((1, 0)), exact(_KEYS), exact(_VALUES)
    weights = attend(query, keys, values, score="dot").known_weights()
    centred = values - weights @ values
    covariance = (weights[:, None] * centred).T @ (keys - weights @ keys)
    closed = context_jacobian(query, keys, values, scale=1.0)
    automatic = torch.autograd.functional.jacobian(
        lambda asked: attend(asked, keys, values, score="dot").context, query
    )
    assert isinstance(automatic, Tensor)
    step = exact((0.01, 0.02))
    moved = attend(query + step, keys, values, score="dot").context
    moved = moved - attend(query, keys, values, score="dot").context
    places, columns = names("context", 2), names("query", 2)
    return Part(
        "5. The gradient through the softmax",
        (
            "How does the context of exercise 1 move when the query moves?",
            "Answer. d context / d query is the covariance of value and key under the weights (times the "
            f"scale, here 1). By covariance, by closed form and by automatic differentiation it is the same: "
            f"they differ {apart((covariance - automatic).abs().max())} and "
            f"{apart((closed - automatic).abs().max())}. A step of the query by {vector(step)} should "
            f"move the context by {vector(closed @ step)}; it moves by {vector(moved)}.",
            "Try: let one weight be nearly one. What is the covariance of something that hardly varies?",
        ),
        (
            table("covariance", "covariance of value and key", covariance, places, columns),
            table("closed_form", "regard.context_jacobian", closed, places, columns),
            table("automatic", "automatic differentiation", automatic, places, columns),
            row("predicted", "predicted movement", closed @ step, names("number", 2)),
            row("moved", "real movement", moved, names("number", 2)),
        ),
        Bench(((1.0, 0.0),), _KEYS, _VALUES, step=(0.01, 0.02)),
    )


def _reversal(listen: Heartbeat | None) -> Part:
    pairs = reversals(strings(_TRAINED_ON, LENGTH, LENGTH, seed=0))
    tried = strings(_TRIED, LENGTH, LENGTH, seed=1)
    both, forwards = (
        practised(pairs, updates=UPDATES, is_one_way=is_one_way, listen=listen)
        for is_one_way in (False, True)
    )
    example = tried[0]
    offsets = torch.stack([_offsets(model, tried) for model in (both, forwards)])
    labels = ("reads both ways", "reads forwards")
    return Part(
        "6. A heat map over all steps",
        (
            f"A model turns round {LENGTH} letters. What will its map look like, and what if its encoder "
            "reads from left to right alone?",
            f"Answer. To write the last letter first, it must look at the end: the weights lie along the "
            f"anti-diagonal. Reading both ways, {told(100 * offsets[0, 2], 0)} % of the rows have their largest "
            f"weight on the letter that is written, and {told(100 * (offsets[0, 1] + offsets[0, 3]), 0)} % one "
            f"place beside it. Reading forwards, {told(100 * offsets[1, 2], 0)} % are in place and "
            f"{told(100 * offsets[1, 3], 0)} % are one place later, for a state that has read past a letter "
            f"knows it too. Of {_TRIED} new strings the first model turns {_right(both, tried)} round rightly, "
            f"the second {_right(forwards, tried)}: a map may be one off and its model right.",
            f"Try: strings of one letter. Where does it look when all of '{'a' * LENGTH}' is the same?",
        ),
        (
            _map("map", "the map of a model that reads both ways", both, example),
            _map("map_forwards", "the map of a model that reads forwards", forwards, example),
            table(
                "offsets",
                "how far the largest weight lies from the letter that is written",
                offsets,
                labels,
                ("-2", "-1", "0", "+1", "+2"),
            ),
        ),
    )


def _map(name: str, caption: str, model: Predictor, source: str) -> Figure:
    alignment = model.align([(source, source[::-1])])[0]
    columns = tuple(f"{place} {label.shown}" for place, label in enumerate(alignment.source, 1))
    rows = tuple(f"{place} {label.shown}" for place, label in enumerate(alignment.target, 1))
    return table(name, caption, torch.from_numpy(alignment.weights), rows, columns, "weights")


def _right(model: Predictor, sources: list[str]) -> int:
    written = model.predict(sources)
    return sum(one.text == source[::-1] for one, source in zip(written, sources, strict=True))


def _offsets(model: Predictor, sources: list[str]) -> Tensor:
    found = torch.zeros(5)
    for alignment in model.align([(source, source[::-1]) for source in sources]):
        for place, best in enumerate(alignment.weights[:LENGTH].argmax(1)):
            away = int(best) - (LENGTH - 1 - place)
            if -2 <= away <= 2:
                found[away + 2] += 1
    return found / (len(sources) * LENGTH)
