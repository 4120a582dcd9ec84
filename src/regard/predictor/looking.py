"""One step of writing a given target, in numbers; also with weights changed by hand."""

from collections.abc import Sequence

import torch
from torch import Tensor

from regard.alignment import Label
from regard.decoder import State
from regard.encoder import Encoding
from regard.errors import SettingsError
from regard.model import Saved
from regard.predictor.prediction import Change, LookedUp
from regard.text import START, Source

_SHOWN = 5


@torch.no_grad()
def looked_up(
    saved: Saved, source: Source, target: Sequence[int], labels: tuple[Label, ...],
    change: Change | None = None,
) -> LookedUp:  # fmt: skip
    """The numbers of the last step.

    Args:
        saved: The model.
        source: One source.
        target: Ids of what is written, at least one.
        labels: Of the source's positions.
        change: Other weights for this step; what was written before stays.

    Raises:
        SettingsError: The model never looks back, or there is no such position.
    """
    decoder, device = saved.model.decoder, source.tokens.device
    encoding = saved.model.encode(source)
    before = decoder.start(encoding)
    read = torch.tensor([(START, *target[:-1])], device=device)
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
    known, segmenter = saved.vocabularies.target, saved.settings.text.target.segmenter()

    def shown(ids: Sequence[int]) -> list[str]:
        return [segmenter.shown(symbol) for symbol in known.decode(ids)]

    return LookedUp(
        labels, (True,) * scores.shape[-1], scores[0].cpu().numpy(), weights[0].cpu().numpy(),
        context[0].cpu().numpy(), shown([target[-1]])[0],
        tuple(zip(shown(tokens.tolist()), best.tolist(), strict=True)), chances.cpu().numpy(),
    )  # fmt: skip


def _rewritten(
    saved: Saved, encoding: Encoding, read: Tensor, state: State, change: Change
) -> tuple[Tensor, Tensor, Tensor]:
    """Weights, context and logits of the last step, every head changed alike."""
    decoder = saved.model.decoder
    decoded = decoder(read, encoding)
    assert decoded.heads is not None
    heads = changed(decoded.heads[:, -1:], change)
    context = decoder.contexts(heads, state)
    logits = decoder.logits(decoded.hidden[:, -1:], context)
    return heads.mean(2)[:, 0], context[:, 0], logits[:, 0]


def changed(weights: Tensor, change: Change) -> Tensor:
    """Weights as a change has them; what is left to share out keeps its ratios.

    Example:
        >>> changed(torch.tensor([0.5, 0.25, 0.25]), Change(moved={0: 0.8}))
        tensor([0.8000, 0.1000, 0.1000])
        >>> changed(torch.tensor([0.5, 0.25, 0.25]), Change(erased=(0,)))
        tensor([0.0000, 0.5000, 0.5000])
    """
    moved = {place: share for place, share in change.moved.items() if place not in change.erased}
    rest = weights.clone()
    rest[..., [*change.erased, *moved]] = 0
    given = sum(moved.values())
    total = rest.sum(-1, keepdim=True)
    rest = torch.where(total > 0, rest * (1 - min(given, 1.0)) / total.clamp(min=1e-12), 0)
    for place, share in moved.items():
        rest[..., place] = share
    total = rest.sum(-1, keepdim=True)
    return torch.where(total > 0, rest / total.clamp(min=1e-12), 0)


def _require_places(change: Change, positions: int) -> None:
    for place in (*change.erased, *change.moved):
        if not 0 <= place < positions:
            raise SettingsError(
                f"there is no source position {place}: expected 0 to {positions - 1}."
            )
    for place, share in change.moved.items():
        if not 0 <= share <= 1:
            raise SettingsError(f"a weight of {share} at position {place}: expected 0 to 1.")
