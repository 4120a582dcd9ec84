"""The position-wise sublayer of a Transformer layer, and the residual around a sublayer.

Vaswani et al. (2017), section 3.3, arXiv:1706.03762, with the normalisation
before each sublayer (Xiong et al. 2020, arXiv:2002.04745), which needs no long
warm-up.
"""

from jaxtyping import Float
from torch import Tensor, nn


class FeedForward(nn.Module):
    """Two linear maps with a ReLU between them, added to what came in.

    Args:
        size: Width of the states.
        inner_size: Width between the two maps.
        dropout: Share of what is dropped.
    """

    def __init__(self, size: int, inner_size: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.widen = nn.Linear(size, inner_size)
        self.narrow = nn.Linear(inner_size, size)
        self.drop = nn.Dropout(dropout)

    def forward(self, states: Float[Tensor, "*batch size"]) -> Float[Tensor, "*batch size"]:
        """The states, each changed by itself."""
        inner = self.drop(self.widen(self.norm(states)).relu())
        return states + self.drop(self.narrow(inner))
