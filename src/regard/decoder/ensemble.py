"""Several decoders write one target: at every step their probabilities are averaged.

    p(y)      = mean over members m of p_m(y)
    weights_s = mean over members m of weights_ms

What an ensemble writes need be no single member's choice, and its alignment
says where the members looked on average. What one decoder has once (hidden
state, context), an ensemble has side by side, in the members' order.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.decoder.decoder import Decoded, Decoder, State, Step
from regard.encoder import Encoding


@dataclass(frozen=True)
class EnsembleState(State):
    """What each member carries.

    Attributes:
        members: Their states.
    """

    members: tuple[State, ...]

    def select(self, rows: Int[Tensor, " rows"] | Int[Tensor, "sources each"]) -> "EnsembleState":
        """Keep, drop or repeat rows."""
        return EnsembleState(tuple(state.select(rows) for state in self.members))


class EnsembleDecoder(Decoder):
    """Decoders of one kind and size, averaged.

    Args:
        members: The decoders, at least one.
    """

    def __init__(self, members: Sequence[Decoder]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)
        look = members[0].alignment
        self.alignment = None if look is None else f"{look}, mean of {len(members)} models"

    def start(self, encoding: Encoding) -> EnsembleState:
        """Start every member on its own part of the encoding."""
        parts = zip(self._each(), self._apart(encoding), strict=True)
        return EnsembleState(tuple(member.start(part) for member, part in parts))

    def step(
        self,
        tokens: Int[Tensor, " batch"],
        state: State,
        weights: Float[Tensor, "batch source"] | None = None,
    ) -> Step:
        """Write one position; weights that are given are every member's."""
        assert isinstance(state, EnsembleState)
        parts = zip(self._each(), state.members, strict=True)
        steps = [member.step(tokens, own, weights) for member, own in parts]
        return Step(
            _mean_logits([one.logits for one in steps]),
            torch.cat([one.hidden for one in steps], -1),
            torch.cat([one.context for one in steps], -1),
            _mean_weights([one.weights for one in steps]),
            tuple(look for one in steps for look in one.looks),
            EnsembleState(tuple(one.state for one in steps)),
        )

    def scores(
        self, hidden: Float[Tensor, "batch hidden"], state: State
    ) -> Float[Tensor, "batch looks source"] | None:
        """What every member's look had before normalising, one member after the other."""
        assert isinstance(state, EnsembleState)
        parts = zip(self._each(), self._split(hidden), state.members, strict=True)
        scores = [member.scores(part, own) for member, part, own in parts]
        known = [one for one in scores if one is not None]
        return torch.cat(known, 1) if known else None

    def forward(
        self, inputs: Int[Tensor, "batch target"], encoding: Encoding, needs_weights: bool = True
    ) -> Decoded:
        """Write a whole known target."""
        parts = zip(self._each(), self._apart(encoding), strict=True)
        written = [member.forward(inputs, part, needs_weights) for member, part in parts]
        heads = [one.heads for one in written if one.heads is not None]
        return Decoded(
            _mean_logits([one.logits for one in written]),
            torch.cat([one.hidden for one in written], -1),
            torch.cat([one.context for one in written], -1),
            _mean_weights([one.weights for one in written]),
            torch.cat(heads, 2) if heads else None,
            tuple(look for one in written for look in one.looks),
        )

    def blocks(self, encoding: Encoding) -> list[int]:
        """The same for every member."""
        return self._each()[0].blocks(encoding)

    def contexts(
        self, weights: Float[Tensor, "sources rows heads source"], state: State
    ) -> Float[Tensor, "sources rows context"]:
        """What every member's look would have brought, side by side."""
        assert isinstance(state, EnsembleState)
        each = weights.chunk(len(self.members), 2)
        parts = zip(self._each(), each, state.members, strict=True)
        return torch.cat([member.contexts(own, told) for member, own, told in parts], -1)

    def logits(
        self, hidden: Float[Tensor, "*batch hidden"], context: Float[Tensor, "*batch context"]
    ) -> Float[Tensor, "*batch vocabulary"]:
        """The logarithm of the mean of what the members' output layers say."""
        parts = zip(self._each(), self._split(hidden), self._split(context), strict=True)
        return _mean_logits([member.logits(known, brought) for member, known, brought in parts])

    def _each(self) -> list[Decoder]:
        return [cast(Decoder, member) for member in self.members]

    def _split(self, vectors: Tensor) -> tuple[Tensor, ...]:
        return vectors.chunk(len(self.members), -1)

    def _apart(self, encoding: Encoding) -> list[Encoding]:
        return [
            Encoding(states, encoding.mask, final, told, encoding.tag_count)
            for states, final, told in zip(
                self._split(encoding.states),
                self._split(encoding.final),
                self._split(encoding.told),
                strict=True,
            )
        ]


def _mean_logits(logits: list[Tensor]) -> Tensor:
    log_probs = torch.stack([one.float().log_softmax(-1) for one in logits])
    return log_probs.logsumexp(0) - math.log(len(logits))


def _mean_weights(weights: list[Tensor | None]) -> Tensor | None:
    known = [one.float() for one in weights if one is not None]
    return torch.stack(known).mean(0) if known else None
