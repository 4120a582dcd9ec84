"""Word use: put other symbols in the place of one, and read the source anew.

    effect_ts = mean over k of  log p(y_t | x) - log p(y_t | x with x_s replaced by the k-th other)

Erasing tests positions: an encoder that reads forwards may keep a symbol in
the state after it, and the map then is right about states and one place off
about symbols. Substitution tests the symbols themselves; what was written
before each step stays as it was.

Prediction difference of Li et al. (2019), doi:10.18653/v1/P19-1124.
"""

from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from regard.inspection.config import InspectionSettings
from regard.model import Seq2Seq
from regard.text import SPECIAL, Batch, Source

_ROOM = 2**23


@torch.no_grad()
def substitute(
    model: Seq2Seq, batch: Batch, *, symbols: int, settings: InspectionSettings, numbers: list[int]
) -> list[Float[np.ndarray, "target content"]]:
    """The effect of each source symbol on each target symbol, in nats.

    Args:
        model: The model.
        batch: Sources and what is written.
        symbols: How many ids the source's vocabulary has.
        settings: How many others are tried, and the seed.
        numbers: Of the pairs in their file: what is drawn depends on nothing else.
    """
    base = _log_probs(model, batch)
    lengths = (batch.source.mask.sum(1) - 1).tolist()
    tries = [
        _others(row[:length], symbols, settings, number)
        for row, length, number in zip(
            batch.source.tokens.cpu().numpy(), lengths, numbers, strict=True
        )
    ]
    rows = np.concatenate([np.full(len(each), row) for row, each in enumerate(tries)])
    places = np.concatenate([each[:, 0] for each in tries])
    tokens = np.concatenate([each[:, 1] for each in tries])
    width = batch.source.tokens.shape[1] + 2 * batch.inputs.shape[1]
    size = max(1, _ROOM // (width * 512))
    effects = (
        torch.cat(
            [
                _effects(
                    model,
                    batch,
                    base,
                    rows[start : start + size],
                    places[start : start + size],
                    tokens[start : start + size],
                )
                for start in range(0, max(1, len(rows)), size)
            ]
        )
        .cpu()
        .numpy()
    )
    found: list[np.ndarray] = []
    for row, length in enumerate(lengths):
        own = effects[rows == row].reshape(length, settings.substitutes, -1).mean(1)
        found.append(own[:, : int(batch.mask[row].sum())].T)
    return found


def _effects(
    model: Seq2Seq,
    batch: Batch,
    base: Tensor,
    rows: np.ndarray,
    places: np.ndarray,
    tokens: np.ndarray,
) -> Tensor:
    index = torch.from_numpy(rows).to(batch.inputs.device)
    source = batch.source
    changed = source.tokens[index].clone()
    changed[torch.arange(len(index)), torch.from_numpy(places)] = torch.from_numpy(tokens).to(
        changed
    )
    read = Source(changed, source.mask[index], source.tags[index], source.tags_mask[index])
    part = replace(
        batch,
        source=read,
        inputs=batch.inputs[index],
        target=batch.target[index],
        mask=batch.mask[index],
    )
    return base[index] - _log_probs(model, part)


def _log_probs(model: Seq2Seq, batch: Batch) -> Tensor:
    logits = model(batch.source, batch.inputs, needs_weights=False).logits
    return logits.float().log_softmax(-1).gather(-1, batch.target.unsqueeze(-1)).squeeze(-1)


def _others(
    tokens: np.ndarray, symbols: int, settings: InspectionSettings, number: int
) -> np.ndarray:
    """Place and substitute of each try, those of one place together."""
    chance = np.random.default_rng([settings.seed, number, 1])
    first, count = len(SPECIAL), symbols - len(SPECIAL)
    shape = (len(tokens), settings.substitutes)
    # Never the symbol itself: of those behind it, each is one further.
    is_known = (tokens >= first)[:, None]
    drawn = first + chance.integers(max(1, count - 1), size=shape)
    drawn += is_known & (drawn >= tokens[:, None]) & (count > 1)
    places = np.repeat(np.arange(len(tokens)), settings.substitutes)
    return np.stack([places, drawn.ravel()], axis=1)
