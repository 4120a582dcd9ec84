"""Write, looking back every step: the one protocol that search and training rest on.

    decoder.start(encoding)           -> State     all per-source work
    decoder.step(tokens, state)       -> Step      one target position
    decoder.forward(inputs, encoding) -> Decoded   a whole known target: the same
    state.select(rows)                -> State     keep, drop or repeat rows
    decoder.logits(hidden, context)                what would be written, had the
                                                   context been another
    decoder.scores(hidden, state)                  what the look had before normalising
    decoder.contexts(weights, state)               what it would have brought with
                                                   these weights
    decoder.blocks(encoding)                       which positions share a distribution

`forward` equals the chain of `step`, for every decoder.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attended
from regard.encoder import Encoding


class State(ABC):
    """All that a decoder carries from step to step, its memory included."""

    @abstractmethod
    def select(self, rows: Int[Tensor, " rows"] | Int[Tensor, "sources each"]) -> "State":
        """Keep, drop or repeat rows.

        Args:
            rows: Which; or a table of them, those of one source in a line: what
                belongs to the source is then kept once for all of them.
        """


class Step(NamedTuple):
    """What one step wrote, and how.

    Attributes:
        logits: Over the target vocabulary.
        hidden: What the output layer was given beside the context.
        context: What the look brought.
        weights: The alignment's row; None for a decoder that does not look back.
        looks: Every look of this step, one per layer, heads included.
        state: For the next step.
    """

    logits: Float[Tensor, "batch vocabulary"]
    hidden: Float[Tensor, "batch hidden"]
    context: Float[Tensor, "batch context"]
    weights: Float[Tensor, "batch source"] | None
    looks: tuple[Attended, ...]
    state: State


class Decoded(NamedTuple):
    """What a whole target would be written with.

    Attributes:
        logits: Over the target vocabulary, one row per position.
        hidden: What the output layer was given beside the context.
        context: What the alignment's look brought.
        weights: The alignment; None for a decoder that does not look back.
        heads: The weights of the alignment's look, every head (and every member
            of an ensemble) apart: `weights` is their mean. None as `weights`.
        looks: Every look, one per layer, heads included.
    """

    logits: Float[Tensor, "batch target vocabulary"]
    hidden: Float[Tensor, "batch target hidden"]
    context: Float[Tensor, "batch target context"]
    weights: Float[Tensor, "batch target source"] | None
    heads: Float[Tensor, "batch target heads source"] | None
    looks: tuple[Attended, ...]


class Decoder(nn.Module, ABC):
    """Writes the target, one symbol after the other.

    Attributes:
        alignment: Which look the alignment is, in words; None if there is none.
    """

    alignment: str | None

    @abstractmethod
    def start(self, encoding: Encoding) -> State:
        """All work that depends on the source alone."""

    @abstractmethod
    def step(
        self,
        tokens: Int[Tensor, " batch"],
        state: State,
        weights: Float[Tensor, "batch source"] | None = None,
    ) -> Step:
        """Write one position.

        Args:
            tokens: What was written before; the start symbol at first.
            state: What `start` or the step before returned.
            weights: Taken in the place of the alignment's own weights.
        """

    @abstractmethod
    def scores(
        self, hidden: Float[Tensor, "batch hidden"], state: State
    ) -> Float[Tensor, "batch looks source"] | None:
        """What the alignment's look had before normalising, a row a head.

        Where there are several `blocks`, each is normalised alone, and gets the same share.

        Args:
            hidden: Of a `Step`.
            state: What that step was given.
        """

    def blocks(self, encoding: Encoding) -> list[int]:
        """How many positions, one after the other, share a distribution; most often all.

        Args:
            encoding: The sources.
        """
        return [encoding.mask.shape[1]]

    @abstractmethod
    def contexts(
        self, weights: Float[Tensor, "sources rows heads source"], state: State
    ) -> Float[Tensor, "sources rows context"]:
        """What the alignment's look would have brought with these weights.

        Args:
            weights: For every head, as in `Decoded.heads`; any number of rows for
                each source.
            state: What `start` returned.
        """

    @abstractmethod
    def forward(
        self, inputs: Int[Tensor, "batch target"], encoding: Encoding, needs_weights: bool = True
    ) -> Decoded:
        """Write a whole known target.

        Args:
            inputs: The start symbol and all but the last symbol of the target.
            encoding: What the encoder made.
            needs_weights: Whether the looks are wanted; without them a decoder
                may take a faster way to the same logits.
        """

    @abstractmethod
    def logits(
        self, hidden: Float[Tensor, "*batch hidden"], context: Float[Tensor, "*batch context"]
    ) -> Float[Tensor, "*batch vocabulary"]:
        """The output layer: what is written, given what is known and what was looked up."""
