"""One step of writing a given target, in numbers."""

from collections.abc import Sequence

import torch

from regard.alignment import Label
from regard.errors import SettingsError
from regard.model import Saved
from regard.predictor.prediction import LookedUp
from regard.text import START, Source

_SHOWN = 5


@torch.no_grad()
def looked_up(
    saved: Saved, source: Source, target: Sequence[int], labels: tuple[Label, ...]
) -> LookedUp:
    """The numbers of the last step.

    Args:
        saved: The model.
        source: One source.
        target: Ids of what is written, at least one.
        labels: Of the source's positions.

    Raises:
        SettingsError: The model never looks back.
    """
    decoder, device = saved.model.decoder, source.tokens.device
    before = decoder.start(saved.model.encode(source))
    *earlier, last = [torch.tensor([token], device=device) for token in (START, *target[:-1])]
    for token in earlier:
        before = decoder.step(token, before).state
    taken = decoder.step(last, before)
    scores, weights = decoder.scores(taken.hidden, before), taken.weights
    if scores is None or weights is None:
        raise SettingsError("this model never looks back: it has no look to show.")
    chances, tokens = taken.logits[0].softmax(-1).topk(min(_SHOWN, taken.logits.shape[-1]))
    known, segmenter = saved.vocabularies.target, saved.settings.text.target.segmenter()

    def shown(ids: Sequence[int]) -> list[str]:
        return [segmenter.shown(symbol) for symbol in known.decode(ids)]

    return LookedUp(
        labels, (True,) * scores.shape[-1], scores[0].cpu().numpy(), weights[0].cpu().numpy(),
        taken.context[0].cpu().numpy(), shown([target[-1]])[0],
        tuple(zip(shown(tokens.tolist()), chances.tolist(), strict=True)),
    )  # fmt: skip
