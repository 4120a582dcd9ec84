"""A candidate: what was written, how likely, and where the decoder looked."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32


@dataclass(frozen=True)
class Hypothesis:
    """One way to write the target.

    Attributes:
        tokens: Ids, closed by the end symbol.
        log_prob: The sum of the symbols' log-probabilities, that of the end
            symbol included.
        weights: The alignment's row for each token; None if the decoder never
            looks back.
        is_complete: False where the length limit forced the end symbol.
    """

    tokens: tuple[int, ...]
    log_prob: float
    weights: Float32[np.ndarray, "target source"] | None
    is_complete: bool = True

    def __post_init__(self) -> None:
        if self.weights is not None and len(self.weights) != len(self.tokens):
            raise AssertionError("a hypothesis needs one row of weights for each token")
