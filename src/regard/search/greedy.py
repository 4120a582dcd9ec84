"""The best next symbol, at every step.

Padding and the start symbol are never written. Where a row reaches its length
limit the end symbol is written and counted, so every hypothesis is a whole
target. Finished rows are dropped from the batch.
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.decoder import Decoder, State
from regard.encoder import Encoding
from regard.search.hypothesis import Hypothesis
from regard.text import END, PADDING, START, UNKNOWN


@torch.no_grad()
def greedy(
    decoder: Decoder,
    encoding: Encoding,
    limits: Int[Tensor, " batch"],
    may_be_unknown: Bool[Tensor, " batch"],
) -> list[Hypothesis]:
    """Write the likeliest symbol at each step.

    Args:
        decoder: Any decoder.
        encoding: The sources.
        limits: How many symbols each row may write before the end symbol.
        may_be_unknown: Which rows may write the unknown symbol.
    """
    count = len(encoding.mask)
    written = [list[int]() for _ in range(count)]
    rows_of_weights = [list[np.ndarray]() for _ in range(count)]
    log_probs, complete = np.zeros(count), np.ones(count, bool)
    state: State = decoder.start(encoding)
    rows = np.arange(count)
    tokens = torch.full((count,), START, device=encoding.mask.device)
    length = 0
    while len(rows):
        step = decoder.step(tokens, state)
        choice = _choose(step.logits, limits <= length, may_be_unknown)
        tokens, state = choice.tokens, step.state
        look = None if step.weights is None else step.weights.float().cpu().numpy()
        sums, ids, ends = (part.cpu().numpy() for part in choice)
        for place, row in enumerate(rows):
            written[row].append(int(ids[place]))
            if look is not None:
                rows_of_weights[row].append(look[place])
        log_probs[rows] += sums
        complete[rows] = ends | (ids != END)
        going = np.flatnonzero(ids != END)
        if len(going) < len(rows):
            kept = torch.from_numpy(going).to(tokens.device)
            rows, limits, tokens = rows[going], limits[kept], tokens[kept]
            may_be_unknown = may_be_unknown[kept]
            state = state.select(kept)
        length += 1
    rows_found = zip(written, log_probs, rows_of_weights, complete, strict=True)
    return [
        Hypothesis(tuple(ids), float(log_prob), np.stack(looks) if looks else None, bool(whole))
        for ids, log_prob, looks, whole in rows_found
    ]


def writable(
    log_probs: Float[Tensor, "rows vocabulary"], may_be_unknown: Bool[Tensor, " rows"]
) -> Float[Tensor, "rows vocabulary"]:
    """The log-probabilities, minus infinity for what may not be written."""
    opened = log_probs.clone()
    opened[:, [PADDING, START]] = -torch.inf
    opened[~may_be_unknown, UNKNOWN] = -torch.inf
    return opened


class _Choice(NamedTuple):
    log_probs: Tensor
    tokens: Tensor
    wants_end: Tensor


def _choose(logits: Tensor, must_end: Tensor, may_be_unknown: Tensor) -> _Choice:
    log_probs = logits.float().log_softmax(-1)
    best = writable(log_probs, may_be_unknown).argmax(-1)
    tokens = torch.where(must_end, END, best)
    return _Choice(log_probs.gather(-1, tokens.unsqueeze(-1)).squeeze(-1), tokens, best == END)
