"""Score: how well each source position answers the query.

With query q, key k and learnt W, U, v, b:

    dot           q . k                         Luong, Pham and Manning (2015), arXiv:1508.04025
    scaled dot    q . k / sqrt(size)            Vaswani et al. (2017), arXiv:1706.03762
    cosine        q . k / (|q| |k|)             Graves, Wayne and Danihelka (2014), arXiv:1410.5401
    general       q . W k                       Luong et al. (2015)
    additive      v . tanh(W q + U k + b)       Bahdanau, Cho and Bengio (2015), arXiv:1409.0473
    concat        v . tanh(W [q; k])            Luong et al. (2015)

Whatever depends on the source alone is done once, in `prepare`.
"""

import math
from abc import ABC, abstractmethod
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import SettingsError
from regard.shapes import require_same_size


class Score(nn.Module, ABC):
    """How well each position answers; any real number, before normalising.

    Attributes:
        uses_coverage: Whether it must be given what was looked at so far.
    """

    uses_coverage: bool = False

    def prepare(
        self, states: Float[Tensor, "*batch source state"]
    ) -> Float[Tensor, "*batch source key"]:
        """Make keys of states: all the work that needs no query. Once per source."""
        return states

    @abstractmethod
    def forward(
        self,
        query: Float[Tensor, "*#batch target query"],
        keys: Float[Tensor, "*#batch source key"],
        *,
        scale: float | None = None,
        coverage: Float[Tensor, "*#batch source"] | None = None,
    ) -> Float[Tensor, "*#batch target source"]:
        """Score each prepared key for each query.

        Args:
            query: One row per target position.
            keys: What `prepare` made.
            scale: A factor in the place of the score's own.
            coverage: What was looked at so far; only some scores use it.
        """


class DotScore(Score):
    """q . k."""

    def forward(
        self,
        query: Float[Tensor, "*#batch target query"],
        keys: Float[Tensor, "*#batch source key"],
        *,
        scale: float | None = None,
        coverage: Float[Tensor, "*#batch source"] | None = None,
    ) -> Float[Tensor, "*#batch target source"]:
        """See `Score.forward`; coverage is not used."""
        return _products(query, keys, 1.0 if scale is None else scale)


class ScaledDotScore(Score):
    """q . k / sqrt(size), so that the scores of random vectors have variance one."""

    def forward(
        self,
        query: Float[Tensor, "*#batch target query"],
        keys: Float[Tensor, "*#batch source key"],
        *,
        scale: float | None = None,
        coverage: Float[Tensor, "*#batch source"] | None = None,
    ) -> Float[Tensor, "*#batch target source"]:
        """See `Score.forward`; coverage is not used."""
        own = 1 / math.sqrt(max(query.shape[-1], 1))
        return _products(query, keys, own if scale is None else scale)


class CosineScore(Score):
    """q . k / (|q| |k|), zero where either vector is zero.

    Args:
        scale: How sharp the weights may become: with a scale of one, the
            largest of S weights is at most e^2 / (e^2 + S - 1).
    """

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = scale

    def prepare(
        self, states: Float[Tensor, "*batch source state"]
    ) -> Float[Tensor, "*batch source key"]:
        """Give each state the length one, in at least float32."""
        return _unit(states.to(torch.promote_types(states.dtype, torch.float32)))

    def forward(
        self,
        query: Float[Tensor, "*#batch target query"],
        keys: Float[Tensor, "*#batch source key"],
        *,
        scale: float | None = None,
        coverage: Float[Tensor, "*#batch source"] | None = None,
    ) -> Float[Tensor, "*#batch target source"]:
        """See `Score.forward`; coverage is not used."""
        return _products(_unit(query), keys, self.scale if scale is None else scale)


