"""The lesson on mistakes: each is planted, trained with, and found.

over the target     softmax along the wrong axis
zeroed afterwards   padding is removed when it has taken its share
no mask             padding is looked at
last state          the map is drawn, the context comes from elsewhere
read again          the encoder runs at every step
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention import Attended, Memory, softmax
from regard.decoder import RecurrentDecoder
from regard.encoder import Encoder
from regard.inspection import check_map
from regard.learn.lesson import Lesson, Part, table, told
from regard.learn.practice import Heartbeat, batch_of, practised, reversals, strings
from regard.model import Seq2Seq
from regard.predictor import Predictor
from regard.text import Pair, Source

UPDATES = 400
SHORTEST, LONGEST = 2, 10
_TRAINED_ON, _TRIED = 2000, 100
_COLUMNS = ("known target", "written in a batch", "written alone")


@dataclass(frozen=True)
class Mistake:
    """A wrong way of doing it.

    Attributes:
        name: In words.
        seen: What a learner sees, before the numbers.
        plant: Does it to a model, before it learns.
    """

    name: str
    seen: str
    plant: Callable[[Seq2Seq], None]


@dataclass(frozen=True, eq=False)
class ReadAgain:
    """Reads the source whenever it is called, to no purpose."""

    encoder: Encoder

    def __call__(self, module: torch.nn.Module, given: tuple[Tensor, ...]) -> None:
        """Stand before the decoder's embedding, which is called at every step."""
        mask = torch.ones_like(given[0], dtype=torch.bool)
        tokens = given[0].reshape(len(mask), -1)
        none = tokens[:, :0]
        self.encoder(Source(tokens, mask.reshape(tokens.shape), none, none.bool()))


def over_the_target(scores: Tensor, mask: Tensor | None) -> Tensor:
    """A softmax along the rows of the target: columns sum to one, rows to anything."""
    weights = scores.softmax(-2)
    return weights if mask is None else weights.masked_fill(~mask, 0)


def zeroed_afterwards(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The weights of hidden positions are removed when they have been shared out."""
    weights = scores.softmax(-1)
    return weights if mask is None else weights.masked_fill(~mask, 0)


def without_mask(scores: Tensor, mask: Tensor | None) -> Tensor:  # noqa: ARG001 (the mistake)
    """Everything is looked at, padding as well."""
    return softmax(scores)


def mistakes(listen: Heartbeat | None = None) -> Lesson:
    """Each wrong way of doing it: what it looks like, and what finds it."""
    pairs = reversals(strings(_TRAINED_ON, SHORTEST, LONGEST, seed=0))
    tried = reversals(strings(_TRIED, SHORTEST, LONGEST, seed=1))
    models = [
        practised(pairs, updates=UPDATES, change=mistake.plant, listen=listen)
        for mistake in MISTAKES
    ]
    shares = torch.stack([_shares(model, tried) for model in models])
    labels = tuple(mistake.name for mistake in MISTAKES)
    parts = [
        Part(mistake.name, (mistake.seen, *_found(model, share, tried)))
        for mistake, model, share in zip(MISTAKES, models, shares, strict=True)
    ]
    return Lesson(
        "mistakes",
        "Wrong ways of doing it, and what finds them.",
        (
            Part(
                "All of them",
                (
                    f"Each model learns to turn round {SHORTEST} to {LONGEST} letters, {UPDATES} updates, with "
                    "its mistake in it. The right share of whole strings is measured where the target is known "
                    "(each symbol predicted from the right ones before it), where it is written in a batch, and "
                    "where each string is written alone.",
                ),
                (table("shares", "whole strings that are right", shares, labels, _COLUMNS),),
            ),
            *parts,
        ),
    )


def _found(model: Predictor, share: Tensor, pairs: Sequence[Pair]) -> tuple[str, str]:
    failed = [
        check for check in check_map(model.model, batch_of(model, pairs[:6])) if not check.is_met
    ]
    known, batched, alone = (told(100 * value, 0) for value in share)
    found = "; ".join(f"{check.name}, {check.title}" for check in failed)
    return (
        f"Known targets {known} %, written in a batch {batched} %, written alone {alone} %.",
        f"What finds it: {found}." if found else "The exact checks all hold.",
    )


def _shares(model: Predictor, pairs: Sequence[Pair]) -> Tensor:
    sources = [pair.source for pair in pairs]
    batched = [prediction.text for prediction in model.predict(sources)]
    alone = [model.predict(source).text for source in sources]
    batch = batch_of(model, pairs)
    with torch.no_grad():
        best = model.model(batch.source, batch.inputs).logits.argmax(-1)
    known = ((best == batch.target) | ~batch.mask).all(1).double().mean()
    written = [
        sum(text == pair.target for text, pair in zip(texts, pairs, strict=True)) / len(pairs)
        for texts in (batched, alone)
    ]
    return torch.tensor([float(known), *written])


def _decoder(model: Seq2Seq) -> RecurrentDecoder:
    assert isinstance(model.decoder, RecurrentDecoder)
    return model.decoder


def _normalize(normalizer: Callable[[Tensor, Tensor | None], Tensor]) -> Callable[[Seq2Seq], None]:
    def plant(model: Seq2Seq) -> None:
        _decoder(model).attention.normalize = normalizer

    return plant


def _last_state(_: torch.nn.Module, given: tuple[Tensor, Memory], attended: Attended) -> Attended:
    memory = given[1]
    last = memory.values[torch.arange(len(memory.mask)), memory.mask.sum(-1) - 1]
    return Attended(last.unsqueeze(1).expand_as(attended.context), attended.weights)


def _look_away(model: Seq2Seq) -> None:
    _decoder(model).attention.register_forward_hook(_last_state)


def _read_again(model: Seq2Seq) -> None:
    _decoder(model).embedding.register_forward_pre_hook(ReadAgain(model.encoder))


MISTAKES = (
    Mistake(
        "no mistake",
        "For comparison: the mask before the softmax, over the source.",
        lambda _: None,
    ),
    Mistake(
        "softmax over the target",
        "Training goes well. What the model writes by itself is wrong, for "
        "a step alone has a target of length one, where each weight is one.",
        _normalize(over_the_target),
    ),
    Mistake(
        "padding zeroed after the softmax",
        "Where a batch is padded nothing seems wrong. A string "
        "alone has no padding to take a share, so its contexts are larger than most that the model "
        "has learnt from.",
        _normalize(zeroed_afterwards),
    ),
    Mistake(
        "no mask",
        "The same: most strings were padded when the model learnt, and now the padding is missing.",
        _normalize(without_mask),
    ),
    Mistake(
        "context from the last state",
        "A map is drawn, and nothing that is written depends on it: "
        "every step sees one and the same vector.",
        _look_away,
    ),
    Mistake(
        "source read again at each step",
        "Nothing is wrong but the time: the states are the same "
        "each time, unless dropout is on, and then the map changes under the decoder's eyes.",
        _read_again,
    ),
)
