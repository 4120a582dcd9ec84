"""How likely a given target is, and where the decoder looks while writing it."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from regard.decoder import Decoder
from regard.encoder import Encoding
from regard.search.hypothesis import Hypothesis


@torch.no_grad()
def forced(
    decoder: Decoder,
    encoding: Encoding,
    inputs: Int[Tensor, "batch target"],
    target: Int[Tensor, "batch target"],
    mask: Bool[Tensor, "batch target"],
) -> list[Hypothesis]:
    """The given targets as hypotheses.

    Args:
        decoder: Any decoder.
        encoding: The sources.
        inputs: The start symbol and the target.
        target: The target and the end symbol.
        mask: True where `target` has a symbol.
    """
    decoded = decoder(inputs, encoding)
    log_probs = decoded.logits.float().log_softmax(-1)
    each = log_probs.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    sums = each.double().masked_fill(~mask, 0).sum(-1)
    weights = None if decoded.weights is None else decoded.weights.float().cpu().numpy()
    return [
        Hypothesis(
            tuple(target[row, :length].tolist()),
            float(sums[row]),
            None if weights is None else weights[row, :length],
        )
        for row, length in enumerate(mask.sum(-1).tolist())
    ]