class GeneralScore(Score):
    """q . W k, with W learnt.

    Args:
        query_size: Width of the query.
        key_size: Width of the states that are looked at.
    """

    def __init__(self, query_size: int, key_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(key_size, query_size, bias=False)

    def prepare(
        self, states: Float[Tensor, "*batch source state"]
    ) -> Float[Tensor, "*batch source key"]:
        """Multiply each state by W."""
        return _linear(self.key, states)

    def forward(
        self,
        query: Float[Tensor, "*#batch target query"],
        keys: Float[Tensor, "*#batch source key"],
        *,
        scale: float | None = None,
        coverage: Float[Tensor, "*#batch source"] | None = None,
    ) -> Float[Tensor, "*#batch target source"]:
        """See `Score.forward`; coverage is not used."""
        return _products(query, keys, 1.0 if scale is None else scale)


class AdditiveScore(Score):
    """v . tanh(W q + U k + b), with W, U, v and b learnt.

    Args:
        query_size: Width of the query.
        key_size: Width of the states that are looked at.
        size: Width inside the tanh.
        uses_coverage: Whether a learnt multiple of the coverage is added
            inside the tanh (See, Liu and Manning 2017, equation 11).
    """

    def __init__(
        self, query_size: int, key_size: int, *, size: int, uses_coverage: bool = False
    ) -> None:
        super().__init__()
        self.query = nn.Linear(query_size, size, bias=False)
        self.key = nn.Linear(key_size, size)
        self.vector = nn.Linear(size, 1, bias=False)
        self.uses_coverage = uses_coverage
        self.coverage = nn.Linear(1, size, bias=False) if uses_coverage else None

    def prepare(
        self, states: Float[Tensor, "*batch source state"]
    ) -> Float[Tensor, "*batch source key"]:
        """U k + b."""
        return _linear(self.key, states)

    def forward(
        self,
        query: Float[Tensor, "*#batch target query"],
        keys: Float[Tensor, "*#batch source key"],
        *,
        scale: float | None = None,
        coverage: Float[Tensor, "*#batch source"] | None = None,
    ) -> Float[Tensor, "*#batch target source"]:
        """See `Score.forward`."""
        seen = _covered(keys, self.coverage, coverage)
        return _bend(_linear(self.query, query), seen, self.vector, scale)


class ConcatScore(Score):
    """v . tanh(W [q; k]), with W and v learnt.

    W is one matrix over query and key together; its right half is applied once
    per source, its left half once per query, so no pair is ever concatenated.

    Args:
        query_size: Width of the query.
        key_size: Width of the states that are looked at.
        size: Width inside the tanh.
        uses_coverage: As for `AdditiveScore`.
    """

    def __init__(
        self, query_size: int, key_size: int, *, size: int, uses_coverage: bool = False
    ) -> None:
        super().__init__()
        self.query_size = query_size
        self.pair = nn.Linear(query_size + key_size, size, bias=False)
        self.vector = nn.Linear(size, 1, bias=False)
        self.uses_coverage = uses_coverage
        self.coverage = nn.Linear(1, size, bias=False) if uses_coverage else None

    def prepare(
        self, states: Float[Tensor, "*batch source state"]
    ) -> Float[Tensor, "*batch source key"]:
        """The right half of W times k."""
        return nn.functional.linear(states, self._matrix(states)[:, self.query_size :])

    def forward(
        self,
        query: Float[Tensor, "*#batch target query"],
        keys: Float[Tensor, "*#batch source key"],
        *,
        scale: float | None = None,
        coverage: Float[Tensor, "*#batch source"] | None = None,
    ) -> Float[Tensor, "*#batch target source"]:
        """See `Score.forward`."""
        asked = nn.functional.linear(query, self._matrix(query)[:, : self.query_size])
        seen = _covered(keys, self.coverage, coverage)
        return _bend(asked, seen, self.vector, scale)

    def _matrix(self, vectors: Tensor) -> Tensor:
        return self.pair.weight.to(vectors.dtype)


def _linear(layer: nn.Linear, vectors: Tensor) -> Tensor:
    # The look is taken in the precision of its operands, whatever that of the parameters.
    bias = cast(Tensor | None, layer.bias)
    bias = None if bias is None else bias.to(vectors.dtype)
    return nn.functional.linear(vectors, layer.weight.to(vectors.dtype), bias)


def _products(query: Tensor, keys: Tensor, scale: float) -> Tensor:
    require_same_size("query", query, "keys", keys, axis=-1)
    # The scale goes to the query first: a product may overflow where its scaled value does not.
    return (query if scale == 1 else query * scale) @ keys.transpose(-1, -2)


def _unit(vectors: Tensor) -> Tensor:
    # Dividing by the largest entry first keeps squares of tiny and huge numbers in range.
    # The result does not depend on that divisor, so no gradient goes through it.
    if vectors.shape[-1] == 0:
        return vectors
    largest = vectors.detach().abs().amax(-1, keepdim=True)
    vectors = vectors / torch.where(largest > 0, largest, 1)
    squares = vectors.square().sum(-1, keepdim=True)
    nonzero = squares > 0
    return vectors * torch.where(nonzero, torch.where(nonzero, squares, 1).rsqrt(), 0)


def _covered(keys: Tensor, term: nn.Linear | None, coverage: Tensor | None) -> Tensor:
    if term is None:
        return keys
    if coverage is None:
        raise SettingsError("this score uses coverage: pass what was looked at so far.")
    return keys + _linear(term, coverage.unsqueeze(-1).to(keys.dtype))


def _bend(asked: Tensor, seen: Tensor, vector: nn.Linear, scale: float | None) -> Tensor:
    bent = (asked.unsqueeze(-2) + seen.unsqueeze(-3)).tanh()
    scores = _linear(vector, bent).squeeze(-1)
    return scores if scale is None else scores * scale
