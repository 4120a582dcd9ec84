"""How wrong the logits are.

    loss = mean over symbols of  - sum over y of p(y) log softmax(logits)(y)

where p gives the right symbol 1 - smoothing and spreads the rest evenly
(Szegedy et al. 2016, arXiv:1512.00567).
"""

from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from regard.text import PADDING


def sequence_loss(
    logits: Float[Tensor, "batch target vocabulary"],
    target: Int[Tensor, "batch target"],
    smoothing: float = 0.0,
    taught: Float[Tensor, "batch target vocabulary"] | None = None,
) -> Float[Tensor, ""]:
    """The mean loss of the real symbols, in float32; padding counts for nothing.

    Args:
        logits: What the decoder would write.
        target: What it should write, padded.
        smoothing: Share of the probability that is spread evenly.
        taught: What a teacher would write. Half of the loss is then the
            cross-entropy to its distribution (Hinton et al. 2015,
            arXiv:1503.02531, at a temperature of one), half is that above.
    """
    logits = logits.float()
    loss = cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=PADDING, label_smoothing=smoothing
    )
    if taught is None:
        return loss
    is_real = target != PADDING
    return (loss + cross_entropy(logits[is_real], taught.float()[is_real].softmax(-1))) / 2
