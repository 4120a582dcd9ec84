"""One step of writing a given target, in numbers; also with weights changed by hand."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from regard.alignment import Label
from regard.attention import renormalize
from regard.decoder import State
from regard.encoder import Encoding
from regard.errors import SettingsError
from regard.model import Saved
from regard.predictor.prediction import Change, LookedUp
from regard.predictor.searcher import Searcher
from regard.predictor.writer import source_labels
from regard.text import END, START, Pair

_SHOWN = 5


@torch.no_grad()
def looked_up(
    saved: Saved, searcher: Searcher, pair: Pair, step: int, change: Change | None
) -> LookedUp:
    """The numbers of one step of writing a given target.

    Args:
        saved: The model.
        searcher: Reads the pair.
        pair: The source and the target.
        step: Which target symbol, from one; one more is the end symbol.
        change: Other weights for this step; what was written before stays.

    Raises:
        SettingsError: The model never looks back, or there is no such step or position.
    """
    decoder, asked = saved.model.decoder, searcher.reader.read(pair)
    target = [*searcher.reader.target_tokens(pair), END]
    if not 1 <= step <= len(target):
        raise SettingsError(f"step {step}: expected 1 to {len(target)}, the end symbol.")
    encoding = saved.model.encode(searcher.reader.batch([asked], searcher.device))
    before, labels = decoder.start(encoding), source_labels(asked)
    read = torch.tensor([(START, *target[: step - 1])], device=searcher.device)
    for token in read[0, :-1]:
        before = decoder.step(token[None], before).state
    taken = decoder.step(read[:, -1], before)
    scores, weights = decoder.scores(taken.hidden, before), taken.weights
    if scores is None or weights is None:
        raise SettingsError("this model never looks back: it has no look to show.")
    context, logits = taken.context, taken.logits
    if change is not None:
        _require_places(change, len(labels))
        weights, context, logits = _rewritten(saved, encoding, read, before, change)
    chances = logits[0].softmax(-1)
    best, tokens = chances.topk(min(_SHOWN, len(chances)))

    def shown(ids: Sequence[int]) -> list[str]:
        return [written_name(saved, token) for token in ids]

    return LookedUp(
        labels,
        tuple(encoding.mask[0].tolist()),
        scores[0].cpu().numpy(),
        weights[0].cpu().numpy(),
        context[0].cpu().numpy(),
        shown([target[step - 1]])[0],
        tuple(zip(shown(tokens.tolist()), best.tolist(), strict=True)),
        chances.cpu().numpy(),
    )


def written_name(saved: Saved, token: int) -> str:
    """A target symbol as pictures show it."""
    if token == END:
        return Label("", 0, 0, "end").shown
    return saved.settings.text.target.segmenter().shown(
        saved.vocabularies.target.decode([token])[0]
    )


def _rewritten(
    saved: Saved, encoding: Encoding, read: Tensor, state: State, change: Change
) -> tuple[Tensor, Tensor, Tensor]:
    """Weights, context and logits of the last step, every head changed alike."""
    decoder = saved.model.decoder
    decoded = decoder(read, encoding)
    assert decoded.heads is not None
    heads = changed(decoded.heads[:, -1:], change, decoder.blocks(encoding))
    context = decoder.contexts(heads, state)
    logits = decoder.logits(decoded.hidden[:, -1:], context)
    return heads.mean(2)[:, 0], context[:, 0], logits[:, 0]


def changed(
    weights: Float[Tensor, "*rows heads source"], change: Change, widths: Sequence[int]
) -> Float[Tensor, "*rows heads source"]:
    """Weights as a change has them; the others keep their ratios, block by block where one is erased.

    What is said of a position is meant of the mean of the heads, which is what is
    shown: each head gives or takes in proportion to what it has. Moves are made one
    after the other, so a later one takes its part of an earlier one.

    Args:
        weights: For every head.
        change: What is erased, and what is moved.
        widths: How many positions share a distribution, block by block; what is
            erased stays in its block, what is moved comes from anywhere.

    Examples:
        >>> changed(torch.tensor([[0.5, 0.25, 0.25]]), Change(moved={0: 0.8}), [3])
        tensor([[0.8000, 0.1000, 0.1000]])
        >>> changed(torch.tensor([[0.5, 0.25, 0.25]]), Change(erased=(0,)), [3])
        tensor([[0.0000, 0.5000, 0.5000]])
    """
    opened = torch.ones(weights.shape[-1], dtype=torch.bool, device=weights.device)
    opened[list(change.erased)] = False
    weights = renormalize(weights, opened, widths)
    for place, share in change.moved.items():
        if place in change.erased:
            continue
        own = weights[..., place]
        mean = own.mean(-1, keepdim=True)
        more = own + (1 - own) * (share - mean) / (1 - mean).clamp(min=1e-12)
        less = own * share / mean.clamp(min=1e-12)
        target = torch.where(share >= mean, more, less)
        rest = weights.clone()
        rest[..., place] = 0
        # A head that had nothing elsewhere shares out evenly what it gives.
        elsewhere = opened.clone()
        elsewhere[place] = False
        rest = torch.where(rest.sum(-1, keepdim=True) > 0, rest, elsewhere.to(rest.dtype))
        weights = _shared_out(rest, (1 - target).unsqueeze(-1))
        weights[..., place] = target
    return weights


def _shared_out(weights: Tensor, total: Tensor | float) -> Tensor:
    """The same ratios with another sum; nothing where there is nothing."""
    sums = weights.sum(-1, keepdim=True)
    return torch.where(sums > 0, weights * total / sums.clamp(min=1e-12), 0)


def _require_places(change: Change, positions: int) -> None:
    for place in (*change.erased, *change.moved):
        if not 0 <= place < positions:
            raise SettingsError(
                f"there is no source position {place}: expected 0 to {positions - 1}."
            )
    for place, share in change.moved.items():
        if not 0 <= share <= 1:
            raise SettingsError(f"a weight of {share} at position {place}: expected 0 to 1.")
