"""The lesson on the bottleneck: one vector for all, or a look for each step."""

from collections.abc import Sequence

import torch
from torch import Tensor

from regard.learn.lesson import Lesson, Part, names, row, scalar, told
from regard.learn.practice import LETTERS, Heartbeat, batch_of, copies, practised, strings
from regard.predictor import Predictor
from regard.text import Pair

LENGTH = 20
UPDATES = 400
_TRAINED_ON, _TRIED = 2000, 100


def bottleneck(listen: Heartbeat | None = None) -> Lesson:
    """Change the first symbol of a long input: who notices?"""
    pairs = copies(strings(_TRAINED_ON, LENGTH, LENGTH, seed=0))
    looking, last = (
        practised(pairs, updates=UPDATES, attention=attention, is_one_way=True, listen=listen)
        for attention in ("scaled dot", "none")
    )
    sources = strings(_TRIED, LENGTH, LENGTH, seed=1)
    return Lesson(
        "bottleneck",
        "Twenty symbols in one vector, or a look at each.",
        (
            _moved(looking, last, sources),
            _kept(looking, last, sources),
        ),
    )


def _moved(looking: Predictor, last: Predictor, sources: Sequence[str]) -> Part:
    """How far contexts move when the first symbol is another."""
    flipped = [_other(source[0]) + source[1:] for source in sources]
    steps = _movement(looking, sources, flipped).mean(0)
    vector = _movement(last, sources, flipped).mean()
    return Part(
        "Change the first symbol",
        (
            f"Two models have learnt to copy {LENGTH} letters, {UPDATES} updates each. Both read from left "
            "to right. One writes from the last state alone; the other looks at all states.",
            f"Now let the first letter be another. The last state, {LENGTH} letters later, moves by "
            f"{told(100 * vector, 1)} % of its length: that is all that the first model can know of it. "
            f"At the step that writes this letter, the other model's context moves by "
            f"{told(100 * steps[0], 1)} %; at the steps that write other letters by "
            f"{told(100 * steps[1:LENGTH].mean(), 1)} % on average, most of it at the next few, for a state "
            "knows what was read before it.",
        ),
        (
            scalar(
                "last_state_moves", "movement of the last state, as a share of its length", vector
            ),
            row(
                "contexts_move",
                "movement of the context at each step",
                steps,
                (*names("step", LENGTH), "end"),
            ),
            scalar("first_context_moves", "movement at the step that writes the letter", steps[0]),
        ),
    )


def _kept(looking: Predictor, last: Predictor, sources: Sequence[str]) -> Part:
    """What each model copies rightly, place by place."""
    right, kept = _right(looking, sources), _right(last, sources)
    return Part(
        "What is copied",
        (
            f"Of {len(sources)} new strings the model that looks copies {told(100 * right.mean(), 1)} % of "
            f"the letters rightly, the other {told(100 * kept.mean(), 1)} %: the whole string has to pass "
            "through one vector of the same size, however long it is.",
        ),
        (
            row(
                "right_with_attention",
                "letters copied rightly, by place",
                right,
                names("letter", LENGTH),
            ),
            row(
                "right_from_last_state",
                "the same from the last state alone",
                kept,
                names("letter", LENGTH),
            ),
        ),
    )


@torch.no_grad()
def _movement(model: Predictor, sources: Sequence[str], others: Sequence[str]) -> Tensor:
    """By what share of its length each context moves, a row a string."""
    before, after = (_contexts(model, sources, read) for read in (sources, others))
    return (after - before).norm(dim=-1) / before.norm(dim=-1)


def _contexts(model: Predictor, targets: Sequence[str], read: Sequence[str]) -> Tensor:
    batch = batch_of(model, [Pair(*pair) for pair in zip(read, targets, strict=True)])
    encoding = model.model.encode(batch.source)
    return model.model.decoder(batch.inputs, encoding).context


def _right(model: Predictor, sources: Sequence[str]) -> Tensor:
    written = [prediction.text.ljust(LENGTH) for prediction in model.predict(sources)]
    return torch.tensor(
        [
            sum(text[place] == source[place] for text, source in zip(written, sources, strict=True))
            / len(sources)
            for place in range(LENGTH)
        ]
    )


def _other(letter: str) -> str:
    return LETTERS[(LETTERS.index(letter) + 1) % len(LETTERS)]
