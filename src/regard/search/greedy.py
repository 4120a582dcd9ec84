"""The best next symbol, at every step.

Padding and the start symbol are never written. Where a row reaches its length
limit the end symbol is written and counted, so every hypothesis is a whole
target. Finished rows are dropped from the batch.
"""

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from regard.decoder import Decoder, State
from regard.encoder import Encoding
from regard.search.hypothesis import Hypothesis
from regard.text import END, PADDING, START


@torch.no_grad()
def greedy(decoder: Decoder, encoding: Encoding, limits: Int[Tensor, " batch"]) -> list[Hypothesis]:
    """Write the likeliest symbol at each step.

    Args:
        decoder: Any decoder.
        encoding: The sources.
        limits: How many symbols each row may write before the end symbol.
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
        best, chosen, natural = _choose(step.logits, limits <= length)
        tokens, state = chosen, step.state
        look = None if step.weights is None else step.weights.float().cpu().numpy()
        ids, scores, ends = chosen.cpu().numpy(), best.cpu().numpy(), natural.cpu().numpy()
        for place, row in enumerate(rows):
            written[row].append(int(ids[place]))
            if look is not None:
                rows_of_weights[row].append(look[place])
        log_probs[rows] += scores
        complete[rows] = ends | (ids != END)
        going = np.flatnonzero(ids != END)
        if len(going) < len(rows):
            kept = torch.from_numpy(going).to(tokens.device)
            rows, limits, tokens = rows[going], limits[kept], tokens[kept]
            state = state.select(kept)
        length += 1
    return [
        Hypothesis(
            tuple(written[row]), float(log_probs[row]),
            np.stack(rows_of_weights[row]) if rows_of_weights[row] else None, bool(complete[row]),
        )
        for row in range(count)
    ]  # fmt: skip


def _choose(logits: Tensor, must_end: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    log_probs = logits.float().log_softmax(-1)
    open_ = log_probs.clone()
    open_[:, [PADDING, START]] = -torch.inf
    _, chosen = open_.max(-1)
    natural = chosen == END
    chosen = torch.where(must_end, END, chosen)
    return log_probs.gather(-1, chosen.unsqueeze(-1)).squeeze(-1), chosen, natural
