"""Told where to look: links of an aligner become one more term of the loss.

    loss = cross-entropy - guided * mean over linked rows of log(sum over linked s of weights_ts)

where the weights of a row's symbols are made to sum to one.

The links are those of `regard.alignment.aligner`, learnt on the training pairs
in both directions and joined (grow-diag-final-and). A row that has none is left
alone. A map that was guided is no evidence by itself: the model is marked so.

Mi, Wang and Ittycheriah (2016), arXiv:1608.00112; Chen et al. (2016),
arXiv:1607.01628.
"""

from array import array

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.alignment import Link, Order, Sides, best_sources, symmetrized
from regard.text import Corpus, Sequences


def guide_of(corpus: Corpus, order: Order) -> Sequences:
    """The links of each pair, each as target position * source length + source position.

    Args:
        corpus: The training pairs.
        order: Whether links keep near the diagonal.
    """
    sides = Sides(
        corpus.source.values, corpus.source.offsets, corpus.target.values, corpus.target.offsets
    )
    forwards, backwards = best_sources(sides, order), best_sources(sides.turned(), order)
    codes, ends = array("q"), array("q", [0])
    for pair, width in enumerate(corpus.source.lengths.tolist()):
        own = forwards[corpus.target.offsets[pair] : corpus.target.offsets[pair + 1]].tolist()
        back = backwards[corpus.source.offsets[pair] : corpus.source.offsets[pair + 1]].tolist()
        links = symmetrized(
            [Link(source, target) for target, source in enumerate(own) if source >= 0],
            [Link(source, target) for source, target in enumerate(back) if target >= 0],
            "grow-diag-final-and",
        )
        codes.extend(link.target * width + link.source for link in links)
        ends.append(len(codes))
    return Sequences(np.asarray(codes).view(np.int64), np.asarray(ends).view(np.int64))


def guide_loss(
    weights: Float[Tensor, "batch target source"],
    links: Bool[Tensor, "batch target source"],
    symbols: int,
) -> Float[Tensor, ""]:
    """How little of the weight that linked rows give to symbols lies on their links.

    Args:
        weights: Where the decoder looked.
        links: Where the aligner says that it should.
        symbols: How many positions are symbols; the tags stand behind them, and no
            link says how much they should get.
    """
    is_linked = links.any(-1)
    weights = weights.float()
    whole = weights[..., :symbols].sum(-1)[is_linked].clamp(min=1e-6)
    mass = (weights * links).sum(-1)[is_linked] / whole
    if not len(mass):
        return weights.new_zeros((), dtype=torch.float32)
    return -mass.clamp(min=1e-6).log().mean()
